"""The limits of an account as they are kept: its own, or the usual ones of a firm or a person."""

from lastro.payouts.limits.store import limits_from, limits_of, own_limits

__all__ = ["limits_from", "limits_of", "own_limits"]
