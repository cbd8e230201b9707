"""Settlements: debits of currencies other than BRL, paid out elsewhere and booked here."""

from lastro.accounts.settlements.actions import Settle
from lastro.accounts.settlements.docs import EVENT_TYPES
from lastro.accounts.settlements.model import Settlement
from lastro.accounts.settlements.store import settlements_of

__all__ = ["EVENT_TYPES", "Settle", "Settlement", "settlements_of"]
