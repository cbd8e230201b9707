"""The texts of disputes in the API's documentation: operations and events."""

from __future__ import annotations

from typing import Any

from lastro import accounts
from lastro.accounts import NO_ACCOUNT_ID
from lastro.api_kit.multipart import FORM_DATA
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.core.media import Media
from lastro.med import problems
from lastro.med.actions.attach import OCTETS
from lastro.med.forms import ContestForm, DefenseForm
from lastro.med.rendering import MedCase, MedDocument, MedList, MedNotification
from lastro.webhooks import EventType

_ID, _NOTICE_ID = "3f1f4a52-9c1b-4a57-8a0e-1b6f1d1f7a10", "8c2b6f0e-5d4f-4a7b-9a36-0c9d2e4b8f21"
_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_AT, _DEADLINE = "2026-01-31T12:00:00.120945Z", "2026-02-11T12:00:00.120945Z"
_END_TO_END_ID = "E9999901020260131110000001aBcDeF"
_ASKED = {"endToEndId": _END_TO_END_ID, "situationType": "SCAM", "details": "Paid a shop that does not exist"}
_FIELDS: dict[str, Any] = {
    "objectType": "RECOVERY_VALUE", "referenceId": _ID, "accountId": _ACCOUNT_ID, "status": "CREATED",
    "endToEndId": _END_TO_END_ID, "type": "SCAM", "amount": "150.00", "role": "PAYER", "awaitingOurAnalysis": False,
}  # fmt: skip
_LISTED: dict[str, Any] = {
    **_FIELDS, "eventType": "CREATED", "occurredAt": _AT, "deadline": _DEADLINE, "blockedAmount": "0.00",
    "createdAt": _AT, "updatedAt": _AT,
}  # fmt: skip
_CASE: dict[str, Any] = {**_LISTED, "history": [{"status": "CREATED", "occurredAt": _AT}], "related": []}
_TRACED: dict[str, Any] = {
    **_LISTED, "status": "WAITING_ANALYSIS", "previousStatus": "TRACED", "eventType": "STATUS_CHANGED",
    "history": [
        {"status": "CREATED", "occurredAt": _AT},
        {"status": "TRACED", "previousStatus": "CREATED", "occurredAt": _AT},
        {"status": "WAITING_ANALYSIS", "previousStatus": "TRACED", "occurredAt": _AT},
    ],
    "transactions": [
        {"endToEndId": _END_TO_END_ID, "hop": 1, "amount": "150.00", "payerBank": "99999010", "receiverBank": "99999030"},
    ],
    "related": [
        {**_LISTED, "objectType": "INFRINGEMENT_NOTIFICATION", "referenceId": _NOTICE_ID, "status": "OPEN",
         "recoveryId": _ID, "reason": "REFUND_REQUEST"},
    ],
}  # fmt: skip
_DEFENDED: dict[str, Any] = {
    **_LISTED, "objectType": "INFRINGEMENT_NOTIFICATION", "referenceId": _NOTICE_ID, "status": "RECEIVED",
    "role": "RECEIVER", "recoveryId": _ID, "reason": "REFUND_REQUEST", "eventType": "STATUS_CHANGED",
    "previousStatus": "OPEN", "awaitingOurAnalysis": True, "blockedAmount": "150.00",
    "defenseDueAt": "2026-02-03T12:00:00.120945Z",
    "defense": "Order 4711, delivered on January 30, signed by the buyer", "defendedAt": _AT,
    "history": [
        {"status": "OPEN", "occurredAt": _AT}, {"status": "RECEIVED", "previousStatus": "OPEN", "occurredAt": _AT},
    ],
    "related": [],
}  # fmt: skip
_CANCELED: dict[str, Any] = {
    **_LISTED, "status": "CANCELLED", "previousStatus": "CREATED", "eventType": "STATUS_CHANGED",
    "history": [{"status": "CANCELLED", "previousStatus": "CREATED", "occurredAt": _AT}], "related": [],
}  # fmt: skip


_NO_OBJECT = not_found(
    "No object of a dispute of your company has this id.",
    "Take the `referenceId` of a notification or of the list.",
)
_SILENT = Refusal(
    Kind.UNAVAILABLE, "", "", "The directory did not answer; nothing was written.",
    "Send the same request again: what it has opened meanwhile is opened once.",
)  # fmt: skip
_CONTEST_REFUSALS = (
    NO_ACCOUNT_ID,
    problems.END_TO_END_ID_INVALID, problems.END_TO_END_ID_NOT_ALLOWED, problems.END_TO_END_ID_NOT_SUPPORTED,
    problems.END_TO_END_ID_EXPIRED, problems.SITUATION_TYPE_INVALID, problems.DETAILS_REQUIRED, problems.DETAILS_INVALID,
    problems.END_TO_END_ID_DUPLICATE, problems.ACCOUNT_ID_NOT_SUPPORTED, problems.DIRECTORY_REFUSES, _SILENT,
)  # fmt: skip

