"""Cancellations by a subscription's client or payer. The payer's bank answers the client's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import NotYet, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.orders import silent
from lastro.rails.port import ALARMED, BY_RECEIVER, FIRST_ASK, OVER_BY_TIME, Transient
from lastro.subscriptions import store
from lastro.subscriptions.actions.asking import asked_to_cancel
from lastro.subscriptions.actions.ending import (
    Cause,
    EndSubscriptionContext,
    canceled,
    ended,
    known_of,
    recorded,
    removed_at_bank,
)
from lastro.subscriptions.model import NamedParty, Passed
from lastro.subscriptions.problems import STATUS_CONFLICT
from lastro.subscriptions.reasons import cancel_reason_of
from lastro.subscriptions.rendering import cancellation
from lastro.subscriptions.states import CANCELLATIONS, SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.orders import Installation
    from lastro.rails.port import AuthorizationCanceled, CancellationFinal, Claimed, Issuer
    from lastro.subscriptions.model import Cancellation, CancelReason

BEING_PAID_SECONDS = 1.0  # retry of a message that waits for the end of a payment
_LISTED_SECONDS = 30.0  # of one that waits for a bank's list
_ENDS = {"CONFIRMED": "confirm", "REFUSED": "refuse", "FAILED": "fail"}
_OF_PAYERS_SIDE = ("USUARIO_PAGADOR", "PSP_PAGADOR")


@dataclass(frozen=True)
class RequestCancellation(Act["EndSubscriptionContext | None"]):
    """POST /order/v1/banking/subscriptions/{id}/cancellations. key: the idempotency key, None where none was sent.

    issuers: the banks of connections, which end a first charge before it ends here.
    """

    subscription_id: UUID | None
    reason: CancelReason
    key: str | None
    place: Installation
    issuers: Mapping[str, Issuer] | None = None

    async def read(self, session: Session, context: RequestContext) -> EndSubscriptionContext | None:
        """The subscription, its first charge, and a cancellation that waits."""
        return None if self.subscription_id is None else await known_of(session, context.company_id, self.subscription_id)

    async def call_out(
        self, known: EndSubscriptionContext | None, context: RequestContext
    ) -> EndSubscriptionContext | Refused | None:
        """Has a connection's bank end the first charge, where one waits there."""
        if known is None:
            return None
        try:
            return await removed_at_bank(known, self.issuers, context)
        except Transient as away:
            return silent(known.shown.subscription.rail, "remove", away)

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """Cancels it at once if unauthorized; else asks the payer's bank."""
        if known is None:
            return NOT_FOUND
        state = known.shown.subscription.state
        if state == "ACCEPTED":
            return self._ask(known, context)
        if state != "PENDING_AUTHORIZATION":
            return STATUS_CONFLICT.refused(why=f"the subscription is {state}")
        over = None if known.is_kept_at_bank else ended(known, "cancel", Cause(self.reason, self.key), context, self.place)
        if over is None:
            return STATUS_CONFLICT.refused(why="a payment for the first charge is under way")
        return _done(*over, context, ("PENDING", "ACCEPTED"))

    def _ask(self, known: EndSubscriptionContext, context: RequestContext) -> Done | Refused:
        if known.waiting is not None:
            return STATUS_CONFLICT.refused(why="an earlier cancellation has not been answered yet")
        asked = asked_to_cancel(known.shown, self.reason, BY_RECEIVER, self.place, context)
        cause = Cause(self.reason, self.key, message_id=asked.message_id)
        record, rows = recorded(known.shown, cause, context, ("ask",), ask_at=context.now + FIRST_ASK)
        move = SUBSCRIPTIONS.move(known.shown.subscription, "ask to cancel", context.now, reason=self.reason)
        write = Write(context.company_id, rows=rows, moves=(move,), messages=(asked.message(record.id, context),))
        return _done(record, write, context, ("PENDING",))


