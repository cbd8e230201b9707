"""Closing an account: its obstacles, and the end of its open objects. It is above every room that it ends."""

from lastro.closing.actions.clear import Clear
from lastro.closing.actions.close import Close
from lastro.closing.api import routes
from lastro.closing.due_work import DUE_WORK
from lastro.closing.states import CLOSE_REQUESTS

__all__ = ["CLOSE_REQUESTS", "DUE_WORK", "Clear", "Close", "routes"]
