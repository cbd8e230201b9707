"""The order behind a scheduled payment of a subscription: made, begun and ended in the Write of its payment.

Only its payment is told of at the client's, except where it is paid (states.md 3): so its other ends have no event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.core.write import Write
from lastro.orders import instruments
from lastro.orders.actions.create import columns, pix_order
from lastro.orders.model import Instrument
from lastro.orders.states import ORDERS
from lastro.rails.port import PIX, is_connection

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Row
    from lastro.orders.model import CompanySetup, Order, Party


@dataclass(frozen=True, slots=True)
class ScheduledCharge:
    """The charge of one cycle. customer: the subscription's debtor, whose row exists already.

    rail: of the subscription; a connection's bank tells of the money by the charge's txid.
    """

    subscription_id: UUID
    subscription_code: str
    payment_id: UUID
    account_id: UUID
    external_id: str
    amount: Money
    description: str
    notification_url: str
    customer: Party
    rail: str = PIX


def scheduled_charge(asked: ScheduledCharge, setup: CompanySetup, context: RequestContext) -> tuple[Order, tuple[Row, ...]]:
    """Makes the order of a scheduled payment, and its rows. No code leads to it, and time ends it with its payment alone.

    The payer has agreed to the amount and pays just that: the account bears the fee, whoever bears it elsewhere.
    """
    borne = replace(setup, fees=setup.fees.borne_by("RECEIVER"))
    drafted = pix_order(
        context, borne, asked.account_id, None, external_id=asked.external_id, amount=asked.amount,
        description=asked.description, seconds=0, customer=asked.customer,
    )  # fmt: skip
    order = replace(
        drafted, origin="SUBSCRIPTION", notification_url=asked.notification_url, subscription_id=asked.subscription_id,
        subscription_code=asked.subscription_code, scheduled_payment_id=asked.payment_id, location_token=None,
        expires_at=None, order_token=None,
    )  # fmt: skip
    if not is_connection(asked.rail):
        return order, ORDERS.born(columns(order), context.now)
    assert order.txid is not None, "a Pix order has one"
    order = replace(order, instrument=Instrument(asked.rail, order.txid))
    return order, (*ORDERS.born(columns(order), context.now), instruments.row_of(order))


def with_payment(order: Order, trigger: str, context: RequestContext, error: str | None = None) -> Write:
    """Moves the order with its payment: begin, expire, cancel or fail. error: why, as it is shown."""
    sets = {} if error is None else {"error_message": error}
    return Write(context.company_id, moves=(ORDERS.move(order, trigger, context.now, reason=error, **sets),))
