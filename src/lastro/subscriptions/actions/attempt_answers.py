"""The payer bank's answers about a charge. It is scheduled, unpaid or canceled, or its cancellation is answered."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import structs

from lastro.core.errors import NotYet
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Touch, Write
from lastro.rails.port import ALARMED, NOWHERE, ChargeRefused, Facts, Side, contradicts
from lastro.subscriptions.actions.charge import tried_so
from lastro.subscriptions.actions.payment_ends import PaymentEndContext, attempt_ended, begun, ended, known_of, payment_move
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.refusals import attempt_failed
from lastro.subscriptions.reasons import (
    CANCELLATION_CODES,
    CANCELLED_BY_PAYER,
    CANCELLED_BY_RECEIVER,
    CANCELLED_WITH_AUTHORIZATION,
    UNPAID_DAY,
)
from lastro.subscriptions.rules.moments import asks_at, due_at, payment_due
from lastro.subscriptions.rules.retrying import RetryStep, after_unpaid, cause, failure_waits_until
from lastro.subscriptions.states import ATTEMPTS, PAYMENT_MOVES

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders import Installation
    from lastro.rails.port import ChargeCanceled, ChargeCancelFinal, ChargeScheduled, Claimed
    from lastro.subscriptions.model import Attempt, Timing

# The triggers that end a payment after an unpaid attempt, and their codes; None: the network's reason.
_ENDS: Final = {
    "cancel": CANCELLED_BY_RECEIVER, "subscription ends": CANCELLED_WITH_AUTHORIZATION, "refuse": None, "expire": None,
}  # fmt: skip
BEING_PAID_SECONDS = 1.0  # retry of a message that waits for the end of a Pix


@dataclass(frozen=True, slots=True)
class News:
    """The attempt that a network message is about, with its payment."""

    known: PaymentEndContext
    attempt: Attempt


async def _news(
    session: Session, context: RequestContext, message_id: str, timing: Timing, *, waits: bool = True
) -> News | None:
    """The attempt of an instruction; None: there is none.

    NotYet: a Pix for it is under way, whose end decides; or its day has come, and it has to begin first.
    """
    payment = await payments_store.payment_of_message(session, context.company_id, message_id)
    known = await known_of(session, context.company_id, payment)
    if known is None:
        return None
    attempt = next(one for one in known.payment.attempts if one.message_id == message_id)
    due = payment_due(known.payment, timing) if known.payment.cancel_asked_at is None else None
    begins = due is not None and due.trigger == "begin" and due.fires(context.now)
    if waits and attempt.is_open and (known.charge.is_being_paid or begins):
        raise NotYet(BEING_PAID_SECONDS)
    return News(known, attempt)


def _wait_for_its_last_window(news: News | None, code: str, context: RequestContext, timing: Timing) -> None:
    """Raises NotYet until the last window of a failed charge is over. The charge failed too late for another try."""
    if news is None or not news.attempt.is_open or news.known.subscription.state != "ACCEPTED":
        return
    at_bank = news.known.subscription.is_at_bank
    until = failure_waits_until(news.known.payment, code, context.now, timing, is_at_bank=at_bank)
    if until is not None:
        raise NotYet((until - context.now).total_seconds())


def _is_of_another(news: News, told: ChargeScheduled | ChargeRefused | ChargeCanceled) -> bool:
    """Tells whether a message is about another charge than the instructed one. The instruction has the same message id."""
    return told.recurrence_id != news.known.shown.subscription.provider_id or _contradicts(told.of, told.txid, news)


def _contradicts(of: Facts | None, txid: str | None, news: News) -> bool:
    """Tells whether facts contradict the instruction of a charge. txid: a further value of the charge's number."""
    charge, shown = news.known.charge, news.known.shown
    account, payer = shown.account, shown.subscription.payer
    debtor = NOWHERE if payer is None else Side(payer.ispb, document=payer.person.document_number)
    creditor = Side(branch=account.branch, account=account.number, document=account.holder.document_number)
    said = of or Facts()
    if txid is not None:
        said = msgspec.structs.replace(said, number=txid)
    return contradicts(said, Facts(charge.payment.amount, debtor, creditor, charge.order.txid))


