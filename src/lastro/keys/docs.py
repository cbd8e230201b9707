"""The texts of keys in the API's documentation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lastro.accounts import NO_ACCOUNT
from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.keys import problems
from lastro.keys.forms import ConfirmKey, CreateKey, ResendCode
from lastro.keys.rendering import AccountKey, AccountKeys, CodeSent, CreatedKey

_KEY: dict[str, Any] = {
    "id": "0196a4f3-8e11-7d02-9c55-1b7a2c3d4e5f", "type": "EMAIL", "key": "ana@example.com",
    "createdAt": "2026-01-31T12:01:00.120945Z", "possedAt": "2026-01-31T12:01:00.120945Z",
}  # fmt: skip
_RANDOM = {**_KEY, "type": "RANDOM", "key": "6f1d2c1a-3b5e-4c7d-8e9f-0a1b2c3d4e5f"}
_VALIDATION_ID = "0196a4f2-77aa-7c31-8d2f-5e6f70819a2b"
_SENT = {"validationId": _VALIDATION_ID, "expiresAt": "2026-01-31T12:10:00.000000Z"}
_NO_KEY = not_found(
    "The account is not your company's, or never had a key of this id.",
    "Take the `id` of a key of `GET …/keys`.",
)
_SILENT = Refusal(
    Kind.UNAVAILABLE, "", "", "The directory has not answered; whether it has registered the key is not known yet.",
    "Send the same request again after `retry-after`, under the same `idempotency-key`: the same is asked again.",
)  # fmt: skip


_BY_DIRECTORY = (
    _SILENT, problems.ACCOUNT_ID_NOT_ALLOWED, problems.KEY_DUPLICATE, problems.KEY_NOT_SUPPORTED,
    problems.KEY_HELD_ELSEWHERE, problems.KEY_CONFLICT,
)  # fmt: skip
NO_ROOM_OR_CODE = replace(
    problems.NO_ROOM, cause=f"{problems.NO_ROOM.cause} Or {problems.TOO_MANY_CODES.cause}",
    cure=f"{problems.NO_ROOM.cure} {problems.TOO_MANY_CODES.cure}",
)  # fmt: skip

CREATE = Doc(
    "Create a Pix key",
    "Registers a key that leads to the account.\n\n"
    "- `RANDOM`, `CPF`, `CNPJ`: the key is registered at once: 201. A CPF or CNPJ must be the holder's own.\n"
    "- `EMAIL`, `PHONE`: 202 with a `validationId`, and six digits are sent there, which `POST …/keys/confirm` takes for"
    " 10 minutes.\n\n"
    "An account of a person has at most 5 keys, one of a company 20. A day has at most 20 codes for an account, and 5 to one"
    " e-mail address or phone.",
    CreateKey, CreatedKey,
    (
        NO_ACCOUNT, *_BY_DIRECTORY, NO_ROOM_OR_CODE, problems.KEY_TYPE_NOT_SUPPORTED,
        misread("type", "INVALID", "It is no type of key.", "Give CPF, CNPJ, EMAIL, PHONE or RANDOM."),
        problems.KEY_NOT_ALLOWED, problems.KEY_REQUIRED, problems.KEY_INVALID, problems.KEY_MISMATCH,
        misread("channel", "INVALID", "It is none of the channels.", "Leave it out."),
        problems.CHANNEL_NOT_ALLOWED,
    ),
    {"type": "EMAIL", "key": "ana@example.com"}, _SENT,
)  # fmt: skip
CONFIRM = Doc(
    "Confirm a Pix key",
    "Takes the code that was sent to the e-mail address or phone, and registers the key.\n\n"
    "- Five wrong codes, or 10 minutes, end the validation: ask for the key anew.\n"
    "- The `idempotency-key`, a UUID, makes it safe to send the same request again: the first answer comes back. Under"
    " another one, a validation that has made its key is over.",
    ConfirmKey, AccountKey,
    (
        NO_ACCOUNT, *_BY_DIRECTORY, problems.NO_ROOM,
        misread("idempotency-key", "INVALID", "It is no UUID.", "Send a new UUID with each new request."),
        problems.VALIDATION_ID_INVALID, problems.VALIDATION_USED, problems.TOKEN_INVALID, problems.TOKEN_EXPIRED,
    ),
    {"validationId": _VALIDATION_ID, "token": "052731"}, _KEY,
)  # fmt: skip
RESEND = Doc(
    "Send another code",
    "Sends another code, which holds for 10 minutes; the one before is dead. At most 5 codes are sent for a validation, each"
    " at least 60 seconds after the one before; wrong tries are not given back.",
    ResendCode, CodeSent,
    (
        problems.VALIDATION_ID_INVALID, problems.VALIDATION_ENDED, problems.VALIDATION_ID_LIMIT_EXCEEDED,
        problems.TOO_MANY_CODES, NO_ACCOUNT, problems.CODE_TOO_SOON,
    ),
    {"validationId": _VALIDATION_ID}, _SENT,
)  # fmt: skip
LIST = Doc(
    "List the Pix keys of an account",
    "The keys that lead to the account now, newest first.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before keys younger than two"
    " seconds.",
    None, AccountKeys, (*PAGE_REFUSALS, *PERIOD_REFUSALS, NO_ACCOUNT), None,
    {"limit": 20, "sort": "desc", "nextCursor": _RANDOM["createdAt"], "hasNext": True, "data": [_KEY, _RANDOM]},
)  # fmt: skip
DELETE = Doc(
    "Delete a Pix key",
    "Gives the key back to the directory: it leads nowhere, and may be registered by whoever it belongs to.",
    None, None,
    (_NO_KEY, _SILENT, problems.KEY_NOT_DELETED),
)  # fmt: skip
