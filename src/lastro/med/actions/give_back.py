"""A return that a dispute wanted has ended: with the order and the money, the request it answers moves too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import orders
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.med import rules, store
from lastro.med.actions import monitor
from lastro.med.actions.time import rejected
from lastro.med.actions.writing import let_go, moved
from lastro.rails.port import MED_ANSWER, MedTask, med_message

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.med.model import MedObject
    from lastro.rails.port import Claimed, ReturnFinal


@dataclass(frozen=True, slots=True)
class GiveBackContext:
    """The orders' context of the return, and the dispute's request if any."""

    given: Any
    request: MedObject | None


@dataclass(frozen=True)
class ReturnEnded(Act[GiveBackContext]):
    """The network's end of a return. A dispute that ordered it follows."""

    final: ReturnFinal
    claimed: Claimed
    place: orders.Installation

    async def read(self, session: Session, context: RequestContext) -> GiveBackContext:
        """The return, and its request."""
        given = await self._of_orders.read(session, context)
        if given is None or given.refund.med_id is None:
            return GiveBackContext(given, None)
        return GiveBackContext(given, await store.by_refund(session, context.company_id, given.refund.id))

    def decide(self, known: GiveBackContext, context: RequestContext) -> Done:
        """As the orders do; a request is ANALYSED by it, one way or the other."""
        done = self._of_orders.decide(known.given, context)
        if known.request is None or done.write is None or not done.write.moves:
            return done
        refund = known.given.refund
        if known.request.later_refund_id == refund.id:
            later = monitor.returned(known.request, refund.amount, self.final.settled, context)
            return Done(done.write + later, b"")
        return Done(done.write + self._answered(known.request, refund, context), b"")

    @property
    def _of_orders(self) -> orders.ReturnEnded:
        return orders.ReturnEnded(self.final, self.claimed, self.place)

    def _answered(self, request: MedObject, refund: orders.Refund, context: RequestContext) -> Write:
        if not self.final.settled and refund.called_off_at is not None:
            return let_go(request, "request cancel", context, refund.called_off_at)
        code = self.final.code or "REFUSED"
        again = rules.after_refusal(request, code, context.now) if refund.is_anew else None
        if not self.final.settled and again is not None:
            return moved(request, "request undo", context, why=code, refund_id=None, due_at=again)[1]
        if not self.final.settled:
            return rejected(request, "OTHER", context)
        nothing, returned = request.amount - request.amount, request.blocked
        result = rules.answer_of(request.amount, returned)
        task = MedTask(
            reference_id=request.id, directory_id=request.directory_id, result=result, return_id=self.final.return_id,
            returned=returned, recovery_id=request.recovery_id,
        )  # fmt: skip
        told = med_message(MED_ANSWER, task, context.chance, context.now)
        # If it lacks something, its account may be watched from now on: the next check sees how much.
        is_short = result == "PARTIALLY_ACCEPTED" and refund.called_off_at is None
        _, write = moved(
            request, "request accept", context, result=result, returned=returned, blocked=nothing,
            due_at=context.now if is_short and request.monitor else None, called_off_at=refund.called_off_at,
        )  # fmt: skip
        return write + Write(context.company_id, messages=(told,))
