"""Checks lines of a plan as a create would; no money moves."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.concurrency import together
from lastro.core.errors import Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Touch, Write
from lastro.payouts import Ground, Tried, read_grounds, repeated, repetitions, try_out
from lastro.plans import rules, store
from lastro.plans.model import CSV, GOOD_FOR, Counts
from lastro.plans.notifications import plan_event
from lastro.plans.problems import SAME_PAYOUT
from lastro.plans.states import PLANS
from lastro.plans.unresponsive_hosts import Silences

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Problem
    from lastro.core.runner import RequestContext
    from lastro.payouts import Ways
    from lastro.plans.model import Plan, ReadLine

_ASKED_AT_ONCE = 8
FREE: dict[str, Any] = {
    "due_at": None,
    "lease_token": None,
    "leased_until": None,
}  # no worker has to look at it, and none does


@dataclass(slots=True)
class Pace:
    """The state of a check of lines. wait_seconds: until the next look-up. over: set to stop the check, with lines left."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    silences: Silences = field(default_factory=Silences)
    wait_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The plan and its progress; for each line its facts and outcome. tried None: the line was not reached."""

    plan: Plan
    counts: Counts
    digests: list[bytes]
    grounds: list[Ground | None]
    ways: Ways
    tried: list[Tried | Refused | None] = field(default_factory=list)
    same: Mapping[int, UUID] = field(default_factory=dict)  # by the place of a line, an equal payout
    earlier: Sequence[store.Alike] = ()  # lines before these, with their likenesses


@dataclass(frozen=True)
class Check(Act["CheckContext | None"]):
    """Checks the next lines of a plan. reads: these lines, in order, right behind those that are checked."""

    plan_id: UUID
    reads: Sequence[ReadLine]
    ways: Ways
    pace: Pace = field(default_factory=Pace)

    async def read(self, session: Session, context: RequestContext) -> CheckContext | None:
        """Reads the plan and its lines' facts, in a few statements. None: it is not VALIDATING, or other lines are next."""
        plan = await store.plan_of(session, context.company_id, self.plan_id)
        if plan is None or plan.state != "VALIDATING":
            return None
        counts = await store.counts_of(session, context.company_id, plan.id)
        if counts.checked != self.reads[0].sheet.number - 1:
            return None
        is_last = counts.checked + len(self.reads) == plan.lines
        digests = await store.digests_of(session, context.company_id, plan.id) if is_last else []
        wishes = [r.wish for r in self.reads if r.wish is not None]
        found, ways = await read_grounds(session, context, wishes, self.ways)
        each = iter(found)
        grounds = [None if r.wish is None else next(each) for r in self.reads]
        return CheckContext(plan, counts, digests, grounds, ways)

    async def call_out(self, known: CheckContext | None, context: RequestContext) -> CheckContext | None:
        """Finds out where each line's money goes; once somebody could not be asked, nobody else is."""
        if known is None:
            return None
        plan = known.plan

        async def try_one(place: int) -> Tried | Refused | None:
            wish, ground = self.reads[place].wish, known.grounds[place]
            if wish is None or ground is None or (place and self.pace.over.is_set()):
                return None  # the first is always tried, so that every turn makes progress
            found = await try_out(wish, ground, known.ways, context)
            judged = self.pace.silences.judge(found, plan.id, context.now)
            if judged is None and isinstance(found, Refused):
                self.pace.over.set()
                self.pace.wait_seconds = found.retry_after_seconds or 1
            return judged

        tried = await together(range(len(self.reads)), try_one, _ASKED_AT_ONCE)
        return replace(known, tried=tried)

    def read_after(
        self, known: CheckContext | None, context: RequestContext
    ) -> Callable[[Session], Awaitable[CheckContext | None]] | None:
        """Looks for payouts and earlier lines with the same, looked-up receivers."""
        if known is None:
            return None
        good = {place: one for place, one in enumerate(known.tried) if isinstance(one, Tried)}
        numbers = [one.like.number for one in good.values()]

        async def read(session: Session) -> CheckContext:
            same = await repetitions(session, context, good)
            earlier = await store.lines_alike(session, context.company_id, self.plan_id, numbers)
            return replace(known, same=same, earlier=earlier)

        return read if good else None

    def decide(self, known: CheckContext | None, context: RequestContext) -> Done:
        """Writes the lines up to the first that was not reached; the last one of the plan moves the plan."""
        if known is None:
            return Done(None, b"")
        rows: list[Row] = []
        earlier = rules.Earlier()
        for number, line, is_charge in known.earlier:
            earlier.add(number, line, is_charge=is_charge)
        for place, (read, ground, tried) in enumerate(zip(self.reads, known.grounds, known.tried, strict=True)):
            if read.wish is not None and tried is None:
                break
            refuses = ground is not None and ground.ground.refuses_duplicates
            judged, like = _repeated(read, tried, known.same.get(place), earlier, refuses=refuses)
            rows.append(_row(known.plan, read, judged, like, context))
        plan = known.plan
        relies = (Relied("payout_plans", plan.id, plan.version),)
        write = Write(context.company_id, relies=relies, rows=tuple(rows))
        unfit = known.counts.unfit + sum(row.values["issues"] is not None for row in rows)
        counts = Counts(known.counts.checked + len(rows), unfit, 0)
        if counts.checked == plan.lines:
            digests = [*known.digests, *(row.values["digest"] for row in rows)]
            write = Write(context.company_id, rows=tuple(rows)) + self._turned(plan, counts, rules.hash_of(digests), context)
        return Done(write, b"")

    def _turned(self, plan: Plan, counts: Counts, digest: str, context: RequestContext) -> Write:
        trigger = rules.checked(plan, counts)
        sets = {**FREE, "hash": digest}
        if trigger != "fail":
            sets |= {"expires_at": context.now + GOOD_FOR, "due_at": context.now + GOOD_FOR}
        move = PLANS.move(plan, trigger, context.now, **sets)
        told = plan_event(context, replace(plan, hash=digest), move.to_state, counts)
        return Write(context.company_id, moves=(move,), touches=(forgotten(plan),), events=(told,))


