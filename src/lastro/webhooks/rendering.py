"""The client's view of events, deliveries and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lastro.api_kit.rendering import Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks.catalogue import EVENTS, TEST
from lastro.webhooks.model import NONE
from lastro.webhooks.rules import EventStatus, FailureKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lastro.webhooks.model import Numbered, PastAttempt, Setting, StoredEvent, Troubled, Undelivered

STATUSES = tuple(status.value for status in EventStatus)
_EVERY_EVENT = words(*EVENTS, TEST, description="What happened, as `x-event-type` says it.")
_FAILURE = (
    "Why it does not count: no answer (TIMEOUT, DNS_FAILURE, CONNECTION_REFUSED, CONNECTION_CLOSED, TLS_FAILURE,"
    " ADDRESS_REFUSED), an answer that is not read (REDIRECT, TOO_LARGE), a status other than 200 (BAD_STATUS), or 200"
    ' without `returnCode: "SUCCESS"` (BAD_ACKNOWLEDGEMENT).'
)
_REFERENCE = msgspec.Meta(description="The object it tells of, for example an order.")


class Attempt(Answer, frozen=True, kw_only=True):
    """One attempt at a delivery."""

    message: Annotated[
        str,
        msgspec.Meta(
            description="The first 1,000 characters of what your endpoint answered, or why there was no answer or none that"
            " counts: TIMEOUT, DNS_FAILURE, CONNECTION_REFUSED, CONNECTION_CLOSED, TLS_FAILURE, ADDRESS_REFUSED, REDIRECT,"
            " TOO_LARGE. Empty once the event's body is no longer kept."
        ),
    ]
    status_code: Annotated[int, msgspec.Meta(description="The HTTP status it answered; 0 where there was no answer.", ge=0)]
    request_time: Timestamp


class Event(Answer, frozen=True, kw_only=True):
    """An event that is sent to a URL."""

    id: Annotated[Id, msgspec.Meta(description="The `x-event-id` of its deliveries.")]
    reference_id: Annotated[Id | None, _REFERENCE] = None
    webhook_url: str
    status: Annotated[
        str,
        words(
            *STATUSES,
            description="PENDING: its first attempt is to come. RETRYING while its plan has attempts left, then FAILED."
            " DELIVERED: you acknowledged it.",
        ),
    ]
    created_at: Timestamp
    updated_at: Timestamp | None = None
    history: Annotated[list[Attempt], msgspec.Meta(description="Every attempt, oldest first.")]


class Events(Paged, frozen=True, kw_only=True):
    """A page of events; by default, those that failed to be delivered."""

    data: list[Event]


class Resent(Answer, frozen=True, kw_only=True):
    """An event that was queued again."""

    id: Id
    status: Annotated[Literal["PENDING"], msgspec.Meta(description="Delivery is asynchronous: it has not been sent yet.")]


class NumberedAttempt(Attempt, frozen=True, kw_only=True):
    """One attempt at a delivery, with all that is known of it."""

    number: Annotated[int, msgspec.Meta(description="The `x-delivery-attempt` it was sent with.", ge=1)]
    duration_ms: Annotated[int, msgspec.Meta(description="How many milliseconds it took.", ge=0)]
    failure: Annotated[
        Annotated[str, words(*(k.value for k in FailureKind), description=_FAILURE)] | None,
        msgspec.Meta(description="Left out where you acknowledged."),
    ] = None


class OneEvent(Answer, frozen=True, kw_only=True):
    """An event with what it says, and every attempt to deliver it."""

    id: Annotated[Id, msgspec.Meta(description="The `x-event-id` of its deliveries.")]
    event: Annotated[str, _EVERY_EVENT]
    reference_id: Annotated[Id, _REFERENCE]
    webhook_url: Annotated[
        str | None, msgspec.Meta(description="Where it is sent; left out where it is told in the feed alone.")
    ] = None
    status: Annotated[str, words(*STATUSES, NONE, description="NONE: it is told in the feed alone.")]
    sequence: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        msgspec.Meta(description="Its number in the feed; left out for the moment until it has one."),
    ] = None
    created_at: Timestamp
    updated_at: Annotated[Timestamp | None, msgspec.Meta(description="When an attempt or a resend last changed it.")] = None
    next_attempt_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When its next attempt is due; left out where none is.")
    ] = None
    payload: Annotated[
        msgspec.Raw | None,
        msgspec.Meta(
            description="The body of its deliveries, byte for byte; left out once it is older than bodies are kept.",
            extra_json_schema={"type": "object"},
        ),
    ] = None
    history: Annotated[list[NumberedAttempt], msgspec.Meta(description="Every attempt, oldest first.")]


class FeedEvent(Answer, frozen=True, kw_only=True):
    """An event of the feed."""

    sequence: Annotated[
        int, msgspec.Meta(description="1, 2, 3 and so on in your company, without a gap but at an era's beginning.", ge=1)
    ]
    follows: Annotated[
        int | None,
        msgspec.Meta(description="The first event of an era: the number in front of it. Those between are never given."),
    ] = None
    id: Annotated[Id, msgspec.Meta(description="The `x-event-id` of its deliveries.")]
    event: Annotated[str, _EVERY_EVENT]
    reference_id: Annotated[Id, _REFERENCE]
    created_at: Timestamp
    payload: Annotated[
        msgspec.Raw,
        msgspec.Meta(description="The body of its deliveries, byte for byte.", extra_json_schema={"type": "object"}),
    ]


class Feed(Answer, frozen=True, kw_only=True):
    """Events in the order of their numbers."""

    limit: Annotated[int, msgspec.Meta(description="How many events come at most.", ge=1)]
    has_next: Annotated[bool, msgspec.Meta(description="Whether there are more already.")]
    era: Annotated[
        Timestamp | None,
        msgspec.Meta(description="When the present era began; another one says that a backup was put back."),
    ] = None
    last_sequence: Annotated[int, msgspec.Meta(description="The last number; none is known behind it.", ge=0)]
    data: list[FeedEvent]


class Resending(Answer, frozen=True, kw_only=True):
    """The number of events to send again."""

    count: Annotated[int, msgspec.Meta(description="How many events are queued, or would be.", ge=0)]
    has_more: Annotated[bool, msgspec.Meta(description="Whether others may fit the filter too, which this call leaves.")]
    next_from: Annotated[
        Timestamp | None, msgspec.Meta(description="The `filter.from` that goes on behind them, where there may be more.")
    ] = None


class EventUrl(Answer, frozen=True, kw_only=True):
    """The URL of an event type, for events without their own URL."""

    event: Annotated[str, words(*EVENTS)]
    url: Annotated[str | None, msgspec.Meta(description="Left out: nowhere, they are told in the feed alone.")] = None
    active: bool


class Webhook(Answer, frozen=True, kw_only=True):
    """Every type of event, and where your company has it sent."""

    events: list[EventUrl]
    status: Annotated[str, words("ACTIVE", "INACTIVE", description="ACTIVE: some type is sent to a URL that is set here.")]
    updated_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When one was set last; left out before the first.")
    ] = None


class SetWebhooks(Webhook, frozen=True, kw_only=True):
    """Your company's event URLs after they were set."""

    changed: Annotated[
        list[Annotated[str, words(*EVENTS)]],
        msgspec.Meta(description="The types that were set anew; none: nothing changed."),
    ]


