"""The HTTP operations of foreign payments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.api_kit.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.orders.foreign import docs
from lastro.orders.foreign.model import STATES, ForeignFilter
from lastro.orders.foreign.read import ListForeign, ReadForeign

if TYPE_CHECKING:
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/foreign-payments"
_LONGEST_NAME = 16
_FILTERS = (
    Query("status", "Payments of this status.", {"type": "string", "enum": list(STATES)}),
    Query("connection", "Payments that this connection found.", text_schema(_LONGEST_NAME)),
)


def _read(incoming: Incoming) -> Verb[Any]:
    return ReadForeign(incoming.id("id"))


def _list(incoming: Incoming) -> Verb[Any] | Refused:
    problems: list[Problem] = []
    page = read_page(incoming.query, problems)
    state = read_choice(incoming.query, "status", STATES, problems)
    rail = read_text(incoming.query, "connection", _LONGEST_NAME, problems)
    return Refused(Kind.INVALID, tuple(problems)) if problems else ListForeign(ForeignFilter(state, rail), page)


def foreign_routes() -> tuple[Route, ...]:
    """Returns the operations of foreign payments."""
    return (
        Route(
            "GET", _PATH, "list_foreign_payments", "orders:read", _list, docs.LIST, queries=(*_FILTERS, *PAGING),
        ),
        Route("GET", _PATH + "/{id}", "read_foreign_payment", "orders:read", _read, docs.READ),
    )  # fmt: skip
