"""The cancellation of a subscription, by any side: its context, and all that is written with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro import orders
from lastro.core.write import Row, Write
from lastro.rails.port import recurrence_close_message
from lastro.subscriptions import store
from lastro.subscriptions.actions.payment_ends import open_charges, payments_ended
from lastro.subscriptions.model import Cancellation, NamedParty
from lastro.subscriptions.notifications import subscription_event
from lastro.subscriptions.states import CANCELLATIONS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders import Ending, Installation
    from lastro.rails.port import Issuer
    from lastro.subscriptions.actions.payment_ends import Charge
    from lastro.subscriptions.model import CancelReason, SubscriptionShown

AT_ONCE = ("ask", "confirm")


@dataclass(frozen=True, slots=True)
class EndSubscriptionContext:
    """A subscription as far as it can end.

    charge: its first charge, while that can still be paid. waiting: the cancellation that the payer's bank has not answered.
    payments: that have not ended.
    """

    shown: SubscriptionShown
    charge: Ending | None = None
    waiting: Cancellation | None = None
    payments: tuple[Charge, ...] = ()

    @property
    def has_unfinished(self) -> bool:
        """True where a scheduled payment of it is SCHEDULED or PENDING."""
        return bool(self.payments)

    @property
    def is_kept_at_bank(self) -> bool:
        """True while a connection's bank still has its first charge."""
        charge = self.charge
        return charge is not None and charge.order.bank_code is not None and not (charge.is_removed or charge.is_given_back)

    @property
    def is_being_paid(self) -> bool:
        """True while its first charge is being paid. Nothing else may end the subscription until that payment has ended.

        A payer who has agreed at a connection's bank has paid there, and the money is to be told of.
        """
        if self.charge is None:
            return False
        has_agreed = self.shown.subscription.payer is not None and not self.charge.is_given_back
        return self.charge.under_way or has_agreed


async def removed_at_bank(
    known: EndSubscriptionContext, issuers: Mapping[str, Issuer] | None, context: RequestContext
) -> EndSubscriptionContext:
    """Has a connection's bank end the first charge. Only that bank knows if it was paid.

    Transient: the bank does not answer.
    """
    if known.charge is None or known.is_being_paid:
        return known
    return replace(known, charge=await orders.removed_at_bank(known.charge, issuers, context))


async def known_of(session: Session, company_id: UUID, subscription_id: UUID) -> EndSubscriptionContext | None:
    """Reads the subscription and what depends on it; None: no such subscription."""
    shown = await store.shown_by_id(session, company_id, subscription_id)
    order_id = None if shown is None or shown.first_charge is None else shown.first_charge.order_id
    if shown is None or shown.subscription.state != "PENDING_AUTHORIZATION" or order_id is None:
        return None if shown is None else await _known(session, company_id, shown)
    charge = await orders.ending(session, company_id, order_id)
    if charge is None or charge.order.state == "INITIAL":
        return EndSubscriptionContext(shown, charge)
    # The two move in one commit, which has come between the two readings: the next one sees it.
    shown = await store.shown_by_id(session, company_id, subscription_id) or shown
    return await _known(session, company_id, shown)


