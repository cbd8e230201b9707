"""Sweeps give every company its share, however much one has due and however slow it is."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from tests.apart import EachApart

from lastro.core.errors import DatabaseAway
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Row, Write
from lastro.worker.sweeper import Due, Sweep

from .conftest import DEADLINE_SECONDS, House, Scene, until

_DUE = (
    "SELECT company_id, id, ask_at AS due_at FROM pix_payments p WHERE state = 'ACCEPTED' AND ask_at <= (SELECT business_now())"
    " AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.id = p.id) ORDER BY ask_at, company_id LIMIT $1"
)


class Hall:
    """Ana and Bento have rows due. Who asks about one of Ana's gets no answer before the gate opens."""

    def __init__(self, scene: Scene, ana: UUID, bento: UUID) -> None:
        self.scene, self.ana, self.bento = scene, ana, bento
        self.gate = asyncio.Event()
        self.begun: list[UUID] = []
        self.sweeps: list[Sweep] = []
        self._rows = 0

    async def due(self, company_id: UUID, count: int) -> list[UUID]:
        """So many more of it."""
        self._rows += count
        return [await self.scene.accepted(company_id, f"E{self._rows}-{n}") for n in range(count)]

    def sweep(self, begin: int = 0) -> Sweep:
        """Of a worker of its own."""
        due = Due("tests", _DUE, lambda row_id: Slow(self, row_id))
        self.sweeps.append(Sweep(due, self.scene.work, self.scene.runner, begin=lambda: begin))
        return self.sweeps[-1]

    async def done(self) -> set[UUID]:
        return {row["id"] for row in await self.scene.inbox_rows()}


class Slow(Act[bool]):
    """Writes an inbox row, as soon as it has an answer."""

    def __init__(self, hall: Hall, row_id: UUID) -> None:
        self.hall, self.row_id = hall, row_id

    async def read(self, _session: Any, _context: RequestContext) -> bool:
        return True

    async def call_out(self, known: bool, context: RequestContext) -> bool:
        self.hall.begun.append(self.row_id)
        if context.company_id == self.hall.ana:
            await self.hall.gate.wait()
        return known

    def decide(self, _known: bool, context: RequestContext) -> Any:
        values = {
            "id": self.row_id, "rail": "pix", "kind": "x", "network_id": str(self.row_id), "subject": "x", "body": b"",
            "received_at": context.now,
        }  # fmt: skip
        return Done(Write(context.company_id, rows=(Row("inbox", values),)), b"")


