"""All SQL of the plans room."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from lastro.api_kit.paging import mapped
from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.plans.model import Approval, Counts, Plan, PlannedPayout, Sum, Total

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session

_PLAN_ROW = RowMapper(Plan, columns={"needs": "approvals_needed"})
_plan = _PLAN_ROW.of
_PLAN = f"SELECT {_PLAN_ROW.select} FROM payout_plans WHERE company_id = $1 AND id = $2"  # noqa: S608 columns of our own
_RELATED = "SELECT 'plan' AS kind, id, NULL::text AS network_id FROM payout_plans WHERE company_id = $1 AND id = $2"
_NEEDED = "SELECT version, plan_approvals FROM companies WHERE company_id = $1"
_BODY = "SELECT body FROM payout_plan_bodies WHERE company_id = $1 AND id = $2"
_COUNTS = """
SELECT count(*) AS checked, count(issues) AS unfit, count(payout_id) AS made
  FROM payout_plan_lines WHERE company_id = $1 AND plan_id = $2
"""
_DIGESTS = "SELECT digest FROM payout_plan_lines WHERE company_id = $1 AND plan_id = $2 ORDER BY number"
_ALIKE = """
SELECT likeness, min(line) AS line, destination::jsonb ->> 'initiation' = 'DYNAMIC_QR' AS is_charge
  FROM payout_plan_lines WHERE company_id = $1 AND plan_id = $2 AND likeness = ANY ($3::bigint[]) GROUP BY 1, 3
"""
_APPROVALS = """
SELECT a.approver, a.created_at,
       EXISTS (SELECT 1 FROM clients c WHERE c.company_id = a.company_id AND c.client_id = a.approver
                  AND c.revoked_at <= machine_now())
       OR EXISTS (SELECT 1 FROM people_ended e WHERE e.person_id
                     = CASE WHEN a.approver LIKE 'person:%' THEN substr(a.approver, 8)::uuid END) AS is_revoked
  FROM payout_plan_approvals a WHERE a.company_id = $1 AND a.plan_id = $2 ORDER BY a.created_at
"""
_TOTALS = """
SELECT account_id, payment_method, currency, count(*) AS payouts, sum(transfers) AS transfers,
       sum(amount_minor) AS amount_minor, sum(fee_minor) AS fee_minor,
       coalesce(sum(amount_minor) FILTER (WHERE payout_id IS NULL), 0) AS open_minor,
       coalesce(sum(fee_minor) FILTER (WHERE payout_id IS NULL), 0) AS open_fee_minor
  FROM payout_plan_lines WHERE company_id = $1 AND plan_id = $2 AND issues IS NULL
 GROUP BY account_id, payment_method, currency ORDER BY account_id, payment_method
"""
# A receiver is one however it was named: the same document at the same account.
_RECEIVERS = """
SELECT count(DISTINCT (r ->> 'document_number', r ->> 'ispb', ltrim(r ->> 'account', '0')))
  FROM (SELECT destination::jsonb -> 'receiver' AS r FROM payout_plan_lines
         WHERE company_id = $1 AND plan_id = $2 AND issues IS NULL) l
"""
_TO_MAKE = """
SELECT number, id FROM payout_plan_lines WHERE company_id = $1 AND plan_id = $2 AND payout_id IS NULL AND issues IS NULL
   AND number > $3
 ORDER BY number LIMIT $4
"""
_LINE_COLUMNS = """
l.id, l.version, l.plan_id, l.number, l.line, l.request, l.external_id, l.account_id, l.payment_method, l.currency,
l.amount_minor, l.fee_minor, l.transfers, l.destination, l.duplicate_of, l.issues, l.payout_id
"""
_LINE = f"SELECT {_LINE_COLUMNS} FROM payout_plan_lines l WHERE l.company_id = $1 AND l.id = $2"  # noqa: S608
_MADE = """
p.status AS payout_status, coalesce(p.end_to_end_id, k.end_to_end_id) AS end_to_end_id,
coalesce(p.str_control_number, k.str_control_number,
         CASE p.rail WHEN 'book' THEN coalesce(p.control_number, k.control_number) END) AS str_control_number,
