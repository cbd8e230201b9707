"""The statement of an account: entries in pages, and periods as files."""

from lastro.accounts.statements.api import routes
from lastro.accounts.statements.types import TYPES, EntryType

__all__ = ["TYPES", "EntryType", "routes"]
