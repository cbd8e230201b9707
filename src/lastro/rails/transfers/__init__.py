"""The adapters of banks that keep account numbers for orders: in Mexico by SPEI, in Brazil for deposits."""

from lastro.rails.transfers.client import Deposit, Spei
from lastro.rails.transfers.statements import deposit_statements, spei_statements

__all__ = ["Deposit", "Spei", "deposit_statements", "spei_statements"]
