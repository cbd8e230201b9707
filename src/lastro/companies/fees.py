"""What a company pays for what it does here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastro.base.money import Money


@dataclass(frozen=True, slots=True)
class FeePlan:
    """What a paid order, or a payout, costs: fixed + share of the amount + additional. payer: RECEIVER or CUSTOMER."""

    fixed: Money
    variable_basis_points: int
    additional: Money
    payer: str = "RECEIVER"

    def total(self, amount: Money) -> Money:
        """The whole fee of an amount, half to even to the cent."""
        return self.fixed + amount.share(self.variable_basis_points) + self.additional
