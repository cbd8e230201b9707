"""A company's own accounts at banks that speak API Pix: what the file of connections says, as rows."""

from lastro.orders.connections.actions import DeclareConnection
from lastro.orders.connections.store import LeftOut, left_out

__all__ = ["DeclareConnection", "LeftOut", "left_out"]
