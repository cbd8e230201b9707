"""Whether a webhook came from lastro, and what it says. Over the body's bytes as they arrived, before any parsing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

TOLERANCE_SECONDS = 300
# What an endpoint answers, with status 200, once it has stored the event.
ACKNOWLEDGEMENT = b'{"returnCode":"SUCCESS"}'
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{4,}={0,2}")
_SENT_AT = re.compile(r"[0-9]{1,12}")


class WebhookRefused(Exception):
    """The request is not to be believed. Answer 400, and do nothing."""


@dataclass(frozen=True, slots=True)
class Event:
    """What lastro told. id: the same on every attempt and resend. type: as `x-event-type`. body: as it is in JSON.

    sequence: its number in the company; None where a header is missing.
    """

    id: str
    type: str
    sequence: int | None
    attempt: int | None
    body: Any


def verified(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None, tolerance: float = TOLERANCE_SECONDS
) -> Event:
    """Returns the event of a webhook. WebhookRefused: it is forged, changed, or too old. secret: whole, with `whsec_`.

    body: the bytes as they arrived; one that was parsed and written again is refused. ValueError: the secret is none.
    """
    if not isinstance(body, bytes | bytearray | memoryview):
        raise TypeError("give the body's bytes as they arrived: Flask request.get_data(), Django request.body")
    given = {name.lower(): value for name, value in headers.items()}
    raw = bytes(body)
    _check_standard(_key(secret), given, raw, time.time() if now is None else now, tolerance)
    try:
        said = json.loads(raw)
    except ValueError:
        raise WebhookRefused("the body is no JSON") from None
    return Event(
        given["webhook-id"], given.get("x-event-type", ""), _whole(given.get("x-event-sequence")),
        _whole(given.get("x-delivery-attempt")), said,
    )  # fmt: skip


def _check_standard(key: bytes, headers: Mapping[str, str], body: bytes, now: float, tolerance: float) -> None:
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event_id or not _SENT_AT.fullmatch(sent_at):
        raise WebhookRefused("webhook-id or webhook-timestamp is missing")
    if abs(now - int(sent_at)) > tolerance:
        raise WebhookRefused("webhook-timestamp is too far from now: it was recorded and sent again, or a clock is wrong")
    signed = f"{event_id}.{sent_at}.".encode("utf-8", "replace") + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two values stand there while a secret is being changed.
    values = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), one.encode("utf-8", "replace")) for one in values):
        raise WebhookRefused("webhook-signature does not fit the body: another secret, or not the bytes as they arrived")


def _key(secret: str) -> bytes:
    """An empty secret, of a variable that was never set, would let anybody sign."""
    if not _SECRET.fullmatch(secret):
        raise ValueError("the secret is whsec_ and base64")
    return base64.b64decode(secret.removeprefix("whsec_"), validate=True)


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None
