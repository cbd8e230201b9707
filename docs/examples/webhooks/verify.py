"""Whether a webhook came from lastro. Python 3.10 or newer, nothing to install.

secret: as printed, with whsec_. headers: by lower-case name. body: the bytes as they arrived, before any parsing
(Flask: request.get_data(); Django: request.body; FastAPI: await request.body()).
"""

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Mapping

TOLERANCE_SECONDS = 300


def is_from_lastro(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> bool:
    """By the Standard Webhooks headers, which cover the time too. ValueError: the secret is none."""
    key = base64.b64decode(checked(secret).removeprefix("whsec_"), validate=True)
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event_id or not re.fullmatch("[0-9]{1,12}", sent_at):
        return False
    if abs((time.time() if now is None else now) - int(sent_at)) > TOLERANCE_SECONDS:
        return False  # recorded, and sent again by somebody
    signed = f"{event_id}.{sent_at}.".encode("utf-8", "replace") + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two values stand there while a secret is being changed.
    return any(same(expected, given) for given in headers.get("webhook-signature", "").split(" "))


def is_from_lastro_short(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """By X-Signature-SHA256, or the old secret's while it is being changed: the body alone. ValueError as above."""
    expected = "sha256=" + hmac.new(checked(secret).encode(), body, hashlib.sha256).hexdigest()
    names = ("x-signature-sha256", "x-signature-sha256-previous")
    return any(same(expected, headers.get(name, "")) for name in names)


def same(one: str, other: str) -> bool:
    """Takes as long for texts that begin alike as for others."""
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "replace"))


def checked(secret: str) -> str:
    """An empty secret, of a variable that was never set, would let anybody sign."""
    if not re.fullmatch("whsec_[A-Za-z0-9+/]{4,}={0,2}", secret):
        raise ValueError("the secret is whsec_ and base64")
    return secret