@pytest.fixture
async def hall(scene: Scene, house: House) -> AsyncIterator[Hall]:
    made = Hall(scene, house.ana, await scene.company(8))
    yield made
    for sweep in made.sweeps:
        await sweep.cut()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than four rows are very many, of which sixteen are read; it is looked often."""
    monkeypatch.setattr("lastro.worker.sweeper._ROWS", 4)
    monkeypatch.setattr("lastro.worker.sweeper._SHARED_ROWS", 16)
    monkeypatch.setattr("lastro.worker.sweeper._LOOK_SECONDS", 0.05)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("each", [1, 9])
async def test_what_is_due_has_its_order_if_each_company_has_a_server_of_its_own(
    hall: Hall, own_database: Any, each: int
) -> None:
    """Few are taken by the time since which they are due; of many each company's first, then each one's second."""
    for _ in range(each):
        await hall.due(hall.ana, 1)
        await hall.due(hall.bento, 1)
    sweep, apart = hall.sweep(), EachApart(own_database)
    found = await sweep._look()
    assert [company_id for company_id, _ in found[:4]] == [hall.ana, hall.bento] * min(each, 2)
    assert len(found) == min(2 * each, 16)
    sweep._work = apart
    assert await sweep._look() == found
    await apart.close()


@pytest.mark.usefixtures("short")
async def test_a_company_whose_rows_take_long_holds_up_no_other(hall: Hall) -> None:
    """All of Ana's have been due for longer, and nobody answers her: Bento's are done all the same."""
    slow, quick, sweep = await hall.due(hall.ana, 30), set(await hall.due(hall.bento, 9)), hall.sweep()

    async def all_of_it() -> None:
        while await sweep.round():
            pass

    async def bentos() -> bool:
        return await hall.done() == quick

    working = asyncio.ensure_future(all_of_it())
    await until(bentos)
    assert 0 < len(set(slow) & set(hall.begun)) <= 4, "she has places of her own"
    hall.gate.set()
    await asyncio.wait_for(working, DEADLINE_SECONDS)
    assert await hall.done() == quick | set(slow)
    assert len(hall.begun) == len(set(hall.begun))


async def test_whose_time_comes_meanwhile_is_found_and_has_a_place(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round does not wait for what is slow, and the next one does not begin it again; nobody has all places."""
    monkeypatch.setattr("lastro.worker.sweeper._LOOK_SECONDS", 0.05)
    slow, sweep = await hall.due(hall.ana, 9), hall.sweep()
    async with asyncio.timeout(DEADLINE_SECONDS):
        assert await sweep.round(), "there is more to do: it is under way"
        (quick,) = await hall.due(hall.bento, 1)
        while await hall.done() != {quick}:
            assert await sweep.round()
        assert sorted(hall.begun) == sorted([*slow[:4], quick])
        hall.gate.set()
        await sweep.rest()
        assert await hall.done() == {*slow[:4], quick}
        while await sweep.round():
            pass
    assert await hall.done() == {*slow, quick}
    assert len(hall.begun) == len(set(hall.begun))


async def test_workers_begin_at_different_rows(hall: Hall) -> None:
    rows = await hall.due(hall.ana, 12)
    rounds = [asyncio.ensure_future(hall.sweep(begin).round()) for begin in (0, 5)]

    async def all_places() -> bool:
        return len(hall.begun) >= 8

    await until(all_places)
    assert sorted(hall.begun) == sorted([*rows[:4], *rows[5:9]])
    hall.gate.set()
    await asyncio.gather(*rounds)


async def test_what_is_under_way_is_cut(hall: Hall) -> None:
    await hall.due(hall.ana, 2)
    sweep = hall.sweep()
    round_ = asyncio.ensure_future(sweep.round())

    async def begun() -> bool:
        return len(hall.begun) == 2

    await until(begun)
    round_.cancel()
    await asyncio.wait([round_])
    await asyncio.wait_for(sweep.cut(), DEADLINE_SECONDS)
    hall.gate.set()
    await asyncio.sleep(0.05)
    assert await hall.done() == set()


async def test_a_database_that_is_away_is_told_and_rows_are_done_later(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, sweep = set(await hall.due(hall.bento, 3)), hall.sweep()

    async def away(*_: Any) -> bool:
        raise DatabaseAway("gone")

    with monkeypatch.context() as patched:
        patched.setattr(Slow, "read", away)
        with pytest.raises(DatabaseAway):
            await sweep.round()
        await sweep.rest()
    async with asyncio.timeout(DEADLINE_SECONDS):
        while await hall.done() != rows:
            with suppress(DatabaseAway):  # of those that had begun beside the first
                await sweep.round()


@pytest.mark.usefixtures("short")
async def test_rows_in_vain_take_no_share(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bento's oldest rows are in vain, and little is read at once: his others have their turn beside Ana's."""
    monkeypatch.setattr("lastro.worker.sweeper._SHARED_ROWS", 4)
    hall.gate.set()
    *vain, one, other = await hall.due(hall.bento, 6)
    await hall.due(hall.ana, 8)
    sweep = hall.sweep()
    sweep._in_vain = dict.fromkeys([(hall.bento, row_id) for row_id in vain], (1, math.inf))
    assert await sweep.round()
    assert {one, other} < await hall.done()
    assert not set(vain) & set(hall.begun)
    assert len(sweep._in_vain) == len(vain)
