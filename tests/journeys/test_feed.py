"""The feed, test deliveries and settings through real processes."""

import asyncio
import re
from typing import Any

import aiohttp
from tests.in_one import in_one_test

from .play import Play
from .stage import until

FEED = "/order/v1/events"
HOOK = "/order/v1/webhook"


async def last_number(play: Play) -> int:
    """The last of what was told so far."""
    seen = 0
    while True:
        answer = (await play.call("GET", f"{FEED}?after={seen}&limit=5000")).json
        seen = answer["data"][-1]["sequence"] if answer["data"] else seen
        if not answer["hasNext"]:
            return seen


async def requests_in_flight(play: Play) -> int:
    shown = (await play.ask("GET", f"{play.stage.base_url}/metrics")).body.decode()
    found = re.search(r"^lastro_requests_in_flight (\S+)$", shown, re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


async def test_who_follows_the_feed_hears_at_once_what_happened(play: Play) -> None:
    after = await last_number(play)
    waiting = asyncio.create_task(play.call("GET", f"{FEED}?after={after}&wait=30"))
    order = await play.order()
    await play.tool(order, "CANCELED")
    answer = await asyncio.wait_for(waiting, 20)
    (event,) = answer.json["data"]
    assert (event["sequence"], event["event"], event["referenceId"]) == (after + 1, "ORDER-PAYIN.CANCELED", order["id"])
    told = await play.told(order, "ORDER-PAYIN.CANCELED")
    assert event["payload"] == told
    one = (await play.call("GET", f"{HOOK}/events/{event['id']}")).json
    assert (one["sequence"], one["payload"], one["status"]) == (after + 1, told, "DELIVERED")


async def test_dora_hears_nothing_of_it(play: Play) -> None:
    order = await play.order()
    await play.tool(order, "CANCELED")
    event = (await play.told(order, "ORDER-PAYIN.CANCELED"))["id"]
    feed = await play.call("GET", f"{FEED}?limit=5000", dora=True)
    assert event.encode() not in feed.body


async def test_who_hangs_up_is_not_waited_for(play: Play) -> None:
    after = await last_number(play)
    before = await requests_in_flight(play)
    token = await play._token(play.stage.client(dora=False))
    headers = {"authorization": f"Bearer {token}"}
    url = f"{play.stage.base_url}{FEED}?after={after}&wait=30"

    async def ask() -> None:
        async with aiohttp.ClientSession(trust_env=False) as own, own.get(url, headers=headers) as answer:
            await answer.read()

    tasks = [asyncio.create_task(ask()) for _ in range(20)]
    await until(lambda: more(play, before + 19), "twenty who wait")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await until(lambda: no_more(play, before), "their end", seconds=25)


async def more(play: Play, than: int) -> bool:
    return await requests_in_flight(play) > than


async def no_more(play: Play, than: int) -> bool:
    return await requests_in_flight(play) <= than


@in_one_test("is_set", [True, False])
async def test_a_test_event_arrives_where_it_is_sent(play: Play, is_set: bool) -> None:
    """At the URL that is set for the type, or at the one that is given."""
    name = f"trial-{play.name}-{is_set}"
    url = f"{play.stage.simulator_url}/merchant/webhooks/{name}"
    if is_set:
        done = await play.call("PUT", HOOK, {"events": [{"event": "ACCOUNT.REJECTED", "url": url, "active": False}]})
        assert done.status == 200
    body: dict[str, Any] = {"event": "ACCOUNT.REJECTED"} | ({} if is_set else {"url": url})
    answer = await play.call("POST", f"{HOOK}/test", body)
    assert answer.status == 202
    came = await until(lambda: play.webhooks({"externalId": name}), "the test")
    assert [(c["eventId"], c["eventType"], c["signatureValid"]) for c in came] == [(answer.json["id"], "WEBHOOK.TEST", True)]


async def test_urls_of_the_service_itself_are_refused(play: Play) -> None:
    for url in (play.stage.base_url, play.stage.base_url.replace("127.0.0.1", "localhost")):
        refused = await play.call("POST", f"{HOOK}/test", {"event": "ORDER-PAYIN.PAID", "url": f"{url}/x"})
        assert refused.problem == (400, "url", "INVALID")
