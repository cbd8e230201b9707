"""Payouts: money sent out by Pix, by TED, or to another account here; whole or split, and what comes back of it."""

from lastro.payouts.actions.back import Returned, Summed
from lastro.payouts.actions.begin import Begin
from lastro.payouts.actions.cancel import Cancel
from lastro.payouts.actions.end import CHILD_MOVED, Doubted, Ended, Never, Proved
from lastro.payouts.actions.finding import Ways
from lastro.payouts.actions.limit import NONE as NO_LIMIT
from lastro.payouts.actions.limit import Given, SetLimits, shown_limits
from lastro.payouts.actions.read import Read
from lastro.payouts.api import routes
from lastro.payouts.docs import NOTICES
from lastro.payouts.model import HELD_BACK, WAITING
from lastro.payouts.reasons import reason_of
from lastro.payouts.states import PAYOUTS
from lastro.payouts.store import limits_of

__all__ = [
    "CHILD_MOVED", "HELD_BACK", "NOTICES", "NO_LIMIT", "PAYOUTS", "WAITING", "Begin", "Cancel", "Doubted", "Ended", "Given",
    "Never", "Proved", "Read", "Returned", "SetLimits", "Summed", "Ways", "limits_of", "reason_of", "routes", "shown_limits",
]  # fmt: skip
