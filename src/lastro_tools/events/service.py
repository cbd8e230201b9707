"""A client of the API: token renewal, answers, and refusals in a sentence."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec

from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from lastro_tools.events.access import Access

_PATIENCE_SECONDS = 45.0  # longer than the longest that the feed waits
_TRIES = 3
_LONGEST_PAUSE_SECONDS = 10.0
_LONGEST_ASKED_SECONDS = 60.0  # a longer delay asked for is cut to this
_FOR_A_WHILE = frozenset({429, 500, 502, 503, 504})
_NO = "{what} was refused: {why}."


class Away(Exception):  # noqa: N818 it says what happened
    """The error that the API does not answer now; its text is why. seconds: its Retry-After."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds

    def pause(self, tries: int) -> float:
        """Returns the seconds before the next try: longer after each failure."""
        asked = min(self.seconds or 0.0, _LONGEST_ASKED_SECONDS)
        return max(asked, min(_LONGEST_PAUSE_SECONDS, 0.25 * 2.0 ** min(tries, 10)))


@dataclass(frozen=True, slots=True)
class Heard:
    """One answer of the API. request_id: its x-request-id, by which the operator finds it in the log."""

    status: int
    body: bytes
    request_id: str


class ApiRefused(CommandFailed):
    """A refusal by the API; its text is a sentence, heard is the whole of it."""

    def __init__(self, what: str, heard: Heard) -> None:
        super().__init__(_sentence(what, heard.status, heard.body))
        self.heard = heard


class Service:
    """One API, asked by one client."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._token: str | None = None

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_SECONDS, connect=10)
        self._http = aiohttp.ClientSession(timeout=timeout, trust_env=False)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def ask(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> bytes:
        """Returns a success's body, with retries where the API is away.

        Declined: it is refused, or the API stays away. query: whose values may be None, which leaves them out. key: for
        idempotency, so that a second try is none.
        """
        return (await self.heard(method, path, query, body, key)).body

    async def heard(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None, key: str | None = None,
        tries: int = _TRIES,
    ) -> Heard:  # fmt: skip
        """Returns a success as it was heard. tries: 1 for what may not be done twice. Declined as in ask."""
        tried = 0
        while True:
            try:
                return await self._once(method, path, query, body, key)
            except Away as away:
                tried += 1
                if tried == tries:
                    raise CommandFailed(f"{self._access.url} cannot be asked: {away}.") from away
                await asyncio.sleep(away.pause(tried))

    async def once(
        self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None, key: str | None = None
    ) -> bytes:
        """Asks once. Away: ask again later."""
        return (await self._once(method, path, query, body, key)).body

    async def _once(self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, key: str | None) -> Heard:
        heard = await self._call(method, path, query, body, key)
        if heard.status == 401:  # the token has ended, or was revoked; a new one is asked for once
            self._token = None
            heard = await self._call(method, path, query, body, key)
        if heard.status >= 300:
            raise ApiRefused(f"{method} {path}", heard)
        return heard

    async def is_sandbox(self) -> bool:
        """Tells whether the API is a sandbox's: only that has a clock to set."""
        return (await self._send("GET", "/sandbox/clock", None, None, {})).status == 200

    async def public(self, path: str) -> bytes | None:
        """Returns what everybody may read there, without a token; None where the API has nothing. Away: as in once."""
        heard = await self._send("GET", path, None, None, {})
        return heard.body if heard.status == 200 else None

    async def _call(self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, key: str | None) -> Heard:
        if self._token is None:
            self._token = await self._login()
        headers = {"authorization": f"Bearer {self._token}"} | ({} if key is None else {"idempotency-key": key})
        return await self._send(method, path, query, body, headers)

    async def _login(self) -> str:
        login = {"clientId": self._access.client_id, "clientSecret": self._access.client_secret.reveal()}
        heard = await self._send("POST", "/auth/v1/token", None, login, {})
        if heard.status == 401:
            raise CommandFailed(
                f"{self._access.url} does not know the client {self._access.client_id[:80]!r}, or not by this secret."
            )
        if heard.status >= 300:
            raise ApiRefused("A token", heard)
        try:
            return msgspec.json.decode(heard.body, type=_Token).token
        except msgspec.DecodeError:
            raise CommandFailed(f"{self._access.url} is no API of lastro.") from None

    async def _send(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, headers: Mapping[str, str]
    ) -> Heard:
        """Sends one request, and returns what is answered. Away: there is no answer, or one with a retry time."""
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        data = None if body is None else msgspec.json.encode(body)
        sent = dict(headers) | ({} if data is None else {"content-type": "application/json"})
        try:
            async with self._http.request(
                method, self._access.url + path, params=given, data=data, headers=sent, allow_redirects=False
            ) as answer:
                said = await answer.read()
                if answer.status in _FOR_A_WHILE:
                    raise Away(f"it answers {answer.status}", _seconds(answer.headers.get("retry-after")))
                return Heard(answer.status, said, answer.headers.get("x-request-id", ""))
        except TimeoutError:
            raise Away("it does not answer in time") from None
        except aiohttp.ClientError as error:
            raise Away(_words(error)) from None


class _Token(msgspec.Struct):
    token: str


class _Detail(msgspec.Struct):
    field: str = ""
    issue: str = ""
    description: str = ""


class _Error(msgspec.Struct):
    message: str = ""
    details: list[_Detail] = msgspec.field(default_factory=list)


def _sentence(what: str, status: int, said: bytes) -> str:
    """Returns a refusal in words."""
    try:
        error = msgspec.json.decode(said, type=_Error)
    except msgspec.DecodeError:
        error = _Error()
    why = "; ".join(f"{d.field} {d.issue}, {d.description}" for d in error.details) or error.message
    return _NO.format(what=what, why=f"{status} {why}".strip().rstrip("."))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 9 else None


def _words(error: aiohttp.ClientError) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return "its certificate or its TLS is not good"
    return "nothing answers there" if isinstance(error, aiohttp.ClientConnectorError) else "the connection was cut"
