"""The adapter of the networks of tills that take cash in Mexico: OXXO, OXXO Pay and Paynet, each a rail of its own."""

from lastro.rails.cash.client import Cash

__all__ = ["Cash"]
