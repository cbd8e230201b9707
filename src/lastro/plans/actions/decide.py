"""Decides about plans: approves, applies, cancels or expires them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Write
from lastro.plans.actions.check import FREE, forgotten
from lastro.plans.actions.read import PlanSeen, shown
from lastro.plans.model import Approval
from lastro.plans.notifications import plan_event
from lastro.plans.problems import APPROVED_ALREADY, ENDED, HASH_MISMATCH, MAKER_APPROVES, NOT_APPROVED, NOT_READY
from lastro.plans.rendering import in_full
from lastro.plans.states import PLANS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.plans.model import Plan


@dataclass(frozen=True)
class _OfPlan(Act["PlanSeen | None"]):
    plan_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> PlanSeen | None:
        """Reads the plan, its lines by outcome and its approvals."""
        return await shown(session, context, self.plan_id)


@dataclass(frozen=True)
class Approve(_OfPlan):
    """POST /order/v1/banking/payout-plans/{id}/approvals. hash: of the plan as the client saw it, which it signs."""

    hash: str

    def decide(self, known: PlanSeen | None, context: RequestContext) -> Done | Refused:
        """Signs the plan, once for each client but its maker. The last signature it needs moves it to APPROVED."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        plan, client = known.plan, context.caller.client_id
        lacks = plan.needs - known.signed
        if plan.state != "READY" and not (plan.state == "APPROVED" and lacks > 0):
            return NOT_READY.refused(state=plan.state, why="only a plan that is READY is approved")
        assert client is not None
        if plan.expires_at is not None and plan.expires_at <= context.now:
            return NOT_READY.refused(state=plan.state, why="its time is over")
        if self.hash != plan.hash:
            return HASH_MISMATCH.refused()
        if client == plan.created_by:
            return MAKER_APPROVES.refused()
        if any(a.approver == client for a in known.approvals):
            return APPROVED_ALREADY.refused()
        signed = (*known.approvals, Approval(client, context.now))
        is_last = plan.state == "READY" and lacks <= 1
        # It stays APPROVED where a signer was revoked: no further event.
        move = PLANS.move(plan, "approve last" if is_last else "approve", context.now, reason=client)
        row = Row(
            "payout_plan_approvals",
            {"plan_id": plan.id, "approver": client, "hash": self.hash, "created_at": context.now},
        )
        events = (plan_event(context, plan, move.to_state, known.counts),) if is_last else ()
        after = replace(known, plan=_after(plan, move.to_state, context), approvals=signed)
        write = Write(context.company_id, rows=(row,), moves=(move,), events=events)
        return Done(write, render(in_full(after, names=False)), plan.id, keep="forever")


@dataclass(frozen=True)
class Apply(_OfPlan):
    """POST /order/v1/banking/payout-plans/{id}/apply."""

    def decide(self, known: PlanSeen | None, context: RequestContext) -> Done | Refused:
        """Moves it to APPLYING: a worker makes its payouts, one line after the other. Revoked approvals do not count."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        plan = known.plan
        if (why := self._lack(known, context)) is not None:
            return NOT_APPROVED.refused(state=plan.state, why=why)
        move = PLANS.move(plan, "apply", context.now, **{**FREE, "due_at": context.now})
        after = replace(known, plan=_after(plan, move.to_state, context))
        return Done(Write(context.company_id, moves=(move,)), render(in_full(after, names=False)), plan.id, keep="forever")

    def _lack(self, known: PlanSeen, context: RequestContext) -> str | None:
        """Returns what the plan lacks to be applied; None: nothing."""
        plan, lacks = known.plan, known.plan.needs - known.signed
        if plan.state == "READY":
            return f"it needs {lacks} more approvals"
        if plan.state != "APPROVED":
            return "only a plan that is APPROVED is applied"
        if lacks > 0:
            return f"it needs {lacks} more approvals, since one that it had is of somebody revoked"
        return "its time is over" if plan.expires_at is not None and plan.expires_at <= context.now else None


@dataclass(frozen=True)
class CancelPlan(_OfPlan):
    """POST /order/v1/banking/payout-plans/{id}/cancel."""

    def decide(self, known: PlanSeen | None, context: RequestContext) -> Done | Refused:
        """Cancels the plan: no more payouts are made; those already made stay."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        plan = known.plan
        if not PLANS.allows(plan.state, "cancel"):
            return ENDED.refused(state=plan.state)
        write = _ended(plan, "cancel", known, context)
        after = replace(known, plan=_after(plan, "CANCELED", context))
        return Done(write, render(in_full(after, names=False)), plan.id, keep="forever")


@dataclass(frozen=True)
class Expire(_OfPlan):
    """Expires a plan that was not applied in time."""

    def decide(self, known: PlanSeen | None, context: RequestContext) -> Done:
        """Expires the plan, if its state allows and its time is over."""
        plan = None if known is None else known.plan
        if known is None or plan is None or plan.expires_at is None or plan.expires_at > context.now:
            return Done(None, b"")
        if not PLANS.allows(plan.state, "expire"):
            return Done(None, b"")
        return Done(_ended(plan, "expire", known, context), b"")


def _ended(plan: Plan, trigger: str, known: PlanSeen, context: RequestContext) -> Write:
    move = PLANS.move(plan, trigger, context.now, **FREE)
    told = plan_event(context, plan, move.to_state, known.counts)
    touches = (forgotten(plan),) if plan.hash is None else ()
    return Write(context.company_id, moves=(move,), touches=touches, events=(told,))


def _after(plan: Plan, state: str, context: RequestContext) -> Plan:
    return replace(plan, state=state, updated_at=context.now)
