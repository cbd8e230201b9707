"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
ACCOUNT_ID_NOT_ALLOWED = invalid("accountId", "NOT_ALLOWED", "{why}",
    "The account is not active; or, by the directory's word, a court has blocked its holder's CPF or CNPJ, or the"
    " holder or the account is restricted for suspicion of fraud.",
    "Use an active account of somebody else; the institution that has set the block or restriction says why.")
KEY_DUPLICATE = conflict("key", "DUPLICATE", "the key leads to an account here already",
    "The key leads to an account here already.", "Delete it there first.")
KEY_NOT_SUPPORTED = invalid("key", "NOT_SUPPORTED", "is registered at the company's own bank, by a connection",
    "A connection to your own bank names the key, and charges there are made for it.",
    "Keep it there, or have the operator take it out of the connection first.")
KEY_TYPE_NOT_SUPPORTED = invalid("type", "NOT_SUPPORTED", "no code can be sent to such a key from here",
    "From here no code can be sent by e-mail, or none by text message.", "Give another type.")
KEY_NOT_ALLOWED = invalid("key", "NOT_ALLOWED", "is made by the directory",
    "Random keys are made by the directory.", "Leave it out.")
KEY_REQUIRED = invalid("key", "REQUIRED", "is required for this type",
    "All keys but random ones are given.", "Give the key.")
KEY_INVALID = invalid("key", "INVALID", "{why}",
    "It is no key of that type: a CPF or CNPJ is its digits, with right check digits, a phone begins with `+` and its"
    " country, an e-mail address has neither `%` nor `&`; to one with `=?` no letter can be written.",
    "Give it in that form.")
KEY_MISMATCH = invalid("key", "MISMATCH", "is not the document of the account's holder",
    "It is not the document of the account's holder.", "Use the holder's own.")
CHANNEL_NOT_ALLOWED = invalid("channel", "NOT_ALLOWED", "does not fit the type: EMAIL of an EMAIL key, SMS of a PHONE",
    "A code goes to an EMAIL key by EMAIL, to a PHONE key by SMS, and to others not at all.", "Leave it out.")
VALIDATION_ID_INVALID = invalid("validationId", "INVALID", "is no validation of this account",
    "The account has no such validation.", "Take the one that the creation answered.")
TOKEN_INVALID = invalid("token", "INVALID", "is not the code that was sent last",
    "It is not the code that was sent last.", "Ask whoever has the e-mail or phone again.")
TOKEN_EXPIRED = invalid("token", "EXPIRED", "the validation has ended: ask for the key anew",
    "The code is older than 10 minutes, or five wrong ones were given.", "Ask for the key anew.")
VALIDATION_ID_LIMIT_EXCEEDED = invalid("validationId", "LIMIT_EXCEEDED", "{most_sends} codes were sent",
    "Five codes were sent.", "Ask for the key anew once it has expired.")
NO_ROOM = invalid("key", "LIMIT_EXCEEDED", "{why}",
    "The account has 5 keys, of a person, or 20, of a company.", "Delete one that is unused.")
KEY_HELD_ELSEWHERE = invalid("key", "CONFLICT", "{why}",
    "The key is registered at another bank: of the same holder, or of somebody else.",
    "Claim it: `POST …/keys/claims`. A code that proved possession counts for 30 minutes.")
KEY_CONFLICT = conflict("key", "CONFLICT", "{why}",
    "A claim of the key is open in the directory, or it refuses the key by a code that the description names.",
    "Wait until the claim has ended.")
TOO_MANY_CODES = invalid("key", "LIMIT_EXCEEDED", "{text}: another one may be tomorrow",
    "20 codes were sent for the account today in Brasilia, or 5 to this e-mail address or phone.", "Wait for the next day.")
VALIDATION_USED = invalid("validationId", "EXPIRED", "has made its key already",
    "It has made its key already.", "Read the keys of the account.")
VALIDATION_ENDED = invalid("validationId", "EXPIRED", "has ended: ask for the key anew",
    "The validation has ended.", "Ask for the key anew.")
CODE_TOO_SOON = conflict("status", "CONFLICT", "a code was sent a moment ago: another one may be in {seconds} s",
    "A code was sent less than 60 seconds ago.", "Wait as long as `retry-after` says.")
KEY_NOT_DELETED = conflict("status", "CONFLICT", "{why}",
    "The key is deleted already, an order that can still be paid names it, or a claim of it is open, as its `claimId`"
    " says.", "Cancel the order, or wait until it or the claim has ended.")
