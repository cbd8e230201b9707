"""The faults of the bank that a test may order, by operation."""

from collections.abc import Mapping

from . import arrivals, notices, returns, tokens, troubles
from .recurring import charge_states, recurrence_states

BEHAVIOURS: Mapping[str, frozenset[str]] = {
    troubles.OPERATION: troubles.BEHAVIOURS,
    tokens.OPERATION: troubles.FAILURES | troubles.LOST | {"fewer-scopes", "dies-early"},
    arrivals.OPERATION: arrivals.BEHAVIOURS,
    returns.FAULTS: returns.BEHAVIOURS,
    notices.OPERATION: notices.BEHAVIOURS,
    recurrence_states.FAULTS: recurrence_states.BEHAVIOURS,
    charge_states.FAULTS: charge_states.BEHAVIOURS,
}
