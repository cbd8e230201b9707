"""Makes the payout of an approved line, once, even after a crash. It is made as approved, or the line is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.core.errors import Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Touch, Write
from lastro.payouts import CreateKnown, MakePayout, read_wish
from lastro.plans import rules, store
from lastro.plans.actions.check import FREE, issues_text
from lastro.plans.model import CSV
from lastro.plans.notifications import plan_event
from lastro.plans.problems import COST_CHANGED, DESTINATION_CHANGED
from lastro.plans.states import PLANS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.payouts import Ways
    from lastro.plans.model import Counts, Plan, PlannedPayout
    from lastro.plans.unresponsive_hosts import Silences


@dataclass(frozen=True, slots=True)
class MakePayoutContext:
    """The line, its plan, and its create's facts or refusal."""

    plan: Plan
    line: PlannedPayout
    create: MakePayout
    ground: CreateKnown | Refused


@dataclass(frozen=True)
class Make(Act["MakePayoutContext | None"]):
    """Makes the payout of one line, in one write with the line. short: the lack of funds found by a first try."""

    line_id: UUID
    ways: Ways
    silences: Silences
    short: InsufficientFunds | None = None

    async def read(self, session: Session, context: RequestContext) -> MakePayoutContext | None:
        """Reads the line and the facts of its create. None: its plan is not APPLYING, or the line has its outcome."""
        line = await store.line_of(session, context.company_id, self.line_id)
        if line is None or line.payout_id is not None or line.issues is not None:
            return None
        plan = await store.plan_of(session, context.company_id, line.plan_id)
        if plan is None or plan.state != "APPLYING":
            return None
        wish, problems = read_wish(line.request)
        assert wish is not None, f"a line that was checked: {problems}"
        create = MakePayout(wish, rules.payout_key(plan, line.number), self.ways)
        return MakePayoutContext(plan, line, create, await create.read(session, context))

    async def call_out(self, known: MakePayoutContext | None, context: RequestContext) -> MakePayoutContext | Refused | None:
        """Asks where the money goes, once more: a key may lead elsewhere by now."""
        if known is None:
            return None
        if self.short is not None:
            return replace(known, ground=known.create.too_little(self.short))
        assert not isinstance(known.ground, Refused)
        found = await known.create.call_out(known.ground, context)
        judged = self.silences.judge(found, known.plan.id, context.now)
        if judged is None:
            assert isinstance(found, Refused)
            return found
        return replace(known, ground=judged)

    def read_after(
        self, known: MakePayoutContext | None, context: RequestContext
    ) -> Callable[[Session], Awaitable[MakePayoutContext | None]] | None:
        """Reads what its create does."""
        if known is None or isinstance(known.ground, Refused):
            return None
        read = known.create.read_after(known.ground, context)
        if read is None:
            return None

        async def read_again(session: Session) -> MakePayoutContext:
            return replace(known, ground=await read(session))

        return read_again

    def decide(self, known: MakePayoutContext | None, context: RequestContext) -> Done:
        """Writes the payout and its line, or the line with its problems."""
        if known is None:
            return Done(None, b"")
        if isinstance(known.ground, Refused):
            return refused(known.plan, known.line, known.ground.problems, context)
        changed = _changed(known.line, known.create, known.ground, context)
        if changed:
            return refused(known.plan, known.line, changed, context)
        done = known.create.decide(known.ground, context)
        if isinstance(done, Refused):
            return refused(known.plan, known.line, done.problems, context)
        assert done.write is not None
        return Done(
            done.write + _of_line(known.plan, known.line, {"payout_id": done.object_id}, context), b"", done.object_id
        )

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Refuses the line for lack of funds or limit; later lines go on."""
        return replace(self, short=short)


@dataclass(frozen=True)
class Finish(Act["tuple[Plan, Counts] | None"]):
    """Finishes a plan with no line left to make."""

    plan_id: UUID

    async def read(self, session: Session, context: RequestContext) -> tuple[Plan, Counts] | None:
        """Reads the plan, once no line is left to make."""
        plan = await store.plan_of(session, context.company_id, self.plan_id)
        if plan is None or plan.state != "APPLYING":
            return None
        counts = await store.counts_of(session, context.company_id, plan.id)
        return (plan, counts) if counts.made + counts.unfit == plan.lines else None

    def decide(self, known: tuple[Plan, Counts] | None, context: RequestContext) -> Done:
        """Moves the plan to APPLIED, PARTIALLY_APPLIED or FAILED."""
        if known is None:
            return Done(None, b"")
        plan, counts = known
        move = PLANS.move(plan, rules.finished(counts), context.now, **FREE)
        told = plan_event(context, plan, move.to_state, counts)
        return Done(Write(context.company_id, moves=(move,), events=(told,)), b"")


def _changed(line: PlannedPayout, create: MakePayout, ground: CreateKnown, context: RequestContext) -> tuple[Problem, ...]:
    """Lists as problems the changes of a line since its approval."""
    assert ground.destination is not None
    if rules.destination_text(ground.destination) != line.destination:
        return (DESTINATION_CHANGED.problem(),)
    parts = create.judged(ground)
    if isinstance(parts, Refused):
        return parts.problems
    fee = ground.ground.setup.fees.at(context.now).total(create.wish.amount)
    if fee != line.fee or len(parts) != line.transfers:
        return (COST_CHANGED.problem(),)
    return ()


def refused(plan: Plan, line: PlannedPayout, problems: Sequence[Problem], context: RequestContext) -> Done:
    """Refuses the line, with its problems."""
    named = rules.in_columns(problems) if plan.format == CSV else tuple(problems)
    return Done(_of_line(plan, line, {"issues": issues_text(named)}, context), b"", line.id)


def _of_line(plan: Plan, line: PlannedPayout, sets: dict[str, object], context: RequestContext) -> Write:
    """Updates a line, provided its plan is unchanged. A canceled plan makes nothing more."""
    touch = Touch("payout_plan_lines", line.id, line.version, {**sets, "version": line.version + 1})
    return Write(context.company_id, relies=(Relied("payout_plans", plan.id, plan.version),), touches=(touch,))