@dataclass(frozen=True)
class PayerCancels(Act["PayersWord | None"]):
    """The payer's side has cancelled: at its bank it is over already."""

    told: AuthorizationCanceled
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> PayersWord | None:
        """Reads the subscription and what depends on it. NotYet: its first charge is being paid.

        A payer who cancels that soon has paid and authorized first. The end of the payment comes in its own message, perhaps
        later; until then nobody knows if there is anything to cancel.
        """
        known = await of_recurrence(session, context.company_id, self.told.recurrence_id)
        if known is None:
            return None
        past = await store.past_of(session, context.company_id, known.shown.subscription.id)
        heard = any(one.idempotency_key == self.told.message_id for one in past.cancellations)
        return PayersWord(known, is_repeated=heard)

    def decide(self, known: PayersWord | None, context: RequestContext) -> Done:
        """Cancels it, with a record that keeps the network's code. An ended subscription stays as it is."""
        if known is None:
            return settled(self.claimed, "ignored", context)
        state = known.known.shown.subscription.state
        if state == "ACCEPTED" and self.told.code == OVER_BY_TIME:
            return settled(self.claimed, "ignored", context)  # its last day ends it here, once its last payment has its end
        if not SUBSCRIPTIONS.allows(state, "cancel"):
            return settled(self.claimed, "known" if known.is_repeated else "ignored", context)
        told, waiting = self.told, known.known.waiting
        if waiting is not None and told.requester.role not in _OF_PAYERS_SIDE:  # our own, as the connection's bank tells it
            write = canceled(known.known, "cancel", waiting.reason, context)
            return Done(write + self.claimed.settled("handled", context), b"")
        cause = Cause(cancel_reason_of(told.code), told.message_id, told.code, self._requester(known.known))
        over = ended(known.known, "cancel", cause, context, self.place)
        assert over is not None, "a first charge that is being paid was waited for"
        finished = (self.claimed.finished("handled", context.now),)
        return Done(over[1] + Write(context.company_id, finished=finished), b"")

    def _requester(self, known: EndSubscriptionContext) -> NamedParty | None:
        """As the network names him; where it does not, the payer, or while there is none him whom the contract is with."""
        asked, subscription = self.told.requester, known.shown.subscription
        if asked.role not in _OF_PAYERS_SIDE:
            return None
        if asked.document_type is not None and asked.document_number is not None:
            return NamedParty(asked.name, asked.document_type, asked.document_number)
        return subscription.debtor if subscription.payer is None else subscription.payer.person


@dataclass(frozen=True, slots=True)
class PayersWord:
    """A subscription that its payer cancels. is_repeated: this very message was received before."""

    known: EndSubscriptionContext
    is_repeated: bool


@dataclass(frozen=True, slots=True)
class AnsweredCancellation:
    """A cancellation that the payer's bank was asked for, and its subscription."""

    cancellation: Cancellation
    known: EndSubscriptionContext


@dataclass(frozen=True)
class CancellationEnded(Act["AnsweredCancellation | None"]):
    """The end of a cancellation that the receiver asked for. It may be one that the network did not take."""

    final: CancellationFinal
    claimed: Claimed

    async def read(self, session: Session, context: RequestContext) -> AnsweredCancellation | None:
        """The cancellation and its subscription."""
        found = await store.cancellation_asked(session, context.company_id, self.final.message_id)
        if found is None:
            return None
        known = await known_of(session, context.company_id, found.subscription_id)
        return None if known is None else AnsweredCancellation(found, known)

    def decide(self, known: AnsweredCancellation | None, context: RequestContext) -> Done:
        """Accepts the cancellation with the subscription's end; or sets REJECTED or ERROR alone."""
        final = self.final
        if known is None:
            return settled(self.claimed, ALARMED if final.outcome == "CONFIRMED" else "ignored", context)
        record, trigger = known.cancellation, _ENDS[final.outcome]
        if final.recurrence_id != known.known.shown.subscription.provider_id:
            return settled(self.claimed, ALARMED, context)  # of another recurrence than the one that was to be cancelled
        if record.state != "PENDING":
            return settled(self.claimed, _of_ended(record.state, trigger), context)
        if trigger == "confirm":
            write = canceled(known.known, "cancel", record.reason, context)
        else:
            move = CANCELLATIONS.move(record, trigger, context.now, reason=final.code, raw_reason=final.code, ask_at=None)
            write = Write(context.company_id, moves=(move,))
        return Done(write + self.claimed.settled("handled", context), b"")


def _of_ended(state: str, trigger: str) -> str:
    """Returns the inbox outcome of an answer to an ended cancellation.

    A no to a cancellation that has ended another way says nothing new: there is nothing left to cancel. A yes to a refused
    one raises an alarm for people: at the payer's bank the authorization is over.
    """
    if CANCELLATIONS.after("PENDING", trigger) == state:
        return "known"
    return "ignored" if state == "ACCEPTED" else ALARMED


async def of_recurrence(session: Session, company_id: UUID, recurrence_id: str) -> EndSubscriptionContext | None:
    """Reads the subscription of a recurrence and what depends on it.

    NotYet: its first charge is being paid. At a connection's bank it is, once its payer has agreed; an authorization that
    was never given ends that payment too.
    """
    subscription_id = await store.id_of_recurrence(session, company_id, recurrence_id)
    known = None if subscription_id is None else await known_of(session, company_id, subscription_id)
    if known is not None and known.is_being_paid:
        subscription = known.shown.subscription
        if not subscription.is_at_bank or subscription.payer is not None:
            raise NotYet(_LISTED_SECONDS if subscription.is_at_bank else BEING_PAID_SECONDS)
    return known


def settled(claimed: Claimed, outcome: str, context: RequestContext) -> Done:
    """The message is done with and has changed nothing."""
    return claimed.done(outcome, context)


def _done(record: Cancellation, write: Write, context: RequestContext, statuses: tuple[str, ...]) -> Done:
    passed = tuple(Passed(status, context.now) for status in statuses)
    return Done(write, render(cancellation(record, passed)), record.id, keep="month")