def forgotten(plan: Plan) -> Touch:
    """Deletes the body of a plan that is read no more."""
    return Touch("payout_plan_bodies", plan.id, 1, {"body": None})


def _repeated(
    read: ReadLine, tried: Tried | Refused | None, same: UUID | None, earlier: rules.Earlier, *, refuses: bool
) -> tuple[Tried | Refused | None, str | None]:
    """Returns a line's outcome, and the payout or earlier line like it. A line that is taken becomes an earlier one."""
    if not isinstance(tried, Tried) or read.wish is None:
        return tried, None
    line = earlier.like(tried.like) or read.same_code
    if refuses and not read.wish.allows_duplicate:
        if same is not None:
            return repeated(same), None
        if line is not None:
            return SAME_PAYOUT.refused(line=line), None
    earlier.add(tried.like.number, read.sheet.line, is_charge=tried.like.is_charge)
    if same is not None and not read.wish.allows_duplicate:
        return tried, str(same)
    return tried, None if line is None else f"line {line}"


def _row(plan: Plan, read: ReadLine, tried: Tried | Refused | None, like: str | None, context: RequestContext) -> Row:
    problems: tuple[Problem, ...] = read.problems
    if isinstance(tried, Refused):
        problems = tried.problems if plan.format != CSV else rules.in_columns(tried.problems)
    issues = issues_text(problems) if problems else None
    good = tried if isinstance(tried, Tried) else None
    destination = None if good is None else rules.destination_text(good.destination)
    fee = None if good is None else good.fee.minor
    transfers = None if good is None else good.transfers
    wish = read.wish
    return Row(
        "payout_plan_lines",
        {
            "id": context.chance.uuid(context.now), "plan_id": plan.id, "number": read.sheet.number, "line": read.sheet.line,
            "request": read.sheet.raw, "external_id": None if wish is None else wish.external_id,
            "account_id": None if wish is None else wish.account_id, "payment_method": None if wish is None else wish.method,
            "currency": None if wish is None else wish.amount.currency,
            "amount_minor": None if wish is None else wish.amount.minor, "fee_minor": fee, "transfers": transfers,
            "destination": destination, "duplicate_of": like, "issues": issues,
            "likeness": None if good is None else good.like.number,
            "digest": rules.digest(read.sheet.raw, destination, fee, transfers, issues), "created_at": context.now,
        },
    )  # fmt: skip


def issues_text(problems: Sequence[Problem]) -> str:
    """Problems of a line as they are kept: JSON, in the shape of an Error's details."""
    return msgspec.json.encode(
        [{"field": p.field, "issue": p.issue, "description": p.description} for p in problems]
    ).decode()
