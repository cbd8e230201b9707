"""The network's late refusal of a recurrence that it had registered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro import orders
from lastro.core.errors import NotYet
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.rails.port import ALARMED
from lastro.subscriptions.actions.cancel import BEING_PAID_SECONDS, of_recurrence, settled
from lastro.subscriptions.notifications import subscription_event
from lastro.subscriptions.reasons import reason_of
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.orders import Installation
    from lastro.rails.port import Claimed, RecurrenceRefused
    from lastro.subscriptions.actions.ending import EndSubscriptionContext

# A sandbox asks its network before the Write of a create, which may come after the network's second thought.
_MADE_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True)
class Fail(Act["EndSubscriptionContext | None"]):
    """The network refuses a recurrence that waits for its payer."""

    told: RecurrenceRefused
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> EndSubscriptionContext | None:
        """The subscription and its first charge. NotYet: that is being paid, or the subscription is being made."""
        known = await of_recurrence(session, context.company_id, self.told.recurrence_id)
        at = self.told.refused_at
        if known is None and at is not None and context.now - at < _MADE_WITHIN:
            raise NotYet(BEING_PAID_SECONDS)
        return known

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done:
        """Moves it to ERROR, with its first charge. An ACCEPTED one is for people: its payer's bank authorized it."""
        if known is None:
            return settled(self.claimed, "ignored", context)
        subscription, code = known.shown.subscription, self.told.code
        if not SUBSCRIPTIONS.allows(subscription.state, "fail"):
            return settled(self.claimed, _OF_OTHERS.get(subscription.state, "ignored"), context)
        move = SUBSCRIPTIONS.move(subscription, "fail", context.now, reason=code)
        write = Write(
            context.company_id, moves=(move,), events=(subscription_event(context, known.shown, move.to_state),),
            finished=(self.claimed.finished("handled", context.now),),
        )  # fmt: skip
        if known.charge is not None:
            error = reason_of(code, "AUTHORIZATION").message
            ending = orders.with_subscription(known.charge, "fail", context, self.place, error=error)
            assert ending is not None, "a first charge that is being paid was waited for"
            write = ending + write
        return Done(write, b"")


_OF_OTHERS = {"ACCEPTED": ALARMED, "ERROR": "known"}
