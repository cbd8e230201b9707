"""The documentation of the opening of accounts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lastro.accounts.opening import problems
from lastro.accounts.opening.forms import OpeningForm
from lastro.accounts.opening.model import ALL_SLOTS, OPTIONAL_SLOTS, SLOTS
from lastro.accounts.opening.notifications import CreatedNotification, PendingDocumentsNotification, RejectedNotification
from lastro.accounts.opening.rendering import DocumentTaken, OpeningRequest, OpeningTaken, OpeningTerms
from lastro.accounts.opening.terms import TERMS as TEXTS
from lastro.api_kit.multipart import FORM_DATA
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.core.media import Media
from lastro.webhooks import EventType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_REQUEST_ID = "0198c0de-0000-7000-8000-000000000003"
_ACCOUNT_ID = "0198c0de-0000-7000-8000-000000000004"
_AT = "2026-01-31T12:00:00.000000Z"
_PERSON = {
    "externalId": "holder-1",
    "holderType": "INDIVIDUAL",
    "fullName": "Bia Silva",
    "document": {"type": "CPF", "number": "12345678909"},
    "email": "bia@example.com",
    "phone": "+5511987654321",
    "birthDate": "1990-05-17",
    "address": {
        "state": "SP", "city": "Sao Paulo", "neighborhood": "Bela Vista", "street": "Avenida Paulista", "number": "1000",
        "postalCode": "01310-100",
    },
    "termsAccepted": {
        "version": TEXTS["INDIVIDUAL"].version, "acceptedAt": "2026-01-31T12:00:00Z", "ip": "203.0.113.7",
    },
}  # fmt: skip
_MISSING = list(SLOTS["INDIVIDUAL"])


def _in_slots(by_holder: Mapping[str, Sequence[str]]) -> str:
    return "\n".join(f"- {holder}: {', '.join(f'`{slot}`' for slot in slots)}" for holder, slots in by_holder.items())


_NO_REQUEST = not_found(
    "No request of your company has this id.",
    "Take the `accountRequestId` of the create.",
)


_OF_PERSON = (
    problems.PERSON_TYPE_MISMATCH, problems.PERSON_NUMBER_INVALID, problems.EMAIL_INVALID, problems.PHONE_INVALID,
    problems.BIRTH_DATE_OUT_OF_RANGE,
)  # fmt: skip
CREATE = Doc(
    "Request an account",
    "Asks for an account for a holder, who has accepted the terms. The documents that are waited for are told by"
    " `ACCOUNT.PENDING_DOCUMENTS` and by the request itself; upload each, and once the last is there the request is looked"
    " at. `ACCOUNT.CREATED` names the account, `ACCOUNT.REJECTED` says why there is none.",
    OpeningForm, OpeningTaken,
    (
        *_OF_PERSON,
        *(replace(one, field=f"representatives[].{one.field}") for one in _OF_PERSON),
        problems.REPRESENTATIVES_REQUIRED,
        misread("representatives", "TOO_LONG", "There are more than ten.", "Name ten at most."),
        problems.REPRESENTATIVES_NOT_ALLOWED, problems.TRADE_NAME_NOT_ALLOWED, problems.ADDRESS_STATE_INVALID,
        problems.POSTAL_CODE_INVALID, problems.TERMS_VERSION_MISMATCH, problems.ACCEPTED_AT_INVALID,
        problems.ACCEPTED_AT_OUT_OF_RANGE, problems.TERMS_IP_INVALID, problems.EXTERNAL_ID_INVALID,
        problems.EXTERNAL_ID_DUPLICATE, problems.HOLDER_HAS_REQUEST, problems.TERMS_ACCEPTED_REQUIRED,
        problems.EXTERNAL_ID_REQUIRED, problems.FILE_NAME_MISMATCH, problems.ACCEPTANCE_TIME_INVALID,
        problems.ACCEPTANCE_TIME_OUT_OF_RANGE, problems.ACCEPTANCE_IP_INVALID,
        *problems.COUNTRY_NOT_SUPPORTED.of("country", "representatives[].country"),
        *problems.DOCUMENT_MUTUALLY_EXCLUSIVE.of("representatives[].document", "representatives[].documentNumber"),
        *problems.DOCUMENT_REQUIRED.of("representatives[].document"),
        *problems.PERSON_NUMBER_INVALID.of("representatives[].documentNumber"),
    ),
    _PERSON, {"accountRequestId": _REQUEST_ID, "status": "PENDING_DOCUMENTS"},
)  # fmt: skip
TERMS = Doc(
    "Read the terms of an account",
    "The terms that a holder accepts, with their version.",
    None, OpeningTerms,
    (
        problems.HOLDER_TYPE_REQUIRED,
        misread("holderType", "INVALID", "There is no such holder.", "Give INDIVIDUAL or ORGANIZATION."),
    ),
    None,
    {
        "holderType": "INDIVIDUAL", "version": TEXTS["INDIVIDUAL"].version, "title": TEXTS["INDIVIDUAL"].title,
        "text": TEXTS["INDIVIDUAL"].text, "fileName": TEXTS["INDIVIDUAL"].file_name,
        "url": f"https://pay.example.com/terms/{TEXTS['INDIVIDUAL'].file_name}",
        "publishedAt": "2026-01-01T03:00:00.000000Z", "expiresAt": None,
    },
)  # fmt: skip
READ = Doc(
    "Read a request for an account",
    "How it stands. A REPROVED request with `reprovedFields` is taken up again when those documents are uploaded, within 30"
    " days; one without is over.",
    None, OpeningRequest, (_NO_REQUEST,), None,
    {
        "accountRequestId": _REQUEST_ID, "externalId": "holder-1", "status": "PENDING_DOCUMENTS",
        "step": "PENDING_DOCUMENTS",
        "missingRequiredDocuments": _MISSING,
    },
)  # fmt: skip
_FORM = {
    "type": "object",
    "required": ["file", "documentType", "accountRequestId"],
    "properties": {
        "file": {"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"},
        "documentType": {"type": "string", "enum": list(ALL_SLOTS)},
        "accountRequestId": {"type": "string", "format": "uuid"},
        "append": {"type": "string", "enum": ["true", "false"], "default": "true"},
    },
}  # fmt: skip
# The refusals of a file, for any upload.
FILE_REFUSALS = (
    problems.BODY_INVALID,
    misread("body", "REQUIRED", "There is none.", "Send a multipart form."),
    problems.FILE_REQUIRED, problems.FILE_INVALID, problems.FILE_NOT_SUPPORTED,
    problems.FILE_NOT_ALLOWED,
    problems.FILE_TOO_LONG,
)  # fmt: skip
UPLOAD = Doc(
    "Upload a document of a request",
    "A form (`multipart/form-data`) with the parts\n\n"
    "- `file`: a PDF, PNG or JPEG of at most 10 MB. What it is, its content says; its name is not looked at. Pictures are"
    " drawn anew and lose what was stored beside them; of a PDF the pages are kept, with forms and notes as part of the"
    " picture, and no scripts, links or attached files. It must not need a password.\n"
    "- `documentType`: the slot that it is for.\n"
    "- `accountRequestId`: the request.\n"
    "- `append`: the file goes behind those that are in the slot, such as the other side of a card. `false`: it takes their"
    " place.\n\n"
    f"Slots, all of them required:\n\n{_in_slots(SLOTS)}\n\n"
    f"Slots that nothing waits for:\n\n{_in_slots(OPTIONAL_SLOTS)}\n\n"
    "The same file again changes nothing. With the last missing document the request goes into ANALYSIS and takes no more,"
    " so that a document of several files is not uploaded last.",
    None, DocumentTaken,
    (
        *FILE_REFUSALS,
        problems.DOCUMENT_TYPE_REQUIRED, problems.PART_NOT_ALLOWED,
        problems.DOCUMENT_TYPE_INVALID, problems.SLOT_OF_OTHER_HOLDER, problems.ACCOUNT_REQUEST_ID_REQUIRED,
        problems.ACCOUNT_REQUEST_ID_INVALID, problems.APPEND_INVALID, problems.APPEND_LIMIT_EXCEEDED,
        problems.STATUS_CONFLICT, problems.SLOT_NOT_REFUSED,
        problems.HOLDER_HAS_REQUEST,
    ),
    None, {"documentType": "documentHolder", "missingRequiredDocuments": ["selfieHolder", "pepDeclaration"]},
    bodies=(Media(FORM_DATA, schema=_FORM),),
)  # fmt: skip


def _notice(event: str, summary: str, description: str, body: type[Any], status: str, more: dict[str, Any]) -> EventType:
    always = {"event": event, "status": status}
    example = {"event": event, "occurredAt": _AT, "requestId": _REQUEST_ID, "status": status, **more}
    return EventType(event, summary, description, body, always, example)


EVENT_TYPES = (
    _notice(
        "ACCOUNT.PENDING_DOCUMENTS", "Account request waits for documents",
        "A request was taken. Upload each document that it names; the request is looked at once the last is there.",
        PendingDocumentsNotification, "PENDING_DOCUMENTS",
        {"reason": {"code": "MISSING_DOCUMENTS", "description": "documentHolder must be uploaded"},
         "missingRequiredDocuments": _MISSING},
    ),
    _notice(
        "ACCOUNT.CREATED", "Account opened",
        "A request was approved and its account is open. A random Pix key for it follows within seconds.",
        CreatedNotification, "ACTIVE",
        {
            "accountId": _ACCOUNT_ID,
            "bankData": {
                "ispb": "99999010", "bankNumber": "990", "accountType": "PAYMENT_ACCOUNT", "createdAt": _AT,
                "branchNumber": "0001", "accountNumber": "000000019",
            },
        },
    ),
    _notice(
        "ACCOUNT.REJECTED", "Account request refused",
        "A request was refused. The documents that `rejectedFields` names can be uploaded again for 30 days, and then it is"
        " looked at anew; with none the refusal is definitive.",
        RejectedNotification, "REJECTED",
        {
            "reason": {"code": "DOCUMENT_ILLEGIBLE", "description": "The document cannot be read"},
            "rejectedFields": ["documentHolder"],
        },
    ),
)  # fmt: skip
