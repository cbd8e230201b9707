"""The HTTP operations of orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.base import forms
from lastro.base.api import NOT_FOUND, Doc, Incoming, Route, as_id
from lastro.base.errors import Kind, Refused
from lastro.orders.actions.create import Create, Destinations
from lastro.orders.actions.end import Cancel
from lastro.orders.actions.read import Read
from lastro.orders.forms import CreateOrder
from lastro.orders.rules import create_problems

if TYPE_CHECKING:
    from lastro.base.run import Verb
    from lastro.orders.model import Place

_PATH = "/order/v2/transparent"


@dataclass(frozen=True)
class _Desk:
    place: Place
    destinations: Destinations

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """PUT /order/v2/transparent."""
        form, problems = forms.read(incoming.raw, CreateOrder)
        order = incoming.body.get("order")
        amount_is_null = isinstance(order, dict) and "amount" in order and order["amount"] is None
        problems += create_problems(form, amount_is_null=amount_is_null, sandbox=self.place.sandbox)
        amount = None if form.order is None else forms.money(form.order.amount, "order.amount", problems)
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        account_id = as_id(form.order.account_id)
        if form.order.account_id is not None and account_id is None:
            return NOT_FOUND
        return Create(incoming.company_id, form, amount, account_id, self.place, self.destinations)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v2/transparent/{id}."""
        return Read(incoming.id("id"), self.place)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v2/transparent/{id}/cancel."""
        return Cancel(incoming.id("id"), self.place)


def routes(place: Place) -> tuple[Route, ...]:
    """The room's operations."""
    desk = _Desk(place, Destinations())
    return (
        Route(
            "PUT", _PATH, "create_order", "orders:write", desk.create, Doc("Create an order", form=CreateOrder),
            key="optional", key_longest=64,
        ),
        Route("GET", _PATH + "/{id}", "read_order", "orders:read", desk.read, Doc("Read an order")),
        Route(
            "POST", _PATH + "/{id}/cancel", "cancel_order", "orders:write", desk.cancel, Doc("Cancel an order"),
            key="optional",
        ),
    )  # fmt: skip