@dataclass(frozen=True)
class Scheduled(Act["News | None"]):
    """The payer's bank will collect an attempt on its day."""

    told: ChargeScheduled
    claimed: Claimed
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> News | None:
        """The attempt."""
        return await _news(session, context, self.told.message_id, self.timing, waits=False)

    def decide(self, known: News | None, context: RequestContext) -> Done:
        """SCHEDULED under its endToEndId; where its day has come already, the payment begins with that."""
        if known is None:
            return self.claimed.done("ignored", context)
        attempt, charge, told = known.attempt, known.known.charge, self.told
        if _is_of_another(known, told):
            return self.claimed.done(ALARMED, context)
        if attempt.state != "REQUESTED":
            differs = attempt.end_to_end_id not in (None, told.end_to_end_id)
            return self.claimed.done(ALARMED if differs else "known", context)
        move = ATTEMPTS.move(
            attempt, "schedule", context.now, reason=told.end_to_end_id, end_to_end_id=told.end_to_end_id, asked=0,
            ask_at=max(asks_at(attempt, self.timing), context.now),
        )  # fmt: skip
        write = self.claimed.settled("handled", context) + Write(context.company_id, moves=(move,))
        scheduled = replace(attempt, state="SCHEDULED", end_to_end_id=told.end_to_end_id)
        after = replace(
            charge.payment,
            attempts=tuple(scheduled if one.id == attempt.id else one for one in charge.payment.attempts),
        )
        due, at = payment_due(after, self.timing), due_at(after, self.timing)
        if due is not None and due.trigger == "begin" and at is not None and at <= context.now:
            return Done(write + begun(charge, context, self.timing, attempts=after.attempts), b"")
        touch = Touch("subscription_payments", after.id, after.version, {"due_at": at})
        return Done(write + Write(context.company_id, touches=(touch,)), b"")


@dataclass(frozen=True)
class _EndsAttempt(Act["News | None"]):
    """A message that an attempt has ended without money."""

    told: ChargeRefused | ChargeCanceled
    claimed: Claimed
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> News | None:
        """Reads the attempt and its payment."""
        told = self.told
        ours = told.message_id if isinstance(told, ChargeRefused) else told.original_message_id
        found = await _news(session, context, ours, self.timing)
        _wait_for_its_last_window(found, self.told.code, context, self.timing)
        return found

    def decide(self, known: News | None, context: RequestContext) -> Done:
        """Ends the open attempt. An attempt that has ended is known, or for people."""
        if known is None:
            return self.claimed.done("ignored", context)
        if _is_of_another(known, self.told):
            return self.claimed.done(ALARMED, context)
        if not known.attempt.is_open:
            # A connection's bank may have collected after a failure of the same day.
            is_other = known.attempt.state == "PAID" and not known.known.subscription.is_at_bank
            return self.claimed.done(ALARMED if is_other else "known", context)
        return self.claimed.done("handled", context, self._end(known.known, context))

    @abstractmethod
    def _end(self, known: PaymentEndContext, context: RequestContext) -> Write:
        """Ends the attempt, and what ends with it."""


@dataclass(frozen=True)
class Unpaid(_EndsAttempt):
    """An attempt has ended without money: it was never scheduled, or not collected on its day."""

    told: ChargeRefused

    def _end(self, known: PaymentEndContext, context: RequestContext) -> Write:
        """Makes another attempt, leaves it to the client, or ends the payment. See states.md 3."""
        code = self.told.code
        trigger = "expire" if code == UNPAID_DAY else "reject"
        return unpaid(known, trigger, code, context, self.place, self.timing)


