"""The verbs of the opening of accounts."""
