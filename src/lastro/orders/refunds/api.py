"""The HTTP operations of refunds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.ledger import CURRENCIES
from lastro.orders.refunds import docs
from lastro.orders.refunds.create import MakeRefund, RefundWish
from lastro.orders.refunds.forms import CreateRefund
from lastro.orders.refunds.read import ListRefunds, ReadRefund
from lastro.orders.refunds.rendering import STATUSES
from lastro.orders.refunds.rules import code_of, form_problems
from lastro.orders.refunds.store import RefundFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.runner import Verb
    from lastro.orders.model import Installation
    from lastro.orders.refunds.store import IsDisputed

_PATH = "/order/v1/banking/order-refunds"
_LONGEST_EXTERNAL_ID = 64
_NOBODYS = UUID(int=0)  # a text that is no id counts as an unknown id
_FILTERS = (
    Query("orderId", "Refunds of this order.", {"type": "string"}),
    Query("externalId", "The refund of this code of yours, exactly.", text_schema(_LONGEST_EXTERNAL_ID)),
    Query("status", "Refunds of this status.", {"type": "string", "enum": list(STATUSES)}),
)


@dataclass(frozen=True)
class _RefundHandlers:
    place: Installation
    is_disputed: IsDisputed | None

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/order-refunds."""
        form, problems = forms.read(incoming.raw, CreateRefund)
        problems += form_problems(form)
        amount = forms.money(form.amount, "amount", problems, CURRENCIES)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CreateRefund))
        assert amount is not None
        code, word = code_of(form.refund_code)
        wish = RefundWish(
            as_id(form.order_id) or _NOBODYS,
            form.external_id,
            amount,
            code,
            form.refund_reason,
            form.description,
            word,
        )
        return MakeRefund(wish, self.place, self.is_disputed)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/order-refunds/{id}."""
        return ReadRefund(incoming.id("id"))

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/order-refunds."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListRefunds(wanted, page)


def refund_routes(place: Installation, is_disputed: IsDisputed | None = None) -> tuple[Route, ...]:
    """Returns the operations of refunds. is_disputed: tells whether a Pix is contested."""
    handlers = _RefundHandlers(place, is_disputed)
    return (
        Route("POST", _PATH, "create_refund", "orders:write", handlers.create, docs.CREATE, success=201, key="optional"),
        Route("GET", _PATH, "list_refunds", "orders:read", handlers.list, docs.LIST, queries=(*_FILTERS, *PAGING)),
        Route("GET", _PATH + "/{id}", "read_refund", "orders:read", handlers.read, docs.READ),
    )


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> RefundFilter | None:
    """Reads the filters of a list; adds their problems to `problems`. None: the order's id is no id."""
    external_id = read_text(query, "externalId", _LONGEST_EXTERNAL_ID, problems)
    status = read_choice(query, "status", STATUSES, problems)
    order_id = as_id(query.get("orderId"))
    return None if "orderId" in query and order_id is None else RefundFilter(order_id, external_id, status)
