"""A company's fees: plans, each of which holds until the next begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from lastro.core.money import Money

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Self
    from uuid import UUID

RECEIVER, CUSTOMER = PAYERS = ("RECEIVER", "CUSTOMER")
# Of orders that are paid, and of payouts.
IN, OUT = DIRECTIONS = ("IN", "OUT")
# Methods by which MXN moves; every other one moves BRL (contract.md §6).
MEXICAN = frozenset({"CREDIT_CARD", "SPEI", "OXXO", "OXXOPAY", "PAYNET"})


@dataclass(frozen=True, slots=True)
class FeePlan:
    """The fee of a paid order or of a payout.

    It is fixed + share of the amount + additional. payer: RECEIVER or CUSTOMER.
    """

    fixed: Money
    variable_basis_points: int
    additional: Money
    payer: str = RECEIVER

    def total(self, amount: Money) -> Money:
        """Returns the whole fee of an amount, half to even. It is rounded to the cent."""
        return self.fixed + amount.share(self.variable_basis_points) + self.additional


@dataclass(frozen=True, slots=True)
class Fees:
    """The fees of one method in one direction over time.

    They are nothing before the first plan begins. payer: the bearer where no plan names one. begun: the begin of each
    plan, the first one first.
    """

    currency: str
    payer: str = RECEIVER
    begun: tuple[tuple[datetime, FeePlan], ...] = ()

    def at(self, instant: datetime) -> FeePlan:
        """Returns the plan that holds at an instant of business time; a plan holds from the very instant at which it
        begins.
        """
        held = FeePlan(Money(0, self.currency), 0, Money(0, self.currency), self.payer)
        for since, plan in self.begun:
            if since > instant:
                break
            held = plan
        return held

    def borne_by(self, payer: str) -> Self:
        """Returns the same prices, with this payer in every plan."""
        return replace(self, payer=payer, begun=tuple((since, replace(plan, payer=payer)) for since, plan in self.begun))


@dataclass(frozen=True, slots=True)
class DatedPlan:
    """A plan as it was entered. It holds from valid_from until the next one of its direction and method begins.

    removed_at: it was taken away before it began. The payer of a plan of payouts says nothing: the sender bears their fee.
    """

    id: UUID
    direction: str
    method: str
    plan: FeePlan
    valid_from: datetime
    created_at: datetime
    removed_at: datetime | None
    version: int

    @property
    def payer(self) -> str | None:
        """The bearer of the fee; None of payouts."""
        return self.plan.payer if self.direction == IN else None


@dataclass(frozen=True, slots=True)
class Term:
    """The term of a plan. until: the begin of the next one; None: nobody has entered one. has_ended: that has passed."""

    plan: DatedPlan
    until: datetime | None
    has_ended: bool


def terms(plans: Iterable[DatedPlan], now: datetime) -> list[Term]:
    """Returns the terms of all plans that were not removed.

    They are in the order given: that in which plans begin, method by method.
    """
    kept = [p for p in plans if p.removed_at is None]
    found = []
    for plan, after in zip_longest(kept, kept[1:]):
        is_next = after is not None and (after.direction, after.method) == (plan.direction, plan.method)
        until = after.valid_from if after is not None and is_next else None
        found.append(Term(plan, until, until is not None and until <= now))
    return found


def currency_of(method: str) -> str:
    """Returns a method's currency: MXN for Mexican ones and cards, else BRL."""
    return "MXN" if method in MEXICAN else "BRL"
