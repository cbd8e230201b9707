"""The faults of the bank that a test may order, by operation."""

from collections.abc import Mapping

from . import arrivals, notices, returns, tokens, troubles

BEHAVIOURS: Mapping[str, frozenset[str]] = {
    troubles.OPERATION: troubles.BEHAVIOURS,
    tokens.OPERATION: troubles.FAILURES | troubles.LOST | {"fewer-scopes", "dies-early"},
    arrivals.OPERATION: arrivals.BEHAVIOURS,
    returns.FAULTS: returns.BEHAVIOURS,
    notices.OPERATION: notices.BEHAVIOURS,
}
