"""The first charge of a subscription: an order that is made, and ended, in the Write of its subscription."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.orders import instruments
from lastro.orders.actions import issuing
from lastro.orders.actions.create import columns, final_of, pix_order
from lastro.orders.actions.end import ended
from lastro.orders.rules import DEFAULT_EXPIRATION_SECONDS
from lastro.orders.states import ORDERS
from lastro.rails.port import ChargeRequest, Person, was_stepped
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Row, Write
    from lastro.orders.actions.end import EndOrderContext
    from lastro.orders.model import CompanySetup, Installation, Order, Party, PixKey
    from lastro.rails.port import MadeRecurrence


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


def first_request(
    first: FirstCharge, setup: CompanySetup, key: PixKey, account: Account, context: RequestContext
) -> ChargeRequest:  # fmt: skip
    """Returns what a connection's bank is to make for a first charge."""
    customer = first.customer
    payer = Person(customer.name, customer.document_type or "", customer.document_number or "")
    return ChargeRequest(
        pix_ids.dynamic_txid(setup.number, context.chance.bytes(32)), final_of(first.amount, setup.fees.at(context.now)),
        key.key, DEFAULT_EXPIRATION_SECONDS, account.holder.full_name, account.city, payer, first.description,
        None if was_stepped(context) else context.now,
    )  # fmt: skip


def charged(
    first: FirstCharge, setup: CompanySetup, key: PixKey, context: RequestContext, made: MadeRecurrence | None = None
) -> tuple[Order, tuple[Row, ...]]:
    """Returns the order of a first charge and its rows. It can be paid for 24 hours (contract.md §3).

    made: by the bank of its key, where the key is a connection's.
    """
    drafted = pix_order(
        context, setup, first.account_id, key, external_id=first.external_id, amount=first.amount,
        description=first.description, seconds=DEFAULT_EXPIRATION_SECONDS, customer=first.customer,
    )  # fmt: skip
    order = replace(
        drafted, origin="SUBSCRIPTION", notification_url=first.notification_url, subscription_id=first.subscription_id,
        subscription_code=first.external_id, order_token=None,
    )  # fmt: skip
    if made is None or made.first is None:
        return order, ORDERS.born(columns(order), context.now)
    issued, instrument = made.first, issuing.instrument(key.rail, made.first)
    instrument = replace(instrument, details={**(instrument.details or {}), "recurrenceId": made.recurrence_id})
    order = replace(order, txid=issued.txid, location_token=None, expires_at=issued.expires_at, instrument=instrument)
    return order, (*ORDERS.born(columns(order), context.now), instruments.row_of(order))


def with_subscription(
    known: EndOrderContext, trigger: str, context: RequestContext, place: Installation, *, error: str | None = None,
    is_unpaid: bool = False,
) -> Write | None:  # fmt: skip
    """Ends a first charge whose subscription ends; None while money is under way. error: why.

    is_unpaid: a connection's bank has said that nothing is authorized, so that money in the inbox goes back.
    """
    if known.reserved or (known.in_inbox and not is_unpaid):
        return None
    return ended(known, trigger, context, place, error=error)