async def _known(session: Session, company_id: UUID, shown: SubscriptionShown) -> EndSubscriptionContext:
    """Of one whose first charge, if it has one, is over."""
    if shown.subscription.state != "ACCEPTED":
        return EndSubscriptionContext(shown)
    subscription_id = shown.subscription.id
    waiting = await store.waiting_cancellation(session, company_id, subscription_id)
    return EndSubscriptionContext(shown, None, waiting, await open_charges(session, company_id, subscription_id))


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a subscription's end, as its record says it.

    key: of the request, or the message's id in the network; None: the record's own id. raw: the network's code. by: the
    person who wanted it; None: the holder of the account. message_id: of the message that asks, or tells, the payer's bank.
    """

    reason: CancelReason
    key: str | None = None
    raw: str | None = None
    by: NamedParty | None = None
    message_id: str | None = None


def canceled(known: EndSubscriptionContext, trigger: str, reason: CancelReason, context: RequestContext) -> Write:
    """Cancels the subscription, accepts a waiting cancellation, and notifies the client.

    Ends the subscription's unfinished payments in the same write.
    """
    waiting, subscription = known.waiting, known.shown.subscription
    # One that has agreed at a connection's bank, and has not paid the first charge, was never accepted.
    has_agreed = subscription.state == "PENDING_AUTHORIZATION" and subscription.payer is not None
    sets = dict.fromkeys(("accepted_at", "payer_id", "payer_ibge_code")) if has_agreed else {}
    move = SUBSCRIPTIONS.move(subscription, trigger, context.now, reason=reason, **sets)
    moves = [move]
    if waiting is not None:
        moves.append(CANCELLATIONS.move(waiting, "confirm", context.now, reason=reason, ask_at=None))
    event = subscription_event(context, known.shown, move.to_state, reason=reason)
    write = Write(context.company_id, moves=tuple(moves), events=(event,))
    return write + payments_ended(known.payments, known.shown.subscription, context)


def ended(
    known: EndSubscriptionContext,
    trigger: str,
    cause: Cause,
    context: RequestContext,
    place: Installation,
    *,
    charge: str = "cancel",
    is_unpaid: bool = False,
) -> tuple[Cancellation, Write] | None:
    """Ends a subscription without asking anybody, and records it; None while its first charge is being paid.

    charge: the trigger of the order of a first charge, which ends with it. is_unpaid: a connection's bank was asked, and
    none of the money in the inbox pays it.
    """
    write = _closed_at_bank(known.shown, cause, context)
    if known.charge is not None:
        is_unpaid = is_unpaid or (known.shown.subscription.is_at_bank and cause.raw is not None)
        ending = orders.with_subscription(known.charge, charge, context, place, is_unpaid=is_unpaid)
        if ending is None or (known.is_being_paid and not is_unpaid):
            return None
        write += ending
    record, rows = recorded(known.shown, cause, context, AT_ONCE)
    return record, write + canceled(known, trigger, cause.reason, context) + Write(context.company_id, rows=rows)


def _closed_at_bank(shown: SubscriptionShown, cause: Cause, context: RequestContext) -> Write:
    """Has a connection's bank end a recurrence that its payer might authorize. One whose end it has told is over."""
    subscription = shown.subscription
    if not subscription.is_at_bank or subscription.state != "PENDING_AUTHORIZATION" or cause.raw is not None:
        return Write(context.company_id)
    message = recurrence_close_message(
        subscription.rail, subscription.provider_id, subscription.id, context.chance.uuid(context.now), context.now
    )
    return Write(context.company_id, messages=(message,))


def recorded(
    shown: SubscriptionShown, cause: Cause, context: RequestContext, triggers: tuple[str, ...], **also: Any
) -> tuple[Cancellation, tuple[Row, ...]]:
    """The record of a cancellation, and its rows. also: further columns."""
    record_id, holder = context.chance.uuid(context.now), shown.account.holder
    by = cause.by or NamedParty(holder.full_name, holder.document_type, holder.document_number)
    record = Cancellation(
        record_id, "ACCEPTED" if triggers == AT_ONCE else "PENDING", len(triggers), shown.subscription.id,
        cause.key or str(record_id), cause.reason, cause.raw, by, context.now, context.now, cause.message_id,
    )  # fmt: skip
    requester = None if cause.by is None else _person(cause.by, context)
    values = {
        "id": record.id, "subscription_id": record.subscription_id, "idempotency_key": record.idempotency_key,
        "reason": record.reason, "raw_reason": record.raw_reason, "message_id": record.message_id,
        "requested_by_id": None if requester is None else requester.values["id"],
        "created_at": context.now, "updated_at": context.now, "rail": shown.subscription.rail, **also,
    }  # fmt: skip
    rows = CANCELLATIONS.born(values, context.now, triggers, reason=cause.raw or cause.reason)
    return record, rows if requester is None else (requester, *rows)


def _person(person: NamedParty, context: RequestContext) -> Row:
    values = {
        "id": context.chance.uuid(context.now), "name": person.name or "", "document_type": person.document_type,
        "document_number": person.document_number,
    }  # fmt: skip
    return Row("parties", values)
