"""Refunds of orders: money that a client gives back to who has paid, in part or whole."""
