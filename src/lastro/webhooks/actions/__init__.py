"""The verbs of webhooks, one a file."""
