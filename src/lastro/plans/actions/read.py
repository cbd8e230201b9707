"""Reads a plan: its totals, progress and approvals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.payouts import limits_of, quota_period
from lastro.plans import store
from lastro.plans.rendering import in_full

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.plans.model import Approval, Counts, Plan, Sum, Total


@dataclass(frozen=True, slots=True)
class PlanSeen:
    """A plan with all that is shown of it.

    available: of each account that pays. left_minor: of the day's limit, by account and method; None: there is no limit.
    whole: its totals; None: no line of it can be paid, or none is checked yet.
    """

    plan: Plan
    counts: Counts
    approvals: Sequence[Approval]
    totals: Sequence[Total] = ()
    available: Mapping[UUID, Money] = field(default_factory=dict)
    left_minor: Mapping[tuple[UUID, str], int | None] = field(default_factory=dict)
    whole: Sum | None = None

    @property
    def signed(self) -> int:
        """The number of approvals that count."""
        return sum(not approval.is_revoked for approval in self.approvals)


@dataclass(frozen=True)
class ReadPlan(Act["PlanSeen | None"]):
    """GET /order/v1/banking/payout-plans/{id}."""

    plan_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> PlanSeen | None:
        """Reads the plan, its totals and its accounts' balances."""
        return await shown(session, context, self.plan_id)

    def decide(self, known: PlanSeen | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return Refused(Kind.NOT_FOUND) if known is None else Done(None, render(in_full(known)))


def _left(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


async def shown(session: Session, context: RequestContext, plan_id: UUID | None) -> PlanSeen | None:
    """Reads a plan with all that is shown of it; None: unknown."""
    company = context.company_id
    plan = await store.plan_of(session, company, plan_id)
    if plan is None:
        return None
    counts = await store.counts_of(session, company, plan.id)
    approvals = await store.approvals_of(session, company, plan.id)
    totals = await store.totals_of(session, company, plan.id)
    accounts = list(dict.fromkeys(total.account_id for total in totals))
    balances = await ledger.balances_of(session, company, accounts, "BRL") if accounts else []
    left: dict[tuple[UUID, str], int | None] = {}
    for account_id in accounts:
        of = await limits_of(session, company, account_id, quota_period(context.now)[0])
        left |= {(account_id, m): _left(x.at(context.now).day, used) for m, (x, used, _) in of.items()}
    whole = await store.sum_of(session, company, plan.id, totals)
    return PlanSeen(plan, counts, approvals, totals, {b.account_id: b.available for b in balances}, left, whole)
