"""One statement looks for all lanes: it wakes those that have something due, and no other."""

import asyncio
from typing import Any

import pytest

from lastro.core.db import LONGEST_KEPT, PLANNED_ONCE, Database
from lastro.core.work_queue import Queue
from lastro.orders import WAITING
from lastro.worker.due_poller import DuePoller

from .conftest import House, Scene, until
from .network import ask
from .test_worker import Assembled, _settings, assembled, working

__all__ = ["assembled"]

# Whose work the scene puts there, and what it should wake.
_LANES = {
    "pix": (Queue("outbox", only="rail = 'pix'").first_sql,),
    "ted": (Queue("outbox", only="rail = 'ted'").first_sql,),
    "asking pix": tuple(waiting.first_sql for waiting in WAITING["pix"]),
    "a sweep": ("SELECT company_id, id FROM med_objects WHERE due_at <= (SELECT business_now()) ORDER BY due_at LIMIT $1",),
}


async def woken(due_poller: DuePoller, wakes: dict[str, asyncio.Event]) -> set[str]:
    assert not await due_poller.round()
    found = {name for name, wake in wakes.items() if wake.is_set()}
    for wake in wakes.values():
        wake.clear()
    return found


@pytest.fixture
def wakes() -> dict[str, asyncio.Event]:
    return {name: asyncio.Event() for name in _LANES}


async def test_what_is_due_wakes_its_own_lane(scene: Scene, house: House, wakes: dict[str, asyncio.Event]) -> None:
    due_poller = DuePoller(scene.work)
    for name, wake in wakes.items():
        assert due_poller.watch(wake, *_LANES[name]) is wake
    assert await woken(due_poller, wakes) == set()
    await scene.to_return(house.ana)
    assert await woken(due_poller, wakes) == {"pix"}
    await scene.accepted(house.ana, "E1")
    assert await woken(due_poller, wakes) == {"pix", "asking pix"}
    await scene.admin.execute("UPDATE outbox SET leased_until = machine_now() + interval '30 s', lease_token = id")
    assert await woken(due_poller, wakes) == {"asking pix"}, "somebody has it in hand"
    await scene.admin.execute("UPDATE pix_payments SET ask_at = business_now() + interval '30 s'")
    assert await woken(due_poller, wakes) == set()
    await scene.pass_time(31)
    assert await woken(due_poller, wakes) == {"pix", "asking pix"}


async def test_a_look_that_comes_again_is_planned_once(scene: Scene, own_database: Any) -> None:
    """However many lanes there are: a statement that is too long to be kept would be planned at each look."""
    work = Database(own_database.work, size=1, settings=PLANNED_ONCE)
    due_poller, wake = DuePoller(work), asyncio.Event()
    while sum(map(len, due_poller.statements)) <= LONGEST_KEPT:
        due_poller.watch(wake, *(sql for looks in _LANES.values() for sql in looks))
    for _ in range(3):
        await due_poller.round()
    planned = "SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE 'WITH now%'"
    rows = [row["generic_plans"] for row in await work.everywhere(planned)]
    await work.close()
    assert set(rows) == {3}
    assert len(rows) % len(due_poller.statements) == 0


async def test_where_nobody_watches_nothing_is_asked(scene: Scene) -> None:
    assert not await DuePoller(scene.work).round()


async def test_a_worker_finds_what_nobody_hinted_at(assembled: Assembled, own_database: Any, house: House) -> None:
    scene = assembled.scene

    async def answered(number: int) -> bool:
        return any(m["originalMsgId"] == f"M{number}" for m in scene.network.of("pacs.002"))

    async with working(assembled, _settings(own_database)):
        scene.network.tell(ask("M1", 1, house.account))
        await until(lambda: answered(1))  # every lane has begun, and has nothing left to do
        await scene.admin.execute(
            "INSERT INTO inbox (company_id, id, rail, kind, network_id, subject, txid, body, received_at, due_at)"
            " SELECT company_id, $1, rail, kind, 'M2', 'M2', txid, convert_to(replace(convert_from(body, 'UTF8'), 'M1', 'M2'), 'UTF8'),"
            " received_at, business_now() FROM inbox",
            scene.chance.uuid(await scene.now()),
        )  # fmt: skip
        await until(lambda: answered(2))
