"""Tokens of a bank: client credentials (RFC 6749 §4.4), one request at a time, and few of them."""

from __future__ import annotations

import asyncio
import math
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

from lastro.core.secrets import Secret
from lastro.rails.api_pix.exchange import LONGEST_SECONDS, SetUpWrongly, retry_after
from lastro.rails.api_pix.wire import read
from lastro.rails.messages import Malformed
from lastro.rails.pace import Pace
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from lastro.rails.api_pix.connection_config import Connection
    from lastro.rails.network_client import NetworkAnswer

EARLY_SECONDS = 30.0  # so long before its end a token is not used any more
REQUESTS_A_MINUTE = 6  # of tokens, by one process: a bank blocks an address that asks for too many
FEWER_SECONDS = 60.0  # so long at most is one used that is good for fewer scopes: somebody may allow them meanwhile
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 32.0  # seconds after a request that brought none
_UNTOLD_LIFE = 300.0  # RFC 6749 §5.1 lets the bank leave it out; the shortest life of the banks we know
_LONGEST_LIFE = 86_400.0
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")  # RFC 6750 §2.1, as wide as banks need: nothing that ends a header
_WORD = re.compile(r"[A-Za-z_]{1,40}")


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """The request of a token: where, and with what. Its headers and body hold secrets."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    query: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"TokenRequest({self.url})"


@dataclass(frozen=True, slots=True)
class Granted:
    """A token and for how many seconds it is good. scopes: those that it is good for; None: the bank does not say."""

    token: Secret
    seconds: float
    scopes: frozenset[str] | None


class _TokenAnswer(msgspec.Struct):
    access_token: str
    expires_in: int | float | str | None = None
    scope: str | None = None


class _Refusal(msgspec.Struct):
    error: str | None = None


def token_request(connection: Connection) -> TokenRequest:
    """Returns the request of a token, in the bank's style."""
    dialect = connection.dialect
    form = {"grant_type": "client_credentials"}
    headers = [("Accept", "application/json")]
    secret = "" if connection.client_secret is None else connection.client_secret.reveal()
    if dialect.asks_scopes and connection.scopes:
        form["scope"] = " ".join(connection.scopes)
    if dialect.oauth_style in ("basic-form", "basic-json"):
        # As they are: RFC 6749 §2.3.1 wants them percent-encoded, and no bank's own client does it.
        pair = f"{connection.client_id}:{secret}"
        headers.append(("Authorization", "Basic " + b64encode(pair.encode()).decode()))
    else:
        form["client_id"] = connection.client_id
        if dialect.has_secret:
            form["client_secret"] = secret
    is_json = dialect.oauth_style == "basic-json"
    headers.append(("Content-Type", "application/json" if is_json else "application/x-www-form-urlencoded"))
    body = msgspec.json.encode(form) if is_json else urlencode(form).encode()
    return TokenRequest(connection.token_url, tuple(headers), body, dialect.token_query)


def granted(answer: NetworkAnswer, now: datetime) -> Granted:
    """Reads the answer to a token's request. SetUpWrongly: the bank gives this client none; Transient: not now."""
    if answer.status in {408, 429} or answer.status >= 500:
        text = f"the token was answered with HTTP status {answer.status}"
        raise Transient(text, retry_after(answer, now), is_on_its_way=False)
    if 300 <= answer.status < 400:
        raise SetUpWrongly("address", f"HTTP status {answer.status} for a token")
    if not 200 <= answer.status < 300:
        raise SetUpWrongly("client", f"HTTP status {answer.status} {_error(answer.body)}".rstrip())
    try:
        told = read(answer.body, _TokenAnswer)
    except Malformed:
        raise Transient("the answer holds no token", is_on_its_way=False) from None
    if _TOKEN.fullmatch(told.access_token) is None:
        raise Transient("the answer holds no token that can be sent", is_on_its_way=False)
    scopes = None if told.scope is None else frozenset(told.scope.split())
    return Granted(Secret(told.access_token), _life(told.expires_in), scopes)


