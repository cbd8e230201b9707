"""A test event: sent like any other, and taken for nothing else."""

from typing import Any

import msgspec
from tests.rooms.webhooks.conftest import Company, Scene, refuse

from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.orders import EVENT_TYPES

PATH = "/order/v1/webhook/test"
PAID = "ORDER-PAYIN.PAID"


async def try_out(scene: Scene, company: Company, **body: Any) -> str:
    answer = await scene.answered(company, "POST", PATH, 202, body=body)
    assert answer["status"] == "PENDING"
    event_id: str = answer["id"]
    return event_id


async def test_it_arrives_signed_with_the_example_inside(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    scene.notices = EVENT_TYPES
    event_id = await try_out(scene, ana, event=PAID, url=receiver.url)
    assert await scene.step(scene.deliverer()) == 1
    (got,) = receiver.seen
    assert (got.event_id, got.headers["x-event-type"], got.headers["x-event-sequence"]) == (event_id, "WEBHOOK.TEST", "1")
    body = msgspec.json.decode(got.body)
    example = next(dict(notice.example) for notice in EVENT_TYPES if notice.name == PAID)
    assert (body["event"], body["data"]) == ("WEBHOOK.TEST", {"event": PAID, "payload": example})
    assert "webhook-signature" in got.headers
    shown = (await scene.fed(ana))["data"][0]
    assert (shown["event"], shown["payload"]) == ("WEBHOOK.TEST", body)


async def test_it_goes_to_the_companys_url_switched_on_or_not(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    await scene.set_webhook(ana, {"event": PAID, "url": receiver.url, "active": False})
    await try_out(scene, ana, event=PAID)
    assert await scene.step(scene.deliverer()) == 1
    assert [r.headers["x-event-type"] for r in receiver.seen] == ["WEBHOOK.TEST"]
    assert "payload" not in msgspec.json.decode(receiver.seen[0].body)["data"], "no room has an example of it here"


async def test_one_that_fails_is_listed_and_retried(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await try_out(scene, ana, event=PAID, url=receiver.url)
    await scene.step(scene.deliverer())
    assert [(e["id"], e["status"]) for e in (await scene.listed(ana, event="WEBHOOK.TEST"))["data"]] == [
        (event_id, "RETRYING")
    ]


async def test_tests_do_not_wait_for_each_other(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    for _ in range(3):
        await try_out(scene, ana, event=PAID, url=receiver.url)
    assert await scene.step(scene.deliverer()) == 3


async def test_without_any_url_it_is_refused(scene: Scene) -> None:
    ana = await scene.company()
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.EXPIRED", "url": "https://a.example/"})
    refused = await scene.ask(ana, "POST", PATH, body={"event": PAID})
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == [("url", "REQUIRED")]
    assert await scene.admin.fetchval("SELECT count(*) FROM events") == 0


async def test_under_one_key_it_is_sent_once(scene: Scene) -> None:
    ana = await scene.company()
    body = {"event": PAID, "url": "https://a.example/"}
    first, second = [await scene.ask(ana, "POST", PATH, key="k", body=body) for _ in range(2)]
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, second.replayed) == (first.body, True)
    assert await scene.admin.fetchval("SELECT count(*) FROM events") == 1
