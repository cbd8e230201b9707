"""The verbs of plans."""