def unpaid(
    known: PaymentEndContext, trigger: str, code: str, context: RequestContext, place: Installation, timing: Timing
) -> Write:
    """Ends a payment's open attempt unpaid; writes the next step. trigger: of the attempt. code: the network's, raw."""
    payment, subscription = known.payment, known.subscription
    if payment.cancel_asked_at is not None and payment.state == "SCHEDULED":
        # Its receiver wanted it to end, and now the payer's bank does not have it any more.
        step = RetryStep("cancel")
    else:
        step = after_unpaid(payment, subscription, code, context.now, timing)
    of, attempt = payment.open_attempt, None
    assert of is not None, "what is unpaid was being collected"
    failed = ATTEMPTS.move(of, trigger, context.now).to_state
    closed = tuple(replace(one, state=failed, code=code) if one.id == of.id else one for one in payment.attempts)
    after = replace(payment, state=PAYMENT_MOVES[payment.state, step.trigger], attempts=closed)
    if step.attempt is not None:
        # The row of the attempt before has to be closed in the same statement, so that one is open.
        attempt, tried = tried_so(payment, step.attempt, known.shown, known.charge.order, context, place, timing)
        after = replace(after, attempts=(*closed, attempt))
    # A cancellation of the payment has an event of its own; the end of this attempt alone has no other.
    is_told = trigger != "cancel" or code not in CANCELLATION_CODES or after.state != "CANCELED"
    events = (attempt_failed(context, after, of.id, subscription, timing),) if is_told else ()
    told = Write(context.company_id, events=events)
    if step.trigger in _ENDS:
        why = _ENDS[step.trigger] or cause(payment, code)
        return told + ended(
            known.charge, subscription, step.trigger, context, code=why, of_attempt=trigger, attempt_code=code
        )
    # Its order must not have been reserved meanwhile: the end of that Pix would then decide.
    order = known.charge.order
    write = told + attempt_ended(payment, trigger, code, context)
    write += Write(context.company_id, relies=(Relied("orders", order.id, order.version),))
    if attempt is not None:
        return write + tried + Write(context.company_id, moves=(payment_move(payment, step.trigger, context, due_at=None),))
    left = payment_move(payment, step.trigger, context, due_at=due_at(after, timing))
    return write + Write(context.company_id, moves=(left,))


@dataclass(frozen=True)
class PayerCanceled(_EndsAttempt):
    """The payer's side has cancelled a single charge that it had scheduled."""

    told: ChargeCanceled

    def _end(self, known: PaymentEndContext, context: RequestContext) -> Write:
        """CANCELED, where its payer wanted that; for another reason its attempt has ended without money like any other."""
        code = self.told.code
        trigger = self._trigger(known, code)
        if trigger is None:
            return unpaid(known, "cancel", code, context, self.place, self.timing)
        return ended(known.charge, known.subscription, trigger, context, code=code)

    def _trigger(self, known: PaymentEndContext, code: str) -> str | None:
        """Returns the trigger that ends the payment; None: only the attempt ends."""
        if code == CANCELLED_WITH_AUTHORIZATION:
            return "subscription ends"
        if code == CANCELLED_BY_RECEIVER and known.payment.state == "SCHEDULED":
            return "cancel"  # the answer to our query, if the one to our cancellation was lost
        # His bank judges if he was in time, and has dropped the charge: nobody is charged against his will.
        return "payer cancels" if code == CANCELLED_BY_PAYER else None


@dataclass(frozen=True)
class CancelAnswered(Act["News | None"]):
    """The payer bank's answer to the receiver's cancellation of a charge."""

    told: ChargeCancelFinal
    claimed: Claimed
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> News | None:
        """Reads the attempt and its payment."""
        return await _news(session, context, self.told.original_message_id, self.timing)

    def decide(self, known: News | None, context: RequestContext) -> Done:
        """Cancels the payment, or keeps it and records the bank's refusal. A message about another charge moves nothing."""
        if known is None:
            return self.claimed.done("ignored", context)
        ours = known.known.shown.subscription.provider_id
        if self.told.recurrence_id not in (None, ours) or _contradicts(self.told.of, None, known):
            return self.claimed.done(ALARMED, context)
        payment, confirmed = known.known.payment, self.told.outcome == "CONFIRMED"
        if payment.cancel_message_id != self.told.message_id:
            contradicts = confirmed and payment.state != "CANCELED"
            return self.claimed.done(ALARMED if contradicts else "known", context)
        finished = self.claimed.settled("handled", context)
        if confirmed:
            of = known.known
            return Done(finished + ended(of.charge, of.subscription, "cancel", context, code=CANCELLED_BY_RECEIVER), b"")
        at = due_at(replace(payment, cancel_asked_at=None), self.timing)
        move = payment_move(
            payment, "keep", context, due_at=at, cancel_message_id=None, cancel_asked_at=None, ask_at=None,
            cancel_refused_at=context.now, cancel_refusal=self.told.code,
        )  # fmt: skip
        return Done(finished + Write(context.company_id, moves=(structs.replace(move, reason=self.told.code),)), b"")
