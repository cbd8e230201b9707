"""A company's own accounts at banks that speak API Pix: what the file of connections says, as rows."""

from lastro.orders.connections.actions import DeclareConnection
from lastro.orders.connections.model import ShownConnection
from lastro.orders.connections.store import CONNECTIONS_COUNTED, has_connection, left_out, shown_connections

__all__ = ["CONNECTIONS_COUNTED", "DeclareConnection", "ShownConnection", "has_connection", "left_out", "shown_connections"]
