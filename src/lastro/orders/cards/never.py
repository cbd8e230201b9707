"""A charge that was ordered and has never reached the acquirer: after its last moment nobody is charged any more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Withdrawn, Write
from lastro.orders.actions.end import EndOrderContext as Ending
from lastro.orders.actions.end import ended
from lastro.orders.actions.read import account_of
from lastro.orders.cards import rules
from lastro.orders.cards.ending import is_being_charged
from lastro.orders.store import order_by_reference
from lastro.orders.store.sending import sending
from lastro.rails.port import CARD

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.model import Installation, Order
    from lastro.orders.returns import Sending
    from lastro.rails.port import Claimed, PaymentNever

_ERROR = f"the acquirer did not take the charge within {rules.CHARGE_WITHIN.seconds // 60} minutes"


@dataclass(frozen=True, slots=True)
class NeverChargedContext:
    """The order of a charge, its account and its outbox message."""

    order: Order
    account: Account
    sending: Sending


@dataclass(frozen=True)
class NeverCharged(Act["NeverChargedContext | None"]):
    """The acquirer does not know a charge whose last moment is over."""

    never: PaymentNever
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> NeverChargedContext | None:
        """Reads the order of the charge, and its message."""
        name = self.never.subject
        order = await order_by_reference(session, context.company_id, CARD, name.rpartition(":")[2])
        message = await sending(session, context.company_id, CARD, name)
        if order is None or message is None:
            return None
        return NeverChargedContext(order, await account_of(session, context.company_id, order), message)

    def decide(self, known: NeverChargedContext | None, context: RequestContext) -> Done:
        """Makes the order ERROR and withdraws the message in one write. It is asked again if it may have been sent."""
        is_open = known is not None and is_being_charged(known.order)
        if known is None or not is_open or not known.sending.proves(self.never.sends):
            return self.claimed.done("known", context)
        ending = Ending(known.order, known.account, reserved=False, in_inbox=False)
        write = ended(ending, "fail", context, self.place, error=_ERROR)
        # Even if it was sent: nobody may send it, or have it sent again, any more.
        taken_back = Withdrawn(known.sending.id, known.sending.sends, context.now, is_unsent=False)
        finished = self.claimed.finished("handled", context.now)
        return Done(write + Write(context.company_id, withdrawn=(taken_back,), finished=(finished,)), b"")
