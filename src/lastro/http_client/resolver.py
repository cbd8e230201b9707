"""Resolves names to addresses."""

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from lastro.http_client.dns_fairness import Turns

_AT_ONCE = 64


class Resolver(Protocol):
    """A source of a name's addresses."""

    async def addresses(self, host: str) -> Sequence[str]:
        """Returns all addresses of a host name, best first. Raises OSError if it has none."""


class SystemResolver:
    """The machine's own resolver: it sorts by what this machine can reach (RFC 6724).

    It blocks, for many seconds where a name's servers are silent, and cannot be interrupted. So each question has a
    thread of its own: the loop's few threads would all be waiting for one stranger's dead name servers. `at_once` bounds
    them, and who comes later waits for a turn. The threads are daemons, so that a process stops without their answers.
    """

    def __init__(self, look_up: Callable[..., Any] = socket.getaddrinfo, at_once: int = _AT_ONCE) -> None:
        self._look_up = look_up
        self._turns = Turns(at_once)

    async def addresses(self, host: str) -> Sequence[str]:
        """Returns all addresses of a host name, best first. Raises OSError if it has none."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[str]] = loop.create_future()

        def settle(addresses: list[str], error: Exception | None) -> None:
            self._turns.learn(host, has_address=bool(addresses))
            self._turns.give_back(host)
            if found.done():  # nobody waits any more
                return
            if error is None:
                found.set_result(addresses)
            else:
                found.set_exception(error)

        def ask() -> None:
            addresses, failed = [], None
            try:
                addresses = [str(one[4][0]) for one in self._look_up(host, None, type=socket.SOCK_STREAM)]
            except OSError as error:
                failed = error
            except Exception as error:  # noqa: BLE001 - a name that cannot be encoded is a name without an address
                failed = OSError(str(error))
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, addresses, failed)

        await self._turns.take(host)
        threading.Thread(target=ask, name="look-up", daemon=True).start()
        return await found
