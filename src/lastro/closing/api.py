"""The HTTP operations of closing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.accounts import Why
from lastro.api_kit import forms
from lastro.api_kit.paging import DEFAULT_LIMIT
from lastro.api_kit.routes import Incoming, Route
from lastro.closing import docs
from lastro.closing.actions.close import Close, ListCloseRequests, ReadCloseRequest
from lastro.closing.forms import ListCloses, RequestClose
from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/accounts"
_CODE = "CLOSE_REQUESTED"  # of the event's reason, whose description is what the client wrote


def routes() -> tuple[Route, ...]:
    """The room's operations."""
    return (
        Route(
            "POST", _PATH + "/{id}/close-request", "request_account_close", "accounts:write", _close, docs.CLOSE,
            success=201, key="optional",
        ),
        Route(
            "POST", _PATH + "/close-requests/paged/list", "list_account_closes", "accounts:read", _list, docs.LIST,
            key="optional",
        ),
        Route("GET", _PATH + "/close-requests/{id}", "read_account_close", "accounts:read", _read, docs.READ),
    )  # fmt: skip


def _close(incoming: Incoming) -> Verb[Any] | Refused:
    form, problems = forms.read(incoming.raw, RequestClose)
    if problems:
        return Refused(Kind.INVALID, forms.in_order(problems, RequestClose))
    return Close(incoming.id("id"), Why(_CODE, form.close_request_reason))


def _read(incoming: Incoming) -> Verb[Any]:
    return ReadCloseRequest(incoming.id("id"))


def _list(incoming: Incoming) -> Verb[Any] | Refused:
    form, problems = forms.read(incoming.raw, ListCloses)
    if problems:
        return Refused(Kind.INVALID, forms.in_order(problems, ListCloses))
    return ListCloseRequests(form.skip or 0, form.take or DEFAULT_LIMIT, bool(form.require_total_count))
