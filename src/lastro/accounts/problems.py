"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
CURRENCY_INVALID = invalid("currency", "INVALID", "{why}",
    "The interface knows no such currency.", "Give BRL, or leave it out.")
AS_OF_INVALID = invalid("asOf", "INVALID", "must be an ISO 8601 time with its offset, such as 2026-01-31T12:00:00Z",
    "It is no ISO 8601 timestamp with its offset.", "Give one such as 2026-01-31T12:00:00Z.")
AS_OF_OUT_OF_RANGE = invalid("asOf", "OUT_OF_RANGE", "must not be in the future",
    "What an account will have, nobody knows yet.", "Give a moment that has passed, or leave it out for now.")
