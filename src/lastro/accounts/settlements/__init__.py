"""What an account has in another currency than BRL leaves by settlement: it was paid out elsewhere, and is booked here."""

from lastro.accounts.settlements.actions import Settle
from lastro.accounts.settlements.docs import EVENT_TYPES
from lastro.accounts.settlements.model import Settlement
from lastro.accounts.settlements.store import settlements_of

__all__ = ["EVENT_TYPES", "Settle", "Settlement", "settlements_of"]
