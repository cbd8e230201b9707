"""Payment accounts: holders, balances, and the accounts that payments name."""

from lastro.accounts import opening
from lastro.accounts.actions import OpenAccount
from lastro.accounts.api import routes
from lastro.accounts.collecting import Collect
from lastro.accounts.model import Account, Holder, Institution
from lastro.accounts.own_keys_directory import OwnFirst
from lastro.accounts.problems import NO_ACCOUNT, NO_ACCOUNT_ID
from lastro.accounts.settlements import EVENT_TYPES as _OF_SETTLEMENTS
from lastro.accounts.settlements import Settle, settlements_of
from lastro.accounts.standing import BLOCKING, CLOSING, UNBLOCKING, ChangeStatus, Why, changed
from lastro.accounts.standing import EVENT_TYPES as _OF_STANDING
from lastro.accounts.states import ACCOUNTS
from lastro.accounts.store import ACCOUNT_COLUMNS, account_by_id, account_from, accounts_of, owner_of, related
from lastro.accounts.telling import OwnerBank, owner_at_bank, owner_bank

EVENT_TYPES = (*opening.EVENT_TYPES, *_OF_SETTLEMENTS, *_OF_STANDING)

__all__ = [
    "ACCOUNTS", "ACCOUNT_COLUMNS", "BLOCKING", "CLOSING", "EVENT_TYPES", "NO_ACCOUNT", "NO_ACCOUNT_ID", "UNBLOCKING",
    "Account", "ChangeStatus", "Collect", "Holder", "Institution", "OpenAccount", "OwnFirst", "OwnerBank", "Settle", "Why",
    "account_by_id", "account_from", "accounts_of", "changed", "opening", "owner_at_bank",
    "owner_bank", "owner_of", "related", "routes",
    "settlements_of",
]  # fmt: skip
