"""What comes together is asked together; what comes meanwhile waits, but not for long."""

import asyncio
from collections.abc import Coroutine, Sequence
from uuid import UUID

import pytest

from lastro.core.grouping import Asked, Grouping

pytestmark = pytest.mark.anyio
ANA, BIA = UUID(int=1), UUID(int=2)


class Slow:
    """Answers groups when it is let to. groups: what was asked, in order."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.go_on = asyncio.Event()
        self.alone: dict[int, asyncio.Event] = {}  # by a group's first question: the group waits for this instead
        self.grouping: Grouping[int, int] = Grouping("test", self._ask, lambda _, one: one > 0)

    async def _ask(self, company_id: UUID, group: Sequence[Asked[int, int]]) -> None:
        self.groups.append([one.question for one in group])
        await self.alone.get(group[0].question, self.go_on).wait()
        for one in group:
            one.tell(-one.question)

    def ask(self, *questions: int, of: UUID = ANA) -> list[asyncio.Task[int]]:
        return [asyncio.create_task(self.grouping.ask(of, one)) for one in questions]


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_two_groups_are_under_way_and_the_others_wait_for_them() -> None:
    slow = Slow()
    tasks = slow.ask(*range(1, 60))
    await turns()
    assert [len(group) for group in slow.groups] == [16, 16]
    slow.go_on.set()
    assert await asyncio.gather(*tasks) == [-n for n in range(1, 60)]
    assert [len(group) for group in slow.groups] == [16, 16, 16, 11]


async def test_what_comes_meanwhile_is_one_group() -> None:
    slow = Slow()
    first, second = slow.ask(1), []
    await turns()
    second = slow.ask(2)
    await turns()
    late = [task for n in (3, 4, 5) for task in slow.ask(n)]
    await turns()
    assert slow.groups == [[1], [2]]
    slow.go_on.set()
    await asyncio.gather(*first, *second, *late)
    assert slow.groups == [[1], [2], [3, 4, 5]]


async def test_nobody_waits_long_for_what_is_stuck() -> None:
    slow = Slow()
    tasks = [task for n in (1, 2, 3) for task in slow.ask(n)]
    await turns()
    tasks += slow.ask(-4)
    await turns()
    tasks += slow.ask(5, 6)
    async with asyncio.timeout(5):
        while len(slow.groups) < 3:
            await asyncio.sleep(0.001)
    assert slow.groups == [[1, 2, 3], [-4], [5, 6]]
    slow.go_on.set()
    await asyncio.gather(*tasks)


async def test_companies_wait_for_their_own_alone() -> None:
    slow = Slow()
    tasks = slow.ask(*range(1, 40)) + slow.ask(1, 2, of=BIA)
    await turns()
    assert [len(group) for group in slow.groups] == [16, 2, 16]
    slow.go_on.set()
    await asyncio.gather(*tasks)


class Clockwork(asyncio.SelectorEventLoop):
    """A loop whose time a test sets. at: in seconds."""

    at = 0.0

    def time(self) -> float:
        return self.at

    async def go_to(self, at: float) -> None:
        self.at = at
        await turns()


def played(loop: Clockwork, scene: Coroutine[object, object, None]) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(scene)


def test_a_wait_that_an_ended_group_cut_short_shortens_no_later_one() -> None:
    """The timer of what was taken early is cancelled: what waits next waits its own time, from when it came."""
    loop = Clockwork()

    async def scene() -> None:
        slow = Slow()
        slow.alone[1] = asyncio.Event()
        tasks = slow.ask(1)
        await turns()
        tasks += slow.ask(2)
        await turns()
        tasks += slow.ask(3)
        await turns()
        await loop.go_to(0.010)
        assert slow.groups == [[1], [2]]
        slow.alone[1].set()
        await loop.go_to(0.015)
        assert slow.groups == [[1], [2], [3]]
        tasks += slow.ask(4)
        await turns()
        await loop.go_to(0.030)  # the first wait would be over by now
        assert slow.groups == [[1], [2], [3]]
        await loop.go_to(0.036)
        assert slow.groups == [[1], [2], [3], [4]]
        slow.go_on.set()
        await asyncio.gather(*tasks)

    played(loop, scene())
