"""The directory's token buckets, and what it says when one is empty."""

import httpx
import pytest

from lastro_sim.clock import MINUTE

from .official.directory import refusal
from .orders import LOOK_UP, ended, payout
from .stage import Institution, Sim

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


async def test_hits_cost_one_and_misses_twenty(still: Sim) -> None:
    sim = still
    await sim.act("/directory/limits", {"category": "H"})
    assert (await ask(sim)).headers["cache-control"] == "max-age=60"
    assert await tokens(sim, f"{PERSON}:contacts") == 99
    assert (await ask(sim, "nobody@fora.example")).status_code == 404
    assert await tokens(sim, f"{PERSON}:contacts") == 79
    assert await tokens(sim, "99999010") == 50 - 4
    assert (await ask(sim, "98765432100")).status_code == 200
    assert await tokens(sim, f"{PERSON}:others") == 99, "documents draw from a bucket of their own"
    assert await tokens(sim, f"{PERSON}:contacts") == 79


async def test_an_empty_bucket_is_429_and_says_when(still: Sim) -> None:
    sim = still
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


@pytest.mark.parametrize(("payer", "back", "capacity"), [(PERSON, 1, 100), (COMPANY, 2, 1000)])
async def test_a_payment_gives_back_once(sim: Sim, lastro: Institution, payer: str, back: int, capacity: int) -> None:
    message = payout(lastro)
    await ask(sim, "nobody@fora.example", payer)
    await ask(sim, payer=payer, end_to_end_id=message["endToEndId"])
    assert await tokens(sim, f"{payer}:contacts") == capacity - 21
    for _ in range(3):
        await ended(lastro, message | {"msgId": lastro.message("pacs.008")["msgId"]})
    assert await tokens(sim, f"{payer}:contacts") == capacity - 21 + back
    await ended(lastro, payout(lastro, 2))
    assert await tokens(sim, f"{payer}:contacts") == capacity - 21 + back, "nothing was looked up for this one"
    left = sim.network.store.rows("SELECT end_to_end_id FROM look_up")
    assert [one["end_to_end_id"] for one in left] == ["E" * 32], "what was given back is forgotten"


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
