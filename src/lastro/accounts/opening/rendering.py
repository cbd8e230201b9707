"""A request for an account, as the API shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.accounts.opening.model import ALL_SLOTS, STATUSES
from lastro.accounts.opening.terms import TERMS
from lastro.api_kit.rendering import Id, words
from lastro.api_kit.routes import Answer

if TYPE_CHECKING:
    from lastro.accounts.opening.model import Request

# The step of a request, in one word.
_STEPS = {
    "PENDING": "DOCUMENTS", "PENDING_DOCUMENTS": "DOCUMENTS", "ANALYSIS": "ANALYSIS", "APPROVED": "OPENED",
    "REPROVED": "REFUSED",
}  # fmt: skip
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
    step: Annotated[str, words(*dict.fromkeys(_STEPS.values()))]
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


def shown(request: Request) -> OpeningRequest:
    """Renders a request."""
    is_reproved = request.state == "REPROVED"
    return OpeningRequest(
        account_request_id=str(request.id),
        external_id=request.external_id,
        status=request.state,
        step=_STEPS[request.state],
        missing_required_documents=list(request.wanted),
        reproved_reason=request.reproved_code if is_reproved else None,
        reproved_description=request.reproved_description if is_reproved else None,
        reproved_fields=list(request.reproved_fields) if is_reproved else None,
        account_id=None if request.account_id is None else str(request.account_id),
    )


def terms_shown(holder_type: str) -> OpeningTerms:
    """Renders the terms for a kind of holder."""
    terms = TERMS[holder_type]
    return OpeningTerms(holder_type=holder_type, version=terms.version, title=terms.title, text=terms.text)
