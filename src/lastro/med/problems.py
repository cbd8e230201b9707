"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
END_TO_END_ID_INVALID = invalid("endToEndId", "INVALID", "is no Pix that this account has sent",
    "It is no endToEndId, or of no Pix that this account has sent.", "Take the `endToEndId` of a payout of this account.")
END_TO_END_ID_NOT_ALLOWED = invalid("endToEndId", "NOT_ALLOWED", "{why}",
    "It is not PAID, has come back, or closed a refund of an operational flaw.", "Contest what has settled, once it has.")
END_TO_END_ID_NOT_SUPPORTED = invalid("endToEndId", "NOT_SUPPORTED", "was no Pix",
    "The payout was no Pix.", "Ask whoever operates this service about a TED.")
END_TO_END_ID_EXPIRED = invalid("endToEndId", "EXPIRED", "settled more than {days} days ago",
    "The payout settled more than 80 days ago.", "Nothing can be done by this way any more.")
SITUATION_TYPE_INVALID = invalid("situationType", "INVALID", "{why}",
    "It is none of the situations.", "Give one of them, or OTHERS with `details`.")
DETAILS_REQUIRED = invalid("details", "REQUIRED", "{why}",
    "`situationType` is OTHERS.", "Say in words what happened.")
DETAILS_INVALID = invalid("details", "INVALID", "must have 1 to {longest_details:,} printable characters, not all blank",
    "It is blank or has control characters.", "Give 1 to 2,000 characters.")
END_TO_END_ID_DUPLICATE = conflict("endToEndId", "DUPLICATE", "was contested before: a transaction has one recovery, ever",
    "The transaction was contested before, by a request under another `idempotency-key` or none: it is once, ever.",
    "Read the case that is there.")
ACCOUNT_ID_NOT_SUPPORTED = conflict("accountId", "NOT_SUPPORTED",
    "the institution has set no contact for disputes: it opens none",
    "The institution has set no contact for disputes.",
    "Ask whoever operates this service: every recovery names the institution's e-mail and telephone.")
FILE_LIMIT_EXCEEDED = invalid("file", "LIMIT_EXCEEDED", "a notification has at most {most_documents} documents",
    "The notification has ten documents.", "Put the pages together in one PDF.")
DIRECTORY_REFUSES = conflict("endToEndId", "CONFLICT", "the directory refuses it: {code}",
    "The directory opens no recovery for it.", "The description has the directory's word.")
NO_RECOVERY = conflict("referenceId", "CONFLICT", "is no recovery value: what belongs to one ends with it",
    "It is no recovery value.", "Cancel the recovery value that its `recoveryId` names.")
RECOVERY_ENDED = conflict("status", "CONFLICT", "is {state}: it cannot be canceled now",
    "It has ended.", "Read how it ended.")
