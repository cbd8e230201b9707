"""The standing of an account: blocked, unblocked, or closed by the room above."""

from lastro.accounts.standing.actions import ChangeStatus, changed
from lastro.accounts.standing.docs import EVENT_TYPES
from lastro.accounts.standing.reasons import BLOCKING, CLOSING, UNBLOCKING, Why

__all__ = ["BLOCKING", "CLOSING", "EVENT_TYPES", "UNBLOCKING", "ChangeStatus", "Why", "changed"]
