"""The order owner for a scheduled payment's order. It decides who may pay it, and writes the effects of a payment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lastro.core.write import Write
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions.actions.payment_ends import payment_move, time_of
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.rules.charging import is_settled_by
from lastro.subscriptions.states import ATTEMPTS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.core.write import Row
    from lastro.orders import Paid
    from lastro.rails.port import PixArrival
    from lastro.subscriptions.model import Payment, Subscription, Timing

_UNFIT: Final = "BE17"  # as for an order: its id is not to be paid so


@dataclass(frozen=True, slots=True)
class ScheduledPayment:
    """The charge of a cycle: the money of its open attempt, and no other, pays it."""

    payment: Payment
    subscription: Subscription
    timing: Timing

    def refusal(self, arrival: PixArrival) -> str | None:
        """Refuses a charge of another recurrence, or under another endToEndId.

        The endToEndId must be the scheduled one; where the payer's bank never confirmed the charge, it has named none.
        """
        payment, attempt, name = self.payment, self.payment.open_attempt, arrival.end_to_end_id
        if arrival.charging != self.subscription.provider_id or attempt is None:
            return _UNFIT
        is_of_another = any(one.end_to_end_id == name for one in payment.attempts if one.id != attempt.id)
        if is_of_another or attempt.end_to_end_id not in (None, name):
            return _UNFIT
        fits = is_settled_by(payment, attempt, arrival.amount, arrival.accepted_at, self.timing)
        return None if fits else _UNFIT

    def demand_collectable(self) -> None:
        """Waits for nothing: what a connection's bank has collected for the charge pays it."""

    def accepted(self, arrival: PixArrival, context: RequestContext) -> Write:
        """Requires the open attempt unchanged; nothing is paid before the money is in.

        Writes that end an attempt rely on the order as it was read, which is reserved from here on.
        """
        del arrival
        return Write(context.company_id, touches=time_of(self.payment, self.timing))

    def settled(self, paid: Paid, context: RequestContext) -> Write:
        """PAID, and its attempt, in the write in which the order is.

        A connection's bank tries again by itself on a day: it may have collected after it said that the attempt had failed.
        """
        payment, attempt, name = self.payment, self.payment.open_attempt, paid.end_to_end_id
        move = payment_move(
            payment, "settle", context, due_at=None, cancel_message_id=None, cancel_asked_at=None, ask_at=None
        )  # fmt: skip
        if attempt is None:
            return Write(context.company_id, moves=(move,), rows=self._tried_by_bank(paid, context))
        tried = ATTEMPTS.move(attempt, "settle", context.now, reason=name, end_to_end_id=name, ask_at=None)
        return Write(context.company_id, moves=(move, tried))

    def _tried_by_bank(self, paid: Paid, context: RequestContext) -> tuple[Row, ...]:
        """Returns the attempt that a bank made by itself, and that collected."""
        assert self.subscription.is_at_bank, "what has no open attempt was refused, and what ends one waits"
        payment, day = self.payment, brasilia_day(paid.at)
        number = len(payment.attempts) + 1
        values = {
            "id": context.chance.uuid(context.now), "payment_id": payment.id, "number": number, "kind": "RIFL",
            "collects_on": day, "message_id": f"{payment.id}.{number}", "end_to_end_id": paid.end_to_end_id,
            "rail": self.subscription.rail, "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        return ATTEMPTS.born(values, context.now, ("request", "settle"), reason=paid.end_to_end_id)

    def failed(self, end_to_end_id: str, code: str | None, context: RequestContext) -> Write:
        """Writes nothing: the payer's bank tells the attempt's end. It has no second Pix under its endToEndId."""
        del end_to_end_id, code
        return Write(context.company_id)


async def scheduled_payment(
    session: Session, company_id: UUID, payment_id: UUID, subscription: Subscription, timing: Timing
) -> ScheduledPayment | None:
    """Reads the owner of a payment's order; None: no such payment."""
    payment = await payments_store.payment_by_id(session, company_id, payment_id)
    return None if payment is None else ScheduledPayment(payment, subscription, timing)
