"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict

# fmt: off
NOT_DISPROVED = conflict("status", "CONFLICT", "{lack}")
NOT_OPEN = conflict("state", "CONFLICT", "is {state} and not OPEN: there is nothing to accept")
DAY_BEGUN = conflict("day", "CONFLICT", "is begun already")
BEING_TAKEN = conflict("state", "CONFLICT", "is being taken already")
