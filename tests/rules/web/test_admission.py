"""Places under too many requests: who is served, who waits, who is told to come again, and that no place is ever lost."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from tests.in_one import in_one_test

from lastro.config.load import Bounds
from lastro.core.concurrency_slot import without_slot
from lastro.core.errors import Kind
from lastro.web.admission import Admission, TurnedAway

A, B = UUID(int=1), UUID(int=2)
STRANGER = "203.0.113.7"


@dataclass
class Hall:
    """Requests of several at one admission, each of which works until it is told to end."""

    admission: Admission
    ends: dict[str, asyncio.Event] = field(default_factory=dict)
    served: list[str] = field(default_factory=list)
    tasks: dict[str, "asyncio.Task[Any]"] = field(default_factory=dict)
    again_in: list[int] = field(default_factory=list)

    async def ask(self, who: UUID | str, name: str) -> None:
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.ensure_future(self._one(who, name))
        await settle()

    async def _one(self, who: UUID | str, name: str) -> Kind | None:
        try:
            async with self.admission.place(who):
                self.served.append(name)
                await self.ends[name].wait()
        except TurnedAway as away:
            self.again_in.append(away.refused.retry_after_seconds or 0)
            return away.refused.kind
        return None

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await settle()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def hall(at_once: int = 1, waiting: int = 3, patience: float = 30.0) -> Hall:
    return Hall(Admission(Bounds(at_once, waiting, patience, patience / 2), asyncio.get_running_loop().time))


async def test_the_line_is_short_and_who_finds_it_full_is_told_at_once() -> None:
    here = hall()
    for number in range(5):
        await here.ask(A, f"a{number}")
    assert here.served == ["a0"]
    assert await here.tasks["a4"] is Kind.UNAVAILABLE, "nobody else asks anything: it is not this one's fault"
    for _ in range(3):
        await here.ask(A, "a4")
    assert here.admission.turned_away == {Kind.UNAVAILABLE: 4}
    assert len(set(here.again_in)) == 3, "they do not all come again in the same second"
    assert set(here.again_in) == {1, 2, 3}
    for number in range(4):
        await here.end(f"a{number}")
    assert here.served == ["a0", "a1", "a2", "a3"]
    assert (here.admission.taken, here.admission.waiting, here.admission.under_way) == (0, 0, {})


async def test_who_has_less_in_a_full_line_takes_the_place_of_one_of_the_most() -> None:
    """The oldest of the company that crowds it is told that it asks too much; then they are served in turns."""
    here = hall()
    for number in range(4):
        await here.ask(A, f"a{number}")
    await here.ask(B, "b0")
    assert await here.tasks["a1"] is Kind.TOO_MANY
    await here.end("a0")
    await here.end("a2")
    assert here.served == ["a0", "a2", "b0"]


@in_one_test(("who", "kind"), [(B, Kind.TOO_MANY), (STRANGER, Kind.UNAVAILABLE)])
async def test_what_one_is_told_that_crowds_the_line(who: UUID | str, kind: Kind) -> None:
    """A stranger has no share that it could ask too much of."""
    here = hall()
    await here.ask(A, "a0")
    for number in range(4):
        await here.ask(who, f"b{number}")
    assert await here.tasks["b3"] is kind


async def test_who_waits_too_long_is_told_so() -> None:
    here = hall(patience=0.03)
    await here.ask(A, "a0")
    await here.ask(A, "a1")
    async with asyncio.timeout(5):
        assert await here.tasks["a1"] is Kind.UNAVAILABLE
    await here.end("a0")
    assert (here.admission.taken, here.admission.waiting) == (0, 0)


async def test_who_hangs_up_leaves_its_place_to_others() -> None:
    here = hall()
    for number in range(3):
        await here.ask(A, f"a{number}")
    here.tasks["a1"].cancel()
    here.ends["a0"].set()  # in the same turn of the loop: its place goes to nobody who is gone
    await settle()
    assert here.served == ["a0", "a2"]
    here.tasks["a2"].cancel()
    await settle()
    assert (here.admission.taken, here.admission.waiting) == (0, 0)


# ── by the head alone ──


def scope(path: str = "/x") -> dict[str, Any]:
    return {"path": path, "headers": []}


async def test_a_full_line_turns_away_by_the_head_alone() -> None:
    here = hall()
    admission = here.admission
    admission.who = lambda _: A
    for number in range(3):
        assert admission.admit(scope()) is None
        await here.ask(A, f"a{number}")
    await here.ask(A, "a3")
    refused = admission.admit(scope())
    assert refused is not None
    assert refused.kind is Kind.UNAVAILABLE
    admission.who = lambda _: B
    assert admission.admit(scope()) is None, "it has less than another in the line"


async def test_a_company_comes_in_by_its_head_where_it_would_come_into_the_line() -> None:
    """Of any number of addresses, each of which has but one there."""
    here = hall()
    for number in range(4):
        await here.ask(f"203.0.113.{number}", f"s{number}")
    here.admission.who = lambda _: B
    assert here.admission.admit(scope()) is None
    await here.ask(B, "b0")
    assert await here.tasks["s1"] is Kind.UNAVAILABLE
    await here.end("s0")
    await here.end("s2")
    assert here.served == ["s0", "s2", "b0"]


async def test_only_so_many_are_let_in_for_others_as_would_come_into_the_line() -> None:
    """Their bodies are on the way, and they are counted until somebody has looked again."""
    here = hall(waiting=6)
    for number in range(7):
        await here.ask(A, f"a{number}")
    here.admission.who = lambda _: B
    assert [here.admission.admit(scope()) is None for _ in range(4)] == [True, True, True, False]
    async with asyncio.timeout(5):
        while here.admission.admit(scope()) is not None:
            await asyncio.sleep(0.01)


async def test_whose_turn_would_come_too_late_is_told_so_at_the_door_though_there_is_room() -> None:
    """One every 2 ms is served, and two dozen companies wait: a second of one of them would be served after 0.1 s."""
    clock = [0.0]
    here = Hall(Admission(Bounds(1, 64, 0.5, 0.1), lambda: clock[0]))
    await here.ask(B, "b0")
    await here.ask(B, "b1")
    for number in range(300):
        clock[0] += 0.002
        await here.ask(B, f"b{number + 2}")
        await here.end(f"b{number}")
    companies = [B, A, *(UUID(int=100 + n) for n in range(21))]
    for number, company in enumerate(companies[1:]):
        await here.ask(company, f"c{number}")
    here.admission.who = lambda _: A
    async with asyncio.timeout(5):
        while here.admission.admit(scope()) is None:  # how fast they are served is counted when the line is looked at
            await asyncio.sleep(0.001)
    assert here.admission.waiting == len(companies)
    here.admission.who = lambda _: UUID(int=999)
    assert here.admission.admit(scope()) is None, "there is room, and the first of its own is served next"


# ── aside ──


async def test_who_waits_for_others_lets_others_be_served_and_comes_back_before_them() -> None:
    here, answered = hall(), asyncio.Event()

    async def looks_up() -> None:
        async with here.admission.place(A):
            here.served.append("first half")
            async with without_slot():
                await answered.wait()
            here.served.append("second half")

    looking = asyncio.ensure_future(looks_up())
    await settle()
    await here.ask(B, "b0")
    await here.ask(B, "b1")
    assert here.served == ["first half", "b0"]
    answered.set()
    await settle()
    await here.end("b0")
    assert here.served == ["first half", "b0", "second half", "b1"]
    await here.end("b1")
    await looking
    assert (here.admission.taken, here.admission.under_way) == (0, {})


async def test_of_many_who_come_back_no_other_company_waits_for_all() -> None:
    here, answered = hall(at_once=2, waiting=20), asyncio.Event()

    async def looks_up(name: str) -> None:
        async with here.admission.place(A):
            async with without_slot():
                await answered.wait()
            here.ends[name] = asyncio.Event()
            here.served.append(name)
            await here.ends[name].wait()

    looking = [asyncio.ensure_future(looks_up(f"a{number}")) for number in range(6)]
    await settle()
    answered.set()
    await settle()
    await here.ask(B, "b0")
    await here.ask(B, "b1")
    await here.end("a0")
    assert here.served == ["a0", "a1", "b0"], "it has none under way, they have one"
    for name in ("a1", "b0", "a2", "b1", "a3", "a4", "a5"):
        await here.end(name)
    await asyncio.gather(*looking)
    assert (here.admission.taken, here.admission.waiting, here.admission.under_way) == (0, 0, {})


async def test_who_was_out_of_time_aside_has_a_place_again_when_it_comes_back_next() -> None:
    here = hall()
    async with here.admission.place(A):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001), without_slot():
                await asyncio.Event().wait()
        async with without_slot():
            pass
        assert here.admission.under_way == {A: 1}
    assert (here.admission.taken, here.admission.under_way) == (0, {})


async def test_a_failure_aside_comes_back_and_an_end_does_not() -> None:
    here = hall()
    with pytest.raises(OSError, match="away"):
        async with here.admission.place(A), without_slot():
            raise OSError("away")

    async def for_ever() -> None:
        async with here.admission.place(A), without_slot():
            await asyncio.Event().wait()

    waiting = asyncio.ensure_future(for_ever())
    await settle()
    await here.ask(B, "b0")
    waiting.cancel()
    await asyncio.wait((waiting,), timeout=1)
    assert waiting.cancelled()
    await here.end("b0")
    assert (here.admission.taken, here.admission.waiting) == (0, 0)


async def test_what_works_in_no_place_waits_as_it_likes() -> None:
    async with without_slot():
        await asyncio.sleep(0)


@in_one_test("seed", range(20))
async def test_no_place_is_lost_or_given_twice(seed: int) -> None:
    """Whatever they do: ask for others alone and in several tasks, fail, hang up at any moment."""
    chance, here = random.Random(seed), hall(at_once=3, waiting=6, patience=0.05)
    admission = here.admission
    working = 0

    async def others() -> None:
        async with without_slot():
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            if chance.random() < 0.2:
                raise OSError("away")

    async def request(who: UUID) -> None:
        nonlocal working
        async with admission.place(who):
            working += 1
            try:
                assert admission.taken <= 3
                for _ in range(chance.randrange(4)):
                    await asyncio.gather(*(others() for _ in range(chance.randrange(3))), return_exceptions=True)
            finally:
                working -= 1

    tasks = []
    for _ in range(60):
        tasks.append(asyncio.ensure_future(request(chance.choice((A, B)))))
        if chance.random() < 0.3:
            chance.choice(tasks).cancel()
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
    async with asyncio.timeout(5):
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert not [o for o in outcomes if o is not None and not isinstance(o, (TurnedAway, asyncio.CancelledError))]
    assert (admission.taken, admission.waiting, admission.under_way, working) == (0, 0, {}, 0)
