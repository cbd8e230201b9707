"""The directory's token buckets, and what it says when one is empty."""

import httpx

from lastro_sim.clock import MINUTE

from .official.directory import refusal
from .orders import LOOK_UP
from .stage import Sim

PERSON, COMPANY = "12345678909", "11222333000181"


async def ask(
    sim: Sim, key: str = "fabio@fora.example", payer: str = PERSON, end_to_end_id: str = "E" * 32
) -> httpx.Response:
    return await sim.ask(
        "GET", f"/dict/v2/entries/{key}", **(LOOK_UP | {"PI-PayerId": payer, "PI-EndToEndId": end_to_end_id})
    )


async def tokens(sim: Sim, whose: str) -> int:
    data = (await sim.http.get("/directory/limits")).json()["data"]
    (found,) = [one["tokens"] for one in data if one["whose"] == whose]
    return int(found)


async def test_an_empty_bucket_is_429_and_says_when(still: Sim) -> None:
    sim = still
    assert (await ask(sim)).headers["cache-control"] == "max-age=60"
    for number in range(5):
        assert (await ask(sim, f"nobody{number}@fora.example")).status_code == 404
    refused = await ask(sim)
    assert refusal(refused) == (429, "RateLimited")
    assert refused.headers["retry-after"] == "30", "two tokens a minute: the next one in half a minute"
    assert (await ask(sim, payer=COMPANY)).status_code == 200, "another payer has tokens of his own"
    assert (await ask(sim, "98765432100")).status_code == 200


async def test_real_time_fills_them_and_the_banks_calendar_does_not(still: Sim) -> None:
    sim = still
    for number in range(5):
        await ask(sim, f"nobody{number}@fora.example")
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 60 * MINUTE})
    assert (await ask(sim)).status_code == 429
    sim.network.store.run("UPDATE bucket SET at = at - ? WHERE policy = 'NATURAL_PERSON'", 10 * MINUTE)
    assert await tokens(sim, f"{PERSON}:contacts") == 20
    sim.network.store.run("UPDATE bucket SET at = at - ? WHERE policy = 'NATURAL_PERSON'", 600 * MINUTE)
    assert await tokens(sim, f"{PERSON}:contacts") == 100


async def test_the_participants_category(still: Sim) -> None:
    sim = still
    set_to = await sim.act("/directory/limits", {"category": "H"})
    assert (set_to["category"], set_to["enforced"]) == ("H", True)
    for number in range(16):
        assert (await ask(sim, f"nobody{number}@fora.example", f"{number:014d}")).status_code == 404
    assert [(await ask(sim, payer=f"{number:014d}")).status_code for number in range(20, 23)] == [200, 200, 429]
    await sim.act("/directory/limits", {"enforced": False})
    assert (await ask(sim)).status_code == 200
    on = await sim.act("/directory/limits", {"enforced": True})
    assert on["category"] == "H"
    assert (await ask(sim)).status_code == 429
    emptied = await sim.http.delete("/directory/limits")
    assert emptied.json()["data"] == []
    assert (await ask(sim)).status_code == 200


async def test_a_fault_says_when_to_come_back(sim: Sim) -> None:
    await sim.act("/faults", {"operation": "directory", "behaviour": "limited", "delay": 7})
    refused = await ask(sim)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert (await ask(sim)).status_code == 200
