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
