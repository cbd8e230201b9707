"""Payment accounts: who holds them, what they have, and which account money is meant for."""

from lastro.accounts.actions import OpenAccount
from lastro.accounts.api import routes
from lastro.accounts.collecting import Collect
from lastro.accounts.model import Account, Holder, Institution
from lastro.accounts.own import OwnFirst
from lastro.accounts.settlements import NOTICES, Settle, settlements_of
from lastro.accounts.store import account_from, account_of_number, accounts_of, owner_of
from lastro.accounts.telling import OwnerBank, owner_bank

__all__ = [
    "NOTICES", "Account", "Collect", "Holder", "Institution", "OpenAccount", "OwnFirst", "OwnerBank", "Settle",
    "account_from", "account_of_number", "accounts_of", "owner_bank", "owner_of", "routes", "settlements_of",
]  # fmt: skip
