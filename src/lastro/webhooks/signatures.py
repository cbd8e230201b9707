"""Signatures of deliveries, in two forms: one short header of our own, and Standard Webhooks 1.0.

A secret is printed as `whsec_` and base64. The two forms read its key differently, so that each is as easy to check
as its readers expect: the short one takes the printed text whole, the standard one the bytes the base64 stands for.
"""

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence

from lastro.core.secrets import RandomBytes, Secret

SECRET_PREFIX = "whsec_"  # noqa: S105 - the prefix of a secret, not one
_KEY_BYTES = 32
_MOST_SECRETS = 2


def new_webhook_secret(random: RandomBytes) -> Secret:
    """Returns a new secret: `whsec_` and the base64 of 32 random bytes."""
    return Secret(SECRET_PREFIX + base64.b64encode(random(_KEY_BYTES)).decode())


def sign(secrets: Sequence[str], event_id: str, timestamp_seconds: int, body: bytes) -> dict[str, str]:
    """Returns the headers that sign a delivery.

    `secrets` are one or two as printed: the current one first, then the one it replaced while that still signs.
    `timestamp_seconds` is Unix machine time, since receivers compare it with their own clock. Raise ValueError when a
    secret is not `whsec_` and base64, or there are none or more than two.
    """
    if not 1 <= len(secrets) <= _MOST_SECRETS:
        raise ValueError("a delivery is signed by one secret or two")
    headers = {
        "X-Signature-SHA256": _short(secrets[0], body),
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp_seconds),
        "webhook-signature": " ".join(_standard(secret, event_id, str(timestamp_seconds), body) for secret in secrets),
    }
    if len(secrets) == _MOST_SECRETS:
        headers["X-Signature-SHA256-Previous"] = _short(secrets[1], body)
    return headers


def verify(
    secrets: Sequence[str], headers: Mapping[str, str], body: bytes, *, now_seconds: int, tolerance_seconds: int = 300
) -> bool:
    """Tells whether one of the secrets signed this delivery by Standard Webhooks.

    Its time is at most the tolerance away from now. Names of headers count in any case. Missing or misshapen headers are
    a plain no.
    """
    named = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not event_id or not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(now_seconds - int(timestamp)) > tolerance_seconds:
        return False
    given = named.get("webhook-signature", "").split()
    wanted = [_standard(secret, event_id, timestamp, body) for secret in secrets]
    return _any_equal(wanted, given)


def verify_short(secrets: Sequence[str], headers: Mapping[str, str], body: bytes) -> bool:
    """Tells whether one of the secrets signed this body.

    It reads X-Signature-SHA256 and X-Signature-SHA256-Previous. They cover no time: a recorded delivery verifies for
    ever.
    """
    named = {name.lower(): value for name, value in headers.items()}
    names = ("x-signature-sha256", "x-signature-sha256-previous")
    return _any_equal([_short(secret, body) for secret in secrets], [named[name] for name in names if name in named])


def _any_equal(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Tells whether any of one side equals any of the other. All pairs are compared, each in constant time."""
    found = False
    for one in wanted:
        for other in given:
            found |= hmac.compare_digest(one.encode(), other.encode("utf-8", "surrogatepass"))
    return found


def _short(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()


def _standard(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    """Returns one value of `webhook-signature`. It is `v1,` and the base64 of the HMAC over `id.timestamp.body`."""
    signed = event_id.encode() + b"." + timestamp.encode() + b"." + body
    return "v1," + base64.b64encode(hmac.digest(_key(secret), signed, "sha256")).decode()


def _key(secret: str) -> bytes:
    """Returns the bytes a printed secret stands for. Raise ValueError, which does not repeat it, when it is none."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key or not secret.startswith(SECRET_PREFIX):
        raise ValueError("a webhook secret is whsec_ and base64")
    return key
