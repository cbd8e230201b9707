"""The postings of a dispute. X→Y is one transfer: debit X, credit Y. Its return is the orders' (MED_RETURN)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.write import Transfer

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext


def blocked(context: RequestContext, account_id: UUID, object_id: UUID, amount: Money) -> tuple[Transfer, ...]:
    """CUST→BLOCK: so much cannot be used until the dispute is decided. Nothing of zero."""
    own = ledger.customer(context.company_id, account_id, amount.currency)
    kept = ledger.blocked(context.company_id, account_id, amount.currency)
    return _moved(context, own, kept, amount, "MED_BLOCK", object_id)


def released(context: RequestContext, account_id: UUID, object_id: UUID, amount: Money) -> tuple[Transfer, ...]:
    """BLOCK→CUST: it can be used again. Nothing of zero."""
    own = ledger.customer(context.company_id, account_id, amount.currency)
    kept = ledger.blocked(context.company_id, account_id, amount.currency)
    return _moved(context, kept, own, amount, "MED_RELEASE", object_id)


def _moved(
    context: RequestContext,
    debit: ledger.LedgerAccount,
    credit: ledger.LedgerAccount,
    amount: Money,
    entry: str,
    object_id: UUID,
) -> tuple[Transfer, ...]:
    if not amount.minor:
        return ()
    return (Transfer(context.chance.uuid(context.now), "moved", debit, credit, amount, entry, object_id, context.now),)
