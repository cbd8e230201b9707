"""Transfers, holds and balances on double entry. Knows codes of accounts, not orders."""

from lastro.core.write import LedgerAccount
from lastro.ledger.balances import Balance, balance_at, balances_of, company_balances, covered_debts, watched_accounts
from lastro.ledger.chart import (
    CURRENCIES,
    account_rows,
    blocked,
    clearing,
    clearing_row,
    company_rows,
    customer,
    fees,
    loss,
    suspense,
    transit,
)
from lastro.ledger.entries import REACH, mend, post_entries
from lastro.ledger.timeline import transfers

__all__ = [
    "CURRENCIES", "REACH", "Balance", "LedgerAccount", "account_rows", "balance_at", "balances_of", "blocked", "clearing",
    "clearing_row", "company_balances", "company_rows", "covered_debts", "customer", "fees", "loss", "mend",
    "post_entries", "suspense", "transfers", "transit", "watched_accounts",
]  # fmt: skip
