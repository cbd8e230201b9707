"""The decisions of subscriptions, pure: what may be asked for, which day is whose, what follows what, and when."""
