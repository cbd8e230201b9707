"""Closing an account: whether anything stands in its way, and the end of what hangs on it. Above every room it ends."""

from lastro.closing.actions.clear import Clear
from lastro.closing.actions.close import Close
from lastro.closing.api import routes
from lastro.closing.due_work import DUE_WORK
from lastro.closing.states import CLOSE_REQUESTS

__all__ = ["CLOSE_REQUESTS", "DUE_WORK", "Clear", "Close", "routes"]
