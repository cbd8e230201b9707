"""What takes memory is done so often at a time, and for one caller less often still; whoever comes then waits a while."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lastro.base.errors import Kind, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_AGAIN_SECONDS = 5


class NoTurn(Exception):  # noqa: N818 it says what there was not
    """None came in time. refused: what the caller is told, who has too many of its own or meets those of others."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.refused = Refused(kind, retry_after_seconds=_AGAIN_SECONDS)


@dataclass
class _Caller:
    free: asyncio.Semaphore
    here: int = 0


@dataclass
class Turns:
    """at_once: turns of all callers together; of_one: of one caller; patience_seconds: how long one is waited for."""

    at_once: int
    of_one: int
    patience_seconds: float
    _free: asyncio.Semaphore = field(init=False)
    _callers: dict[str, _Caller] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.at_once)

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncGenerator[None, None]:
        """One turn of the caller of that name. NoTurn: none came in time."""
        caller = self._callers.setdefault(name, _Caller(asyncio.Semaphore(self.of_one)))
        caller.here += 1
        deadline = asyncio.get_running_loop().time() + self.patience_seconds
        try:
            await _within(deadline, caller.free, Kind.TOO_MANY)
            try:
                await _within(deadline, self._free, Kind.UNAVAILABLE)
                try:
                    yield
                finally:
                    self._free.release()
            finally:
                caller.free.release()
        finally:
            caller.here -= 1
            if not caller.here:
                del self._callers[name]


async def _within(deadline: float, free: asyncio.Semaphore, otherwise: Kind) -> None:
    try:
        async with asyncio.timeout_at(deadline):
            await free.acquire()
    except TimeoutError:
        raise NoTurn(otherwise) from None
