"""Unfit returns of payouts, in suspense until people decide about them."""

from lastro.payouts.unmatched.settle import Settle, Way, shown
from lastro.payouts.unmatched.store import Unfit, unfit_by_id, unfit_in

__all__ = ["Settle", "Unfit", "Way", "shown", "unfit_by_id", "unfit_in"]
