"""Reads the order of a slip's address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lastro.orders.actions.read import account_of
from lastro.orders.store import order_by_token

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.model import Order


_ADDRESS = "SELECT address FROM parties WHERE company_id = $1 AND id = $2"


class OrderOfSlip(NamedTuple):
    """An order, the account that it credits, and its customer's address."""

    order: Order
    account: Account
    address: dict[str, str] | None


async def by_token(session: Session, company_id: UUID, token: str) -> OrderOfSlip | None:
    """Reads the order whose slip has this token; None: no order has it."""
    order = await order_by_token(session, company_id, token)
    if order is None:
        return None
    account = await account_of(session, company_id, order)
    address: Any = None if order.customer is None else await session.value(_ADDRESS, company_id, order.customer.id)
    return OrderOfSlip(order, account, address if address is None else msgspec.json.decode(address))