class TroubledEndpoint(Answer, frozen=True, kw_only=True):
    """An endpoint that gave no answer to several events in a row. Its events wait, and use up no attempts."""

    url: Annotated[str, msgspec.Meta(description="Scheme, host and port.")]
    state: Annotated[
        str,
        words("OPEN", "HALF_OPEN", description="OPEN: nothing is sent. HALF_OPEN: one event is sent, to see who answers."),
    ]
    since: Timestamp
    failure: Annotated[str, words(*(k.value for k in FailureKind), description="How the last attempt failed.")]
    next_attempt_at: Annotated[
        Timestamp, msgspec.Meta(description="When one event is sent again; the others follow as soon as it is answered.")
    ]


class WebhookNow(Webhook, frozen=True, kw_only=True):
    """Your company's event URLs, and the endpoints that do not answer."""

    endpoints: Annotated[
        list[TroubledEndpoint], msgspec.Meta(description="Endpoints that do not answer at present; none when all is well.")
    ]


class NewSecret(Answer, frozen=True, kw_only=True):
    """A secret that is shown once."""

    secret: Annotated[
        str, msgspec.Meta(description="Signs your deliveries from now on.", pattern="^whsec_[A-Za-z0-9+/]{43}=$")
    ]


class TestData(Answer, frozen=True, kw_only=True):
    """The event that is sent as a test."""

    event: Annotated[str, words(*EVENTS, description="The type that you asked for.")]
    payload: Annotated[
        dict[str, Any] | None,
        msgspec.Meta(description="The example that the documentation has of it; left out where it has none yet."),
    ] = None


