"""The line to a network: HTTP with a bearer token, each exchange whole and within its time."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from lastro.core import trace
from lastro.core.concurrency_slot import without_slot
from lastro.http_client import DirectClient, NotThere
from lastro.rails.messages import is_worded
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.secrets import Secret

_LARGEST_ANSWER_BYTES = 4 * 1024 * 1024
_KEEPALIVE_SECONDS = 4.0  # shorter than most servers', so that no message is written to a connection just closed
_MOST_CONNECTIONS = 64
_NEXT_PULL = "PI-Pull-Next"
_USUAL = {"Accept": "*/*", "User-Agent": "lastro"}


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """The whole answer of a network. headers: Retry-After, Cache-Control, Date, PI-Pull-Next, where it has them."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NetworkClient:
    """Connections to one network. base_url: its paths are behind it. token: ours there."""

    def __init__(self, base_url: str, token: Secret) -> None:
        self._base = base_url.rstrip("/")
        self._token = token
        self._client = DirectClient(_LARGEST_ANSWER_BYTES, _KEEPALIVE_SECONDS, _MOST_CONNECTIONS, (_NEXT_PULL,))

    async def ask(
        self, method: str, path: str, body: bytes | None, seconds: float, more: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> NetworkAnswer:  # fmt: skip
        """Makes one whole exchange, within so many seconds.

        more: headers. query: fields to be encoded behind the path. Transient: it is not known if it took effect.
        """
        if query:
            path = f"{path}?{urlencode(query)}"
        headers = {**_USUAL, "Authorization": f"Bearer {self._token.reveal()}", **(more or {})}
        if (whose := trace.present()) is not None:
            headers["x-request-id"] = whose.request_id
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if (trail := trace.trail()) is None:
            return await self._asked(method, path, body, seconds, headers)
        # The path may hold a key or a document: what is asked for is not told, the task's own span says why it was.
        with trail.step(f"{method} network", "client", {"http.request.method": method}) as step:
            answer = await self._asked(method, path, body, seconds, {**headers, trace.TRACEPARENT: step.traceparent})
            step.add("http.response.status_code", answer.status)
            return answer

    async def _asked(
        self, method: str, path: str, body: bytes | None, seconds: float, headers: Mapping[str, str]
    ) -> NetworkAnswer:
        tls = _tls() if self._base.startswith("https:") else None
        try:
            async with without_slot(), asyncio.timeout(seconds):
                answered = await self._client.ask(method, self._base + path, headers, body, None, tls)
        except TimeoutError as late:
            raise Transient(f"no answer within {seconds:g} s") from late
        except NotThere as unreached:
            cause = unreached.__cause__ or unreached
            raise Transient(f"{type(cause).__name__}: {cause}", is_on_its_way=False) from unreached
        except (OSError, ValueError) as broken:
            raise Transient(f"{type(broken).__name__}: {broken}") from broken
        if not answered.is_whole:
            raise Transient("the answer is larger than any that is expected")
        told = {"Retry-After": answered.retry_after, "Cache-Control": answered.cache_control, "Date": answered.date}
        named = {name: text for name, text in told.items() if text is not None}
        return NetworkAnswer(answered.status, {**named, **answered.more}, answered.body)

    async def found(self, path: str, seconds: float) -> bytes | None:
        """Returns the network's answer; None: it does not know the object.

        Transient: it does not say. A 404 without a word of the network's comes from a proxy on the way there, which knows
        nothing of the network's objects.
        """
        answer = await self.ask("GET", path, None, seconds)
        if answer.status == 404 and is_worded(answer.body):
            return None
        if answer.status != 200:
            raise Transient(f"answered with HTTP status {answer.status}")
        return answer.body

    async def close(self) -> None:
        """Ends its connections."""
        self._client.close()


@cache
def _tls() -> ssl.SSLContext:
    """Returns the TLS of all networks. It knows the authorities that the system knows, or the environment names."""
    return ssl.create_default_context()


class Adapter:
    """Speaks to one partner. line: to it, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()
