"""The HTTP operations of disputes."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from lastro import accounts
from lastro.api_kit import forms
from lastro.api_kit.paging import read_choice
from lastro.api_kit.routes import NOT_FOUND, Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.med import docs
from lastro.med.actions.attach import Attach, ReadDocument
from lastro.med.actions.contest import CancelContest, Contest
from lastro.med.actions.defend import Defend
from lastro.med.actions.read import ListDisputes, ReadDispute
from lastro.med.forms import ContestForm, DefenseForm
from lastro.med.model import ContestWish, DisputeFilter
from lastro.med.problems import PAGE_INVALID, PAGE_OUT_OF_RANGE
from lastro.med.rules import contest_problems, situation_of
from lastro.med.states import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.runner import Verb
    from lastro.med.model import Files, Stand
    from lastro.rails.port import Disputes

_PATH = "/order/v1/banking/med"
_DOCUMENTS = _PATH + "/{referenceId}/defense/documents"
_PUBLIC = "/public/v1/banking/med"
_LARGEST_PAGE, _LARGEST_LIMIT, _LIMIT = 100_000, 100, 20
_QUERIES = (
    Query("page", "Which page; the first is 1.",
          {"type": "integer", "minimum": 1, "maximum": _LARGEST_PAGE, "default": 1}),
    Query("limit", "How many rows a page has at most.",
          {"type": "integer", "minimum": 1, "maximum": _LARGEST_LIMIT, "default": _LIMIT}),
    Query("accountId", "Objects about this account.", {"type": "string"}),
    Query("onlyPending", "Without those that have ended.",
          {"type": "string", "enum": ["true", "false"], "default": "false"}),
    Query("role", "Objects in which the account is this.", {"type": "string", "enum": list(ROLES)}),
)  # fmt: skip


@dataclass(frozen=True)
class _DisputeHandlers:
    stand: Stand
    disputes: Disputes
    files: Files

    def contest(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/med/accounts/{accountId}."""
        form, problems = forms.read(incoming.raw, ContestForm)
        problems += contest_problems(form)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ContestForm))
        account_id = incoming.id("accountId")
        if account_id is None:
            return NOT_FOUND
        wish = ContestWish(account_id, form.end_to_end_id, *situation_of(form), incoming.key)
        return Contest(wish, self.stand, self.disputes)

    def defend(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/med/{referenceId}/defense."""
        form, problems = forms.read(incoming.raw, DefenseForm)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, DefenseForm))
        return Defend(incoming.id("referenceId"), form.text)

    def attach(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/med/{referenceId}/defense/documents."""
        content = accounts.opening.read_file(incoming.raw, incoming.boundary)
        if isinstance(content, list):
            return Refused(Kind.INVALID, tuple(content))
        return Attach(incoming.id("referenceId"), content, sha256(content).digest(), self.files)

    def document(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/med/{referenceId}/defense/documents/{documentId}."""
        object_id, document_id = incoming.id("referenceId"), incoming.id("documentId")
        return ReadDocument(None if object_id is None else document_id, object_id, self.files.key_ring)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v1/banking/med/{referenceId}/cancel."""
        return CancelContest(incoming.id("referenceId"), self.disputes)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/med/{referenceId}, and the same under /public."""
        return ReadDispute(incoming.id("referenceId"))

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/med."""
        problems: list[Problem] = []
        page = _whole(incoming.query, "page", 1, _LARGEST_PAGE, problems)
        limit = _whole(incoming.query, "limit", _LIMIT, _LARGEST_LIMIT, problems)
        pending = read_choice(incoming.query, "onlyPending", ("true", "false"), problems)
        role = read_choice(incoming.query, "role", ROLES, problems)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        account_id = as_id(incoming.query.get("accountId"))
        unknown = "accountId" in incoming.query and account_id is None
        return ListDisputes(None if unknown else DisputeFilter(account_id, pending == "true", role), page, limit)


def routes(stand: Stand, disputes: Disputes, files: Files) -> tuple[Route, ...]:
    """The room's operations."""
    handlers = _DisputeHandlers(stand, disputes, files)
    return (
        Route("GET", _PATH, "list_med", "med:read", handlers.list, docs.LIST, queries=_QUERIES),
        Route(
            "POST", _PATH + "/accounts/{accountId}", "contest_med", "med:write", handlers.contest, docs.CONTEST, success=201,
            key="optional", needs_network=True,
        ),
        Route(
            "GET", _PATH + "/{referenceId}", "read_med", "med:read", handlers.read, docs.READ,
            same_at=(_PUBLIC + "/{referenceId}",),
        ),
        Route(
            "POST", _PATH + "/{referenceId}/defense", "defend_med", "med:write", handlers.defend, docs.DEFEND,
            key="optional", needs_network=True,
        ),
        Route(
            "POST", _DOCUMENTS, "attach_med_document", "med:write", handlers.attach, docs.ATTACH, success=201,
            key="optional",
            largest_body=accounts.opening.LARGEST_UPLOAD, needs_network=True,
        ),
        Route("GET", _DOCUMENTS + "/{documentId}", "read_med_document", "med:read", handlers.document, docs.READ_DOCUMENT),
        Route(
            "POST", _PATH + "/{referenceId}/cancel", "cancel_med", "med:write", handlers.cancel, docs.CANCEL, key="optional",
            needs_network=True,
        ),
    )  # fmt: skip


def _whole(query: Mapping[str, str], name: str, default: int, most: int, problems: list[Problem]) -> int:
    """Returns a whole number from 1 to `most`. Adds errors to `problems`."""
    text = query.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal()):
        problems.append(PAGE_INVALID.problem(name))
    elif not 1 <= int(text[:12]) <= most:
        problems.append(PAGE_OUT_OF_RANGE.problem(name, most=most))
    else:
        return int(text)
    return default
