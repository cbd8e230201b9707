"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid
from lastro.plans.model import MOST_LINES

# fmt: off
PAYOUTS_REQUIRED = invalid("payouts", "REQUIRED", "{why}",
    "The list is missing or empty.", "Give at least one payout.")
PAYOUTS_INVALID = invalid("payouts", "INVALID", "must be a list",
    "It is no list.", "Give a list of bodies of payouts.")
BODY_REQUIRED = invalid("body", "REQUIRED", "{why}",
    "The CSV has no row, or its header lacks a column.", "Name at least the five columns that every payout has.")
BODY_INVALID = invalid("body", "INVALID", "{why}",
    "The body is no JSON object, no CSV, not UTF-8, or has unknown columns.", "The description says where.")
BODY_DUPLICATE = invalid("body", "DUPLICATE", "the header names a column twice",
    "The header of the CSV names a column twice.", "Name each once.")
CURSOR_INVALID = invalid("cursor", "INVALID", "must be the nextCursor of a page",
    "It is no number of a line.", "Send the `nextCursor` as it came.")
HASH_MISMATCH = invalid("hash", "MISMATCH", "is not the hash of the plan as it was checked",
    "It is not the hash of this plan.", "Read the plan again.")
PAYOUTS_TOO_LONG = invalid("payouts", "TOO_LONG", f"must have at most {MOST_LINES} payouts",
    f"There are more than {MOST_LINES:,}.", "Make several plans.")
BODY_TOO_LONG = invalid("body", "TOO_LONG", f"must have at most {MOST_LINES} payouts",
    f"The CSV has more than {MOST_LINES:,} rows.", "Make several plans.")
NOT_READY = conflict("status", "CONFLICT", "the plan is {state}: {why}",
    "The plan is not READY.", "Read the plan: it is still being checked, or approved, or has ended.")
NOT_APPROVED = conflict("status", "CONFLICT", "the plan is {state}: {why}",
    "The plan lacks approvals, is applied already, or has ended.", "The description says which.")
ENDED = conflict("status", "CONFLICT", "the plan is {state}: it has ended",
    "The plan has ended.", "Cancel payouts one by one, while they are not sent.")
MAKER_APPROVES = conflict("approver", "NOT_ALLOWED", "the client that made the plan does not approve it",
    "The client has made the plan.", "Let another client sign.")
APPROVED_ALREADY = conflict("approver", "DUPLICATE", "this client has approved the plan already",
    "The client has signed already.", "Let another client sign.")
# Of one line of a plan, which shows them.
SAME_EXTERNAL_ID = conflict("externalId", "DUPLICATE", "is that of line {line}")
SAME_PAYOUT = conflict("amount", "DUPLICATE",
    "is that of line {line}, to the same receiver; allowDuplicate says that both are meant")
LINE_INVALID = invalid("", "INVALID", "{why}")
CELL_TOO_LONG = invalid("", "TOO_LONG", "is too long")
HOST_SILENT = invalid("paymentData.qrcodeData", "INVALID", "nobody has answered for an hour at the address in it")
DESTINATION_CHANGED = conflict("paymentData", "MISMATCH", "leads elsewhere than when the plan was checked")
COST_CHANGED = conflict("amount", "MISMATCH", "its fee or its transfers are not those that were approved")
