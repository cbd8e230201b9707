"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid, not_found

# fmt: off
NO_ACCOUNT = not_found("No account of your company has this id.", "Take an id of the account list.")
NO_ACCOUNT_ID = not_found("`accountId` is no account of your company.", "Take an id of the account list.")
CURRENCY_INVALID = invalid("currency", "INVALID", "{why}",
    "The interface knows no such currency.", "Give BRL, or leave it out.")
AS_OF_INVALID = invalid("asOf", "INVALID", "must be an ISO 8601 time with its offset, such as 2026-01-31T12:00:00Z",
    "It is no ISO 8601 timestamp with its offset.", "Give one such as 2026-01-31T12:00:00Z.")
AS_OF_OUT_OF_RANGE = invalid("asOf", "OUT_OF_RANGE", "must not be in the future",
    "What an account will have, nobody knows yet.", "Give a moment that has passed, or leave it out for now.")
DOCUMENT_FILTER_INVALID = invalid("document", "INVALID", "must be its digits alone; a CNPJ may have letters",
    "It is not the number alone, or it is empty.",
    "Give its digits without punctuation; a CNPJ may have letters in its first twelve places.")
FULL_NAME_INVALID = invalid("fullName", "INVALID", "must not be accents alone",
    "It is empty, has control characters, or is nothing but accents.", "Give a part of it.")
# Of commands and pages of the institution.
HOLDER_TYPE_INVALID = invalid("holderType", "INVALID", "must be {types}")
NAME_INVALID = invalid("name", "INVALID", "must have 1 to {longest} characters that can be printed")
DOCUMENT_INVALID = invalid("document", "INVALID", "must be a {kind} with right check digits")
EMAIL_INVALID = invalid("email", "INVALID", "must be an e-mail address of at most {longest} characters")
PHONE_INVALID = invalid("phone", "INVALID", "must be a telephone number with its country, such as +5511987654321")
REFERENCE_DUPLICATE = conflict("reference", "DUPLICATE", "another settlement has it")
REFERENCE_INVALID = invalid("reference", "INVALID", "must be 1 to 64 printable characters, without blanks around it")
RAIL_NOT_SUPPORTED = invalid("rail", "NOT_SUPPORTED", "is one of BRL, which leaves by payouts")
ACCOUNT_NOT_ACTIVE = invalid("accountId", "NOT_ALLOWED", "the account is not active")
STATUS_CONFLICT = conflict("status", "CONFLICT", "is {status} already")
