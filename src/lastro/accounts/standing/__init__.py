"""The standing of an account: it is blocked and unblocked, and closed by the room above; whoever listens is told."""

from lastro.accounts.standing.actions import ChangeStatus, changed
from lastro.accounts.standing.docs import NOTICES
from lastro.accounts.standing.reasons import BLOCKING, CLOSING, UNBLOCKING, Why

__all__ = ["BLOCKING", "CLOSING", "NOTICES", "UNBLOCKING", "ChangeStatus", "Why", "changed"]
