"""Trials of payouts: a create's look-ups and decision, for many, nothing written."""

from lastro.payouts.trial.trying import Ground, Tried, read_grounds, repetitions, try_out

__all__ = ["Ground", "Tried", "read_grounds", "repetitions", "try_out"]
