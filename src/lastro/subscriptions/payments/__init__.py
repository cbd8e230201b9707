"""Scheduled payments of subscriptions: their SQL, JSON, notifications and routes. Their verbs are with the others."""
