"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
ACCOUNT_ID_INVALID = invalid("accountId", "INVALID", "is not an account of this company",
    "It is no account of your company.", "Take an id of the account list.")
