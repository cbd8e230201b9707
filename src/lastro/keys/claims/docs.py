"""The texts of claims in the API's documentation: operations and an event."""

from __future__ import annotations

from typing import Any

from lastro.accounts import NO_ACCOUNT
from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.keys import problems as of_keys
from lastro.keys.claims import problems
from lastro.keys.claims.forms import AnswerClaim, OpenClaim
from lastro.keys.claims.rendering import EVENT, Claim, ClaimList, ClaimNotification, ClaimOrCode
from lastro.keys.docs import NO_ROOM_OR_CODE
from lastro.keys.forms import ConfirmKey, ResendCode
from lastro.keys.rendering import CodeSent
from lastro.webhooks import EventType

_ID, _ACCOUNT_ID = "5b0c7b52-3d0e-4a8e-9c39-2f6f9a1d7c11", "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_KEY_ID = "0196a4f3-8e11-7d02-9c55-1b7a2c3d4e5f"
_VALIDATION_ID = "0196a4f2-77aa-7c31-8d2f-5e6f70819a2b"
_AT, _LATER = "2026-01-31T12:00:00.120945Z", "2026-02-07T12:00:00.000000Z"
_PERIOD = {"completionFrom": "2026-02-14T12:00:00.000000Z", "completionUntil": "2026-03-02T12:00:00.000000Z"}
_SENT = {"validationId": _VALIDATION_ID, "expiresAt": "2026-01-31T12:10:00.000000Z"}
_AFFECTED: dict[str, Any] = {
    "orders": 2, "staticQrcodes": 1, "subscriptions": 0,
    "orderIds": ["0196a4f1-7a30-7d11-8c52-6b1f0e9d3a44", "0196a4f0-1c88-7b02-9e13-5a0c7d2f4b66"],
    "staticQrcodeIds": ["0196a4ef-9d12-7c45-8f67-3e2b1a0c9d88"], "subscriptionIds": [],
}  # fmt: skip
_FIELDS: dict[str, Any] = {
    "accountId": _ACCOUNT_ID, "role": "CLAIMER", "claimType": "PORTABILITY", "type": "EMAIL", "key": "ana@example.com",
    "status": "OPEN", "otherBank": "99999030",
}  # fmt: skip
_CLAIM: dict[str, Any] = {
    **_FIELDS, "id": _ID, "awaitsDecision": False, "resolutionUntil": _LATER, "createdAt": _AT, "updatedAt": _AT,
}  # fmt: skip
_ENDED = {**_CLAIM, "status": "CANCELLED", "reason": "USER_REQUESTED"}
_GIVEN = {**_CLAIM, "role": "DONOR", "keyId": _KEY_ID, "status": "CONFIRMED", "reason": "USER_REQUESTED"}
_OWNERSHIP = {
    "claimType": "CLAIM_OWNERSHIP", "type": "PHONE", "key": "+5511987654321", "role": "DONOR", "keyId": _KEY_ID, **_PERIOD,
}  # fmt: skip


_NO_CLAIM = not_found(
    "The account is not your company's, or has no claim of this id.",
    "Take the `id` of a claim of `GET …/keys/claims`.",
)
_SILENT = Refusal(
    Kind.UNAVAILABLE, "", "", "The directory has not answered; whether it has done what was asked is not known yet.",
    "Send the same request again after `retry-after`: the same is asked again, and is done once.",
)  # fmt: skip
_BY_DIRECTORY = (
    _SILENT,
    of_keys.ACCOUNT_ID_NOT_ALLOWED, of_keys.KEY_NOT_SUPPORTED,
    problems.KEY_DUPLICATE, problems.KEY_CONFLICT, problems.CLAIM_TYPE_MISMATCH,
)  # fmt: skip
_TOKENS = (of_keys.TOKEN_INVALID, of_keys.TOKEN_EXPIRED)
_RESENDS = (
    of_keys.VALIDATION_ID_INVALID, of_keys.VALIDATION_ENDED, of_keys.VALIDATION_ID_LIMIT_EXCEEDED, of_keys.TOO_MANY_CODES,
    NO_ACCOUNT, of_keys.CODE_TOO_SOON,
)  # fmt: skip

