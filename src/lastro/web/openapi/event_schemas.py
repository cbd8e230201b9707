"""Writes one self-contained JSON Schema (2020-12) for each event type. Receivers check what they are sent by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import Url  # noqa: TC001 msgspec reads the annotations when it runs
from lastro.api_kit.routes import Answer
from lastro.web.openapi.schemas import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.webhooks import EventType, Fixed

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLACE = "#/$defs/{name}"


class EventSchema(Answer, frozen=True, kw_only=True):
    """A kind of event, and where its schema is."""

    event: Annotated[str, msgspec.Meta(description="As `x-event-type` says it.")]
    summary: str
    url: Annotated[Url, msgspec.Meta(description="The schema of its body, which is the schema's `$id` too.")]


class EventSchemas(Answer, frozen=True, kw_only=True):
    """Every kind of event that this version sends."""

    data: list[EventSchema]


def schema_url(url: str, event: str) -> str:
    """Returns the URL of an event type's schema. url: of this lastro."""
    return f"{url}/schemas/{event}.json"


def event_schema(url: str, event_type: EventType) -> dict[str, Any]:
    """Returns the schema of an event's body, with its `$defs`. It allows other fields."""
    parts = components([event_type.body], _PLACE)
    whole = parts.pop(event_type.body.__name__)
    fixed = {name: _fixed(whole["properties"][name], value, parts) for name, value in event_type.always.items()}
    return {
        "$schema": DIALECT,
        "$id": schema_url(url, event_type.name),
        "title": event_type.name,
        **whole,
        "description": f"{event_type.summary}. {event_type.description}",
        "properties": whole["properties"] | fixed,
        "examples": [dict(event_type.example)],
        **({"$defs": parts} if parts else {}),
    }


def _fixed(schema: dict[str, Any], value: Fixed, parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Returns the schema of a field with one value. parts: of this event type alone; an object's part gets the value."""
    if not isinstance(value, str):
        properties = parts[schema["$ref"].rpartition("/")[2]]["properties"]
        properties |= {name: _fixed(properties[name], one, parts) for name, one in value.items()}
        return schema
    return {**{name: said for name, said in schema.items() if name != "enum"}, "const": value}


def event_schemas(url: str, event_types: Sequence[EventType]) -> EventSchemas:
    """Returns the list of them, in the order of the catalogue. url: where this lastro is reached."""
    return EventSchemas(
        data=[EventSchema(event=n.name, summary=n.summary, url=schema_url(url, n.name)) for n in event_types]
    )
