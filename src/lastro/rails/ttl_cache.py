"""A cache of others' answers, by their own validity."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from lastro.core.concurrency_slot import hold, without_slot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class CachedAnswer(Generic[V]):
    """An answer, and its validity in seconds. 0: only the callers that wait for it may use it."""

    value: V
    seconds: float


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    value: V
    asked_at: float
    until: float


class TtlCache(Generic[V]):
    """Answers of one process by name. clock: seconds that only go forward. most: so many are kept, the oldest go first."""

    def __init__(self, clock: Callable[[], float], most: int) -> None:
        self._clock = clock
        self._most = most
        self._kept: OrderedDict[str, _Kept[V]] = OrderedDict()
        self._asking: dict[Hashable, asyncio.Task[V]] = {}

    async def get(
        self, name: str, ask: Callable[[], Awaitable[CachedAnswer[V]]], *, by: Hashable = None, oldest: float | None = None
    ) -> V:
        """Returns the cached value of a name, or `ask`'s answer.

        It raises the errors of `ask`. by: the asker; concurrent equal questions share one call and its end. oldest: an
        answer that was asked for more seconds ago is asked for again.
        """
        kept = self._kept.get(name)
        now = self._clock()
        if kept is not None and now < kept.until and (oldest is None or now - kept.asked_at <= oldest):
            return kept.value
        task = self._asking.get((name, by))
        if task is None:
            # In no slot: the first caller may be gone. A question that callers share has no caller's trace.
            context = Context() if by is None else copy_context()
            context.run(hold, None)
            task = asyncio.create_task(self._ask(name, ask), context=context)
            self._asking[name, by] = task
            task.add_done_callback(lambda ended: self._end((name, by), ended))
        # A caller that hangs up ends neither the others' question nor the writing of its answer.
        async with without_slot():
            return await asyncio.shield(task)

    async def _ask(self, name: str, ask: Callable[[], Awaitable[CachedAnswer[V]]]) -> V:
        asked_at = self._clock()
        answer = await ask()
        if answer.seconds > 0:
            self._kept.pop(name, None)
            self._kept[name] = _Kept(answer.value, asked_at, asked_at + answer.seconds)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer.value

    def _end(self, question: Hashable, task: asyncio.Task[V]) -> None:
        self._asking.pop(question, None)
        if not task.cancelled():
            task.exception()  # looked at, so that it is not logged where everybody has hung up


def max_age(cache_control: str | None) -> int | None:
    """Returns the seconds that a Cache-Control header allows (RFC 9111 §5.2.2).

    0: it forbids keeping. None: it says nothing.
    """
    if cache_control is None:
        return None
    said = [part.strip().lower() for part in cache_control.split(",")]
    if "no-store" in said or "no-cache" in said:
        return 0
    for part in said:
        name, _, seconds = part.partition("=")
        seconds = seconds.strip('"')
        if name == "max-age" and seconds.isascii() and seconds.isdigit():
            return int(seconds[:9])
    return None
