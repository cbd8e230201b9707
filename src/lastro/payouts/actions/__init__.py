"""The verbs of payouts."""
