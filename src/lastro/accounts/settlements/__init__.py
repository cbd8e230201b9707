"""What an account has in another currency than BRL leaves by settlement: it was paid out elsewhere, and is booked here."""

from lastro.accounts.settlements.actions import Settle
from lastro.accounts.settlements.docs import NOTICES
from lastro.accounts.settlements.model import Settlement
from lastro.accounts.settlements.store import settlements_of

__all__ = ["NOTICES", "Settle", "Settlement", "settlements_of"]
