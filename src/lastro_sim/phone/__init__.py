"""The payers' phones: a banking app as pages, for three bank customers."""

from .pages import ROUTES

__all__ = ["ROUTES"]
