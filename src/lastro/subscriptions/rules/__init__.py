"""The rules of subscriptions, pure: requests, days, next steps and times."""
