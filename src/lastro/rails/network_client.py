"""The line to a network: HTTP with a bearer token, each exchange whole and within its time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import aiohttp

from lastro.core import trace
from lastro.core.concurrency_slot import without_slot
from lastro.rails.messages import is_worded
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.secrets import Secret

_LARGEST_ANSWER_BYTES = 4 * 1024 * 1024
_KEEPALIVE_SECONDS = 4.0  # shorter than most servers', so that no message is written to a connection just closed


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """The whole answer of a network."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class NetworkClient:
    """Connections to one network. base_url: its paths are behind it. token: ours there."""

    def __init__(self, base_url: str, token: Secret) -> None:
        self._base = base_url.rstrip("/")
        self._token = token
        self._client: aiohttp.ClientSession | None = None

    async def ask(
        self, method: str, path: str, body: bytes | None, seconds: float, more: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> NetworkAnswer:  # fmt: skip
        """Makes one whole exchange, within so many seconds.

        more: headers. query: fields to be encoded behind the path. Transient: it is not known if it took effect.
        """
        if query:
            path = f"{path}?{urlencode(query)}"
        headers = {"Authorization": f"Bearer {self._token.reveal()}", **(more or {})}
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
        try:
            async with (
                without_slot(),
                asyncio.timeout(seconds),
                self._session().request(
                    method, self._base + path, data=body, headers=headers, allow_redirects=False
                ) as answered,
            ):
                content = bytearray()
                async for part in answered.content.iter_any():
                    content += part
                    if len(content) > _LARGEST_ANSWER_BYTES:
                        raise Transient("the answer is larger than any that is expected")
                return NetworkAnswer(answered.status, answered.headers, bytes(content))
        except TimeoutError as late:
            raise Transient(f"no answer within {seconds:g} s") from late
        except aiohttp.ClientConnectorError as unreached:
            raise Transient(f"{type(unreached).__name__}: {unreached}", is_on_its_way=False) from unreached
        except (aiohttp.ClientError, OSError) as broken:
            raise Transient(f"{type(broken).__name__}: {broken}") from broken

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

    def _session(self) -> aiohttp.ClientSession:
        if self._client is None or self._client.closed:
            # No proxy and no cookies of the environment: the network is where the settings say.
            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=64, keepalive_timeout=_KEEPALIVE_SECONDS),
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
        return self._client

    async def close(self) -> None:
        """Ends its connections."""
        if self._client is not None:
            await self._client.close()


class Adapter:
    """Speaks to one partner. line: to it, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()
