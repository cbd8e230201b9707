"""Asks questions that come together as a group. They are of one company.

A question that comes alone is asked alone and waits for nobody.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Generic, TypeVar

from lastro.core import trace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from uuid import UUID

_UNDER_WAY = 2  # groups of one company, before what comes next waits for them
_TOGETHER = 16
_LONGEST_WAIT_SECONDS = 0.02  # behind groups that wait for something else

T = TypeVar("T")
R = TypeVar("R")


class Asked(Generic[T, R]):
    """A question and its answer. context: its caller's. together: how many are in its group, once it is asked."""

    def __init__(self, question: T) -> None:
        self.question = question
        self.context = copy_context()
        self.together = 0
        self.answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """True where nobody waits for the answer any more."""
        return self.answer.done()

    def tell(self, answer: R) -> None:
        """Gives the answer."""
        if not self.is_over:
            self.answer.set_result(answer)

    def fail(self, error: BaseException) -> None:
        """Raises this at who has asked."""
        if not self.is_over:
            self.answer.set_exception(error)


class Grouping(Generic[T, R]):
    """Asks questions of each company in groups.

    ask: asks a group, and answers each of it. fits: whether a question may join this group. name: of the wait, in a trace.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[UUID, Sequence[Asked[T, R]]], Awaitable[None]],
        fits: Callable[[Sequence[Asked[T, R]], T], bool],
    ) -> None:
        self._name = name
        self._ask = ask
        self._fits = fits
        self._under_way: Counter[UUID] = Counter()
        self._waiting: dict[UUID, list[Asked[T, R]]] = {}
        self._starting: dict[UUID, asyncio.Handle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, company_id: UUID, question: T) -> R:
        """Returns the answer to a question of this company."""
        mine: Asked[T, R] = Asked(question)
        waiting = self._waiting.setdefault(company_id, [])
        waiting.append(mine)
        if len(waiting) == 1:
            self._start_soon(company_id)
        if (trail := trace.trail()) is None:
            return await mine.answer
        with trail.step(self._name, "internal", {}) as step:
            answer = await mine.answer
            step.add("lastro.together", mine.together)
            return answer

    def _start_soon(self, company_id: UUID) -> None:
        """Starts what waits once all that came at this moment have asked; behind others when one of them ends."""
        loop = asyncio.get_running_loop()
        if self._under_way[company_id] < _UNDER_WAY:
            self._starting[company_id] = loop.call_soon(self._start, company_id)
        else:
            self._starting[company_id] = loop.call_later(_LONGEST_WAIT_SECONDS, self._start, company_id)

    def _start(self, company_id: UUID) -> None:
        if (starting := self._starting.pop(company_id, None)) is not None:
            starting.cancel()
        group, left = self._next(company_id)
        if group:
            self._under_way[company_id] += 1
            for one in group:
                one.together = len(group)
            # What is asked for several is the work of no one of them, and is in no trace.
            context = group[0].context if len(group) == 1 else Context()
            task = asyncio.get_running_loop().create_task(self._run(company_id, group), context=context)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if left:
            self._waiting[company_id] = left
            self._start_soon(company_id)

    def _next(self, company_id: UUID) -> tuple[list[Asked[T, R]], list[Asked[T, R]]]:
        """Takes what waits; returns the next group of it, and the others."""
        group: list[Asked[T, R]] = []
        left: list[Asked[T, R]] = []
        for one in self._waiting.pop(company_id, ()):
            if one.is_over:
                continue
            fits = not group or (len(group) < _TOGETHER and self._fits(group, one.question))
            (group if fits else left).append(one)
        return group, left

    async def _run(self, company_id: UUID, group: list[Asked[T, R]]) -> None:
        try:
            await self._ask(company_id, group)
        except BaseException as error:
            for one in group:
                one.fail(error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._under_way[company_id] -= 1
            if not self._under_way[company_id]:
                del self._under_way[company_id]
            self._start(company_id)
