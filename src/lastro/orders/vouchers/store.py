"""Reads the order of a voucher's address."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lastro.orders.actions.read import account_of
from lastro.orders.store import order_by_token

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.model import Order


class OrderOfVoucher(NamedTuple):
    """An order, and the account that it credits."""

    order: Order
    account: Account


async def by_token(session: Session, company_id: UUID, token: str) -> OrderOfVoucher | None:
    """Reads the order whose voucher has this token; None: no order has it."""
    order = await order_by_token(session, company_id, token)
    return None if order is None else OrderOfVoucher(order, await account_of(session, company_id, order))
