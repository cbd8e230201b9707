"""Several tasks at a time, but never more than so many; and how long to wait after failures."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import structlog

from lastro.base.errors import DatabaseAway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

T = TypeVar("T")
R = TypeVar("R")
_log = structlog.get_logger(__name__)


async def together(items: Iterable[T], act: Callable[[T], Awaitable[R]], width: int) -> list[R]:
    """What act says of each, in their order. An exception is raised only when every act has ended."""
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


class Crew:
    """Tasks on their way, so that one that is slow holds up no other. What a task raises is logged: its lease runs out."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def free(self) -> int:
        """How many more may start."""
        return self._size - len(self._tasks)

    def start(self, task: Coroutine[None, None, None]) -> None:
        """Starts one, whether there is room or not."""
        started = asyncio.get_running_loop().create_task(task)
        self._tasks.add(started)
        started.add_done_callback(self._end)

    async def room(self) -> None:
        """Returns when one more may start."""
        while self.free <= 0:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

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
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, DatabaseAway):
            _log.warning("database.away", reason=str(error))
        elif error is not None:
            _log.error("lane.task_broke", exc_info=error)


def pause_after(failures: int) -> float:
    """Seconds to wait after so many failures in a row: 1, 2, 4 … 60."""
    return min(2.0 ** (min(max(failures, 1), 7) - 1), 60.0)
