"""Finds the payouts that a new one would repeat."""
