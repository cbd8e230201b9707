"""All SQL of foreign payments."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lastro.api_kit.paging import mapped
from lastro.api_kit.routes import as_id
from lastro.core.rows import RowMapper
from lastro.core.runner import Query
from lastro.orders.foreign.model import KeptForeign
from lastro.orders.store import ID_OR_CODE, ORDER, order_from

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.foreign.model import ForeignFilter
    from lastro.orders.model import Order
    from lastro.rails.port import ForeignPayment

_ROW = "SELECT f.* FROM foreign_payments f WHERE f.company_id = $1 AND "
_BY_ID = _ROW + "f.id = $2"
# Also what our books have already, and what an order asked for at another connection to the same account: the payment of an
# order is never listed.
_KNOWN = """
SELECT n.rail, n.payment_id FROM unnest($2::text[], $3::text[], $4::text[]) n(rail, payment_id, txid)
 WHERE EXISTS (SELECT 1 FROM foreign_payments f WHERE f.company_id = $1 AND f.rail = n.rail AND f.payment_id = n.payment_id)
    OR EXISTS (SELECT 1 FROM pix_payments p WHERE p.company_id = $1 AND p.end_to_end_id = n.payment_id
                  AND numbered_by(p.rail) = numbered_by(n.rail))
    OR EXISTS (SELECT 1 FROM connections c JOIN instruments i ON i.company_id = c.company_id AND i.rail = c.rail
                WHERE c.company_id = $1 AND c.rail <> n.rail AND i.reference = n.txid)
"""
_LISTED = """
SELECT payment_id FROM foreign_payments
 WHERE company_id = $1 AND rail = $2 AND payment_id = ANY ($3::text[]) AND (state = 'CLAIMED') = $4
"""
FITTING_SHOWN, _LOOKED_THROUGH = 20, 5_000
# Open orders that a payment may pay: bounded, for a company may have any number of open orders.
_FITTING = f"""{ORDER} o.id IN (
       SELECT n.id FROM (SELECT id, payment_method, final_amount_minor, subscription_id FROM orders
                          WHERE company_id = $1 AND status = 'INITIAL' ORDER BY created_at DESC LIMIT {_LOOKED_THROUGH}) n
        WHERE n.payment_method = 'PIX' AND n.final_amount_minor = $3 AND n.subscription_id IS NULL)
   AND i.rail = $2 ORDER BY o.created_at DESC LIMIT {FITTING_SHOWN}
"""  # noqa: S608 a statement of our own
_FILTERS = {"state": "f.state = {}", "rail": "f.rail = {}"}


def foreign_by_id(foreign_id: UUID) -> Query[KeptForeign | None]:
    """Returns the query of one foreign payment."""
    return Query(_BY_ID, (foreign_id,), lambda rows: kept_from(rows[0]) if rows else None)


async def read_foreign(session: Session, company_id: UUID, foreign_id: UUID) -> KeptForeign | None:
    """Reads one foreign payment."""
    row = await session.row(_BY_ID, company_id, foreign_id)
    return None if row is None else kept_from(row)


async def order_named(session: Session, company_id: UUID, name: str) -> Order | None:
    """Reads the order of this id, else the newest of this code."""
    row = await session.row(ORDER + ID_OR_CODE, company_id, as_id(name.lower()), name)
    return None if row is None else order_from(row)


async def fitting_orders(session: Session, company_id: UUID, rail: str, amount: Money) -> list[Order]:
    """Reads the newest open orders of just this amount at a connection."""
    return [order_from(row) for row in await session.fetch(_FITTING, company_id, rail, amount.minor)]


async def known(session: Session, company_id: UUID, payments: Sequence[ForeignPayment]) -> frozenset[tuple[str, str]]:
    """Reads rail and id of those that are known. They are listed, booked, or asked for at another connection."""
    rails, names = [one.rail for one in payments], [one.payment_id for one in payments]
    rows = await session.fetch(_KNOWN, company_id, rails, names, [one.txid for one in payments])
    return frozenset((row["rail"], row["payment_id"]) for row in rows)


async def listed(
    session: Session, company_id: UUID, rail: str, payment_ids: Sequence[str], *, is_claimed: bool
) -> frozenset[str]:
    """Reads the listed ones of these payments. is_claimed: those that a person claimed, else the others."""
    rows = await session.fetch(_LISTED, company_id, rail, list(payment_ids), is_claimed)
    return frozenset(row["payment_id"] for row in rows)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Returns the SELECT of a page. filters: the given ones, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    direction = "DESC" if is_descending else "ASC"
    return _ROW + f"f.created_at >= $2 AND f.created_at <= $3{wanted} ORDER BY f.created_at {direction} LIMIT $4"


async def foreign_in(session: Session, company_id: UUID, wanted: ForeignFilter, page: Page) -> list[KeptForeign]:
    """Reads the page's foreign payments of the company, up to its reach."""
    named = {"state": wanted.state, "rail": wanted.rail}
    given = {name: value for name, value in named.items() if value is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, kept_from)


kept_from = RowMapper(KeptForeign, columns={"state": "state"}, currency="BRL").of
