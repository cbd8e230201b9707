"""The payers' phones: a banking app as pages, one phone for each of three customers of the payer's bank."""

from .pages import ROUTES

__all__ = ["ROUTES"]
