"""The room's operations for clients."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from lastro.api_kit import forms
from lastro.api_kit.paging import LARGEST_LIMIT, PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import NOT_FOUND, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.http_client import MAX_URL_CHARACTERS, port_allowed, url_problem
from lastro.webhooks import docs
from lastro.webhooks.actions.configure import ReadSettings, SetSettings
from lastro.webhooks.actions.feed import ReadFeed
from lastro.webhooks.actions.list import ListEvents
from lastro.webhooks.actions.read import ReadEvent
from lastro.webhooks.actions.resend import Resend, ResendMany, ResendPreview, preview
from lastro.webhooks.actions.rotate import RotateSecret
from lastro.webhooks.actions.trial import TryWebhook
from lastro.webhooks.catalogue import EVENTS, TEST
from lastro.webhooks.forms import A_MINUTE, EventSetting, ResendEvents, ResendFilter, SendTest, SetWebhook
from lastro.webhooks.model import UNDELIVERED, DeliveryFilter
from lastro.webhooks.problems import EVENT_DUPLICATE, EVENT_INVALID, NUMBER_INVALID, NUMBER_OUT_OF_RANGE, URL_INVALID
from lastro.webhooks.rendering import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.api_kit.routes import Incoming
    from lastro.core.db import Session
    from lastro.core.runner import Verb
    from lastro.webhooks.model import WebhookPlace

_HOOK = "/order/v1/webhook"
ALL = "ALL"  # of a filter: whatever the status
_FILTERS = (
    Query(
        "status", "Events that stand so; left out: RETRYING and FAILED; ALL: every one that has an address.",
        {"type": "string", "enum": [*STATUSES, ALL]},
    ),
    Query("event", "Events of this type.", {"type": "string", "enum": [*EVENTS, TEST]}),
    Query("referenceId", "Events of this object.", {"type": "string"}),
    Query("url", "Events that are sent to exactly this URL.", text_schema(MAX_URL_CHARACTERS)),
)  # fmt: skip
FEED_LIMIT = 100
LONGEST_WAIT_SECONDS = 30
_LAST_NUMBER = 2**63 - 2
_FEED = (
    Query("after", "The number of the last event that you have; left out: from the first that is kept.",
          {"type": "integer", "minimum": 0, "maximum": _LAST_NUMBER}),
    Query("limit", "How many events come at most.",
          {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": FEED_LIMIT}),
    Query("wait", "How many seconds to wait for the first event where there is none.",
          {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_SECONDS, "default": 0}),
)  # fmt: skip
_WHOLE = re.compile(r"-?\d{1,400}\Z", re.ASCII)


@dataclass(frozen=True)
class _WebhookHandlers:
    place: WebhookPlace

    def pages(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves GET /order/v1/webhook/events."""
        problems: list[Problem] = []
        query = incoming.query
        page = read_page(query, problems)
        status = read_choice(query, "status", (*STATUSES, ALL), problems)
        event = read_choice(query, "event", (*EVENTS, TEST), problems)
        url = read_text(query, "url", MAX_URL_CHARACTERS, problems)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        reference_id = as_id(query.get("referenceId"))
        if "referenceId" in query and reference_id is None:
            return ListEvents(None, page)
        statuses = STATUSES if status == ALL else UNDELIVERED if status is None else (status,)
        return ListEvents(DeliveryFilter(statuses, event, reference_id, url), page)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """Serves GET /order/v1/webhook/events/{id}."""
        return ReadEvent(incoming.id("id"))

    def resend(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves POST /order/v1/webhook/events/{id}/resend."""
        event_id = incoming.id("id")
        return NOT_FOUND if event_id is None else Resend(event_id)

    def resend_many(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves POST /order/v1/webhook/events/resend."""
        form, problems = forms.read(incoming.raw, ResendEvents)
        wanted = None if form.filter is None else _wanted(form.filter, problems)
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        return ResendMany(wanted, form.dry_run is True, form.per_minute or A_MINUTE)

    def feed(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves GET /order/v1/events."""
        problems: list[Problem] = []
        after = _whole(incoming.query, "after", 0, _LAST_NUMBER, problems)
        limit = _whole(incoming.query, "limit", 1, LARGEST_LIMIT, problems)
        wait = _whole(incoming.query, "wait", 0, LONGEST_WAIT_SECONDS, problems)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return ReadFeed(after, limit or FEED_LIMIT, wait or 0, self.place.arrivals, incoming.gone)

    def settings(self, _: Incoming) -> Verb[Any]:
        """Serves GET /order/v1/webhook."""
        return ReadSettings()

    def configure(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves PUT /order/v1/webhook."""
        form, problems = forms.read(incoming.raw, SetWebhook)
        wanted: dict[str, tuple[str | None, bool]] = {}
        given: list[EventSetting | None] = [*(form.events or ())]
        for place, one in enumerate(given):
            if one is None:
                continue  # a value that is no object was noted already
            path = f"events[{place}]"
            self._check_url(one.url, f"{path}.url", problems)
            if one.event in wanted:
                problems.append(EVENT_DUPLICATE.problem(f"{path}.event"))
            elif one.event is not None:
                _check_event(one.event, EVENTS, f"{path}.event", problems)
                wanted[one.event] = (one.url, one.active is not False)
        return (
            Refused(Kind.INVALID, forms.first_of_each(problems)) if problems else SetSettings(wanted, form.mode == "REPLACE")
        )

    def rotate(self, incoming: Incoming) -> Verb[Any]:
        """Serves POST /order/v1/webhook/rotate-secret."""
        return RotateSecret(incoming.company_id, self.place.key_ring, self.place.machine, incoming.key)

    def try_out(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Serves POST /order/v1/webhook/test."""
        form, problems = forms.read(incoming.raw, SendTest)
        if form.event is not None:
            _check_event(form.event, EVENTS, "event", problems)
        self._check_url(form.url, "url", problems)
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        example = next((notice.example for notice in self.place.notices if notice.name == form.event), None)
        return TryWebhook(form.event, form.url, example)

    def _check_url(self, url: str | None, path: str, problems: list[Problem]) -> None:
        """Notes why nothing may be sent to this URL; no name is looked up yet."""
        if url is None:
            return
        wrong = url_problem(url, sandbox=self.place.is_sandbox)
        if wrong is None:
            parts = urlsplit(url)
            port = parts.port or (80 if parts.scheme.lower() == "http" else 443)
            if not port_allowed(parts.hostname or "", port, self.place.own_ports):
                wrong = "The port is one of our own."
        if wrong is not None:
            problems.append(URL_INVALID.problem(path, why=wrong))


def routes(place: WebhookPlace) -> tuple[Route, ...]:
    """Returns the room's operations. A path of fixed words stands before the one whose id could be such a word."""
    handlers = _WebhookHandlers(place)
    return (
        Route(
            "GET", f"{_HOOK}/events", "list_webhook_events", "webhooks:read", handlers.pages,
            docs.LIST, queries=(*_FILTERS, *PAGING),
        ),
        Route(
            "POST", f"{_HOOK}/events/resend", "resend_webhook_events", "webhooks:write", handlers.resend_many,
            docs.RESEND_MANY, success=202, key="optional", also=(200,),
        ),
        Route("GET", _HOOK + "/events/{id}", "read_webhook_event", "webhooks:read", handlers.read, docs.READ),
        Route(
            "POST", _HOOK + "/events/{id}/resend", "resend_webhook_event", "webhooks:write", handlers.resend,
            docs.RESEND, success=202, key="optional",
        ),
        Route("GET", "/order/v1/events", "read_feed", "webhooks:read", handlers.feed, docs.FEED, queries=_FEED),
        Route("GET", _HOOK, "read_webhook", "webhooks:read", handlers.settings, docs.SETTINGS),
        Route("PUT", _HOOK, "set_webhook", "webhooks:write", handlers.configure, docs.CONFIGURE, key="optional"),
        Route(
            "POST", f"{_HOOK}/rotate-secret", "rotate_webhook_secret", "webhooks:write", handlers.rotate, docs.ROTATE,
            key="optional",
        ),
        Route(
            "POST", f"{_HOOK}/test", "test_webhook", "webhooks:write", handlers.try_out, docs.TRY, success=202,
            key="optional",
        ),
    )  # fmt: skip


async def preview_resend(session: Session, company_id: UUID, wanted: Mapping[str, str]) -> ResendPreview:
    """Reads what a resend of this filter would send. wanted: a filter that the operation has not refused."""
    return await preview(session, company_id, _wanted(msgspec.convert(wanted, ResendFilter), []))


def _wanted(form: ResendFilter, problems: list[Problem]) -> DeliveryFilter | None:
    """Returns the meaning of a filter, and adds its errors to `problems`.

    None: it names an object by a text that is no id. A filter searches, as one in a query does: an id that is unknown or
    another company's finds nothing, and is no mistake.
    """
    if form.event is not None:
        _check_event(form.event, (*EVENTS, TEST), "filter.event", problems)
    given = {name: text for name, text in (("from", form.from_), ("to", form.to)) if text is not None}
    of_period: list[Problem] = []
    period = read_page(given, of_period)
    problems += [replace(p, field=f"filter.{p.field}") for p in of_period]
    reference_id = as_id(form.reference_id)
    if form.reference_id is not None and reference_id is None:
        return None
    statuses = UNDELIVERED if form.status is None else (form.status,)
    return DeliveryFilter(statuses, form.event, reference_id, form.url, period.since, period.until)


def _check_event(event: str, known: tuple[str, ...], path: str, problems: list[Problem]) -> None:
    if event not in known:
        problems.append(EVENT_INVALID.problem(path))


def _whole(query: Mapping[str, str], name: str, least: int, most: int, problems: list[Problem]) -> int | None:
    """Returns a whole number of a query; None where it is left out or wrong."""
    text = query.get(name)
    if text is None:
        return None
    if not _WHOLE.match(text):
        problems.append(NUMBER_INVALID.problem(name))
    elif text.startswith("-") or not least <= int(text) <= most:
        problems.append(NUMBER_OUT_OF_RANGE.problem(name, least=least, most=most))
    else:
        return int(text)
    return None
