"""The verbs of keys."""
