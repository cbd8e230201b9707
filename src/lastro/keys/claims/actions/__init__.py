"""The verbs of claims."""
