"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
PAYOUTS_REQUIRED = invalid("payouts", "REQUIRED", "is required",
    "The list is missing or empty.", "Give at least one payout.")
PAYOUTS_INVALID = invalid("payouts", "INVALID", "must be a list",
    "It is no list.", "Give a list of bodies of payouts.")
BODY_REQUIRED = invalid("body", "REQUIRED", "the header lacks {what}",
    "The CSV has no row, or its header lacks a column.", "Name at least the five columns that every payout has.")
BODY_INVALID = invalid("body", "INVALID", "{why}",
    "The body is no JSON object, no CSV, not UTF-8, or has unknown columns.", "The description says where.")
BODY_DUPLICATE = invalid("body", "DUPLICATE", "the header names a column twice",
    "The header of the CSV names a column twice.", "Name each once.")
CURSOR_INVALID = invalid("cursor", "INVALID", "must be the nextCursor of a page",
    "It is no number of a line.", "Send the `nextCursor` as it came.")
HASH_MISMATCH = invalid("hash", "MISMATCH", "is not the hash of the plan as it was checked",
    "It is not the hash of this plan.", "Read the plan again.")
