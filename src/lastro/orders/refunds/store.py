"""The SQL of refunds that clients ask for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from lastro.api_kit.paging import mapped
from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.core.runner import Query
from lastro.orders.model import Refund, RefundAsked
from lastro.orders.store import order_by_id, payment_from
from lastro.rails.port import currency_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.orders.model import Order

    # Of a company, by its endToEndId: tells whether a Pix is contested. The room of disputes, above this one, answers.
    IsDisputed: TypeAlias = Callable[[Session, UUID, str], Awaitable[bool]]

QUOTA = "refund"  # a quota of an order: the sum of its refunds that have not failed
PART_QUOTA = "part refund"  # the same of one payment, where an order is paid by several

# The settled payment of an order is the one that has paid it. Of several it is the newest with as much left as is asked
# back; if none has, the one with most.
_GROUND = f"""
SELECT a.status AS account_status, a.version AS account_version, c.number AS company_number,
       p.id AS payment_id, p.rail, p.end_to_end_id, p.whole_minor, p.left_minor, nextval('network_ids_seq') AS number,
       coalesce((SELECT q.used_minor FROM quotas q WHERE q.company_id = $1 AND q.owner_id = $2 AND q.kind = '{QUOTA}'
                    AND q.period = ''), 0) AS counted_minor,
       coalesce((SELECT sum(b.amount_minor)::bigint FROM chargebacks b WHERE b.company_id = $1 AND b.order_id = $2), 0)
         AS taken_minor,
       EXISTS (SELECT 1 FROM refunds r WHERE r.company_id = $1 AND r.external_id = $4) AS is_taken
  FROM accounts a
  JOIN companies c ON c.company_id = $1
  LEFT JOIN LATERAL (
    SELECT s.id, s.rail, s.end_to_end_id, s.settled_at, w.whole_minor, w.whole_minor - g.asked_minor AS left_minor
      FROM pix_payments s
     CROSS JOIN LATERAL (SELECT s.amount_minor - s.excess_minor AS whole_minor) w
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(r.amount_minor), 0)::bigint AS asked_minor FROM refunds r
        WHERE r.company_id = $1 AND r.payment_id = s.id AND r.origin = 'CLIENT' AND r.state IN ('PENDING', 'PAID')) g
     WHERE s.company_id = $1 AND s.order_id = $2 AND s.state = 'SETTLED'
     ORDER BY least(w.whole_minor - g.asked_minor, $5) DESC, s.settled_at DESC, s.id DESC LIMIT 1) p ON true
 WHERE a.company_id = $1 AND a.id = $3
"""  # noqa: S608 a statement of our own
_RETURNED = """
SELECT p.*, r.id AS refund_id, r.state AS refund_state, r.version AS refund_version, r.return_id,
       r.amount_minor AS refund_minor, r.hold_id, r.created_at AS refunded_at, r.order_id AS refunded_order_id,
       r.external_id, r.med_id, r.called_off_at, r.rail AS refund_rail,
       r.beside_minor, r.updated_at AS refund_updated_at
  FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
 WHERE r.company_id = $1 AND
"""
_IS_RETURN = "SELECT 1 FROM refunds WHERE company_id = $1 AND return_id = $2"
_BY_RETURN_ID = _RETURNED + "r.return_id = $2"
# Returns of our own accord; a client decides about his own refunds.
_OF_OUR_OWN = _RETURNED + "r.origin = 'AUTOMATIC' AND "
_STRANDED = _OF_OUR_OWN + "r.state = 'ERROR' ORDER BY r.updated_at, r.id LIMIT $2"
_REFUND = """
SELECT r.*, o.currency FROM refunds r JOIN orders o ON o.company_id = r.company_id AND o.id = r.order_id
 WHERE r.company_id = $1 AND r.origin = 'CLIENT' AND
