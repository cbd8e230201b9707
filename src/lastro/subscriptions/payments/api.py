"""The HTTP operations of scheduled payments. Each is at two paths (contract.md §3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.subscriptions.actions.change_payment import CancelPayment
from lastro.subscriptions.actions.change_payment import RetryPayment as Retry
from lastro.subscriptions.actions.payments import ListPayments, ReadPayment
from lastro.subscriptions.actions.schedule import Schedule
from lastro.subscriptions.forms import RetryPayment, SchedulePayment
from lastro.subscriptions.model import PAYMENT_STATUSES
from lastro.subscriptions.payments import docs
from lastro.subscriptions.rules.charging import form_problems

if TYPE_CHECKING:
    from lastro.core.runner import Verb
    from lastro.orders import Installation
    from lastro.subscriptions.model import Timing

_AFTER = "/v1/banking/subscriptions/{id}/payments"
_LONGEST_EXTERNAL_ID = 64
_FILTERS = (
    Query("status", "Payments of this status.", {"type": "string", "enum": list(PAYMENT_STATUSES)}),
    Query("externalId", "The payment of this code of yours, exactly.", text_schema(_LONGEST_EXTERNAL_ID)),
)


@dataclass(frozen=True)
class _PaymentHandlers:
    place: Installation
    timing: Timing

    def schedule(self, incoming: Incoming) -> Verb[Any] | Refused:
        """PUT /public/v1/banking/subscriptions/{id}/payments."""
        form, problems = forms.read(incoming.raw, SchedulePayment)
        problems += form_problems(form)
        amount = None if form.amount is None else forms.money(form.amount, "amount", problems)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, SchedulePayment))
        return Schedule(incoming.id("id"), form, amount, self.place, self.timing)

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /public/v1/banking/subscriptions/{id}/payments."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        status = read_choice(incoming.query, "status", PAYMENT_STATUSES, problems)
        external_id = read_text(incoming.query, "externalId", _LONGEST_EXTERNAL_ID, problems)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return ListPayments(incoming.id("id"), status, external_id, page, self.timing)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /public/v1/banking/subscriptions/{id}/payments/{paymentId}."""
        return ReadPayment(incoming.id("id"), incoming.id("paymentId"), self.timing)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/cancel."""
        return CancelPayment(incoming.id("id"), incoming.id("paymentId"), self.place, self.timing)

    def retry(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/retry."""
        form, problems = forms.read(incoming.raw, RetryPayment)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, RetryPayment))
        return Retry(incoming.id("id"), incoming.id("paymentId"), form.date, self.place, self.timing)


def payment_routes(place: Installation, timing: Timing) -> tuple[Route, ...]:
    """The operations of scheduled payments."""
    handlers = _PaymentHandlers(place, timing)
    of, one = "subscription_payment", "/{paymentId}"
    may_read, may_write = "subscriptions:read", "subscriptions:write"
    return (
        _route("PUT", "", f"create_{of}", may_write, handlers.schedule, docs.SCHEDULE, key="optional"),
        _route("GET", "", f"list_{of}s", may_read, handlers.list, docs.LIST_PAYMENTS, queries=(*_FILTERS, *PAGING)),
        _route("GET", one, f"read_{of}", may_read, handlers.read, docs.READ_PAYMENT),
        _route(
            "POST", f"{one}/cancel", f"cancel_{of}", may_write, handlers.cancel, docs.CANCEL_PAYMENT, key="optional",
            also=(202,),
        ),
        _route(
            "POST", f"{one}/retry", f"retry_{of}", may_write, handlers.retry, docs.RETRY_PAYMENT, key="optional",
        ),
    )  # fmt: skip


def _route(method: str, end: str, operation: str, permission: str, parse: Any, doc: Any, **more: Any) -> Route:
    path, alike = f"/public{_AFTER}{end}", f"/order{_AFTER}{end}"
    return Route(method, path, operation, permission, parse, doc, same_at=(alike,), **more)
