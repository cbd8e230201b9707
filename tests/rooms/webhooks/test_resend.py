from datetime import timedelta
from uuid import UUID

import msgspec
import pytest
from aiohttp import web
from tests.rooms.webhooks.conftest import Received, Scene, acknowledge, refuse

from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply


def queued(event_id: UUID) -> dict[str, str]:
    return {"id": str(event_id), "status": "PENDING"}


async def accepted(reply: Reply | Refused) -> dict[str, str]:
    assert isinstance(reply, Reply), reply
    assert reply.status == 202
    answer: dict[str, str] = msgspec.json.decode(reply.body)
    return answer


async def test_a_delivered_event_is_sent_again_as_it_was(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
    assert (await scene.delivery(event_id))["status"] == "PENDING"
    assert await deliverer.step() == 1
    first, second = receiver.seen
    assert (first.event_id, first.body) == (second.event_id, second.body)
    assert [r.headers["x-delivery-attempt"] for r in receiver.seen] == ["1", "2"]
    assert [a["number"] for a in await scene.attempts(event_id)] == [1, 2]


async def test_a_failed_event_has_a_new_plan_and_its_history_goes_on(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    for resent in (False, True):
        if resent:
            assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
            assert await deliverer.step() == 1
        for _ in range(4):
            await scene.set_clock((await scene.delivery(event_id))["due_at"])
            assert await deliverer.step() == 1
        row = await scene.delivery(event_id)
        assert (row["status"], row["due_at"]) == ("FAILED", None)
    assert [a["number"] for a in await scene.attempts(event_id)] == list(range(1, 11))
    assert receiver.seen[-1].headers["x-delivery-attempt"] == "10"


async def test_a_waiting_event_is_due_at_once_with_all_its_retries(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
    assert await deliverer.step() == 1
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"], row["plan_attempts"]) == ("RETRYING", 2, 1)
    assert row["due_at"] - row["updated_at"] <= timedelta(minutes=1)


async def test_a_pending_event_stays_as_it_is(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, receiver.url)
    # Before it has its number, and after.
    assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
    await scene.number_all()
    before = dict(await scene.delivery(event_id))
    assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
    assert dict(await scene.delivery(event_id)) == before
    assert await scene.deliverer().step() == 1


@pytest.mark.parametrize("acknowledged", [True, False])
async def test_a_resend_during_a_retry_sends_nothing_twice_at_once(scene: Scene, acknowledged: bool) -> None:
    ana, receiver = await scene.company(), await scene.receiver(refuse)
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    await scene.set_clock((await scene.delivery(event_id))["due_at"])
    other = scene.deliverer()

    async def resent_meanwhile(received: Received) -> web.Response:
        receiver.behaviour = refuse
        await accepted(await scene.resend(ana, event_id))
        assert await other.step() == 0, "it is on its way"
        return await (acknowledge if acknowledged else refuse)(received)

    receiver.behaviour = resent_meanwhile
    # Acknowledged, the resend has what it wanted; refused, the new plan begins with its own first attempt.
    assert await deliverer.step() == (1 if acknowledged else 2)
    row = await scene.delivery(event_id)
    assert (row["status"], row["attempts"]) == (("DELIVERED", 2) if acknowledged else ("RETRYING", 3))
    assert acknowledged or row["plan_attempts"] == 1
    assert len(await scene.attempts(event_id)) == row["attempts"]
    assert not any((await scene.breaches()).values())


async def test_an_event_of_the_feed_alone_is_not_found(scene: Scene) -> None:
    ana = await scene.company()
    event_id = await scene.tell(ana, None)
    await scene.number_all()
    assert await scene.resend(ana, event_id) == Refused(Kind.NOT_FOUND)


async def test_it_goes_where_the_company_is_told_now(scene: Scene) -> None:
    """Its old URL is gone; the object named none. One with a URL of its own keeps it."""
    ana, old, new = await scene.company(), await scene.receiver(refuse), await scene.receiver()
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.PAID", "url": old.url})
    event_id = await scene.tell(ana, None, event_type="ORDER-PAYIN.PAID")
    with_own = await scene.tell(ana, old.url, event_type="ORDER-PAYIN.PAID")
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.PAID", "url": new.url})
    for one in (event_id, with_own):
        await accepted(await scene.resend(ana, one))
    await deliverer.step()
    assert [r.event_id for r in new.seen] == [str(event_id)]
    assert (await scene.delivery(event_id))["status"] == "DELIVERED"
    assert (await scene.delivery(with_own))["url"] == old.url


async def test_what_went_nowhere_goes_to_a_url_that_came_later(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, None, event_type="ORDER-PAYIN.PAID")
    await scene.number_all()
    await scene.set_webhook(ana, {"event": "ORDER-PAYIN.PAID", "url": receiver.url})
    assert await accepted(await scene.resend(ana, event_id)) == queued(event_id)
    await scene.deliverer().step()
    assert [r.event_id for r in receiver.seen] == [str(event_id)]
    assert not any((await scene.breaches()).values())


async def test_under_one_key_an_event_is_queued_once(scene: Scene) -> None:
    ana, receiver = await scene.company(), await scene.receiver()
    event_id = await scene.tell(ana, receiver.url)
    deliverer = scene.deliverer()
    await scene.step(deliverer)
    first = await scene.resend(ana, event_id, key="again")
    await deliverer.step()
    second = await scene.resend(ana, event_id, key="again")
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, second.replayed) == (first.body, True)
    assert await deliverer.step() == 0
    assert len(receiver.seen) == 2
