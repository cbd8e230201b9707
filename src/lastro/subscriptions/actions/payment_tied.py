"""A scheduled payment speaks for its order: whose money may pay it, and what else is so once it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lastro.base.write import Write
from lastro.subscriptions.actions.payment_ends import payment_move
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.rules.charging import is_settled_by
from lastro.subscriptions.states import ATTEMPTS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.run import Door
    from lastro.orders import Paid
    from lastro.rails.port import PixArrival
    from lastro.subscriptions.model import Payment, Subscription

_UNFIT: Final = "BE17"  # as of an order: what it names is not to be paid so


@dataclass(frozen=True, slots=True)
class ScheduledPayment:
    """The charge of a cycle: the money of its open attempt, and no other, pays it."""

    payment: Payment
    subscription: Subscription

    def refusal(self, arrival: PixArrival) -> str | None:
        """Not what is no charge of this recurrence, nor what comes under another endToEndId than was scheduled.

        Where the payer's bank never said that it has the charge, it has named none.
        """
        payment, attempt = self.payment, self.payment.open_attempt
        if arrival.charging != self.subscription.provider_id or attempt is None:
            return _UNFIT
        if attempt.end_to_end_id not in (None, arrival.end_to_end_id):
            return _UNFIT
        return None if is_settled_by(payment, attempt.state, arrival.amount) else _UNFIT

    def accepted(self, arrival: PixArrival, door: Door) -> Write:
        """Nothing: nothing is paid before the money is in."""
        del arrival
        return Write(door.company_id)

    def settled(self, paid: Paid, door: Door) -> Write:
        """PAID, and its attempt, in the write in which the order is."""
        payment, attempt = self.payment, self.payment.open_attempt
        assert attempt is not None, "what has no open attempt was refused, and a reservation keeps it open"
        name = paid.end_to_end_id
        moves = (
            payment_move(
                payment, "settle", door, due_at=None, cancel_message_id=None, cancel_asked_at=None, ask_at=None
            ),
            ATTEMPTS.move(attempt, "settle", door.now, reason=name, end_to_end_id=name, ask_at=None),
        )  # fmt: skip
        return Write(door.company_id, moves=moves)

    def failed(self, end_to_end_id: str, code: str | None, door: Door) -> Write:
        """Nothing: the payer's bank tries again as long as the day lasts, and says so when it does not any more."""
        del end_to_end_id, code
        return Write(door.company_id)


async def scheduled_payment(
    session: Session, company_id: UUID, payment_id: UUID, subscription: Subscription
) -> ScheduledPayment | None:
    """Who speaks for the order of a payment."""
    payment = await payments_store.payment_by_id(session, company_id, payment_id)
    return None if payment is None else ScheduledPayment(payment, subscription)
