"""The HTTP operations of orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import NOT_FOUND, Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused, one_of
from lastro.ledger import CURRENCIES
from lastro.orders import docs
from lastro.orders.actions.create import MakeOrder
from lastro.orders.actions.destinations import Destinations
from lastro.orders.actions.end import CancelOrder
from lastro.orders.actions.list import ListOrders
from lastro.orders.actions.read import ReadOrder
from lastro.orders.cards.create import CreateCard
from lastro.orders.cards.forms import CARD_NAMES, wish_of
from lastro.orders.cards.tokens import token_routes
from lastro.orders.deposit_banks import deposit_bank_routes
from lastro.orders.foreign.api import foreign_routes
from lastro.orders.forms import CreateOrder
from lastro.orders.methods import METHODS, TED, method_by_brand, method_of
from lastro.orders.model import STATUSES, OrderFilter
from lastro.orders.payins.api import payin_routes
from lastro.orders.problems import METHOD_INVALID
from lastro.orders.refunds.api import refund_routes
from lastro.orders.rules import LISTED_METHOD, create_problems, is_listed_method
from lastro.orders.static_codes.api import static_code_routes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.money import Money
    from lastro.core.runner import Verb
    from lastro.orders.forms import OrderForm
    from lastro.orders.model import Installation
    from lastro.orders.refunds.store import IsDisputed
    from lastro.rails.port import Issuer, Quotes, Tokenizer

_PATH = "/order/v2/transparent"
_V3 = "/order/v3/transparent"  # the same operations, by the name of a later version
_LONGEST_EXTERNAL_ID = 64
_FILTERS = (
    Query("status", "Orders of this status.", {"type": "string", "enum": list(STATUSES)}),
    Query("externalId", "Orders of this code of yours, exactly.",
          text_schema(_LONGEST_EXTERNAL_ID)),
    Query("accountId", "Orders that credit this account.", {"type": "string"}),
    Query("paymentMethod", "Orders of this method.", {"type": "string", "pattern": LISTED_METHOD, "examples": ["PIX"]}),
    Query("staticQrcodeId", "Orders whose money came by this static QR code.", {"type": "string"}),
)  # fmt: skip


@dataclass(frozen=True)
class _OrderHandlers:
    place: Installation
    destinations: Destinations
    quotes: Mapping[str, Quotes] | None
    tokenizer: Tokenizer | None
    issuers: Mapping[str, Issuer] | None

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """PUT /order/v2/transparent."""
        form, problems = forms.read(incoming.raw, CreateOrder)
        order = incoming.body.get("order")
        amount_is_null = isinstance(order, dict) and "amount" in order and order["amount"] is None
        problems += create_problems(
            form, self.place.methods, amount_is_null=amount_is_null, sandbox=self.place.sandbox,
            has_connections=bool(self.place.connections),
        )  # fmt: skip
        amount = None if form.order is None else _amount(form.order, problems)
        method = None if form.order is None else form.order.payment_method
        by_card = None if form.order is None else wish_of(form.order.payment_details, method, problems)
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        account_id = as_id(form.order.account_id)
        if form.order.account_id is not None and account_id is None:
            return NOT_FOUND
        given = (incoming.company_id, form, amount, account_id, self.place, self.destinations, self.quotes, self.issuers)
        return MakeOrder(*given) if by_card is None else CreateCard(*given, by_card, self.tokenizer)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v2/transparent/{id}."""
        return ReadOrder(incoming.id("id"), self.place)

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v2/transparent."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListOrders(wanted, page, self.place)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v2/transparent/{id}/cancel."""
        return CancelOrder(incoming.id("id"), self.place, self.issuers)


def routes(
    place: Installation, quotes: Mapping[str, Quotes] | None = None, tokenizer: Tokenizer | None = None,
    is_disputed: IsDisputed | None = None, issuers: Mapping[str, Issuer] | None = None,
) -> tuple[Route, ...]:  # fmt: skip
    """Returns the orders' operations. quotes, tokenizer, issuers: of the partners and banks that are asked while a
    client waits.

    is_disputed: tells whether a Pix is contested, so that no client gives it back beside the dispute.
    """
    destinations = Destinations()
    handlers = _OrderHandlers(place, destinations, quotes, tokenizer, issuers)
    return (
        Route(
            "PUT", _PATH, "create_order", "orders:write", handlers.create, docs.CREATE, key="optional", key_longest=64,
            same_at=(_V3,), not_compared=("order", CARD_NAMES),
        ),
        Route(
            "GET", _PATH, "list_orders", "orders:read", handlers.list, docs.LIST, queries=(*_FILTERS, *PAGING),
            same_at=(_V3,),
        ),
        Route(
            "GET", _PATH + "/{id}", "read_order", "orders:read", handlers.read, docs.READ, same_at=(_V3 + "/{id}",),
        ),
        Route(
            "POST", _PATH + "/{id}/cancel", "cancel_order", "orders:write", handlers.cancel, docs.CANCEL, key="optional",
            same_at=(_V3 + "/{id}/cancel",),
        ),
        *token_routes(tokenizer),
        *foreign_routes(),
        *payin_routes(place, destinations),
        *static_code_routes(),
        *refund_routes(place, is_disputed),
        *deposit_bank_routes(place.transfers),
    )  # fmt: skip


def _amount(order: OrderForm, problems: list[Problem]) -> Money | None:
    """Reads the amount, in the currency of the method (contract.md §6). An unknown method may have any."""
    method = method_of(order.payment_method)
    return forms.money(order.amount, "order.amount", problems, CURRENCIES if method is None else (method.currency,))


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> OrderFilter | None:
    """Reads the filters of a list; adds their problems to `problems`. None: a filter has a text that is no id.

    In a query an id that is malformed, unknown or another company's finds nothing, and is no mistake (contract.md §1).
    """
    status = read_choice(query, "status", STATUSES, problems)
    external_id = read_text(query, "externalId", _LONGEST_EXTERNAL_ID, problems)
    method = query.get("paymentMethod")
    if method is not None and not is_listed_method(method):
        listed = (*sorted({*METHODS, TED}), method_by_brand("<BRAND>"))
        problems.append(METHOD_INVALID.problem("paymentMethod", why=one_of(listed)))
    named = {name: as_id(query.get(name)) for name in ("accountId", "staticQrcodeId")}
    if any(found is None for name, found in named.items() if name in query):
        return None
    return OrderFilter(status, external_id, named["accountId"], method, named["staticQrcodeId"])
