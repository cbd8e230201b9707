"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict

# fmt: off
STATUS_CONFLICT = conflict("status", "CONFLICT", "is {status} already",
    "The account is CLOSED already.", "It stays so; open another one.")
