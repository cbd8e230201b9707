"""Pulls a network's messages until told to stop, by long polling."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import structlog

from lastro.core.errors import Stale
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
WAIT_SECONDS = 10  # how long a pull waits for messages
_SHORTEST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 10.0
_log = structlog.get_logger(__name__)


async def pull_until(
    stop: asyncio.Event, pull: Callable[[], Awaitable[bool]], shortest_pause: float = _SHORTEST_PAUSE_SECONDS
) -> None:
    """Pulls until stop. After a failure it asks again: unconfirmed messages are given again. pull: False when stopping.

    shortest_pause: seconds after the first failure. It doubles with each, and a pause that the network asks for is kept.
    """
    pause, asked = shortest_pause, 0.0
    while not stop.is_set():
        try:
            asked = 0.0
            if await pull():
                pause = shortest_pause
            continue
        except Transient as away:
            asked = away.pause_seconds
            # The first failures are those of two processes that start together.
            tell = _log.warning if pause >= 1 else _log.info
            tell("network.gives_nothing", reason=away.reason)
        except Stale as taken:  # this process stood still meanwhile, and another one reads on
            _log.info("network.read_by_another", reason=str(taken))
        except Exception:  # noqa: BLE001 whatever it was, the messages are not confirmed and come again
            _log.exception("network.messages_not_stored")
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), max(pause, asked))
        pause = min(pause * 2, max(shortest_pause, _LONGEST_PAUSE_SECONDS))


async def unless_stopped(stop: asyncio.Event, asking: Awaitable[T]) -> T | None:
    """Returns the answer to a pull, None when stopping."""
    pull = asyncio.ensure_future(asking)
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({pull, stopped}, return_when=asyncio.FIRST_COMPLETED)
        return None if stop.is_set() else await pull
    finally:
        for task in (pull, stopped):
            task.cancel()
        await asyncio.gather(pull, stopped, return_exceptions=True)