"""
# A statement for each set of filters, so that the planner can choose the index.
_FILTERS = {"order_id": "r.order_id = {}", "external_id": "r.external_id = {}", "status": "r.state = {}"}


@dataclass(frozen=True, slots=True)
class Ground:
    """The rows that a refund rests on. payment_id: None where no Pix has paid the order.

    number: for the return's id, used once. counted_minor: the sum of refunds before that have not failed. is_taken: the
    client has used the code before. taken_minor: the sum of chargebacks. is_disputed: its payment is contested, and that
    has not ended. whole_minor, left_minor: of the payment, the sum that has paid the order, and its part that is not asked
    back.
    """

    order: Order
    payment_id: UUID | None
    rail: str | None
    account_status: str
    account_version: int
    company_number: int
    number: int
    counted_minor: int
    is_taken: bool
    network_id: str | None
    taken_minor: int = 0
    whole_minor: int | None = None
    left_minor: int | None = None
    is_disputed: bool = False


@dataclass(frozen=True, slots=True)
class RefundFilter:
    """The filters of a list of refunds; None: all."""

    order_id: UUID | None = None
    external_id: str | None = None
    status: str | None = None


async def ground(session: Session, company_id: UUID, order_id: UUID, external_id: str, wanted_minor: int) -> Ground | None:
    """Reads the order, its payment and its earlier refunds. None where there is no such order."""
    order = await order_by_id(session, company_id, order_id)
    if order is None:
        return None
    row = await session.row(_GROUND, company_id, order_id, order.account_id, external_id, wanted_minor)
    assert row is not None, "an order's account is there"
    return Ground(
        order, row["payment_id"], row["rail"], row["account_status"], row["account_version"], row["company_number"],
        row["number"], row["counted_minor"], row["is_taken"], row["end_to_end_id"], row["taken_minor"],
        row["whole_minor"], row["left_minor"],
    )  # fmt: skip


async def by_return_id(session: Session, company_id: UUID, return_id: str) -> Refund | None:
    """Reads a return by its network id, with its payment."""
    row = await session.row(_BY_RETURN_ID, company_id, return_id)
    return None if row is None else _returned(row)


async def is_return(session: Session, company_id: UUID, network_id: str) -> bool:
    """Tells whether a refund left under this id."""
    return await session.row(_IS_RETURN, company_id, network_id) is not None


async def refund_by_id(session: Session, company_id: UUID, refund_id: UUID) -> Refund | None:
    """Reads a return, ours, a client's or a dispute's."""
    row = await session.row(_RETURNED + "r.id = $2", company_id, refund_id)
    return None if row is None else _returned(row)


async def stranded_by_id(session: Session, company_id: UUID, refund_id: UUID) -> Refund | None:
    """Reads a return of our own accord, in any state."""
    row = await session.row(_OF_OUR_OWN + "r.id = $2", company_id, refund_id)
    return None if row is None else _returned(row)


async def stranded_in(session: Session, company_id: UUID, most: int) -> list[Refund]:
    """Reads undecided refused returns of ours, longest waiting first. They were refused for good."""
    return [_returned(row) for row in await session.fetch(_STRANDED, company_id, most)]


def _returned(row: Record) -> Refund:
    amount, beside = (Money(row[name], currency_of(row["rail"])) for name in ("refund_minor", "beside_minor"))
    return Refund(
        row["refund_id"], row["refund_state"], row["refund_version"], payment_from(row), row["return_id"], amount,
        amount - beside, row["hold_id"], row["refunded_at"], row["refunded_order_id"], row["external_id"], row["med_id"],
        row["called_off_at"], row["refund_rail"], row["refund_updated_at"] if row["refund_state"] == "PAID" else None,
    )  # fmt: skip


def by_id(refund_id: UUID) -> Query[RefundAsked | None]:
    """Reads a client's refund; a return of our own accord is none."""
    return Query(_REFUND + "r.id = $2", (refund_id,), lambda rows: asked_from(rows[0]) if rows else None)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Returns the SELECT of a page. filters: the given ones, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    direction = "DESC" if is_descending else "ASC"
    return _REFUND + f"r.created_at >= $2 AND r.created_at <= $3{wanted} ORDER BY r.created_at {direction} LIMIT $4"


async def refunds_in(session: Session, company_id: UUID, wanted: RefundFilter, page: Page) -> list[RefundAsked]:
    """Reads a page of clients' refunds, up to its reach."""
    given = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, asked_from)


asked_from = RowMapper(
    RefundAsked, columns={"state": "state", "code": "reason_code", "word": "refund_word", "reason": "refund_reason"}
).of
