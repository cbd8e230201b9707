"""The service's own charges of a subscription with autoSchedule. Each cycle has one, even after a second run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions.actions.charge import ChargeWish
from lastro.subscriptions.actions.schedule import known_of, made
from lastro.subscriptions.model import CYCLE_IS_FREE, TIMING
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.rules.automatic import looked_at_again, upcoming
from lastro.subscriptions.rules.charging import fee_problem
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders import Installation
    from lastro.subscriptions.actions.schedule import ScheduleContext as Ground
    from lastro.subscriptions.model import Subscription, Timing
    from lastro.subscriptions.rules.automatic import Upcoming


@dataclass(frozen=True, slots=True)
class ChargeCycleContext:
    """A subscription with its fees and the cycles already charged. codes: the external ids of all its payments."""

    ground: Ground
    taken: frozenset[int]
    codes: frozenset[str]


@dataclass(frozen=True)
class ChargeCycle(Act["ChargeCycleContext | None"]):
    """The sweep found a subscription whose next charge is to be made."""

    subscription_id: UUID
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> ChargeCycleContext | None:
        """The subscription, the company's fees, and which cycles have a payment."""
        ground = await known_of(session, context.company_id, self.subscription_id)
        if ground is None:
            return None
        rows = await payments_store.taken(session, context.company_id, self.subscription_id)
        cycles = frozenset(row["cycle"] for row in rows if row["status"] not in CYCLE_IS_FREE)
        return ChargeCycleContext(ground, cycles, frozenset(row["external_id"] for row in rows))

    def decide(self, known: ChargeCycleContext | None, context: RequestContext) -> Done:
        """Makes the next cycle's charge once it is due; until then, sets when it will be.

        Makes none into an account that is not ACTIVE, as its client could not make one (states.md 8).
        """
        if known is None:
            return Done(None, b"")
        subscription, setup = known.ground.shown.subscription, known.ground.setup
        coming = upcoming(subscription, known.taken, brasilia_day(context.now), self.timing)
        if coming is None or coming.make_at > context.now or subscription.terms.fixed is None:
            return self._later(subscription, None if coming is None else coming.make_at, context)
        if not known.ground.shown.account.is_active:
            return self._later(subscription, looked_at_again(context.now), context)
        sets = {"covered": coming.plan.cycle.number, "charge_at": self._next(subscription, known, coming, context)}
        wrong = fee_problem(subscription.terms.fixed, setup.fees.at(context.now))
        if wrong is not None:
            move = SUBSCRIPTIONS.move(subscription, "pass over", context.now, reason=wrong.description, **sets)
            return Done(Write(context.company_id, moves=(move,)), b"")
        wish = ChargeWish(_code(coming, known.codes), subscription.terms.fixed, coming.plan)
        _, write = made(known.ground, wish, context, self.place, self.timing, **sets)
        return Done(write, b"")

    def _later(self, subscription: Subscription, at: datetime | None, context: RequestContext) -> Done:
        touch = Touch("subscriptions", subscription.id, subscription.version, {"charge_at": at})
        return Done(Write(context.company_id, touches=(touch,)), b"")

    def _next(
        self, subscription: Subscription, known: ChargeCycleContext, coming: Upcoming, context: RequestContext
    ) -> datetime | None:
        """Returns when the charge after this one is made; None: there is none."""
        covered = replace(subscription, covered=coming.plan.cycle.number)
        after = upcoming(covered, known.taken, brasilia_day(context.now), self.timing)
        return None if after is None else after.make_at


def _code(coming: Upcoming, codes: Container[str]) -> str:
    """The code of the payment; another where a client has given this one to a payment of his own."""
    numbered = (coming.external_id if n == 1 else f"{coming.external_id}-{n}" for n in count(1))
    return next(code for code in numbered if code not in codes)
