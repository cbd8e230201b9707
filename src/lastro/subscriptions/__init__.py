"""Subscriptions: recurring charges by Pix Automático, from the authorization through the charges of each cycle."""
