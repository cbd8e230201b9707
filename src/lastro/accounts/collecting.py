"""Collects an account's debt from its balance, before any other debit."""

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
    """Collects the account's debt up to its balance: CUST→LOSS. Nothing without a debt or a balance."""

    account_id: UUID
    currency: str

    async def read(self, session: Session, context: RequestContext) -> ledger.Balance:
        """Returns the balance: what the account owes, and what it has."""
        (balance,) = await ledger.balances_of(session, context.company_id, [self.account_id], self.currency)
        return balance

    def decide(self, known: ledger.Balance, context: RequestContext) -> Done:
        """Moves the debt's payment to the loss account, in one transfer. Its object is the account itself."""
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
        """Retries with the new balance."""
        del short
        return self
