"""Settlements of an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.money import Money


@dataclass(frozen=True, slots=True)
class Settlement:
    """Money of an account that was paid out elsewhere. rail: at which it had come in. reference: of whoever paid it out."""

    id: UUID
    account_id: UUID
    rail: str
    amount: Money
    reference: str
    created_at: datetime

    @property
    def shown(self) -> dict[str, Any]:
        """The settlement as administration sees it."""
        return {
            "id": str(self.id), "accountId": str(self.account_id), "rail": self.rail, "currency": self.amount.currency,
            "amount": str(self.amount), "reference": self.reference, "createdAt": self.created_at,
        }  # fmt: skip
