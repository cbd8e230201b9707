"""The directory of Pix keys as it lets itself be asked: what is known is not asked again, and nobody spends it all."""

from lastro.rails.directory.budget import Budget
from lastro.rails.directory.budgeted import Budgeted
from lastro.rails.directory.giving_back import GivingBack
from lastro.rails.directory.rules import CATEGORIES

__all__ = ["CATEGORIES", "Budget", "Budgeted", "GivingBack"]
