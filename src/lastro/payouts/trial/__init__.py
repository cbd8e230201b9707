"""Payouts tried out: everything that a create finds out and decides, for many at once, and nothing written."""

from lastro.payouts.trial.trying import Ground, Tried, read_grounds, repetitions, try_out

__all__ = ["Ground", "Tried", "read_grounds", "repetitions", "try_out"]
