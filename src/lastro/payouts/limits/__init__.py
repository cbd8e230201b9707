"""The stored limits of an account: its own, or a firm's or person's defaults."""

from lastro.payouts.limits.store import limits_from, limits_of, own_limits

__all__ = ["limits_from", "limits_of", "own_limits"]
