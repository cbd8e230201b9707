"""All SQL of scheduled payments and their attempts: how their rows are read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.rails.port import CHARGE_SEND
from lastro.subscriptions.model import Attempt, Cycle, Payment, Plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.subscriptions.model import WantedPayments

_PAYMENT = "SELECT * FROM subscription_payments p WHERE p.company_id = $1 AND "
_OPEN = _PAYMENT + "p.subscription_id = $2 AND p.status IN ('SCHEDULED', 'PENDING') ORDER BY p.created_at"
# The last ones, and whatever else still bears on what comes next.
_LATEST = """
SELECT * FROM subscription_payments p WHERE p.company_id = $1 AND p.subscription_id = $2
   AND (p.status IN ('SCHEDULED', 'PENDING') OR p.next_cycle_starts_on > $4
        OR p.id = ANY (ARRAY(SELECT l.id FROM subscription_payments l WHERE l.company_id = $1 AND l.subscription_id = $2
                              ORDER BY l.created_at DESC LIMIT $3)))
 ORDER BY p.created_at DESC
"""
_TAKEN = "SELECT cycle, status, external_id FROM subscription_payments WHERE company_id = $1 AND subscription_id = $2"
_ATTEMPTS = "SELECT * FROM payment_attempts WHERE company_id = $1 AND payment_id = ANY ($2::uuid[]) ORDER BY number"
_OF_MESSAGE = "SELECT payment_id FROM payment_attempts WHERE company_id = $1 AND message_id = $2"
_UNSENT = """
SELECT id FROM outbox WHERE company_id = $1 AND reference_id = $2 AND kind = $3
   AND due_at IS NOT NULL AND sends = 0 AND lease_token IS NULL
"""
# A statement for each set of filters, as for subscriptions.
_FILTERS = {"status": "p.status = {}", "external_id": "p.external_id = {}"}


async def payment_by_id(session: Session, company_id: UUID, payment_id: UUID) -> Payment | None:
    """One payment with its attempts."""
    row = await session.row(_PAYMENT + "p.id = $2", company_id, payment_id)
    return None if row is None else (await _with_attempts(session, company_id, [row]))[0]


async def payment_of_message(session: Session, company_id: UUID, message_id: str) -> Payment | None:
    """The payment of which the network knows an attempt by this id."""
    payment_id: UUID | None = await session.value(_OF_MESSAGE, company_id, message_id)
    return None if payment_id is None else await payment_by_id(session, company_id, payment_id)


async def unsent_instruction(session: Session, company_id: UUID, attempt_id: UUID) -> UUID | None:
    """Returns the outbox row of an attempt's instruction. It waits, and nobody has tried to send it."""
    row_id: UUID | None = await session.value(_UNSENT, company_id, attempt_id, CHARGE_SEND)
    return row_id


async def open_payments(session: Session, company_id: UUID, subscription_id: UUID) -> list[Payment]:
    """Those of a subscription that have not ended, the oldest first."""
    return await _with_attempts(session, company_id, await session.fetch(_OPEN, company_id, subscription_id))


async def latest_payments(
    session: Session, company_id: UUID, subscription_id: UUID, count: int, today: date
) -> list[Payment]:
    """Returns a subscription's latest payments, newest first. They are the last `count`, all open, all of current cycles."""
    rows = await session.fetch(_LATEST, company_id, subscription_id, count, today)
    return await _with_attempts(session, company_id, rows)


async def taken(session: Session, company_id: UUID, subscription_id: UUID) -> list[Record]:
    """cycle, status and external_id of each payment of a subscription."""
    return await session.fetch(_TAKEN, company_id, subscription_id)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """The statement of a page. filters: those that are given, in the order of their arguments after the page's five."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=6))
    direction = "DESC" if is_descending else "ASC"
    return (
        f"{_PAYMENT}p.created_at >= $2 AND p.created_at <= $3 AND p.subscription_id = $5{wanted}"
        f" ORDER BY p.created_at {direction} LIMIT $4"
    )


async def payments_in(session: Session, company_id: UUID, wanted: WantedPayments, page: Page) -> list[Payment]:
    """A subscription's payments of the page, up to its reach."""
    given = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, wanted.subscription_id, *given.values())
    return await _with_attempts(session, company_id, rows)


async def _with_attempts(session: Session, company_id: UUID, rows: Sequence[Record]) -> list[Payment]:
    if not rows:
        return []
    found: dict[UUID, list[Attempt]] = {row["id"]: [] for row in rows}
    for row in await session.fetch(_ATTEMPTS, company_id, list(found)):
        found[row["payment_id"]].append(_attempt(row))
    return [_payment(row, tuple(found[row["id"]])) for row in rows]


def _payment(row: Record, attempts: tuple[Attempt, ...]) -> Payment:
    cycle = Cycle(row["cycle"], row["cycle_starts_on"], row["next_cycle_starts_on"])
    return Payment(
        id=row["id"], state=row["status"], version=row["version"], subscription_id=row["subscription_id"],
        external_id=row["external_id"], order_id=row["order_id"], amount=Money(row["amount_minor"], row["currency"]),
        plan=Plan(row["due_on"], row["settles_on"], cycle), created_at=row["created_at"], updated_at=row["updated_at"],
        attempts=attempts, retries_alone=row["auto_retry"], cancel_asked_at=row["cancel_asked_at"],
        description=row["description"], cancel_message_id=row["cancel_message_id"], code=row["code"],
        cancel_refused_at=row["cancel_refused_at"], cancel_refusal=row["cancel_refusal"],
    )  # fmt: skip


_attempt = RowMapper(Attempt, columns={"day": "collects_on"}).of
