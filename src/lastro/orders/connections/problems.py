"""Refusals of connections, each declared once; a command or a start tells them."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

RAIL_DUPLICATE = conflict("name", "DUPLICATE", "is the connection of another company")
KEY_DUPLICATE = invalid("keys", "DUPLICATE", "is a Pix key that our own directory has")
ACCOUNT_INVALID = invalid("keys", "INVALID", "names the account {number}, which is no active account of this company")
