"""The statement of an account: its entries in pages, and whole periods as files that other programs read."""

from lastro.accounts.statements.api import routes
from lastro.accounts.statements.types import TYPES, EntryType

__all__ = ["TYPES", "EntryType", "routes"]
