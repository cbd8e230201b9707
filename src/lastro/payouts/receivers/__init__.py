"""Receivers of payouts: whether a company has paid one before."""

from lastro.payouts.receivers.store import first_to_receiver

__all__ = ["first_to_receiver"]
