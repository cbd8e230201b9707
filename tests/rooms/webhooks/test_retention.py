"""Bodies that are older than an installation keeps them: gone from the feed and the table, their hashes stay."""

import asyncio
import hashlib
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from tests.rooms.webhooks.conftest import Company, Scene, acknowledge, refuse
from tests.rooms.webhooks.made import Made, make
from tests.rooms.webhooks.test_feed import numbers, waiting

from lastro.core.errors import Kind, Problem, Refused
from lastro.webhooks import forget
from lastro.worker.upkeep import Upkeep

DAYS = timedelta(days=30)


async def forget_old(scene: Scene) -> None:
    await Upkeep(scene.database, scene.work, DAYS).forget()


async def later(scene: Scene, days: int) -> None:
    await scene.set_clock(await scene.now() + timedelta(days=days))


async def told(scene: Scene, company: Company, *ages: int, status: str = "DELIVERED") -> list[Any]:
    """Events so many days old, oldest first, as if delivered."""
    now = await scene.now()
    return await make(scene, company, [Made(status, at=now - timedelta(days=age)) for age in ages])


async def test_the_feed_begins_with_the_first_that_is_kept(scene: Scene) -> None:
    ana, dora = await scene.company(), await scene.company()
    await told(scene, ana, 40, 35, 31, 29, 0)
    await told(scene, dora, 1)
    assert numbers(await scene.fed(ana)) == [1, 2, 3, 4, 5]
    await forget_old(scene)
    assert numbers(await scene.fed(ana)) == [4, 5], "without a number: from the first that is kept"
    assert numbers(await scene.fed(ana, after="3")) == [4, 5]
    assert numbers(await scene.fed(ana, after="4")) == [5]
    for after in ("0", "1", "2"):
        says = "what follows it is no longer kept; the feed begins after 3"
        refused = await scene.ask(ana, "GET", "/order/v1/events", {"after": after, "wait": "30"})
        assert refused == Refused(Kind.INVALID, (Problem("after", "EXPIRED", says),))
    assert numbers(await scene.fed(dora, after="0")) == [1]
    assert not any((await scene.breaches()).values())


async def test_the_body_is_gone_and_its_hash_stays(scene: Scene) -> None:
    ana = await scene.company()
    old, young = await told(scene, ana, 31, 1)
    bodies = {r["id"]: r["body"] for r in await scene.admin.fetch("SELECT id, body FROM events")}
    await forget_old(scene)
    rows = {r["id"]: r["body"] for r in await scene.admin.fetch("SELECT id, body FROM events")}
    assert rows == {old: None, young: bodies[young]}
    (row,) = await scene.admin.fetch("SELECT * FROM forgotten_bodies")
    assert (row["event_id"], row["sha256"]) == (old, hashlib.sha256(bodies[old]).digest())
    said = {r["event_id"]: r["message"] for r in await scene.admin.fetch("SELECT event_id, message FROM delivery_attempts")}
    assert (said[old], said[young] != "") == ("", True), "what the receiver said to it is gone with it"
    async with scene.database.session(ana.id) as session:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await session.fetch("UPDATE delivery_attempts SET message = 'other words'")
    shown = await scene.read(ana, old)
    assert "payload" not in shown
    assert (shown["status"], shown["sequence"], len(shown["history"])) == ("DELIVERED", 1, 1)
    assert await scene.resend(ana, old) == Refused(
        Kind.CONFLICT, (Problem("id", "EXPIRED", "the event is so old that its body is no longer kept"),)
    )
    many = await scene.answered(
        ana, "POST", "/order/v1/webhook/events/resend", 202, body={"filter": {"status": "DELIVERED"}}
    )
    assert many["count"] == 1


async def test_nothing_is_forgotten_where_nothing_is_said(scene: Scene) -> None:
    ana = await scene.company()
    await told(scene, ana, 4000)
    await Upkeep(scene.database, scene.work).forget()
    assert numbers(await scene.fed(ana)) == [1]


async def of_the_feed_alone(scene: Scene, company: Company, count: int) -> None:
    """So many events, 31 days old."""
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), NULL, '{}', business_now() - interval '31 days'"
        "   FROM generate_series(1, $2)", company.id, count,
    )  # fmt: skip
    await scene.number_all()


async def test_a_thousand_at_a_time_until_nothing_is_left(scene: Scene) -> None:
    ana = await scene.company()
    await of_the_feed_alone(scene, ana, 2345)
    await scene.tell(ana, None)
    await scene.number_all()
    await forget_old(scene)
    assert numbers(await scene.fed(ana)) == [2346]
    assert await scene.admin.fetchval("SELECT count(*) FROM forgotten_bodies") == 2345
    assert not any((await scene.breaches()).values())


async def test_what_may_still_be_sent_is_kept_and_all_behind_it(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    await told(scene, ana, 50)
    event_id = await scene.tell(ana, receiver.url)
    await scene.tell(ana, None)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    await later(scene, 40)
    await forget_old(scene)
    assert numbers(await scene.fed(ana)) == [2, 3]
    receiver.behaviour = acknowledge
    assert await scene.step(deliverer) == 1
    assert receiver.seen[-1].event_id == str(event_id)
    await forget_old(scene)
    assert numbers(await scene.fed(ana)) == []
    assert not any((await scene.breaches()).values())


async def test_a_resend_and_a_forgetting_at_once_never_send_what_is_gone(scene: Scene) -> None:
    """Either the event is queued and kept, or it is gone and the resend refused."""
    ana = await scene.company()
    for _ in range(12):
        (event_id,) = await told(scene, ana, 31)
        await asyncio.gather(scene.resend(ana, event_id), forget_old(scene))
        row = await scene.delivery(event_id)
        body = await scene.admin.fetchval("SELECT body FROM events WHERE id = $1", event_id)
        assert (row["status"] == "PENDING") == (body is not None)
        await scene.admin.execute("UPDATE deliveries SET status = 'DELIVERED', due_at = NULL")
        await forget_old(scene)
    assert not any((await scene.breaches()).values())


async def test_who_waits_behind_the_last_goes_on_waiting(scene: Scene) -> None:
    ana = await scene.company()
    await told(scene, ana, 31)
    task = await waiting(scene, ana, query={"after": "1", "wait": "30"})
    await forget_old(scene)
    await scene.tell(ana, None)
    await scene.number_all()
    reply = await asyncio.wait_for(task, 5)
    assert b'"sequence":2' in reply.body  # type: ignore[union-attr]


async def test_two_who_forget_at_once_forget_each_once(scene: Scene) -> None:
    ana = await scene.company()
    await of_the_feed_alone(scene, ana, 4000)
    await asyncio.gather(*(forget_old(scene) for _ in range(6)))
    await forget_old(scene)
    assert await scene.admin.fetchval("SELECT count(*) FROM forgotten_bodies") == 4000
    assert numbers(await scene.fed(ana)) == []
    async with scene.database.session(ana.id) as session:
        assert await forget(session, ana.id, DAYS, 100) == 0


async def test_the_apps_role_makes_nothing_else_of_a_body(scene: Scene) -> None:
    ana = await scene.company()
    await told(scene, ana, 1)
    for statement in ("UPDATE events SET body = 'x'", "UPDATE events SET url = NULL", "UPDATE events SET body = body"):
        async with scene.database.session(ana.id) as session:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await session.fetch(statement)
