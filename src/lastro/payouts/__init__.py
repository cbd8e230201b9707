"""Payouts: money sent out by Pix, by TED, or to another account here; whole or split, and what comes back of it."""

from lastro.payouts.actions.back import Returned, Summed
from lastro.payouts.actions.begin import Begin
from lastro.payouts.actions.cancel import Cancel
from lastro.payouts.actions.end import CHILD_MOVED, Doubted, Ended, Never, Proved
from lastro.payouts.actions.finding import Ways
from lastro.payouts.actions.read import Read
from lastro.payouts.api import routes
from lastro.payouts.docs import NOTICES
from lastro.payouts.model import WAITING
from lastro.payouts.reasons import reason_of
from lastro.payouts.states import PAYOUTS

__all__ = [
    "CHILD_MOVED", "NOTICES", "PAYOUTS", "WAITING", "Begin", "Cancel", "Doubted", "Ended", "Never", "Proved", "Read",
    "Returned", "Summed", "Ways", "reason_of", "routes",
]  # fmt: skip