class EraData(Answer, frozen=True, kw_only=True):
    """The lost part of the feed, and where it goes on."""

    lost_from: Annotated[Timestamp, msgspec.Meta(description="What happened from then on may be unknown here.")]
    last_sequence: Annotated[int, msgspec.Meta(description="The last number of before that is known.", ge=0)]
    first_sequence: Annotated[int, msgspec.Meta(description="The first number of this era.", ge=1)]


class EraNotification(Answer, frozen=True, kw_only=True):
    """A backup was put back, and an era began."""

    event: Literal["FEED.ERA_BEGAN"]
    era: Annotated[Timestamp, msgspec.Meta(description="When it began; the feed says it, too.")]
    occurred_at: Timestamp
    data: EraData


class TestNotification(Answer, frozen=True, kw_only=True):
    """An event that you asked for, to see whether it arrives. Nothing has happened."""

    event: Literal["WEBHOOK.TEST"]
    occurred_at: Timestamp
    data: TestData


def shown(event: Undelivered) -> Event:
    """Returns one row of the list."""
    return Event(
        id=str(event.id),
        reference_id=str(event.reference_id),
        webhook_url=event.url,
        status=event.status.value,
        created_at=stamp(event.created_at),
        updated_at=None if event.updated_at is None else stamp(event.updated_at),
        history=[
            Attempt(message=a.message, status_code=a.status_code, request_time=stamp(a.requested_at)) for a in event.history
        ],
    )


def shown_whole(event: StoredEvent) -> OneEvent:
    """Returns one event by its id."""
    return OneEvent(
        id=str(event.id),
        event=event.type,
        reference_id=str(event.reference_id),
        webhook_url=event.url,
        status=event.status,
        sequence=event.sequence,
        created_at=stamp(event.created_at),
        updated_at=None if event.updated_at is None else stamp(event.updated_at),
        next_attempt_at=None if event.due_at is None else stamp(event.due_at),
        payload=None if event.body is None else msgspec.Raw(event.body),
        history=[_attempt(a) for a in event.history],
    )


def _attempt(a: PastAttempt) -> NumberedAttempt:
    return NumberedAttempt(
        message=a.message, status_code=a.status_code, request_time=stamp(a.requested_at), number=a.number,
        duration_ms=a.duration_ms, failure=a.failure,
    )  # fmt: skip


def fed(event: Numbered, follows: int | None = None) -> FeedEvent:
    """Returns one event of the feed. follows: the number in front of it, where it is not one less."""
    return FeedEvent(
        sequence=event.sequence,
        follows=follows,
        id=str(event.id),
        event=event.type,
        reference_id=str(event.reference_id),
        created_at=stamp(event.created_at),
        payload=msgspec.Raw(event.body),
    )


def set_webhook(settings: Mapping[str, Setting], changed: Collection[str]) -> SetWebhooks:
    """Returns every type, set or not, in the order of the catalogue. changed: those that were set otherwise than before."""
    return SetWebhooks(**_settings_shown(settings), changed=[name for name in EVENTS if name in changed])


def webhook_now(settings: Mapping[str, Setting], troubled: Sequence[Troubled]) -> WebhookNow:
    """Returns the settings, and the silent endpoints, the first to fail first."""
    endpoints = [
        TroubledEndpoint(
            url=t.origin, state=t.state.value, since=stamp(t.opened_at), failure=t.failure, next_attempt_at=stamp(t.probe_at)
        )
        for t in troubled
    ]
    return WebhookNow(**_settings_shown(settings), endpoints=endpoints)


def _settings_shown(settings: Mapping[str, Setting]) -> dict[str, Any]:
    """Returns the fields of every answer about settings."""
    is_set = any(one.active and one.url is not None for one in settings.values())
    newest = max((one.updated_at for one in settings.values()), default=None)
    events = [
        EventUrl(event=name, url=None if one is None else one.url, active=one is None or one.active)
        for name, one in ((name, settings.get(name)) for name in EVENTS)
    ]
    return {
        "events": events, "status": "ACTIVE" if is_set else "INACTIVE",
        "updated_at": None if newest is None else stamp(newest),
    }  # fmt: skip