CONTEST = Doc(
    "Contest a Pix that an account has sent",
    "Opens a recovery value at the directory: the money is traced and blocked where it still is, each bank on the way"
    " decides, and what is given back is credited to the account. For fraud alone, not for a purchase that disappoints.",
    form=ContestForm,
    answer=MedCase,
    request=_ASKED,
    response=_CASE,
    refusals=_CONTEST_REFUSALS,
)
READ = Doc(
    "Read an object of a dispute",
    "With its history, its deadline, what it blocks, and everything else of its recovery.",
    answer=MedCase,
    response=_TRACED,
    refusals=(_NO_OBJECT,),
)
LIST = Doc(
    "List objects of disputes",
    "The newest first, by pages.",
    answer=MedList,
    response={"page": 1, "limit": 20, "total": 1, "hasNext": False, "data": [_LISTED]},
    refusals=(
        *problems.PAGE_INVALID.of("page", "limit"),
        *problems.PAGE_OUT_OF_RANGE.of("page", "limit"),
        misread("onlyPending", "INVALID", "It is neither true nor false.", "Give one of the two."),
        misread("role", "INVALID", "It is neither PAYER nor RECEIVER.", "Give one of the two."),
    ),
)
_NO_DEFENSE = (_NO_OBJECT, problems.NO_NOTICE, problems.NOTICE_DECIDED, problems.DEFENSE_EXPIRED)
DEFEND = Doc(
    "Give a defense to a notification",
    "What the account's holder says to a notification about money that came there, until `defenseDueAt` and before the"
    " institution has decided. It weighs it; no bank is told of it. Another text replaces the one before.",
    form=DefenseForm,
    answer=MedCase,
    request={"text": "Order 4711, delivered on January 30, signed by the buyer"},
    response=_DEFENDED,
    refusals=(
        misread("text", "INVALID", "It is blank or has control characters.",
                "Give 1 to 2,000 characters; lines and tabs may be among them."),
        *_NO_DEFENSE,
    ),
)  # fmt: skip
_DOCUMENT_ID = "0196a4f2-90b1-7c33-8f4e-21d0c5a7be64"
_DOCUMENT = {
    "documentId": _DOCUMENT_ID, "fileName": "defense-1.pdf", "contentType": "application/pdf", "size": 48213,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "createdAt": _AT,
}  # fmt: skip
_FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {"file": {"type": "string", "format": "binary", "contentMediaType": OCTETS}},
}
ATTACH = Doc(
    "Give a document with a defense",
    "A form (`multipart/form-data`) with the part `file`: a PDF, PNG or JPEG of at most 10 MB, taken and kept as the"
    " documents of an account request are. Pictures are drawn anew, of a PDF the pages are kept, and all of it is sealed."
    " Until `defenseDueAt` and before the institution has decided; at most ten of a notification. The same file"
    " again changes nothing.",
    answer=MedDocument,
    response=_DOCUMENT,
    refusals=(
        *accounts.opening.FILE_REFUSALS,
        problems.FILE_LIMIT_EXCEEDED,
        *_NO_DEFENSE,
    ),
    bodies=(Media(FORM_DATA, schema=_FORM),),
)
READ_DOCUMENT = Doc(
    "Read a document of a defense",
    "The file as it is kept, to be saved: it is never shown in a browser by itself.",
    refusals=(
        not_found("No notification of your company has this document.",
                "Take an id of the case's `defenseDocuments`."),
    ),
    headers=("content-disposition",),
    media=(Media(OCTETS),),
)  # fmt: skip
CANCEL = Doc(
    "Give a contest up",
    "Cancels a recovery value that is not COMPLETED. Its notifications end with it, those that were decided too, and the"
    " refund requests that are open; what was given back stays.",
    answer=MedCase,
    response=_CANCELED,
    refusals=(
        _NO_OBJECT, problems.NO_RECOVERY, problems.RECOVERY_ENDED,
        problems.DIRECTORY_REFUSES, _SILENT,
    ),
)  # fmt: skip

_NOTIFIED = {**_FIELDS, "eventType": "CREATED", "occurredAt": _AT}
EVENT_TYPES = (
    EventType(
        "MED.CREATED",
        "A dispute begins",
        "The first word on an object of a dispute: a contest of yours, or of somebody who paid one of your accounts. What"
        " is blocked of an account it says is `blockedAmount` of the case.",
        MedNotification,
        {"eventType": "CREATED"},
        _NOTIFIED,
    ),
    EventType(
        "MED.STATUS_CHANGED",
        "A dispute goes on",
        "An object of a dispute has taken another status.",
        MedNotification,
        {"eventType": "STATUS_CHANGED"},
        {**_NOTIFIED, "eventType": "STATUS_CHANGED", "status": "TRACED", "previousStatus": "CREATED"},
    ),
    EventType(
        "MED.DEFENSE_DUE",
        "A defense is due soon",
        "A notification about money that you received is undecided, you have given no defense, and `defenseDueAt` is near."
        " Sent once. A defense that is there by then is not asked for.",
        MedNotification,
        {"eventType": "DEFENSE_DUE"},
        {
            **_NOTIFIED,
            "objectType": "INFRINGEMENT_NOTIFICATION",
            "referenceId": _NOTICE_ID,
            "status": "RECEIVED",
            "role": "RECEIVER",
            "recoveryId": _ID,
            "reason": "REFUND_REQUEST",
            "eventType": "DEFENSE_DUE",
            "awaitingOurAnalysis": True,
            "defenseDueAt": "2026-02-03T12:00:00.120945Z",
        },
    ),
)
