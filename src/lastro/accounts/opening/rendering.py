"""A request for an account, as the API shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.accounts.opening.model import ALL_SLOTS, STATUSES
from lastro.accounts.opening.terms import TERMS
from lastro.api_kit.rendering import Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp

if TYPE_CHECKING:
    from lastro.accounts.opening.model import Request

# What a request waits for, or how it ended. An approved one waits for its account's first Pix key (PENDING_PIX_KEY).
_STEPS = {
    "PENDING": "PENDING_DOCUMENTS", "PENDING_DOCUMENTS": "PENDING_DOCUMENTS", "ANALYSIS": "PENDING_ANALYSE",
    "APPROVED": "COMPLETED", "REPROVED": "REPROVED",
}  # fmt: skip
_KEYLESS = "PENDING_PIX_KEY"
Status = Annotated[str, words(*STATUSES)]
Slot = Annotated[str, words(*ALL_SLOTS)]
Missing = Annotated[
    list[Slot], msgspec.Meta(description="Documents that are waited for: values of `documentType` of the upload.")
]


class OpeningTaken(Answer, frozen=True, kw_only=True):
    """A request that was taken."""

    account_request_id: Id
    status: Status


class OpeningRequest(Answer, frozen=True, kw_only=True):
    """The state of a request to open an account."""

    account_request_id: Id
    external_id: str
    status: Status
    step: Annotated[str, words(*dict.fromkeys((*_STEPS.values(), _KEYLESS)))]
    alias: Annotated[str | None, msgspec.Meta(description="What you call the account.")] = None
    missing_required_documents: Missing
    reproved_reason: Annotated[
        str | None, msgspec.Meta(description="Code of the refusal.", examples=["DOCUMENT_ILLEGIBLE"])
    ] = None
    reproved_description: str | None = None
    reproved_fields: Annotated[
        list[Slot] | None,
        msgspec.Meta(description="Of a refusal: documents that may be uploaded again; with none it is definitive."),
    ] = None
    account_id: Annotated[Id | None, msgspec.Meta(description="The account, once it is opened.")] = None


class DocumentTaken(Answer, frozen=True, kw_only=True):
    """A document that was taken."""

    document_type: Slot
    missing_required_documents: Missing


class OpeningTerms(Answer, frozen=True, kw_only=True):
    """The terms that the holder accepts."""

    holder_type: Annotated[str, words("INDIVIDUAL", "ORGANIZATION")]
    version: Annotated[str, msgspec.Meta(description="For `termsAccepted.version`.", examples=["2026-01"])]
    title: str
    text: Annotated[str, msgspec.Meta(description="In Portuguese; paragraphs are divided by a blank line.")]
    file_name: Annotated[
        str, msgspec.Meta(description="For `acceptance.fileName`.", examples=["termos-individual-2026-01.pdf"])
    ]
    url: Annotated[str, msgspec.Meta(description="The same as a PDF.", extra_json_schema={"format": "uri"})]
    published_at: Timestamp
    expires_at: Annotated[Timestamp | None, msgspec.Meta(description="Until when it may be accepted; null: until another.")]


def shown(request: Request) -> OpeningRequest:
    """Renders a request."""
    is_reproved = request.state == "REPROVED"
    return OpeningRequest(
        account_request_id=str(request.id),
        external_id=request.external_id,
        status=request.state,
        step=_KEYLESS if request.is_keyless else _STEPS[request.state],
        alias=request.alias,
        missing_required_documents=list(request.wanted),
        reproved_reason=request.reproved_code if is_reproved else None,
        reproved_description=request.reproved_description if is_reproved else None,
        reproved_fields=list(request.reproved_fields) if is_reproved else None,
        account_id=None if request.account_id is None else str(request.account_id),
    )


def terms_shown(holder_type: str, public_url: str) -> OpeningTerms:
    """Renders the terms for a kind of holder."""
    terms = TERMS[holder_type]
    return OpeningTerms(
        holder_type=holder_type, version=terms.version, title=terms.title, text=terms.text, file_name=terms.file_name,
        url=f"{public_url}/terms/{terms.file_name}", published_at=stamp(terms.published_at), expires_at=None,
    )  # fmt: skip
