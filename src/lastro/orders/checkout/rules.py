"""The decisions of the hosted page, pure: how an order stands, and the way back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro.orders.checkout.model import ReturnLink, Standing

if TYPE_CHECKING:
    from datetime import datetime

OVER = frozenset({"PAID", "EXPIRED", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED"})
LATE, KEY_LEFT = "LATE", "KEY_LEFT"
TOKEN = "orderToken"  # noqa: S105 the name of the parameter
# The colour of each standing.
TONES = {
    "INITIAL": "waiting", LATE: "waiting", KEY_LEFT: "bad", "PENDING": "waiting", "AUTHENTICATING": "waiting",
    "PAID": "good", "EXPIRED": "bad", "CANCELED": "bad", "ERROR": "bad", "REFUNDED": "calm", "PARTIAL_REFUNDED": "calm",
}  # fmt: skip
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
_PRINTABLE = re.compile(r"[!-~]+")


def standing(status: str, expires_at: datetime | None, now: datetime, *, key_left: bool = False) -> Standing:
    """Returns an order's standing. Between its last instant and its end a late message of the network may still come.

    key_left: only a Pix to a key that leads elsewhere would pay it. The key may come back, and with it the code.
    """
    is_late = status == "INITIAL" and expires_at is not None and now > expires_at
    return Standing(status, is_late, key_left and status == "INITIAL" and not is_late)


def name_of(standing: Standing) -> str:
    """Its name in TEXTS: the status, LATE or KEY_LEFT."""
    if standing.key_left:
        return KEY_LEFT
    return LATE if standing.late else standing.status


def is_over(standing: Standing) -> bool:
    """Tells whether the payer may stop waiting. Money may still be given back, but nobody waits on the page for that."""
    return standing.status in OVER


def tag_of(standing: Standing) -> str:
    """Returns an entity tag (RFC 9110 §8.8.3). It changes as soon as the page would."""
    return f'"{name_of(standing)}"'


def return_link(url: str | None, token: str) -> ReturnLink | None:
    """Adds the order's token to the client's return URL.

    The token stands in the query, before the fragment, in place of one of that name. None where there is no URL, or where
    it is not a plain http or https address: without user, with a host, in printable ASCII. The client's text stays as it
    is, to the byte.
    """
    if url is None or _PRINTABLE.fullmatch(url) is None:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    shown = f"[{host}]" if ":" in host else host
    named = shown if port is None else f"{shown}:{port}"
    # A person reads all of the authority: no user before it, nothing that a browser would read otherwise.
    if _HOST.fullmatch(shown) is None or parts.netloc.lower() != named:
        return None
    address, mark, fragment = url.partition("#")
    path, _, query = address.partition("?")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] != TOKEN]
    return ReturnLink(f"{path}?{'&'.join((*kept, f'{TOKEN}={token}'))}{mark}{fragment}", named)
