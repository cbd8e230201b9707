import asyncio
from typing import Any

from lastro_sim.settings import LASTRO_ISPB
from lastro_sim.spi import mailbox

from .stage import Sim, until

START = f"/spi/v1/out/{LASTRO_ISPB}/stream/start"


def put(sim: Sim, count: int) -> None:
    for number in range(count):
        mailbox.put(sim.network, LASTRO_ISPB, "admi.002", {"relatedMsgId": f"m{number}", "reason": "a test"})


def names(answered: Any) -> list[str]:
    return [one["relatedMsgId"] for one in answered.json()["messages"]] if answered.status_code == 200 else []


async def test_nothing_to_give_is_204_with_a_way_on(sim: Sim) -> None:
    answered = await sim.ask("GET", f"{START}?wait=0")
    assert answered.status_code == 204
    following = await sim.ask("GET", answered.headers["PI-Pull-Next"] + "?wait=0")
    assert following.status_code == 204


async def test_a_poll_that_waits_is_woken_by_a_message(sim: Sim) -> None:
    polling = asyncio.create_task(sim.ask("GET", f"{START}?wait=10"))
    await asyncio.sleep(0.05)
    put(sim, 1)
    assert names(await polling) == ["m0"]


async def test_the_next_pull_confirms_and_limits_hold(sim: Sim) -> None:
    put(sim, 5)
    first = await sim.ask("GET", f"{START}?limit=2")
    assert names(first) == ["m0", "m1"]
    second = await sim.ask("GET", first.headers["PI-Pull-Next"] + "?limit=2")
    assert names(second) == ["m2", "m3"]
    assert len(sim.network.store.rows("SELECT 1 FROM message WHERE confirmed = 1")) == 2


async def test_a_batch_whose_answer_got_lost_is_given_again(sim: Sim) -> None:
    put(sim, 3)
    first = await sim.ask("GET", f"{START}?limit=1")
    way = first.headers["PI-Pull-Next"] + "?limit=1"
    assert names(await sim.ask("GET", way)) == ["m1"]
    again = await sim.ask("GET", way)
    assert names(again) == ["m1"]
    third = await sim.ask("GET", again.headers["PI-Pull-Next"])
    assert names(third) == ["m2"]


async def test_streams_share_the_load_and_never_a_message(sim: Sim) -> None:
    put(sim, 20)
    pulled = await asyncio.gather(*(sim.ask("GET", f"{START}?limit=7&wait=0") for _ in range(4)))
    given = [name for one in pulled for name in names(one)]
    assert len(given) == len(set(given)) == 20


async def test_what_is_not_confirmed_is_given_again_after_the_lease(impatient: Sim) -> None:
    put(impatient, 1)
    assert names(await impatient.ask("GET", START)) == ["m0"]
    again = await impatient.ask("GET", f"{START}?wait=5")
    assert names(again) == ["m0"]


async def test_a_named_stream_that_starts_again_has_its_messages_at_once(sim: Sim) -> None:
    put(sim, 2)
    first = await sim.ask("GET", f"{START}?stream=worker")
    assert names(first) == ["m0", "m1"]
    assert names(await sim.ask("GET", f"{START}?stream=another&wait=0")) == []
    assert names(await sim.ask("GET", f"{START}?stream=worker")) == ["m0", "m1"]
    assert (await sim.ask("GET", first.headers["PI-Pull-Next"])).status_code == 404


async def test_ending_a_stream_confirms_it(sim: Sim) -> None:
    put(sim, 3)
    first = await sim.ask("GET", f"{START}?limit=2")
    ended = await sim.ask("DELETE", first.headers["PI-Pull-Next"])
    assert ended.status_code == 204
    assert names(await sim.ask("GET", f"{START}?wait=0")) == ["m2"]
    assert (await sim.ask("DELETE", first.headers["PI-Pull-Next"])).status_code == 404


async def test_a_caller_who_hung_up_is_given_nothing(sim: Sim) -> None:
    polling = asyncio.create_task(sim.ask("GET", f"{START}?wait=10"))
    await until(lambda: sim.network.bells._waiting.get(f"out:{LASTRO_ISPB}"))
    polling.cancel()
    await asyncio.gather(polling, return_exceptions=True)
    await until(lambda: not sim.network.bells._waiting.get(f"out:{LASTRO_ISPB}"))
    put(sim, 1)
    assert names(await sim.ask("GET", f"{START}?wait=1")) == ["m0"]


async def test_strangers_and_nonsense_are_refused(sim: Sim) -> None:
    assert (await sim.http.get(START)).status_code == 401
    assert (await sim.http.get(START, headers={"Authorization": "Bearer wrong"})).status_code == 401
    for query in ("wait=-1", "wait=x", "wait=999", "limit=0", "limit=", "other=1", "wait=1&wait=2", "stream="):
        assert (await sim.ask("GET", f"{START}?{query}")).status_code == 400, query
    for cursor in ("x", "x-1", "-", "a-99999999999999999999", "%00-1"):
        assert (await sim.ask("GET", f"/spi/v1/out/{LASTRO_ISPB}/stream/{cursor}")).status_code == 404, cursor
    assert (await sim.ask("GET", "/spi/v1/out/short/stream/start")).status_code == 400
    assert (await sim.ask("GET", "/spi/v1/out/99999020/stream/start")).status_code == 403


async def test_another_participants_cursor_is_unknown(sim: Sim) -> None:
    first = await sim.ask("GET", f"{START}?wait=0")
    cursor = first.headers["PI-Pull-Next"].rpartition("/")[2]
    assert (await sim.ask("GET", f"/spi/v1/out/12345678/stream/{cursor}")).status_code == 404
