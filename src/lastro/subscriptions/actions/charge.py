"""The charge of a cycle: the payment, its order, perhaps its first attempt. Its client or the service makes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec import structs

from lastro.core.write import Row, Write
from lastro.orders import Party, ScheduledCharge, scheduled_charge
from lastro.rails.port import FIRST_ASK, ChargeInstruction, Collector, charge_message, is_connection
from lastro.standards.calendar import instant
from lastro.subscriptions.model import Attempt, Payment
from lastro.subscriptions.payments.notifications import payment_event
from lastro.subscriptions.rules.moments import due_at
from lastro.subscriptions.rules.retrying import first_attempt
from lastro.subscriptions.states import ATTEMPTS, PAYMENTS

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Message
    from lastro.orders import CompanySetup, Installation, Order
    from lastro.subscriptions.model import Plan, SubscriptionShown, Timing
    from lastro.subscriptions.rules.retrying import NewAttempt


@dataclass(frozen=True, slots=True)
class ChargeWish:
    """A charge as it is to be made. amount and days: as the rules have found them."""

    external_id: str
    amount: Money
    days: Plan
    description: str | None = None
    retries_alone: bool = True


def charged(
    shown: SubscriptionShown,
    setup: CompanySetup,
    wish: ChargeWish,
    context: RequestContext,
    place: Installation,
    timing: Timing,
) -> tuple[Payment, Write]:
    """Makes the payment with all its rows, except its subscription's move."""
    subscription, payment_id = shown.subscription, context.chance.uuid(context.now)
    order, order_rows = _order(shown, setup, wish, payment_id, context)
    payment = Payment(
        id=payment_id, state="SCHEDULED", version=1, subscription_id=subscription.id, external_id=wish.external_id,
        order_id=order.id, amount=wish.amount, plan=wish.days, created_at=context.now, updated_at=context.now,
        retries_alone=wish.retries_alone, description=wish.description,
    )  # fmt: skip
    first, triggers, tried = first_attempt(payment, context.now, timing), ["schedule"], Write(context.company_id)
    if first.send_at <= context.now:
        attempt, tried = tried_so(payment, first, shown, order, context, place, timing)
        payment, triggers = replace(payment, version=2, attempts=(attempt,)), ["schedule", "send"]
    columns = _columns(payment, due_at(payment, timing)) | {"rail": subscription.rail}
    rows = PAYMENTS.born(columns, context.now, triggers)
    event = payment_event(context, payment, subscription)
    # The payment before its attempt, as keys lead.
    return payment, Write(context.company_id, rows=(*order_rows, *rows), events=(event,)) + tried


def tried_so(
    payment: Payment,
    new: NewAttempt,
    shown: SubscriptionShown,
    order: Order,
    context: RequestContext,
    place: Installation,
    timing: Timing,
) -> tuple[Attempt, Write]:
    """Makes an attempt and the message that tells the payer's bank. The caller moves the payment."""
    ispb, provider_id = place.institution.ispb, shown.subscription.provider_id
    rail, txid = shown.subscription.rail, order.txid
    assert txid is not None, "the network knows a charge by its txid"
    if is_connection(rail):
        name = ChargeInstruction.bank_name(txid, new.kind, new.day)
    else:
        name = ChargeInstruction.new_message_id(ispb, provider_id, context.chance.bytes(24))
    attempt = Attempt(context.chance.uuid(context.now), "REQUESTED", 1, new.number, new.kind, new.day, message_id=name)
    values = {
        "id": attempt.id, "payment_id": payment.id, "number": new.number, "kind": new.kind, "collects_on": new.day,
        "message_id": name, "ask_at": max(new.send_at, context.now) + FIRST_ASK,
        "closes_at": instant(new.day, timing.day_ends_at), "created_at": context.now, "updated_at": context.now,
        "rail": rail,
    }  # fmt: skip
    message = _instruction(payment, attempt, shown, order, new.send_at, context)
    return attempt, Write(context.company_id, rows=ATTEMPTS.born(values, context.now, ("request",)), messages=(message,))


def _order(
    shown: SubscriptionShown, setup: CompanySetup, wish: ChargeWish, payment_id: Any, context: RequestContext
) -> tuple[Order, tuple[Row, ...]]:  # fmt: skip
    subscription = shown.subscription
    assert subscription.debtor_id is not None, "who was read has a debtor"
    debtor = subscription.debtor
    customer = Party(subscription.debtor_id, debtor.name or "", debtor.document_type, debtor.document_number)
    asked = ScheduledCharge(
        subscription.id, subscription.external_id, payment_id, subscription.account_id, wish.external_id, wish.amount,
        wish.description or subscription.description or wish.external_id, subscription.webhook_url, customer,
        subscription.rail,
    )  # fmt: skip
    return scheduled_charge(asked, setup, context)


def _instruction(
    payment: Payment, attempt: Attempt, shown: SubscriptionShown, order: Order, send_at: datetime, context: RequestContext
) -> Message:
    subscription, account = shown.subscription, shown.account
    assert subscription.payer is not None, "who authorized is known"
    assert order.txid is not None, "the network knows a charge by its txid"
    payer, holder = subscription.payer, account.holder
    told = ChargeInstruction(
        attempt.message_id, subscription.provider_id, order.txid, attempt.kind, payment.amount, payment.plan.due_on,
        attempt.day, payer.ispb, payer.person.document_number,
        Collector(holder.full_name, holder.document_number, account.branch, account.number),
        payment.description or subscription.description, subscription.terms.adjusts,
    )  # fmt: skip
    message = charge_message(told, attempt.id, context.chance.uuid(context.now), context.now, subscription.rail)
    return message if send_at <= context.now else structs.replace(message, due=send_at)


def _columns(payment: Payment, due: datetime | None) -> dict[str, Any]:
    cycle = payment.plan.cycle
    return {
        "id": payment.id, "subscription_id": payment.subscription_id, "external_id": payment.external_id,
        "order_id": payment.order_id, "currency": payment.amount.currency, "amount_minor": payment.amount.minor,
        "due_on": payment.plan.due_on, "settles_on": payment.plan.settles_on, "cycle": cycle.number,
        "cycle_starts_on": cycle.starts_on, "next_cycle_starts_on": cycle.next_starts_on,
        "auto_retry": payment.retries_alone, "description": payment.description, "due_at": due,
        "created_at": payment.created_at, "updated_at": payment.updated_at,
    }  # fmt: skip
