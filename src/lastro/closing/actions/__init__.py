"""The verbs of closing."""
