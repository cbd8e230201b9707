"""The bodies of the room's requests."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from lastro.api_kit.forms import Form, Url
from lastro.api_kit.rendering import words
from lastro.webhooks.catalogue import EVENTS, TEST

MOST_EVENTS = 100
MOST_A_MINUTE = 60_000
A_MINUTE = 600

_DAY_OR_MOMENT = {"anyOf": [{"format": "date"}, {"format": "date-time"}]}
_SomeUrl = Annotated[Url, msgspec.Meta(pattern=r"^[^\x00-\x20\x7f-\x9f]*$(?!\n)")]
_Event = Annotated[str, msgspec.Meta(min_length=1, max_length=64), words(*EVENTS)]
_AnyEvent = Annotated[str, msgspec.Meta(min_length=1, max_length=64), words(*EVENTS, TEST)]
_Moment = Annotated[str, msgspec.Meta(min_length=1, max_length=64, extra_json_schema=_DAY_OR_MOMENT)]


class EventSetting(Form):
    """The URL of an event type, for events without their own URL."""

    event: Annotated[_Event, msgspec.Meta(description="The type.")]
    url: Annotated[Url | None, msgspec.Meta(description="Where to; left out, they are told in the feed alone.")] = None
    active: Annotated[
        bool | None,
        msgspec.Meta(
            description="`false`: not to this URL; an event beyond the interface's own then goes to no URL, an object's"
            " neither. Left out: `true`."
        ),
    ] = None


class SetWebhook(Form):
    """The types of events that are set anew."""

    events: Annotated[list[EventSetting], msgspec.Meta(min_length=1, max_length=MOST_EVENTS)]
    mode: Annotated[
        Literal["MERGE", "REPLACE"] | None,
        msgspec.Meta(
            description="REPLACE: types that are not named lose their URL. Left out: MERGE, they stay as they are."
        ),
    ] = None


class ResendFilter(Form):
    """A filter of deliveries. A delivery must fit all of it."""

    status: Annotated[
        Literal["RETRYING", "FAILED", "DELIVERED"] | None,
        msgspec.Meta(description="Left out: RETRYING and FAILED. What is PENDING is about to be sent anyway."),
    ] = None
    event: Annotated[_AnyEvent | None, msgspec.Meta(description="Of this type.")] = None
    reference_id: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=255)] | None,
        msgspec.Meta(description="Of this object; an id that is not one of yours finds nothing."),
    ] = None
    url: Annotated[_SomeUrl | None, msgspec.Meta(description="Sent to exactly this URL.")] = None
    from_: Annotated[_Moment | None, msgspec.Meta(description="Made at or after: a date (in Brasilia) or a timestamp.")] = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[_Moment | None, msgspec.Meta(description="Made at or before: a date (in Brasilia) or a timestamp.")] = None


class ResendEvents(Form):
    """The deliveries to send again, and how fast."""

    filter: ResendFilter
    dry_run: Annotated[bool | None, msgspec.Meta(description="`true`: counts, and sends nothing. Left out: `false`.")] = None
    per_minute: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_A_MINUTE)] | None,
        msgspec.Meta(description=f"How many become due in a minute at most. Left out: {A_MINUTE}."),
    ] = None


class SendTest(Form):
    """The event to send as a test, and its URL."""

    event: Annotated[_Event, msgspec.Meta(description="The type whose example is sent.")]
    url: Annotated[Url | None, msgspec.Meta(description="Left out: where your company has events of this type sent.")] = None