p.paid_at, p.error_message
"""
_LINES = f"""
SELECT {_LINE_COLUMNS}, {_MADE}
  FROM payout_plan_lines l
  LEFT JOIN payouts p ON p.company_id = l.company_id AND p.id = l.payout_id
  LEFT JOIN payouts k ON k.company_id = l.company_id AND k.batch_id = l.payout_id AND k.sequence = 1
 WHERE l.company_id = $1 AND l.plan_id = $2 AND l.number > $3
"""  # noqa: S608
_LARGEST = f"{_LINES} AND l.issues IS NULL ORDER BY l.amount_minor DESC, l.number LIMIT 1"
_OF_STATUS = {
    "VALID": " AND l.payout_id IS NULL AND l.issues IS NULL",
    "CREATED": " AND l.payout_id IS NOT NULL",
    # With such a line a plan is INVALID before it is applied; afterwards the line was refused.
    "INVALID": " AND l.issues IS NOT NULL",
    "REFUSED": " AND l.issues IS NOT NULL",
}


class Alike(NamedTuple):
    """A line with a likeness. number: of its likeness; is_charge: it pays a dynamic QR."""

    number: int
    line: int
    is_charge: bool


async def plan_of(session: Session, company_id: UUID, plan_id: UUID | None) -> Plan | None:
    """Reads a plan of the company."""
    row = None if plan_id is None else await session.row(_PLAN, company_id, plan_id)
    return None if row is None else _plan(row)


async def related(session: Session, company_id: UUID, plan_id: UUID) -> list[Record]:
    """Reads the records of a plan's timeline: the plan alone.

    Its payouts have their own. No row for an unknown plan. kind (plan), id, network_id (None: no network knows it).
    """
    return await session.fetch(_RELATED, company_id, plan_id)


async def needed(session: Session, company_id: UUID) -> tuple[int, int]:
    """Reads the company's version, and the approvals that its plans need."""
    row = await session.row(_NEEDED, company_id)
    assert row is not None, "who asks is of a company"
    return row["version"], row["plan_approvals"]


async def body_of(session: Session, company_id: UUID, plan_id: UUID) -> bytes | None:
    """Reads a plan's body as sent; None once its lines are checked."""
    body: bytes | None = await session.value(_BODY, company_id, plan_id)
    return body


async def counts_of(session: Session, company_id: UUID, plan_id: UUID) -> Counts:
    """Reads the numbers of a plan's lines by outcome."""
    row = await session.row(_COUNTS, company_id, plan_id)
    assert row is not None
    return Counts(row["checked"], row["unfit"], row["made"])


async def digests_of(session: Session, company_id: UUID, plan_id: UUID) -> list[bytes]:
    """Reads the digests of the checked lines, in order."""
    return [row["digest"] for row in await session.fetch(_DIGESTS, company_id, plan_id)]


async def approvals_of(session: Session, company_id: UUID, plan_id: UUID) -> list[Approval]:
    """Reads a plan's approvals, in order, revoked ones marked."""
    rows = await session.fetch(_APPROVALS, company_id, plan_id)
    return [Approval(row["approver"], row["created_at"], is_revoked=row["is_revoked"]) for row in rows]


async def totals_of(session: Session, company_id: UUID, plan_id: UUID) -> list[Total]:
    """Reads a plan's totals by account and method, without refused lines."""
    return [_total(row) for row in await session.fetch(_TOTALS, company_id, plan_id)]


async def lines_alike(session: Session, company_id: UUID, plan_id: UUID, numbers: Sequence[int]) -> list[Alike]:
    """Reads a plan's first lines with each of these likenesses. Also the first of each that pays no charge."""
    rows = await session.fetch(_ALIKE, company_id, plan_id, list(set(numbers)))
    return [Alike(row["likeness"], row["line"], row["is_charge"]) for row in rows]


