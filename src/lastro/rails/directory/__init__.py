"""The directory of Pix keys, with a cache and a shared budget."""

from lastro.rails.directory.budget import Budget
from lastro.rails.directory.budgeted import Budgeted
from lastro.rails.directory.rules import CATEGORIES
from lastro.rails.directory.token_refund import GivingBack

__all__ = ["CATEGORIES", "Budget", "Budgeted", "GivingBack"]
