"""The HTTP operations of static codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_page
from lastro.api_kit.routes import Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.orders.static_codes import docs
from lastro.orders.static_codes.actions import CreateCode, ListCodes, ReadCode
from lastro.orders.static_codes.forms import CreateStaticCode

if TYPE_CHECKING:
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/pix-static-qrcodes"
_FILTERS = (Query("accountId", "Codes that credit this account.", {"type": "string"}),)


def _create(incoming: Incoming) -> Verb[Any] | Refused:
    form, problems = forms.read(incoming.raw, CreateStaticCode)
    amount = forms.money(form.amount, "amount", problems)
    if problems:
        return Refused(Kind.INVALID, forms.in_order(problems, CreateStaticCode))
    return CreateCode(form, amount, as_id(form.account_id))


def _read(incoming: Incoming) -> Verb[Any]:
    return ReadCode(incoming.id("id"))


def _list(incoming: Incoming) -> Verb[Any] | Refused:
    problems: list[Problem] = []
    page = read_page(incoming.query, problems)
    if problems:
        return Refused(Kind.INVALID, tuple(problems))
    account_id = as_id(incoming.query.get("accountId"))
    return ListCodes(account_id, page, finds=account_id is not None or "accountId" not in incoming.query)


def static_code_routes() -> tuple[Route, ...]:
    """Returns the operations of static codes."""
    return (
        Route(
            "POST", _PATH, "create_static_qrcode", "orders:write", _create, docs.CREATE, success=201, key="optional",
            needs_network=True,
        ),
        Route(
            "GET", _PATH, "list_static_qrcodes", "orders:read", _list, docs.LIST, queries=(*_FILTERS, *PAGING),
        ),
        Route("GET", _PATH + "/{id}", "read_static_qrcode", "orders:read", _read, docs.READ),
    )  # fmt: skip
