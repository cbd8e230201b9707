"""A model webhook receiver: check both signatures, store, acknowledge."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from lastro_sim.clock import SECOND, printed
from lastro_sim.forms import Form
from lastro_sim.network import Network

ACKNOWLEDGED = '{"returnCode":"SUCCESS"}'
OLDEST_SECONDS = 300
MOST_KEPT = 1000
KEPT_HEADERS = (
    "content-type",
    "user-agent",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
    "x-delivery-attempt",
    "x-event-id",
    "x-event-sequence",
    "x-event-type",
    "x-lastro-environment",
    "x-signature-sha256",
    "x-signature-sha256-previous",
)


def known_secrets(network: Network) -> tuple[str, ...]:
    """Returns the webhook secrets of the sandbox's companies; none where lastro has not written them down."""
    try:
        found = msgspec.json.decode(network.settings.sandbox_file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return ()
    secrets = (found.get(name) for name in ("webhookSecret", "otherWebhookSecret"))
    return tuple(secret for secret in secrets if isinstance(secret, str) and secret)


def signed(secret: str, headers: Mapping[str, str], body: bytes, now: int) -> bool:
    """Tells whether both signatures are right and their time is current."""
    return _plain_signed(secret, headers, body) and _standard_signed(secret, headers, body, now)


def keep(network: Network, path: str, headers: Mapping[str, str], body: bytes, answered: int) -> None:
    """Stores a delivery and its verification; None when no secret is known."""
    secrets = known_secrets(network)
    now = network.clock.machine()
    verdict = any(signed(secret, headers, body, now) for secret in secrets) if secrets else None
    with network.store.writing():
        network.store.insert(
            "webhook",
            path=path[:200],
            headers=json.dumps({name: headers[name] for name in KEPT_HEADERS if name in headers}),
            body=body.decode("utf-8", "replace"),
            event_id=headers.get("x-event-id"),
            event_type=headers.get("x-event-type"),
            sequence=_whole(headers.get("x-event-sequence")),
            attempt=_whole(headers.get("x-delivery-attempt")),
            signature_valid=verdict,
            answered=answered,
            received_at=now,
        )
        network.store.run("DELETE FROM webhook WHERE seq <= (SELECT max(seq) FROM webhook) - ?", MOST_KEPT)


def listed(network: Network, path: str | None, event_id: str | None) -> list[dict[str, Any]]:
    """Lists the received webhooks, oldest first."""
    return [
        {
            "eventId": row["event_id"],
            "eventType": row["event_type"],
            "sequence": row["sequence"],
            "attempt": row["attempt"],
            "signatureValid": None if row["signature_valid"] is None else bool(row["signature_valid"]),
            "path": row["path"],
            "answered": row["answered"],
            "headers": json.loads(row["headers"]),
            "body": _parsed(row["body"]),
            "receivedAt": printed(row["received_at"]),
        }
        for row in network.store.newest("webhook", MOST_KEPT, path=path, event_id=event_id)
    ]


def behave(network: Network, form: Form) -> dict[str, Any]:
    """Sets other answers of the receiver for a while."""
    status = form.maybe_whole("status", 100, 599)
    body = form.given("body")
    delay = form.maybe_seconds("delaySeconds", 600)
    times = form.maybe_whole("times", 1, 1_000_000)
    if body is not None and not isinstance(body, str | dict):
        form.refuse("body", "INVALID", "A text or an object is expected")
    form.check()
    text = ACKNOWLEDGED if body is None else body if isinstance(body, str) else msgspec.json.encode(body).decode()
    kept = {"status": status or 200, "delay": delay or 0, "times_left": times or 1}
    network.store.insert("merchant_behaviour", **kept, body=text)
    return {"status": status or 200, "body": text, "delaySeconds": (delay or 0) / SECOND, "times": times or 1}


def next_answer(network: Network) -> tuple[int, str, int]:
    """Returns status, body and delay of the next answer.

    The oldest ordered behaviour decides; without one the delivery is acknowledged.
    """
    with network.store.writing():
        row = network.store.row("SELECT * FROM merchant_behaviour WHERE times_left > 0 ORDER BY id LIMIT 1")
        if row is None:
            return 200, ACKNOWLEDGED, 0
        network.store.run("UPDATE merchant_behaviour SET times_left = times_left - 1 WHERE id = ?", row["id"])
        return row["status"], row["body"], row["delay"]


def _plain_signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return any(
        hmac.compare_digest(wanted.encode(), headers.get(name, "").encode())
        for name in ("x-signature-sha256", "x-signature-sha256-previous")
    )


def _standard_signed(secret: str, headers: Mapping[str, str], body: bytes, now: int) -> bool:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        return False
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    sent_at = _whole(at)
    if sent_at is None or abs(now // SECOND - sent_at) > OLDEST_SECONDS:
        return False
    digest = hmac.new(key, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(wanted, one.encode()) for one in headers.get("webhook-signature", "").split(" "))


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 19 else None


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
