"""Several tasks at a time, but never more than so many; and how long to wait after failures."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self, TypeVar

import structlog

from lastro.core.errors import DatabaseAway, Stale

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

T = TypeVar("T")
R = TypeVar("R")
_AWAY_SECONDS = 5.0  # the longest pause between two looks for a database that is away
_log = structlog.get_logger(__name__)


async def together(items: Iterable[T], act: Callable[[T], Awaitable[R]], width: int) -> list[R]:
    """Returns the results of act for the items, in their order. An exception is raised only when every act has ended."""
    free = asyncio.Semaphore(width)

    async def one(item: T) -> R:
        async with free:
            return await act(item)

    outcomes = await asyncio.gather(*(one(item) for item in items), return_exceptions=True)
    done: list[R] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        done.append(outcome)
    return done


class TaskPool:
    """A pool of tasks that run concurrently. An exception of a task is logged; the lease of its row runs out."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tasks: set[asyncio.Task[None]] = set()
        self._reserved = 0
        self._freed = asyncio.Event()

    @property
    def free(self) -> int:
        """The number of tasks that may start, beside reserved room."""
        return self._size - len(self._tasks) - self._reserved

    def reserve(self, most: int) -> int:
        """Keeps room for up to `most` that may start later; for how many. Each is used by `start_reserved` or given back."""
        kept = max(0, min(most, self.free))
        self._reserved += kept
        return kept

    def give_back(self, kept: int) -> None:
        """Releases so much reserved room."""
        self._reserved -= kept
        self._freed.set()

    def start_reserved(self, task: Coroutine[None, None, None]) -> None:
        """Starts one that room was kept for."""
        self._reserved -= 1
        started = asyncio.get_running_loop().create_task(task)
        self._tasks.add(started)
        started.add_done_callback(self._end)

    async def room(self) -> None:
        """Returns when one more may start."""
        while self.free <= 0:
            self._freed.clear()
            await self._freed.wait()

    async def rest(self) -> None:
        """Returns when all have ended; cancelled, it ends them."""
        try:
            while self._tasks:
                await asyncio.wait(self._tasks)
        except asyncio.CancelledError:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            raise

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._freed.set()
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, DatabaseAway):
            _log.warning("database.away", reason=str(error))
        elif isinstance(error, Stale):
            _log.warning("lane.overtaken", reason=str(error))
        elif error is not None:
            _log.error("lane.task_broke", exc_info=error)


def pause_after(failures: int, error: Exception | None = None) -> float:
    """Seconds to wait after so many failures in a row: 1, 2, 4 … 60. error: the last one.

    For a database that is away 5 at most: a standby takes over within half a minute, and then everything is due at once.
    """
    most = _AWAY_SECONDS if isinstance(error, DatabaseAway) else 60.0
    return min(2.0 ** (min(max(failures, 1), 7) - 1), most)


class FirstOf:
    """Waits for the first of several events, again and again.

    A task waits for each event as long as that is not set. So a wait makes one task, and not one for each event.
    """

    def __init__(self, *events: asyncio.Event) -> None:
        self._events = events
        self._tasks: dict[asyncio.Event, asyncio.Task[Literal[True]]] = {}
        self._woken: asyncio.Future[None] | None = None

    async def wait(self, seconds: float | None) -> None:
        """Returns once an event is set, or after so long."""
        loop = asyncio.get_running_loop()
        for event in self._events:
            if (task := self._tasks.get(event)) is None or task.done():
                self._tasks[event] = started = loop.create_task(event.wait())
                started.add_done_callback(self._wake)
        self._woken = loop.create_future()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken

    def _wake(self, _: object) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for task in self._tasks.values():
            task.cancel()
