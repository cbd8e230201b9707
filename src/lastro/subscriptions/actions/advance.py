"""The due steps of a scheduled payment. It is sent, its day begins, or its last try is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.subscriptions.actions.charge import tried_so
from lastro.subscriptions.actions.payment_ends import PaymentEndContext, begun, ended, known_of, payment_move, time_of
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.rules.moments import due_at, payment_due
from lastro.subscriptions.rules.retrying import cause, first_attempt

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.orders import Installation
    from lastro.subscriptions.model import Timing


@dataclass(frozen=True)
class Advance(Act["PaymentEndContext | None"]):
    """The sweep found a payment that time does something to."""

    payment_id: UUID
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentEndContext | None:
        """Reads the payment with its order and subscription."""
        payment = await payments_store.payment_by_id(session, context.company_id, self.payment_id)
        return await known_of(session, context.company_id, payment)

    def decide(self, known: PaymentEndContext | None, context: RequestContext) -> Done | Refused:
        """Applies the transition that is due, if it still is; corrects a due time that has changed."""
        if known is None:
            return Done(None, b"")
        payment = known.payment
        due, at = payment_due(payment, self.timing), due_at(payment, self.timing)
        if due is None or at is None or at > context.now:
            return Done(Write(context.company_id, touches=time_of(payment, self.timing)), b"")
        if due.trigger == "begin":
            return Done(begun(known.charge, context, self.timing), b"")
        if due.trigger == "send":
            return Done(self._sent(known, context), b"")
        if known.charge.is_being_paid:
            return Done(None, b"")
        return Done(ended(known.charge, known.subscription, "expire", context, code=cause(payment, None)), b"")

    def _sent(self, known: PaymentEndContext, context: RequestContext) -> Write:
        new = first_attempt(known.payment, context.now, self.timing)
        _, write = tried_so(known.payment, new, known.shown, known.charge.order, context, self.place, self.timing)
        return write + Write(context.company_id, moves=(payment_move(known.payment, "send", context, due_at=None),))
