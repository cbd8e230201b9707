"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid, one_of
from lastro.med.model import ACCOUNT_TYPES, FRAUDS, REJECTIONS

# fmt: off
END_TO_END_ID_INVALID = invalid("endToEndId", "INVALID", "is no Pix that this account has sent",
    "It is no endToEndId, or of no Pix that this account has sent.", "Take the `endToEndId` of a payout of this account.")
END_TO_END_ID_NOT_ALLOWED = invalid("endToEndId", "NOT_ALLOWED", "{why}",
    "It is not PAID, has come back, or closed a refund of an operational flaw.", "Contest what has settled, once it has.")
END_TO_END_ID_NOT_SUPPORTED = invalid("endToEndId", "NOT_SUPPORTED",
    "was no Pix of this institution's own network",
    "It was a TED; or it was given back by the company's own bank, whose Pix that bank disputes.",
    "Ask whoever operates this service about a TED, and your bank about its own Pix.")
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
    "The directory opens no recovery for it, or cancels it no more.",
    "The description has the directory's word; read the case.")
NO_RECOVERY = conflict("referenceId", "CONFLICT", "is no recovery value: what belongs to one ends with it",
    "It is no recovery value.", "Cancel the recovery value that its `recoveryId` names.")
RECOVERY_ENDED = conflict("status", "CONFLICT", "is {state}: it cannot be canceled now",
    "It has ended.", "Read how it ended.")
NO_NOTICE = conflict("referenceId", "CONFLICT", "is no notification about money that came to an account of yours",
    "It is no notification about money that you received.",
    "Take the `referenceId` of an INFRINGEMENT_NOTIFICATION whose `role` is RECEIVER.")
NOTICE_DECIDED = conflict("status", "CONFLICT", "is {state}: it is decided, or was called off",
    "It is decided, or was called off.", "Read how it ended.")
DEFENSE_EXPIRED = conflict("status", "EXPIRED", "the time for a defense is over",
    "`defenseDueAt` is over.", "Ask whoever operates this service: the institution may still hear you.")
PAGE_INVALID = invalid("page", "INVALID", "must be a whole number", "It is no whole number.", "Give digits.")
PAGE_OUT_OF_RANGE = invalid("page", "OUT_OF_RANGE", "must be from 1 to {most}",
    "Pages are counted from 1 to 100,000; a page has 1 to 100 rows.", "Ask for less and go on with the next `page`.")
# Of commands and pages of the institution.
VERDICT_INVALID = invalid("verdict", "INVALID", "must be AGREED or DISAGREED")
FRAUD_INVALID = invalid("fraud", "INVALID", one_of(FRAUDS))
FRAUD_REQUIRED = invalid("fraud", "REQUIRED", "must say of which kind the fraud was")
FRAUD_NOT_ALLOWED = invalid("fraud", "NOT_ALLOWED", "goes with agreed alone: there was a fraud, and of which kind")
UNKNOWN_OBJECT = invalid("referenceId", "INVALID", "is no object of a dispute of this company")
NO_REFUND_REQUEST = invalid("referenceId", "NOT_ALLOWED", "only a refund request of Pix Automático is decided so")
REQUEST_DECIDED = conflict("referenceId", "CONFLICT", "is {state}: only one that waits can be decided")
NOT_DECIDED_HERE = invalid("referenceId", "NOT_ALLOWED",
    "only a notice about money that came to an account here is decided here")
NOT_RECEIVED = conflict("referenceId", "CONFLICT", "is {state}: only what is RECEIVED waits to be decided")
MONEY_GONE = conflict("referenceId", "CONFLICT", "the money that it is about is not here any more")
MORE_THAN_BLOCKED = invalid("amount", "LIMIT_EXCEEDED", "must be from 0.01 to what is blocked for it, {blocked}")
MORE_THAN_LEFT = invalid("amount", "LIMIT_EXCEEDED", "is more than what is left of the payment, {left}")
DOCUMENT_INVALID = invalid("document", "INVALID", "must be the CNPJ of the institution {ispb} itself")
BRANCH_INVALID = invalid("branch", "INVALID", "must have 1 to 4 digits")
ACCOUNT_INVALID = invalid("account", "INVALID", "must have 1 to 20 digits or capital letters")
ACCOUNT_TYPE_INVALID = invalid("accountType", "INVALID", one_of(ACCOUNT_TYPES))
REJECTION_INVALID = invalid("rejection", "INVALID", one_of(REJECTIONS))
