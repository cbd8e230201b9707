"""Limits how much of what is costly is done at a time: of all companies, of each, and of each of its clients."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_AGAIN_SECONDS = 5
K = TypeVar("K")


def _take_one(counts: Counter[K], key: K) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


class NoSlot(Exception):  # noqa: N818 it says what there was not
    """No slot was free in time. refused: the answer; the caller has too many of its own or meets those of others."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.refused = Refused(kind, retry_after_seconds=_AGAIN_SECONDS)


@dataclass
class ConcurrencyLimit:
    """A limit of concurrent slots, per caller and per company.

    at_once: slots of all companies together; of_one: of one caller; patience_seconds: the longest wait for a slot.
    of_company: of all callers of one company, so that one with many clients leaves some to others; half of all by default.
    """

    at_once: int
    of_one: int
    patience_seconds: float
    of_company: int = 0
    _taken: int = field(init=False, default=0)
    _of_companies: Counter[str] = field(init=False, default_factory=Counter)
    _of_callers: Counter[tuple[str, str]] = field(init=False, default_factory=Counter)
    _waiting: dict[str, deque[tuple[tuple[str, str], asyncio.Future[None]]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.of_company = self.of_company or max(1, self.at_once // 2)

    @asynccontextmanager
    async def turn(self, company: str, client: str = "") -> AsyncGenerator[None, None]:
        """Holds one slot of a company's client. NoSlot: none was free in time.

        A free slot goes to the waiting company that has the fewest, and within it to the request that came first.
        """
        caller = (company, client)
        if self._is_free(caller):
            self._take(caller)
        else:
            await self._wait(caller)
        try:
            yield
        finally:
            self._give_back(caller)

    async def _wait(self, caller: tuple[str, str]) -> None:
        granted = asyncio.get_running_loop().create_future()
        line = self._waiting.setdefault(caller[0], deque())
        line.append((caller, granted))
        try:
            async with asyncio.timeout(self.patience_seconds):
                await granted
        except BaseException as ended:
            if granted.done() and not granted.cancelled():
                self._give_back(caller)  # it came in the same moment
            else:
                line.remove((caller, granted))
                self._tidy(caller[0])
            if isinstance(ended, TimeoutError):
                raise NoSlot(Kind.TOO_MANY if self._has_its_own(caller) else Kind.UNAVAILABLE) from None
            raise

    def _has_its_own(self, caller: tuple[str, str]) -> bool:
        """Tells whether the caller or its company has used up its slots."""
        return self._of_callers[caller] >= self.of_one or self._of_companies[caller[0]] >= self.of_company

    def _is_free(self, caller: tuple[str, str]) -> bool:
        return self._taken < self.at_once and not self._has_its_own(caller)

    def _take(self, caller: tuple[str, str]) -> None:
        self._taken += 1
        self._of_companies[caller[0]] += 1
        self._of_callers[caller] += 1

    def _give_back(self, caller: tuple[str, str]) -> None:
        self._taken -= 1
        _take_one(self._of_companies, caller[0])
        _take_one(self._of_callers, caller)
        self._go_on()

    def _go_on(self) -> None:
        """Gives what is free to those who wait."""
        while (found := self._next()) is not None:
            caller, granted = found
            self._waiting[caller[0]].remove(found)
            self._tidy(caller[0])
            self._take(caller)
            granted.set_result(None)

    def _next(self) -> tuple[tuple[str, str], asyncio.Future[None]] | None:
        for company in sorted(self._waiting, key=lambda name: self._of_companies[name]):
            for waiting in self._waiting[company]:
                if self._is_free(waiting[0]) and not waiting[1].done():
                    return waiting
        return None

    def _tidy(self, company: str) -> None:
        if not self._waiting[company]:
            del self._waiting[company]
