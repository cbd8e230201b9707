"""Sending again all that fits a filter: counted, paced, in order, once."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.in_one import in_one_test
from tests.rooms.webhooks.conftest import Company, Received, Scene, acknowledge, refuse
from tests.rooms.webhooks.made import URL, Made, make

from lastro.core.runner import Reply
from lastro.webhooks.actions import resend as asked

PATH = "/order/v1/webhook/events/resend"
MOST = 20


async def resend(
    scene: Scene, company: Company, *, status: int = 202, key: str | None = None, **body: Any
) -> dict[str, Any]:
    return await scene.answered(company, "POST", PATH, status, body={"filter": {}, **body}, key=key)


async def test_a_dry_run_counts_and_changes_nothing(scene: Scene) -> None:
    ana = await scene.company()
    await make(scene, ana, [Made("FAILED"), Made("RETRYING"), Made("PENDING"), Made("DELIVERED")])
    before = await scene.admin.fetch("SELECT * FROM deliveries ORDER BY id")
    assert await resend(scene, ana, status=200, dryRun=True) == {"count": 2, "hasMore": False}
    assert await resend(scene, ana, status=200, dryRun=True, filter={"status": "DELIVERED"}) == {
        "count": 1,
        "hasMore": False,
    }
    assert await scene.admin.fetch("SELECT * FROM deliveries ORDER BY id") == before


async def test_what_failed_is_sent_again_as_it_was(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    told = [await scene.tell(ana, receiver.url, n=n) for n in range(5)]
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    first = {r.event_id: r.body for r in receiver.seen}
    receiver.seen.clear()
    receiver.behaviour = acknowledge
    assert await resend(scene, ana, perMinute=60_000) == {"count": 5, "hasMore": False}
    await scene.set_clock(await scene.now() + timedelta(seconds=1))
    assert await deliverer.step() == 5
    assert {r.event_id: r.body for r in receiver.seen} == first
    assert {r.headers["x-delivery-attempt"] for r in receiver.seen} == {"2"}
    assert {(await scene.delivery(event))["status"] for event in told} == {"DELIVERED"}
    assert await resend(scene, ana) == {"count": 0, "hasMore": False}


async def test_they_go_where_the_company_is_told_now(scene: Scene) -> None:
    ana, old, new = await scene.company(), await scene.receiver(refuse), await scene.receiver()
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.PAID", "url": old.url})
    moved = [await scene.tell(ana, None, event_type="ORDER-PAYIN.PAID", n=n) for n in range(3)]
    stays = await scene.tell(ana, old.url, event_type="ORDER-PAYIN.PAID", n=3)
    await scene.step(scene.deliverer())
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.PAID", "url": new.url})
    assert await resend(scene, ana, perMinute=60_000) == {"count": 4, "hasMore": False}
    urls = [(await scene.delivery(event_id))["url"] for event_id in (*moved, stays)]
    assert urls == [new.url, new.url, new.url, old.url]


async def test_they_become_due_oldest_first_so_many_a_minute(scene: Scene) -> None:
    ana = await scene.company()
    ids = await make(scene, ana, [Made() for _ in range(7)])
    begun = await scene.now()
    await resend(scene, ana, perMinute=3)
    due = [(await scene.delivery(event))["due_at"] for event in ids]
    assert begun <= due[0] < begun + timedelta(seconds=5)
    assert {b - a for a, b in pairwise(due)} == {timedelta(seconds=20)}


async def test_the_default_pace_is_600_a_minute(scene: Scene) -> None:
    ana = await scene.company()
    one, other = await make(scene, ana, [Made(), Made()])
    await resend(scene, ana)
    assert (await scene.delivery(other))["due_at"] - (await scene.delivery(one))["due_at"] == timedelta(seconds=0.1)


async def test_a_new_plan_for_each_and_what_is_pending_stays(scene: Scene) -> None:
    ana = await scene.company()
    *ids, pending = await make(scene, ana, [Made("FAILED"), Made("RETRYING"), Made("DELIVERED"), Made("PENDING")])
    waiting = dict(await scene.delivery(pending))
    for status in ("FAILED", "RETRYING", "DELIVERED"):
        assert (await resend(scene, ana, filter={"status": status}))["count"] == 1
    for event in ids:
        row = await scene.delivery(event)
        assert (row["status"], row["plan_attempts"], row["version"], row["waits"]) == ("PENDING", 0, 2, False)
        assert row["attempts"] == len(await scene.attempts(event))
    assert dict(await scene.delivery(pending)) == waiting
    assert not any((await scene.breaches()).values())


@in_one_test(
    ("wanted", "found"),
    [
        ({}, {0, 1, 2}), ({"event": "ORDER-PAYIN.EXPIRED"}, {1}), ({"url": "https://b.example/"}, {2}), ({"status": "RETRYING"}, {2}),
        ({"from": "2026-03-05"}, {1, 2}), ({"to": "2026-03-05"}, {0, 1}), ({"from": "2026-03-05", "to": "2026-03-05"}, {1}),
        ({"from": "2026-03-06T12:00:00Z"}, {2}), ({"event": "ORDER-PAYIN.PAID", "url": "https://b.example/"}, {2}),
        ({"referenceId": "x"}, set()), ({"referenceId": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"}, set()), ({"referenceId": "own"}, {1}),
    ],
)  # fmt: skip
async def test_a_filter_says_which(scene: Scene, wanted: dict[str, str], found: set[int]) -> None:
    ana = await scene.company()
    day = (await scene.now()).replace(year=2026, month=3, day=4, hour=12, minute=0, second=0, microsecond=0)
    thing = scene.chance.uuid(day)
    ids = await make(scene, ana, [
        Made(at=day), Made(at=day + timedelta(days=1), event="ORDER-PAYIN.EXPIRED", reference=thing),
        Made("RETRYING", at=day + timedelta(days=2), url="https://b.example/"),
        Made("DELIVERED", at=day + timedelta(days=3)),
    ])  # fmt: skip
    if wanted.get("referenceId") == "own":
        wanted = {"referenceId": str(thing)}
    assert (await resend(scene, ana, filter=wanted))["count"] == len(found)
    moved = {n for n, event in enumerate(ids) if (await scene.delivery(event))["status"] == "PENDING"}
    assert moved == found


async def test_one_call_takes_so_many_and_says_where_the_rest_begins(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "MOST", MOST)
    ana = await scene.company()
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'ORDER-PAYIN.PAID', gen_random_uuid(), $2, '{}', '2026-03-04Z' FROM generate_series(1, $3)",
        ana.id, URL, MOST + 5,
    )  # fmt: skip
    await scene.number_all()
    await scene.admin.execute("UPDATE deliveries SET status = 'DELIVERED', due_at = NULL, attempts = 1, plan_attempts = 1")
    delivered = {"status": "DELIVERED"}
    first = await resend(scene, ana, filter=delivered)
    assert (first["count"], first["hasMore"]) == (MOST, True)
    left = await scene.admin.fetch("SELECT sequence FROM deliveries WHERE status = 'DELIVERED' ORDER BY sequence")
    assert [r["sequence"] for r in left] == list(range(MOST + 1, MOST + 6)), "the oldest go first"
    rest = await resend(scene, ana, filter={**delivered, "from": first["nextFrom"]})
    assert rest == {"count": 5, "hasMore": False}
    spread = await scene.admin.fetchval("SELECT max(due_at) - min(due_at) FROM deliveries WHERE sequence <= $1", MOST)
    assert spread == timedelta(minutes=1) * (MOST - 1) / 600


async def test_of_one_object_order_is_kept(scene: Scene) -> None:
    """The newest waits until those sent again are through, whatever is due first."""
    ana, receiver = await scene.company(), await scene.receiver()
    thing = scene.chance.uuid(await scene.now())
    deliverer = scene.deliverer()
    for n in range(4):
        await scene.tell(ana, receiver.url, reference=thing, n=n)
        await scene.step(deliverer)
    receiver.seen.clear()
    await resend(scene, ana, filter={"status": "DELIVERED"}, perMinute=1)
    await scene.tell(ana, receiver.url, reference=thing, n=4)
    await scene.number_all()
    for _ in range(8):
        await deliverer.step()
        due_at = await scene.admin.fetchval("SELECT min(due_at) FROM deliveries")
        if due_at is None:
            break
        await scene.set_clock(due_at)
    assert [msgspec.json.decode(r.body)["n"] for r in receiver.seen] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("acknowledged", [True, False])
async def test_an_attempt_on_its_way_does_not_override_the_new_plan(scene: Scene, acknowledged: bool) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    await scene.set_clock((await scene.delivery(event_id))["due_at"])

    async def resent_meanwhile(received: Received) -> web.Response:
        receiver.behaviour = refuse
        assert (await resend(scene, ana))["count"] == 1
        assert await scene.deliverer().step() == 0, "it is on its way"
        return await (acknowledge if acknowledged else refuse)(received)

    receiver.behaviour = resent_meanwhile
    assert await deliverer.step() == (1 if acknowledged else 2)
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"]) == (("DELIVERED", 2) if acknowledged else ("RETRYING", 3))


async def test_what_moves_meanwhile_keeps_its_own_way(scene: Scene) -> None:
    """A delivery that somebody is just moving is neither waited for nor moved."""
    ana = await scene.company()
    ids = await make(scene, ana, [Made("RETRYING") for _ in range(3)])
    other = await scene.database.lend(ana.id)
    transaction = other._connection.transaction()
    await transaction.start()
    await other.fetch(
        "UPDATE deliveries SET status = 'DELIVERED', due_at = NULL, version = version + 1 WHERE id = $1", ids[1]
    )
    async with asyncio.timeout(5):
        assert (await resend(scene, ana))["count"] == 3
    await transaction.commit()
    scene.database.give_back(other)
    assert [(await scene.delivery(event))["status"] for event in ids] == ["PENDING", "DELIVERED", "PENDING"]


async def test_two_at_once_move_each_once(scene: Scene) -> None:
    ana = await scene.company()
    ids = await make(scene, ana, [Made() for _ in range(30)])
    await asyncio.gather(*(resend(scene, ana) for _ in range(3)))
    assert {(await scene.delivery(event))["version"] for event in ids} == {2}


async def test_under_one_key_it_is_done_once(scene: Scene) -> None:
    ana = await scene.company()
    (event_id,) = await make(scene, ana, [Made()])
    first = await scene.ask(ana, "POST", PATH, key="again", body={"filter": {}})
    await scene.admin.execute("UPDATE deliveries SET status = 'FAILED', due_at = NULL")
    second = await scene.ask(ana, "POST", PATH, key="again", body={"filter": {}})
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.status, second.body, second.replayed) == (202, first.body, True)
    assert (await scene.delivery(event_id))["version"] == 2


async def test_another_companys_stay(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    thing = scene.chance.uuid(await scene.now())
    (event_id,) = await make(scene, ana, [Made(reference=thing)])
    for wanted in ({}, {"referenceId": str(thing)}, {"url": URL}):
        assert (await resend(scene, dora, filter=wanted))["count"] == 0
    assert (await scene.delivery(event_id))["status"] == "FAILED"
