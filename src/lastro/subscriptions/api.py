"""The HTTP operations of subscriptions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_choice, read_date, read_page, read_text, text_schema
from lastro.api_kit.routes import NOT_FOUND, Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.subscriptions import docs
from lastro.subscriptions.actions.cancel import RequestCancellation
from lastro.subscriptions.actions.create import Ground, MakeSubscription
from lastro.subscriptions.actions.list import ListSubscriptions
from lastro.subscriptions.actions.read import ReadSubscription
from lastro.subscriptions.forms import CancelSubscription, CreateSubscription
from lastro.subscriptions.model import STATUSES, TIMING, SubscriptionFilter
from lastro.subscriptions.payments.api import payment_routes
from lastro.subscriptions.problems import DATE_FILTER_INVALID
from lastro.subscriptions.rules.creating import create_problems, wish_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.runner import Verb
    from lastro.orders import Installation
    from lastro.rails.port import Issuer, Recurrences, Registrar
    from lastro.subscriptions.model import Timing

_PATH = "/order/v1/banking/subscriptions"
_LONGEST_EXTERNAL_ID = 64
_DAY = {"type": "string", "format": "date"}
_FILTERS = (
    Query("startDate", "Subscriptions whose first cycle begins on this day.", _DAY),
    Query("endDate", "Subscriptions whose last day is this one.", _DAY),
    Query("status", "Subscriptions of this status.", {"type": "string", "enum": list(STATUSES)}),
    Query("externalId", "The subscription of this code of yours, exactly.", text_schema(_LONGEST_EXTERNAL_ID)),
    Query("accountId", "Subscriptions whose charges credit this account.", {"type": "string"}),
)


@dataclass(frozen=True)
class _SubscriptionHandlers:
    place: Installation
    ground: Ground
    timing: Timing
    registrar: Registrar | None
    recurrences: Mapping[str, Recurrences] | None
    issuers: Mapping[str, Issuer] | None

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/subscriptions. The clock says if startDate is over, once it was read."""
        form, problems = forms.read(incoming.raw, CreateSubscription)
        problems += create_problems(form, date.min, sandbox=self.place.sandbox)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CreateSubscription))
        account_id = as_id(form.account_id)
        if account_id is None:
            return NOT_FOUND
        wish = wish_of(form, account_id)
        return MakeSubscription(
            incoming.company_id, wish, self.place, self.ground, self.timing, self.registrar, self.recurrences
        )

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/subscriptions."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListSubscriptions(wanted, page)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/subscriptions/{id}."""
        return ReadSubscription(incoming.id("id"), self.place, self.timing)

    def cancel(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/subscriptions/{id}/cancellations."""
        form, problems = forms.read(incoming.raw, CancelSubscription)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CancelSubscription))
        reason = form.reason or "REQUESTED_BY_RECEIVER"
        return RequestCancellation(incoming.id("id"), reason, incoming.key, self.place, self.issuers)


def routes(
    place: Installation, timing: Timing = TIMING, registrar: Registrar | None = None,
    recurrences: Mapping[str, Recurrences] | None = None, issuers: Mapping[str, Issuer] | None = None,
) -> tuple[Route, ...]:  # fmt: skip
    """The room's operations. registrar: whom a sandbox asks first. recurrences, issuers: the connections' banks."""
    handlers = _SubscriptionHandlers(place, Ground(), timing, registrar, recurrences, issuers)
    return (
        Route(
            "POST", _PATH, "create_subscription", "subscriptions:write", handlers.create, docs.CREATE, success=201,
            key="optional",
        ),
        Route(
            "GET", _PATH, "list_subscriptions", "subscriptions:read", handlers.list, docs.LIST, queries=(*_FILTERS, *PAGING),
        ),
        Route("GET", _PATH + "/{id}", "read_subscription", "subscriptions:read", handlers.read, docs.READ),
        Route(
            "POST", _PATH + "/{id}/cancellations", "cancel_subscription", "subscriptions:write", handlers.cancel,
            docs.CANCEL,
            success=202, key="optional",
        ),
        *payment_routes(place, timing),
    )  # fmt: skip


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> SubscriptionFilter | None:
    """Returns the filters of a list, and adds errors to `problems`. None: an account's id in it is no id."""
    status = read_choice(query, "status", STATUSES, problems)
    external_id = read_text(query, "externalId", _LONGEST_EXTERNAL_ID, problems)
    starts_on, ends_on = _day(query, "startDate", problems), _day(query, "endDate", problems)
    account_id = as_id(query.get("accountId"))
    if "accountId" in query and account_id is None:
        return None
    return SubscriptionFilter(status, external_id, account_id, starts_on, ends_on)


def _day(query: Mapping[str, str], name: str, problems: list[Problem]) -> date | None:
    text = query.get(name)
    day = None if text is None else read_date(text)
    if text is not None and day is None:
        problems.append(DATE_FILTER_INVALID.problem(name))
    return day
