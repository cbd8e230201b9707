"""The HTTP operations of the opening of accounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.accounts.opening import docs, rules
from lastro.accounts.opening.actions.create import MakeRequest
from lastro.accounts.opening.actions.read import ReadRequest, ReadTerms
from lastro.accounts.opening.actions.upload import Upload
from lastro.accounts.opening.documents import read_upload
from lastro.accounts.opening.forms import OpeningForm
from lastro.accounts.opening.model import LARGEST_UPLOAD, SLOTS
from lastro.accounts.opening.problems import HOLDER_TYPE_REQUIRED
from lastro.api_kit import forms
from lastro.api_kit.paging import read_choice
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused

if TYPE_CHECKING:
    from lastro.accounts.opening.model import OpeningPlace
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/accounts"
_PUBLIC_UPLOAD = "/public/v1/banking/accounts/documents"  # interface.md's name of the same operation
_HOLDER = (Query("holderType", "Whose terms.", {"type": "string", "enum": list(SLOTS)}, is_required=True),)


@dataclass(frozen=True)
class _OpeningHandlers:
    place: OpeningPlace

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/accounts. The problems of its dates are listed with the others."""
        form, problems = forms.read(incoming.raw, OpeningForm)
        return MakeRequest(form, (*problems, *rules.problems_of(form, problems)))

    def upload(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/accounts/documents."""
        asked = read_upload(incoming.raw, incoming.boundary)
        if isinstance(asked, list):
            return Refused(Kind.INVALID, tuple(asked))
        return Upload(asked.request_id, asked.slot, asked.content, asked.digest, self.place, asked.append)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/accounts/requests/{id}."""
        return ReadRequest(incoming.id("id"))

    def terms(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/accounts/terms."""
        problems: list[Problem] = []
        holder_type = read_choice(incoming.query, "holderType", SLOTS, problems)
        if holder_type is None:
            found = problems or [HOLDER_TYPE_REQUIRED.problem()]
            return Refused(Kind.INVALID, tuple(found))
        return ReadTerms(holder_type, self.place.public_url)


def routes(place: OpeningPlace) -> tuple[Route, ...]:
    """Returns the operations on requests."""
    handlers = _OpeningHandlers(place)
    return (
        Route(
            "POST", _PATH, "open_account", "accounts:write", handlers.create, docs.CREATE, success=201, key="optional",
            needs_network=True,
        ),
        Route("GET", _PATH + "/terms", "read_account_terms", "accounts:read", handlers.terms, docs.TERMS, queries=_HOLDER),
        Route("GET", _PATH + "/requests/{id}", "read_account_request", "accounts:read", handlers.read, docs.READ),
        Route(
            "POST", _PATH + "/documents", "upload_account_document", "accounts:write", handlers.upload, docs.UPLOAD,
            success=201, key="optional", largest_body=LARGEST_UPLOAD, same_at=(_PUBLIC_UPLOAD,),
        ),
    )  # fmt: skip
