"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
EVENT_ID_EXPIRED = conflict("id", "EXPIRED", "the event is so old that its body is no longer kept",
    "The event is older than the service keeps bodies.", "Read the object that it told of.")
AFTER_EXPIRED = invalid("after", "EXPIRED", "{why}",
    "The events behind it are older than the service keeps them, or it is of an event that a restore has lost.",
    "Read your objects anew, and go on without `after`, or after the number that the description names.")
URL_REQUIRED = invalid("url", "REQUIRED", "no URL is set for this event, so one must be given",
    "Your company has set no URL for this type.", "Give one, or set one.")
EVENT_INVALID = invalid("event", "INVALID", "is not an event of this service",
    "The service has no such event.", "Give one that the schema names.")
EVENT_DUPLICATE = invalid("events[].event", "DUPLICATE", "is set twice", "The type is set twice.", "Name each type once.")
URL_INVALID = invalid("events[].url", "INVALID", "{why}",
    "It is no https address, or one that the outside cannot reach: private, loopback, reserved, with a user name.",
    "Give a public https address; a sandbox also takes http and this machine's own, but for the service's ports.")
NUMBER_INVALID = invalid("after", "INVALID", "must be a whole number", "It is no whole number.", "Give digits.")
NUMBER_OUT_OF_RANGE = invalid("after", "OUT_OF_RANGE", "must be from {least} to {most}",
    "`after` is 0 or more, `limit` 1 to 5,000, `wait` 0 to 30 seconds.", "Stay within that, and ask again for more.")
