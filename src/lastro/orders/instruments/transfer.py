"""Account numbers that one order alone is paid to, by transfer: a CLABE in Mexico, an account of a bank in Brazil."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.orders.instruments.model import Made
from lastro.orders.model import Instrument
from lastro.rails import port
from lastro.standards import clabe, receiving_accounts
from lastro.standards.spei_ids import numeric_reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.orders.instruments.model import Basis

_PAYABLE_FOR = timedelta(days=3)  # contract.md §10
_TOLD_WITHIN = timedelta(seconds=60)  # the partner's message may reach us that much later


def spei(basis: Basis) -> Made:
    """Makes a CLABE of this order alone. reference: for a person to write; nothing depends on it."""
    prefix = basis.transfers.clabe_prefix
    own = str(clabe.Clabe(prefix[:3], prefix[3:], clabe.own_account(basis.sequence)))
    details = {
        "clabe": own, "beneficiary": basis.account.holder.full_name, "bankCode": own[:3],
        "reference": numeric_reference(basis.sequence),
    }  # fmt: skip
    return _made(port.SPEI, own, details, basis)


def deposit(basis: Basis) -> Made:
    """Makes an account number of this order alone. It is at the bank that the client chose, else at the default one."""
    bank = basis.transfers.bank(basis.wish.bank)
    assert bank is not None, "a bank that is not there was refused before"
    own = receiving_accounts.own(bank.code, bank.branch, basis.sequence)
    details = {
        "bank": bank.slug, "bankName": bank.name, "bankCode": own.bank, "branchNumber": own.branch,
        "accountNumber": own.account, "holder": basis.account.holder.full_name,
        "reference": numeric_reference(basis.sequence),
    }  # fmt: skip
    return _made(port.DEPOSIT, str(own), details, basis)


def _made(rail: str, reference: str, details: Mapping[str, str], basis: Basis) -> Made:
    expires_at = basis.made_at + _PAYABLE_FOR
    return Made(Instrument(rail, reference, details=details), expires_at, expires_at + _TOLD_WITHIN)
