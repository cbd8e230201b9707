"""A company's own accounts at banks that speak API Pix: what the file of connections says, as rows."""

from lastro.orders.connections.actions import DeclareConnection

__all__ = ["DeclareConnection"]
