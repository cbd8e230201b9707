"""The client for asyncio."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any, Self

import httpx

from lastro_client.async_operations import AsyncOperations
from lastro_client.calls import Call, decoded, error_of, wait_after
from lastro_client.tokens import Login, Token, token_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable


class AsyncClient(AsyncOperations):
    """Calls a lastro as one of its clients. May be used by several tasks of one loop.

    attempts: of each call, the first included. http: to send by, where proxies or certificates are special; it is then
    closed by its owner. sleep, now: a clock in seconds.
    """

    def __init__(
        self, base_url: str, client_id: str, client_secret: str, *, timeout: float = 30.0, attempts: int = 4,
        http: httpx.AsyncClient | None = None, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._login = Login(client_id, client_secret)
        self._attempts = attempts
        self._http = http or httpx.AsyncClient(timeout=timeout)
        self._owns = http is None
        self._base_url = base_url.rstrip("/")
        self._sleep, self._now = sleep, now
        self._token: Token | None = None
        self._renewing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        if self._owns:
            await self._http.aclose()

    async def _sent(self, call: Call) -> Any:
        attempt, renewed = 1, False
        while True:
            token = await self._fresh_token()
            answer: httpx.Response | httpx.TransportError
            try:
                answer = await self._http.send(call.request(self._http, self._base_url, token.text))
            except httpx.TransportError as error:
                answer = error
            if isinstance(answer, httpx.Response):
                if answer.is_success:
                    return decoded(answer)
                if answer.status_code == 401 and not renewed:
                    renewed = True
                    await self._forget(token)
                    continue
            wait = wait_after(call, attempt, answer, random.random()) if attempt < self._attempts else None  # noqa: S311
            if wait is None:
                raise error_of(call, answer)
            await self._sleep(wait)
            attempt += 1

    async def _fresh_token(self) -> Token:
        """Returns a token that holds for a while. One task fetches it, the others wait for it."""
        token = self._token
        if token is not None and self._now() < token.until:
            return token
        async with self._renewing:
            if self._token is None or self._now() >= self._token.until:
                self._token = token_of(await self._asked_for_token(), self._now())
            return self._token

    async def _asked_for_token(self) -> httpx.Response:
        # Asked again as a GET is: a second token changes nothing.
        call, attempt = Call("create_oauth_token", "GET", "/oauth2/token"), 1
        while True:
            answer: httpx.Response | httpx.TransportError
            try:
                answer = await self._http.send(self._login.request(self._http, self._base_url))
            except httpx.TransportError as error:
                answer = error
            wait = wait_after(call, attempt, answer, random.random()) if attempt < self._attempts else None  # noqa: S311
            if wait is not None:
                await self._sleep(wait)
                attempt += 1
            elif isinstance(answer, httpx.Response):
                return answer
            else:
                raise error_of(call, answer)

    async def _forget(self, token: Token) -> None:
        async with self._renewing:
            if self._token is token:
                self._token = None

    async def _items(self, page: Callable[[str | None], Awaitable[Any]]) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            found = await page(cursor)
            for item in found["data"]:
                yield item
            cursor = found.get("nextCursor")
            if cursor is None or not found["hasNext"]:
                return