async def sum_of(session: Session, company_id: UUID, plan_id: UUID, totals: Sequence[Total]) -> Sum | None:
    """Reads the totals of a plan; None: no line can be paid. totals: of its accounts."""
    if not totals:
        return None
    nothing = Money(0, totals[0].amount.currency)
    largest = await session.row(_LARGEST, company_id, plan_id, 0)
    return Sum(
        sum(t.payouts for t in totals), sum(t.transfers for t in totals),
        await session.value(_RECEIVERS, company_id, plan_id), sum((t.amount for t in totals), nothing),
        sum((t.fees for t in totals), nothing), None if largest is None else _line(largest, is_shown=True),
    )  # fmt: skip


async def lines_to_make(session: Session, company_id: UUID, plan_id: UUID, after: int, limit: int) -> list[tuple[int, UUID]]:
    """Reads the next lines without a payout: number and id, after number `after`."""
    return [(row["number"], row["id"]) for row in await session.fetch(_TO_MAKE, company_id, plan_id, after, limit)]


async def line_of(session: Session, company_id: UUID, line_id: UUID) -> PlannedPayout | None:
    """Reads a line."""
    row = await session.row(_LINE, company_id, line_id)
    return None if row is None else _line(row)


async def lines_of(
    session: Session, company_id: UUID, plan_id: UUID, *, after: int = 0, limit: int | None = None, status: str | None = None
) -> list[PlannedPayout]:
    """Reads lines after number `after` in order, with their payouts' present state. limit None: all."""
    rows = await session.search(lines_sql(status, limit), company_id, plan_id, after)
    return await mapped(rows, lambda row: _line(row, is_shown=True))


def lines_sql(status: str | None, limit: int | None) -> str:
    """Builds the statement of a page of a plan's lines; limit None: of all."""
    return _LINES + _OF_STATUS.get(status or "", "") + " ORDER BY l.number" + ("" if limit is None else f" LIMIT {limit:d}")


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Builds the statement of a page of plans. filters: those that are given; there is `status` alone."""
    wanted = " AND status = $5" if filters else ""
    return (
        f"SELECT {_PLAN_ROW.select} FROM payout_plans"  # noqa: S608
        f" WHERE company_id = $1 AND created_at >= $2 AND created_at <= $3{wanted}"
        f" ORDER BY created_at {'DESC' if is_descending else 'ASC'} LIMIT $4"
    )


async def plans_in(session: Session, company_id: UUID, status: str | None, page: Page) -> list[Plan]:
    """Reads the company's plans of the page, up to its reach."""
    given = () if status is None else (status,)
    sql = page_sql(("status",) if given else (), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given)
    return await mapped(rows, _plan)


def _total(row: Record) -> Total:
    currency = row["currency"]
    return Total(
        row["account_id"], row["payment_method"], row["payouts"], int(row["transfers"]),
        Money(int(row["amount_minor"]), currency), Money(int(row["fee_minor"]), currency),
        Money(int(row["open_minor"]), currency), Money(int(row["open_fee_minor"]), currency),
    )  # fmt: skip


def _line(row: Record, *, is_shown: bool = False) -> PlannedPayout:
    currency, amount, fee = row["currency"], row["amount_minor"], row["fee_minor"]
    shown = {} if not is_shown else {
        "payout_status": row["payout_status"], "end_to_end_id": row["end_to_end_id"],
        "control_number": row["str_control_number"], "paid_at": row["paid_at"], "error_message": row["error_message"],
    }  # fmt: skip
    return PlannedPayout(
        row["id"], row["version"], row["plan_id"], row["number"], row["line"], row["request"], row["external_id"],
        row["account_id"], row["payment_method"], None if amount is None else Money(amount, currency),
        None if fee is None else Money(fee, currency), row["transfers"], row["destination"], row["duplicate_of"],
        row["issues"], row["payout_id"], **shown,
    )  # fmt: skip
