"""The verbs of orders, one a file."""
