"""The chart of accounts. An account's id is derived from its name, so that a decision needs no look-up to book.

CUST(a) what we owe account a · BLOCK(a) its disputed part · NET(r) our position at rail r · FEE our revenue ·
SUSP money inside whose owner is open · TRANSIT on its way between two accounts here · LOSS(a) what account a owes us.
CUST and BLOCK have a floor of zero: what leaves them is drawn. CUST(a) owes the debits of LOSS(a).
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.core.money import KEPT
from lastro.core.write import LedgerAccount, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

CURRENCIES = KEPT  # every company and account has its ledger accounts in each
_WITH_FLOOR = frozenset({"CUST", "BLOCK"})


@lru_cache(maxsize=65_536)
def _account(company_id: UUID, code: str, currency: str, rail: str | None, account_id: UUID | None) -> LedgerAccount:
    name = f"{company_id}:{code}:{currency}:{rail or ''}:{account_id or ''}"
    debtor = _account(company_id, "CUST", currency, None, account_id).id if code == "LOSS" else None
    return LedgerAccount(
        UUID(bytes=sha256(name.encode()).digest()[:16]), code, currency, code in _WITH_FLOOR, rail, account_id, debtor
    )


def customer(company_id: UUID, account_id: UUID, currency: str) -> LedgerAccount:
    """The money that we owe an account, available or held."""
    return _account(company_id, "CUST", currency, None, account_id)


def blocked(company_id: UUID, account_id: UUID, currency: str) -> LedgerAccount:
    """The disputed part of what we owe an account."""
    return _account(company_id, "BLOCK", currency, None, account_id)


def loss(company_id: UUID, account_id: UUID, currency: str) -> LedgerAccount:
    """The debt of an account to us: its debtor is the account's CUST, from which nothing else goes out while it has less."""
    return _account(company_id, "LOSS", currency, None, account_id)


def clearing(company_id: UUID, rail: str, currency: str) -> LedgerAccount:
    """Our position at a rail: a debit is money that came in through it."""
    return _account(company_id, "NET", currency, rail, None)


def fees(company_id: UUID, currency: str) -> LedgerAccount:
    """Our revenue."""
    return _account(company_id, "FEE", currency, None, None)


def suspense(company_id: UUID, currency: str) -> LedgerAccount:
    """Money inside whose owner is open."""
    return _account(company_id, "SUSP", currency, None, None)


def transit(company_id: UUID, currency: str) -> LedgerAccount:
    """Money between two accounts here; zero at rest."""
    return _account(company_id, "TRANSIT", currency, None, None)


def company_rows(company_id: UUID, rails: Mapping[str, str]) -> tuple[Row, ...]:
    """The rows of a new company's own ledger accounts. rails: by name, the currency that moves there."""
    accounts = [clearing(company_id, rail, currency) for rail, currency in rails.items()]
    accounts += [f(company_id, currency) for currency in CURRENCIES for f in (fees, suspense, transit)]
    return tuple(_row(a) for a in accounts)


def clearing_row(company_id: UUID, rail: str, currency: str) -> Row:
    """The row of a company's position at a connection. It is joined after the founding."""
    return _row(clearing(company_id, rail, currency))


def account_rows(company_id: UUID, account_id: UUID) -> tuple[Row, ...]:
    """The rows of a new account's ledger accounts in each currency; those with a floor have a balance."""
    accounts = [f(company_id, account_id, currency) for currency in CURRENCIES for f in (customer, blocked, loss)]
    balances = (Row("balances", {"ledger_account_id": a.id}) for a in accounts if a.floor)
    return (*(_row(a) for a in accounts), *balances)


def _row(a: LedgerAccount) -> Row:
    values = {"id": a.id, "code": a.code, "rail": a.rail, "currency": a.currency, "account_id": a.account_id}
    return Row("ledger_accounts", values)
