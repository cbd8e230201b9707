"""The directory of Pix keys as it lets itself be asked: what is known is not asked again, and nobody spends it all."""

from lastro.rails.directory.budget import Budget
from lastro.rails.directory.budgeted import Budgeted
from lastro.rails.directory.rules import CATEGORIES
from lastro.rails.directory.token_refund import GivingBack

__all__ = ["CATEGORIES", "Budget", "Budgeted", "GivingBack"]
