"""Enters fee plans, removes future ones, and lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.companies import problems as refusals
from lastro.companies import rules, store
from lastro.companies.fees import IN, RECEIVER, DatedPlan, FeePlan, terms
from lastro.companies.rendering import dated, listed
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Touch, Write

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.companies.model import Company
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.runner import Query, RequestContext


@dataclass(frozen=True)
class Price:
    """The wanted fee of a method. payer None: as the company has it. direction: IN of orders, OUT of payouts."""

    direction: str
    method: str
    fixed: Money
    basis_points: int
    additional: Money
    payer: str | None = None


@dataclass(frozen=True)
class SetFees(Act["Company | None"]):
    """Enters a plan that holds until its method's next one begins.

    since None: from now on. No plan is ever changed, and none begins before it was entered: an order's fee is the one it
    was told.
    """

    price: Price
    since: datetime | None = None

    async def read(self, session: Session, context: RequestContext) -> Company | None:
        """Reads the company, which names the default bearer of fees."""
        return await store.company(session, context.company_id)

    def decide(self, known: Company | None, context: RequestContext) -> Done | Refused:
        """Adds one row."""
        if known is None:
            return NOT_FOUND
        price, since = self.price, self.since or context.now
        problems = rules.price_problems(price.direction, price.method, price.basis_points, price.payer)
        if since < context.now:
            problems.append(refusals.FROM_OUT_OF_RANGE.problem())
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        payer = (price.payer or known.fee_payer) if price.direction == IN else None
        plan = FeePlan(price.fixed, price.basis_points, price.additional, payer or RECEIVER)
        made = DatedPlan(context.chance.uuid(context.now), price.direction, price.method, plan, since, context.now, None, 1)
        row = {
            "id": made.id, "direction": price.direction, "payment_method": price.method, "fixed_minor": price.fixed.minor,
            "variable_basis_points": price.basis_points, "additional_minor": price.additional.minor, "payer": payer,
            "valid_from": since, "created_at": context.now,
        }  # fmt: skip
        relies = (Relied("companies", context.company_id, known.version),)
        write = Write(context.company_id, relies=relies, rows=(Row("company_fees", row),))
        return Done(write, render(dated(made)), made.id)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses an instant at which another plan begins. From now on, there is always a later one."""
        if constraint != "company_fees_valid_from_key" or self.since is None:
            return None
        return refusals.FROM_DUPLICATE.refused()


@dataclass(frozen=True)
class RemoveFees(Act["DatedPlan | None"]):
    """A plan that has not begun never holds: the one before it goes on until the one after it."""

    plan_id: UUID

    async def read(self, session: Session, context: RequestContext) -> DatedPlan | None:
        """Reads the plan."""
        return next((p for p in await store.fee_plans(session, context.company_id) if p.id == self.plan_id), None)

    def decide(self, known: DatedPlan | None, context: RequestContext) -> Done | Refused:
        """Marks the plan as removed. The row stays readable: a fee's plan is a record of money."""
        if known is None:
            return refusals.PLAN_UNKNOWN.refused()
        if known.removed_at is not None:
            return refusals.PLAN_REMOVED.refused()
        if known.valid_from <= context.now:
            return refusals.PLAN_BEGUN.refused()
        sets = {"removed_at": context.now, "version": known.version + 1}
        touch = Touch("company_fees", known.id, known.version, sets)
        return Done(Write(context.company_id, touches=(touch,)), render(dated(known)), known.id)


@dataclass(frozen=True)
class ListFees(Act["list[DatedPlan]"]):
    """GET /order/v1/banking/fees."""

    def query(self) -> Query[list[DatedPlan]]:
        """Returns the query of the company's plans."""
        return store.fee_plans_query()

    def decide(self, known: list[DatedPlan], context: RequestContext) -> Done:
        """Returns the plans that hold now, and those that will."""
        return Done(None, render(listed(term for term in terms(known, context.now) if not term.has_ended)))