def _life(told: float | str | None) -> float:
    """Returns for how many seconds a token is good; some banks write the number as text."""
    try:
        seconds = _UNTOLD_LIFE if told is None else float(told)
    except (ValueError, OverflowError):
        seconds = _UNTOLD_LIFE
    return min(max(seconds, 0.0), _LONGEST_LIFE) if math.isfinite(seconds) else _UNTOLD_LIFE


def _error(body: bytes) -> str:
    try:
        word = read(body, _Refusal).error or ""
    except Malformed:
        return ""
    return word if _WORD.fullmatch(word) is not None else ""


def _noticed(asked: asyncio.Task[Secret]) -> None:
    """Takes the outcome, so that the loop reports no unseen error."""
    if not asked.cancelled():
        asked.exception()


class Tokens:
    """The token of one connection in this process: asked for once, however many wait, and used until shortly before its end.

    send: makes the exchange. tell: takes a mistake of set-up. clock: seconds that only go forward; now: the instant.
    scopes: those of the last token, None where the bank does not say.
    """

    def __init__(
        self, connection: Connection, send: Callable[[TokenRequest], Awaitable[NetworkAnswer]],
        tell: Callable[[SetUpWrongly], None], clock: Callable[[], float], now: Callable[[], datetime],
    ) -> None:  # fmt: skip
        self._connection = connection
        self._send, self._tell, self._clock, self._now = send, tell, clock, now
        self._pace = Pace(REQUESTS_A_MINUTE)
        self._token: Secret | None = None
        self._since = self._until = 0.0
        self._pause = self._again_at = 0.0
        self._asking: asyncio.Task[Secret] | None = None
        self.scopes: frozenset[str] | None = None

    @property
    def age_seconds(self) -> float | None:
        """The age of the present token; None: there is none."""
        return None if self._token is None else self._clock() - self._since

    async def token(self) -> Secret:
        """Returns a token that is still good for a while. SetUpWrongly, Transient: the bank gives none."""
        if self._token is not None and self._clock() < self._until:
            return self._token
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(_noticed)
        # Whoever gives up waiting does not end it for the others.
        return await asyncio.shield(self._asking)

    def forget(self, refused: Secret) -> None:
        """Drops a token that the bank refused; a newer one stays."""
        if self._token is refused:
            self._token = None

    async def _ask(self) -> Secret:
        begun = self._clock()
        if (left := max(self._again_at - begun, self._pace.left(begun))) > 0:
            raise Transient("a token was asked for a moment ago", math.ceil(left), is_on_its_way=False)
        self._pace.count(begun)
        # Until it is there, it is taken for a failure: the wait doubles with each.
        self._pause = min(_LONGEST_PAUSE, self._pause * 2 or _FIRST_PAUSE)
        self._again_at = begun + self._pause
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                found = granted(await self._send(token_request(self._connection)), self._now())
        except TimeoutError:
            raise Transient(f"no token within {LONGEST_SECONDS:g} s", is_on_its_way=False) from None
        except Transient as away:  # a bank blocks an address that does not keep the pause
            self._again_at = max(self._again_at, begun + away.pause_seconds)
            raise
        self._pause = self._again_at = 0.0
        now = self._clock()
        # Of a life of a minute or less, half is used.
        self._token, self._since = found.token, now
        self._until = now + max(found.seconds - EARLY_SECONDS, found.seconds / 2)
        self.scopes = found.scopes
        if missing := self.missing():
            self._until = min(self._until, now + FEWER_SECONDS)
            self._tell(SetUpWrongly("scopes", " ".join(sorted(missing))))
        return found.token

    def missing(self) -> frozenset[str]:
        """Returns the scopes that were asked for and not given; none where the bank does not say."""
        return frozenset() if self.scopes is None else frozenset(self._connection.scopes) - self.scopes

    async def close(self) -> None:
        """Gives up a request that is on its way."""
        if self._asking is not None and not self._asking.done():
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
