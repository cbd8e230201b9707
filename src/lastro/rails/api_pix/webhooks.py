"""The webhooks of a connection at its bank: read, registered, removed. Their address holds a secret, and is never shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlsplit

import msgspec

from lastro.rails.api_pix.connection_config import RECURRING_WEBHOOKS
from lastro.rails.api_pix.wire import read
from lastro.rails.messages import Malformed

if TYPE_CHECKING:
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.network_client import NetworkAnswer

_SECONDS = 10.0
_APPENDED = ("/pix", "/rec", "/cobr")
_KIND = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]{1,253}")


class WebhookRefused(Exception):  # noqa: N818 it says what the bank did
    """The bank refuses what was asked of a webhook; its text is the status and the type of the no."""


class _Webhook(msgspec.Struct, rename="camel"):
    webhook_url: str | None = None


class _Problem(msgspec.Struct):
    type: str | None = None


@dataclass(frozen=True, slots=True)
class RegisteredWebhook:
    """The webhook that a bank has for something. host: of another one than ours, which may be a secret beyond its host."""

    whose: Literal["ours", "another", "none"]
    host: str | None = None


class BankWebhook:
    """The webhooks of one connection: of each key, or by RECURRING_WEBHOOKS.

    ours: the address to register; None: the connection has none.
    """

    def __init__(self, line: Line, ours: str | None) -> None:
        self._line = line
        self._ours = ours

    async def look(self, name: str) -> RegisteredWebhook:
        """Returns what the bank has for a key, or for subscriptions. WebhookRefused: it does not say; Transient: not now."""
        answer = await self._line.ask("GET", _path(name), None, _SECONDS)
        found = _webhook_of(answer)
        if answer.status not in {200, 404} or (answer.status == 200 and found is None):
            raise WebhookRefused(refusal(answer))
        if found is None:
            return RegisteredWebhook("none")
        return RegisteredWebhook("ours") if _is_ours(found, self._ours) else RegisteredWebhook("another", _host(found))

    async def register(self, name: str) -> None:
        """Registers ours in place of any other. ValueError: there is none; WebhookRefused, Transient: as above."""
        if self._ours is None:
            raise ValueError("the connection has no webhook")
        await self._done("PUT", name, msgspec.json.encode({"webhookUrl": self._ours}))

    async def remove(self, name: str) -> None:
        """Removes whatever is registered. WebhookRefused, Transient: as above."""
        await self._done("DELETE", name, None)

    async def _done(self, method: str, name: str, body: bytes | None) -> None:
        answer = await self._line.ask(method, _path(name), body, _SECONDS)
        if not 200 <= answer.status < 300:
            raise WebhookRefused(refusal(answer))


def _webhook_of(answer: NetworkAnswer) -> str | None:
    """Returns the address of an answer; None: it has none."""
    try:
        return read(answer.body, _Webhook).webhook_url if answer.status == 200 else None
    except Malformed:
        return None


def _is_ours(registered: str, ours: str | None) -> bool:
    """Tells whether an address leads to us. Some banks show it with what they append."""
    bare = registered.rstrip("/")
    return ours is not None and ours in {bare, *(bare.removesuffix(word) for word in _APPENDED)}


def refusal(answer: NetworkAnswer) -> str:
    """Returns status and type of a no. Its words are left out: they may repeat what was asked."""
    try:
        kind = (read(answer.body, _Problem).type or "").rsplit("/", 1)[-1]
    except Malformed:
        kind = ""
    return f"HTTP status {answer.status} {kind if _KIND.fullmatch(kind) else ''}".rstrip()


def _path(name: str) -> str:
    return f"/{name}" if name in RECURRING_WEBHOOKS else f"/webhook/{quote(name, safe='')}"


def _host(url: str) -> str | None:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host if _HOST.fullmatch(host) is not None else None
