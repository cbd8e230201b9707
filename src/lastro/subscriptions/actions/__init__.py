"""The verbs of subscriptions."""
