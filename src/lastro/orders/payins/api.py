"""The HTTP operations of pay-ins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.orders.payins import docs
from lastro.orders.payins.actions import CreateOne, FindOne, ReadOne
from lastro.orders.payins.forms import CreatePayIn
from lastro.orders.payins.rules import form_problems

if TYPE_CHECKING:
    from lastro.core.runner import Verb
    from lastro.orders.actions.destinations import Destinations
    from lastro.orders.model import Installation

_PATH = "/order/v1/banking/order-payins"
_LONGEST_EXTERNAL_ID = 64
_BY_CODE = (Query("externalId", "A code of yours, exactly. Required.", text_schema(_LONGEST_EXTERNAL_ID), is_required=True),)

_OF_CODE = (Query("externalId", "The code of yours that the order has to have.", text_schema(_LONGEST_EXTERNAL_ID)),)


@dataclass(frozen=True)
class _PayinHandlers:
    place: Installation
    destinations: Destinations

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/order-payins."""
        form, problems = forms.read(incoming.raw, CreatePayIn)
        problems += form_problems(form)
        amount = forms.money(form.amount, "amount", problems)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CreatePayIn))
        assert amount is not None
        account_id = as_id(form.account_id)
        return CreateOne(incoming.company_id, form, amount, account_id, self.place, self.destinations)

    def read(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/order-payins/{id}."""
        problems: list[Problem] = []
        external_id = read_text(incoming.query, "externalId", _LONGEST_EXTERNAL_ID, problems)
        name = incoming.path["id"]
        is_name = len(name) <= _LONGEST_EXTERNAL_ID and name.isprintable()
        return (
            Refused(Kind.INVALID, tuple(problems))
            if problems
            else ReadOne(name if is_name else None, external_id, self.place)
        )

    def find(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/order-payins?externalId=."""
        problems: list[Problem] = []
        external_id = read_text(incoming.query, "externalId", _LONGEST_EXTERNAL_ID, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else FindOne(external_id, self.place)


def payin_routes(place: Installation, destinations: Destinations) -> tuple[Route, ...]:
    """Returns the operations of pay-ins. destinations: the process's cache, shared with the orders' API."""
    handlers = _PayinHandlers(place, destinations)
    return (
        Route(
            "POST", _PATH, "create_order_payin", "orders:write", handlers.create, docs.CREATE, success=201, key="optional",
            needs_network=True,
        ),
        Route("GET", _PATH, "find_order_payin", "orders:read", handlers.find, docs.FIND, queries=_BY_CODE),
        Route("GET", _PATH + "/{id}", "read_order_payin", "orders:read", handlers.read, docs.READ, queries=_OF_CODE),
    )  # fmt: skip