CREATE = Doc(
    "Claim a Pix key",
    "Asks the directory for a key that is at another bank.\n\n"
    "- `PORTABILITY`: the holder of the account has it there: CPF, CNPJ, EMAIL, PHONE. `CLAIM_OWNERSHIP`: somebody else has"
    " it: PHONE alone.\n"
    "- CPF and CNPJ are claimed at once: 201. For EMAIL and PHONE six digits are sent there first: 202 with a"
    " `validationId`, which `POST …/keys/claims/confirm` takes for 10 minutes. Who has proved possession already, by a key"
    " that turned out to be held elsewhere, needs no other code for 30 minutes.\n"
    "- While the claim is open, the same request answers the same claim.\n\n"
    "Each status that it takes is told by `KEY-CLAIM.STATUS_CHANGED`.",
    OpenClaim, ClaimOrCode,
    (
        NO_ACCOUNT, *_BY_DIRECTORY, NO_ROOM_OR_CODE,
        misread("claimType", "INVALID", "It is no kind of claim.", "Give PORTABILITY or CLAIM_OWNERSHIP."),
        problems.CLAIM_TYPE_NOT_ALLOWED,
        of_keys.KEY_TYPE_NOT_SUPPORTED,
        problems.KEY_TYPE_NOT_ALLOWED,
        misread("type", "INVALID", "It is no type of key.", "Give CPF, CNPJ, EMAIL or PHONE."),
        of_keys.KEY_REQUIRED, of_keys.KEY_INVALID, of_keys.KEY_MISMATCH,
        problems.KEY_NOT_FOUND,
        misread("channel", "INVALID", "It is none of the channels.", "Leave it out."),
        of_keys.CHANNEL_NOT_ALLOWED,
    ),
    {"claimType": "PORTABILITY", "type": "EMAIL", "key": "ana@example.com"}, _SENT,
)  # fmt: skip
CONFIRM = Doc(
    "Confirm possession of a key that is claimed",
    "Takes the code that was sent to the e-mail address or phone, and opens the claim.\n\n"
    "Five wrong codes, or 10 minutes, end the validation: claim the key anew.",
    ConfirmKey, Claim,
    (
        NO_ACCOUNT, *_BY_DIRECTORY, of_keys.NO_ROOM, of_keys.VALIDATION_ID_INVALID, problems.OPENED_ALREADY,
        problems.KEY_NOT_FOUND,
        *_TOKENS,
    ),
    {"validationId": _VALIDATION_ID, "token": "052731"}, _CLAIM,
)  # fmt: skip
RESEND = Doc(
    "Send another code for a claim",
    "Sends another code, which holds for 10 minutes; the one before is dead. At most 5 codes are sent for a validation, each"
    " at least 60 seconds after the one before.",
    ResendCode, CodeSent, _RESENDS, {"validationId": _VALIDATION_ID}, _SENT,
)  # fmt: skip
LIST = Doc(
    "List the claims of an account",
    "Claims of keys that the account wants (CLAIMER) or that other banks want of it (DONOR), newest first; with `status`"
    " those that stand there.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false.",
    None, ClaimList,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS, NO_ACCOUNT,
        misread("status", "INVALID", "It is no status of a claim.", "Leave it out, or give one that the list names."),
    ),
    None, {"limit": 20, "sort": "desc", "hasNext": False, "data": [_CLAIM]},
)  # fmt: skip
READ = Doc(
    "Read a claim",
    "How it stands, until when the donor may answer, and whether you have something to decide.",
    None, Claim, (_NO_CLAIM,), None, _CLAIM,
)  # fmt: skip
CANCEL = Doc(
    "Cancel a claim of yours",
    "Gives up a claim that the account has opened: an ownership before it is completed, a portability before it is"
    " confirmed. A claim by another bank is answered by `POST …/keys/claims/{claimId}/confirm` instead.",
    None, Claim,
    (
        _NO_CLAIM, _SILENT, problems.CLAIM_ID_NOT_ALLOWED, problems.NOT_CANCELLED,
    ),
    None, _ENDED,
)  # fmt: skip
REQUEST = Doc(
    "Ask for a code to decide about a claim",
    "Sends six digits to the e-mail address or phone that the key is, and for a CPF or CNPJ to the e-mail address of the"
    " account's holder. As donor you may decide while the claim is WAITING_RESOLUTION; of an ownership that is CONFIRMED you"
    " may still say that it is a fraud, by a code that goes to the holder's e-mail address, as the key has left. As claimer"
    " of an ownership you may complete it while it is CONFIRMED, from `completionFrom` to `completionUntil`.",
    None, CodeSent,
    (_NO_CLAIM, problems.NOTHING_TO_DECIDE, problems.CLAIM_ID_NOT_SUPPORTED, of_keys.TOO_MANY_CODES),
    None, _SENT,
)  # fmt: skip
RESEND_ANSWER = Doc(
    "Send another code to decide about a claim",
    "As another code for a claim: at most 5 for a validation, each at least 60 seconds after the one before.",
    ResendCode, CodeSent, _RESENDS, {"validationId": _VALIDATION_ID}, _SENT,
)  # fmt: skip
ANSWER = Doc(
    "Decide about a claim",
    "Says what the holder of the account decides, by the code that he was sent.\n\n"
    "- As donor, CONFIRM gives the key up and CANCEL keeps it. An ownership is kept only by saying that the claim is a"
    " fraud, which is what CANCEL tells the directory, and may tell it until the claim has ended.\n"
    "- The key leaves when the claim is CONFIRMED. `affected` of the answer and of the event names what"
    " names it, which is no longer signed."
    " A claim that is canceled later does not bring the key back: its holder creates it anew.\n"
    "- As claimer of an ownership that was confirmed, CONFIRM completes it, and the key leads to the account; CANCEL gives"
    " it up. That is from `completionFrom` on: 14 days after the opening, or at once where the donor has agreed. A"
    " portability is completed by itself.\n\n"
    "After seven days without the donor's answer a portability is canceled and an ownership confirmed. An ownership that was"
    " not completed by `completionUntil`, 30 days after its opening, is canceled.",
    AnswerClaim, Claim,
    (
        _NO_CLAIM, _SILENT, problems.NOTHING_TO_DECIDE, problems.ACCOUNT_NOT_ACTIVE, of_keys.VALIDATION_ID_INVALID,
        problems.DECIDED_ALREADY, *_TOKENS, problems.NOTHING_TO_CONFIRM,
        misread("decision", "INVALID", "It is no decision.", "Give CONFIRM or CANCEL."),
    ),
    {"validationId": _VALIDATION_ID, "token": "052731", "decision": "CONFIRM"}, _GIVEN,
)  # fmt: skip
EVENT_TYPES = (
    EventType(
        EVENT,
        "Claim of a Pix key changed",
        "A claim of a key has begun, or has taken another status: one that an account of yours wants (CLAIMER), or that"
        " another bank wants of it (DONOR). Of the latter the first one is the word to ask the holder of the account.",
        ClaimNotification,
        {"event": EVENT},
        {
            **_FIELDS, **_OWNERSHIP, "claimId": _ID, "event": EVENT, "status": "CONFIRMED",
            "previousStatus": "WAITING_RESOLUTION", "reason": "DEFAULT_OPERATION", "occurredAt": _LATER,
            "affected": _AFFECTED,
        },
    ),
)  # fmt: skip
