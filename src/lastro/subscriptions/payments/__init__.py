"""Scheduled payments of subscriptions: how they are read, shown, told of and asked for. Their verbs are with the others."""
