"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
KEY_DUPLICATE = conflict("key", "DUPLICATE", "the key leads to an account here already",
    "The key leads to an account here already.", "Delete it there first.")
KEY_CONFLICT = conflict("key", "CONFLICT", "{why}",
    "Another claim of the key is open, it has ended already, or the directory refuses by a code that the description"
    " names.", "Wait until the other claim has ended.")
CLAIM_TYPE_MISMATCH = invalid("claimType", "MISMATCH", "the holder has the key: PORTABILITY; another one: CLAIM_OWNERSHIP",
    "The key's holder in the directory asks for the other kind of claim.",
    "PORTABILITY where the holder of the account has the key, CLAIM_OWNERSHIP where somebody else has the phone.")
CLAIM_TYPE_NOT_ALLOWED = invalid("claimType", "NOT_ALLOWED", "only the ownership of a PHONE can be claimed",
    "Only of a PHONE can the ownership be claimed.", "Give PORTABILITY.")
KEY_TYPE_NOT_ALLOWED = invalid("type", "NOT_ALLOWED", "random keys cannot be claimed",
    "Random keys cannot be claimed.", "Create one instead.")
CLAIM_ID_NOT_ALLOWED = invalid("claimId", "NOT_ALLOWED",
    "is another bank's claim: it is answered by confirm, with decision CANCEL",
    "It is another bank's claim.", "Answer it by confirm, with decision CANCEL.")
CLAIM_ID_NOT_SUPPORTED = invalid("claimId", "NOT_SUPPORTED", "no code can be sent to the holder from here",
    "No code can be sent to the holder from here.", "Let the claim's time run.")
NOTHING_TO_DECIDE = conflict("status", "CONFLICT", "{why}",
    "There is nothing to decide here now: the other bank has to act, the completion period has not ended, the time is"
    " over, the claim has ended, or the directory refuses by the code that the description names.",
    "Read the claim: `awaitsDecision` says whether you may decide, `completionFrom` when an ownership is completed.")
OPENED_ALREADY = invalid("validationId", "EXPIRED", "has opened its claim already",
    "It has opened its claim already.", "Read the claims of the account.")
NOT_CANCELLED = conflict("status", "CONFLICT", "{why}",
    "It has ended, it is a portability that was confirmed, or the directory refuses by the code that the description"
    " names.", "Read the claim.")
ACCOUNT_NOT_ACTIVE = invalid("accountId", "NOT_ALLOWED", "the account is not active",
    "The account that is to have the key is not active.", "Use an active account.")
DECIDED_ALREADY = invalid("validationId", "EXPIRED", "{why}",
    "It has decided its claim already.", "Read the claim.")
NOTHING_TO_CONFIRM = invalid("decision", "NOT_ALLOWED", "the claim is CONFIRMED: only CANCEL is possible, of a fraud",
    "The claim is CONFIRMED.", "Give CANCEL, where it is a fraud.")
KEY_NOT_FOUND = invalid("key", "NOT_ALLOWED", "nobody has the key: it can be created at once",
    "Nobody has the key.", "Create it: there is nothing to claim.")
