"""The first charge of a subscription: an order that is made, and ended, in the Write of its subscription."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.orders.actions.create import columns, pix_order
from lastro.orders.actions.end import ended
from lastro.orders.rules import DEFAULT_EXPIRATION_SECONDS
from lastro.orders.states import ORDERS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Row, Write
    from lastro.orders.actions.end import EndOrderContext
    from lastro.orders.model import CompanySetup, Installation, Order, Party, PixKey


@dataclass(frozen=True, slots=True)
class FirstCharge:
    """The first charge of an authorized subscription. customer: the debtor, whose row the subscription's Write has."""

    subscription_id: UUID
    account_id: UUID
    external_id: str
    amount: Money
    description: str
    notification_url: str
    customer: Party


def charged(first: FirstCharge, setup: CompanySetup, key: PixKey, context: RequestContext) -> tuple[Order, tuple[Row, ...]]:
    """Returns the order of a first charge and its rows. It can be paid for 24 hours (contract.md §3)."""
    drafted = pix_order(
        context, setup, first.account_id, key, external_id=first.external_id, amount=first.amount,
        description=first.description, seconds=DEFAULT_EXPIRATION_SECONDS, customer=first.customer,
    )  # fmt: skip
    order = replace(
        drafted, origin="SUBSCRIPTION", notification_url=first.notification_url, subscription_id=first.subscription_id,
        subscription_code=first.external_id, order_token=None,
    )  # fmt: skip
    return order, ORDERS.born(columns(order), context.now)


def with_subscription(
    known: EndOrderContext, trigger: str, context: RequestContext, place: Installation, *, error: str | None = None
) -> Write | None:
    """Ends a first charge whose subscription ends; None while money is under way. error: why."""
    return None if known.reserved or known.in_inbox else ended(known, trigger, context, place, error=error)
