from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.in_one import in_one_test

from lastro_sim.clock import DAY

from .stage import Institution, Sim, running, until


async def test_business_time_moves_and_is_kept(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        moved = await sim.ask("PUT", "/clock", {"offsetMicroseconds": 30 * DAY})
        assert moved.status_code == 200
    async with running(tmp_path) as sim:
        now = datetime.fromisoformat((await sim.http.get("/clock")).json()["now"])
        assert timedelta(days=29, hours=23) < now - datetime.now(UTC) < timedelta(days=30, minutes=1)


async def test_payments_are_dated_in_business_time(sim: Sim, lastro: Institution) -> None:
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 400 * DAY})
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": 1})
    year = (datetime.now(UTC) + timedelta(days=400)).strftime("%Y")
    assert paid["endToEndId"][9:13] == year
    assert (await lastro.final(paid["endToEndId"]))["settledAt"].startswith(year)


async def test_quiet_means_confirmed(sim: Sim, lastro: Institution) -> None:
    assert (await sim.http.get("/clock")).json()["quiet"] is True
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": 1})
    await lastro.final(paid["endToEndId"])
    for _ in range(2000):
        if (await sim.http.get("/clock")).json()["quiet"]:
            break
    else:
        raise AssertionError("never quiet")
    assert await until(lambda: sim.network.store.rows("SELECT 1 FROM message WHERE confirmed = 1"))


async def test_not_quiet_while_a_payment_runs(sim: Sim) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 0.01)
    await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "19"}, "amount": 1})
    assert (await sim.http.get("/clock")).json()["quiet"] is False


@in_one_test("offset", [None, "1", 1.5, True, 10**30, []])
async def test_malformed_offsets(sim: Sim, offset: Any) -> None:
    assert (await sim.ask("PUT", "/clock", {"offsetMicroseconds": offset})).status_code == 400
