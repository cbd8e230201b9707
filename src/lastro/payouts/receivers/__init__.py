"""Receivers of payouts: finds a company's first payout to each."""

from lastro.payouts.receivers.store import first_to_receiver

__all__ = ["first_to_receiver"]
