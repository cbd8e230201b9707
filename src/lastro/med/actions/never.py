"""Gives up a return that never came to its network. It does so at once if that is certain, else after a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import orders
from lastro.core.runner import Act, Done
from lastro.core.write import Withdrawn, Write
from lastro.med.actions.give_back import GiveBackContext as Ending
from lastro.med.actions.give_back import ReturnEnded
from lastro.rails.port import NOT_TAKEN, ReturnFinal

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.rails.port import Claimed, PaymentNever


@dataclass(frozen=True, slots=True)
class ReturnNeverContext:
    """The return, what ends with it, and the state of its message."""

    ending: Ending
    message: orders.Sending | None


@dataclass(frozen=True)
class ReturnNever(Act[ReturnNeverContext]):
    """A return that the network does not know. Its time is over, its message was refused, or its dispute was called off."""

    never: PaymentNever
    claimed: Claimed
    place: orders.Installation

    async def read(self, session: Session, context: RequestContext) -> ReturnNeverContext:
        """The return, and the message that ordered it."""
        ending = await self._ended(NOT_TAKEN).read(session, context)
        if ending.given is None:
            return ReturnNeverContext(ending, None)
        rail = ending.given.refund.rail
        return ReturnNeverContext(ending, await orders.sending(session, context.company_id, rail, self.never.subject))

    def decide(self, known: ReturnNeverContext, context: RequestContext) -> Done:
        """Ends the return as ERROR, and withdraws its message (states.md 7). Both are one write.

        The network is asked again if the message may have been sent meanwhile, or if a copy may still be on its way.
        """
        given, message = known.ending.given, known.message
        is_open = given is not None and given.refund.state == "PENDING"
        code = None
        if is_open and message is not None and message.proves(self.never.sends):
            code = orders.given_up_for(given.refund, message, context.now)
        if message is None or code is None:
            return self.claimed.done("known", context)
        done = self._ended(code).decide(known.ending, context)
        assert done.write is not None
        # Also where it was sent: nobody may send it, or have it sent again, any more.
        taken_back = Withdrawn(message.id, message.sends, context.now, is_unsent=False)
        return Done(done.write + Write(context.company_id, withdrawn=(taken_back,)), b"")

    def _ended(self, code: str) -> ReturnEnded:
        final = ReturnFinal(self.never.subject, "", settled=False, code=code)
        return ReturnEnded(final, self.claimed, self.place)
