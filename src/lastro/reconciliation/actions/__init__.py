"""The verbs of the reconciliation."""
