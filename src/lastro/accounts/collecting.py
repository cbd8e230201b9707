"""What an account owes is taken from what it has, before anything else goes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.runner import Act, Done
from lastro.core.write import Transfer, Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext


@dataclass(frozen=True)
class Collect(Act[ledger.Balance]):
    """Takes what the account owes, as far as it has it: CUST→LOSS. Nothing where it owes nothing, or has nothing."""

    account_id: UUID
    currency: str

    async def read(self, session: Session, context: RequestContext) -> ledger.Balance:
        """What it owes, and what it has of that."""
        (balance,) = await ledger.balances_of(session, context.company_id, [self.account_id], self.currency)
        return balance

    def decide(self, known: ledger.Balance, context: RequestContext) -> Done:
        """One transfer, of which the account is the object: what it pays back is no longer anybody else's."""
        if not known.covered.minor:
            return Done(None, b"")
        own = ledger.customer(context.company_id, self.account_id, self.currency)
        lost = ledger.loss(context.company_id, self.account_id, self.currency)
        taken = Transfer(
            context.chance.uuid(context.now),
            "moved",
            own,
            lost,
            known.covered,
            "LOSS_RECOVERED",
            self.account_id,
            context.now,
        )
        return Done(Write(context.company_id, transfers=(taken,)), b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> Collect:
        """Something else was drawn meanwhile: decided again, by what there is now."""
        del short
        return self
