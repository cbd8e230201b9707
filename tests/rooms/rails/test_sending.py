"""The network is told what rooms wrote for it; money never twice."""

import asyncio
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest

from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.work_queue import Queue
from lastro.core.write import Message
from lastro.rails import port, sending
from lastro.rails.sending import Sender

from .conftest import AT, DEADLINE_SECONDS, House, Scene, until
from .network import ISPB, end_to_end_id


def _answer(scene: Scene, code: str | None = None) -> Message:
    payer = port.Payer("P", "CPF", "12345678909", "99999020", "0001", "1", "CACC")
    to = port.PixArrival(
        "M1", end_to_end_id(1), None, Money(1000, "BRL"), AT, payer, "0001", "000000019", None, None, "QRDN"
    )
    answer = port.PixAnswer.new(ISPB, to, code, scene.chance.bytes(24))
    return port.answer_message(answer, scene.chance.uuid(AT), scene.chance.uuid(AT), AT)


async def _outcome(scene: Scene) -> str | None:
    (row,) = await scene.rows("SELECT outcome FROM outbox")
    outcome: str | None = row["outcome"]
    return outcome


async def test_answers_are_told(scene: Scene, house: House) -> None:
    yes, no = _answer(scene), _answer(scene, "AC03")
    await scene.put(house.ana, yes)
    await scene.put(house.institution, no)
    await scene.sender.queue.drain()
    told = {m["msgId"]: m for m in scene.network.received}
    assert told[yes.network_id] == {
        "msgId": yes.network_id, "type": "pacs.002", "createdAt": "2026-11-20T12:00:00.000Z", "originalMsgId": "M1",
        "endToEndId": end_to_end_id(1), "status": "ACSP",
    }  # fmt: skip
    assert (told[no.network_id]["status"], told[no.network_id]["code"]) == ("RJCT", "AC03")
    assert yes.network_id.startswith(f"M{ISPB}")
    rows = await scene.rows("SELECT outcome, due_at, lease_token, done_at FROM outbox")
    assert {(r["outcome"], r["due_at"], r["lease_token"]) for r in rows} == {("sent", None, None)}
    assert all(r["done_at"] for r in rows)


async def test_what_is_sent_together_is_settled_together(scene: Scene, house: House) -> None:
    for number in range(1, 6):
        await scene.to_return(house.ana, sequence=number)
    patient = Sender(scene.database, scene.work, scene.runner, scene.chance, "pix", scene.rail, moment=DEADLINE_SECONDS)
    await patient.queue.drain()
    rows = await scene.rows("SELECT outcome, xmin::text AS written FROM outbox")
    assert [r["outcome"] for r in rows] == ["sent"] * 5
    assert len({r["written"] for r in rows}) == 1, "by one statement"


async def test_what_was_sent_does_not_wait_for_what_hangs(scene: Scene, house: House) -> None:
    for number in (1, 2):
        await scene.to_return(house.ana, sequence=number)
    scene.network.misbehave = ["hang"]
    assert await scene.sender.queue.round()

    async def settled() -> bool:
        rows = await scene.rows("SELECT outcome FROM outbox WHERE lease_token IS NULL")
        return [r["outcome"] for r in rows] == ["sent"]

    await until(settled)
    resting = asyncio.ensure_future(scene.sender.queue.rest())
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.wait((resting,))


@pytest.mark.parametrize(("asked", "least", "most"), [(600, 590, 610), (10**6, 3590, 3610), (None, 0, 5)])
async def test_a_pause_that_the_network_asks_for_is_kept(
    scene: Scene, house: House, asked: int | None, least: int, most: int
) -> None:
    class Busy:
        async def send(self, *_: object) -> None:
            raise port.Transient("asked too often", asked, is_on_its_way=False)

        async def status_of(self, *_: object) -> port.Unknown:
            return port.Unknown()

    await scene.to_return(house.ana)
    await Sender(scene.database, scene.work, scene.runner, scene.chance, "pix", cast("port.Rail", Busy())).queue.round()

    async def given_back() -> Any:
        return await scene.rows(
            "SELECT due_at - business_now() AS later FROM outbox WHERE lease_token IS NULL AND sends = 1"
        )

    (row,) = await until(given_back)
    assert timedelta(seconds=least - 5) <= row["later"] <= timedelta(seconds=most)


async def test_a_return_is_told_with_an_id_that_leads_back(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    await scene.sender.queue.drain()
    (sent,) = scene.network.of("pacs.004")
    assert (sent["returnId"], sent["msgId"], sent["amount"], sent["reason"]) == (name, "M" + name[1:], "10.00", "MD06")
    assert scene.network.asked == [], "the first send needs no question"


async def test_a_lost_answer_is_asked_about_and_never_sent_again(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    assert await _outcome(scene) is None
    await scene.pass_time(1)
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "sent"
    assert scene.network.asked == [name]
    assert len(scene.network.of("pacs.004")) == 1


async def test_a_return_the_network_never_saw_is_sent_again_with_the_same_bytes(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    scene.network.misbehave = ["down"]
    await scene.sender.queue.drain()
    await scene.pass_time(1)
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    (first,) = scene.network.of("pacs.004")
    del scene.network.statuses[name]
    await scene.pass_time(2)
    await scene.sender.queue.drain()
    assert scene.network.of("pacs.004") == [first, first]
    assert scene.network.asked == [name, name]


async def test_a_worker_killed_after_sending_does_not_send_a_return_again(scene: Scene, house: House) -> None:
    await scene.to_return(house.ana)
    from lastro.core import work_queue  # noqa: PLC0415

    token = UUID(bytes=scene.chance.bytes(16))
    (row,) = await work_queue.claim(scene.database, Queue("outbox"), house.ana, token, 1)
    await scene.rail.send(row["kind"], row["network_id"], bytes(row["body"]), row["company_id"])  # and then it dies
    await scene.sender.queue.drain()
    assert await _outcome(scene) is None, "its lease still holds"
    await scene.end_leases()
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "sent"
    assert len(scene.network.of("pacs.004")) == 1


async def test_while_the_question_is_not_answered_nothing_is_sent_again(scene: Scene, house: House) -> None:
    await scene.to_return(house.ana)
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    scene.network.silent = True
    await scene.pass_time(1)
    await scene.sender.queue.drain()
    assert len(scene.network.of("pacs.004")) == 1
    assert await _outcome(scene) is None
    (row,) = await scene.rows("SELECT sends, due_at FROM outbox")
    assert row["sends"] == 2
    assert 1.0 < (row["due_at"] - await scene.now()).total_seconds() <= 2.0


async def test_a_lost_answer_to_an_answer_is_sent_again(scene: Scene, house: House) -> None:
    await scene.put(house.ana, _answer(scene))
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    await scene.pass_time(1)
    await scene.sender.queue.drain()
    first, second = scene.network.received
    assert first == second
    assert await _outcome(scene) == "sent"


async def test_back_off(scene: Scene, house: House) -> None:
    await scene.put(house.ana, _answer(scene))
    scene.network.misbehave = ["down"] * 3
    for seconds in (1, 2, 4):
        await scene.sender.queue.drain()
        (row,) = await scene.rows("SELECT * FROM outbox")
        assert seconds - 0.9 < (row["due_at"] - await scene.now()).total_seconds() <= seconds
        await scene.pass_time(seconds)
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "sent"


async def test_a_return_refused_for_good_becomes_news(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    scene.network.misbehave = ["refuse"]
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "refused"
    (row,) = await scene.inbox_rows()
    assert (row["company_id"], row["kind"], row["subject"]) == (house.ana, port.RETURN_FINAL, name)
    ended = port.return_final(bytes(row["body"]))
    assert (ended.return_id, ended.settled, ended.code) == (name, False, "INVALID_REQUEST")
    await scene.handler.queue.drain()
    assert [h.row.network_id for h in scene.handled] == [row["network_id"]]


async def test_a_refused_copy_of_a_return_that_arrived_is_no_refused_return(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    scene.network.statuses[name] = {"returnId": name, "endToEndId": end_to_end_id(1), "status": "ACCC", "amount": "10.00"}
    scene.network.misbehave = ["refuse"]
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "sent"
    assert await scene.inbox_rows() == []


async def test_a_refused_later_copy_of_a_return_is_a_doubt_and_no_refused_return(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    scene.network.misbehave = ["lost"]
    await scene.sender.queue.drain()
    arrived = scene.network.statuses.pop(name)  # the first copy is on its way, and not known yet
    await scene.pass_time(1)
    scene.network.misbehave = ["refuse"]
    await scene.sender.queue.drain()
    assert (await _outcome(scene), await scene.inbox_rows()) == (None, [])
    scene.network.statuses[name] = arrived
    await scene.pass_time(2)
    await scene.sender.queue.drain()
    assert (await _outcome(scene), await scene.inbox_rows()) == ("sent", [])


async def test_a_refused_answer_is_settled_without_news(scene: Scene, house: House) -> None:
    await scene.put(house.ana, _answer(scene))
    scene.network.misbehave = ["refuse"]
    await scene.sender.queue.drain()
    assert await _outcome(scene) == "refused"
    assert await scene.inbox_rows() == []


async def test_one_message_that_hangs_holds_up_no_other(scene: Scene, house: House) -> None:
    await scene.put(house.ana, _answer(scene))
    scene.network.misbehave = ["hang"]
    assert await scene.sender.queue.round()

    async def arrived() -> bool:
        return len(scene.network.received) == 1

    await until(arrived)
    second = _answer(scene)
    await scene.put(house.ana, second)
    assert await scene.sender.queue.round()

    async def sent() -> bool:
        rows = await scene.rows("SELECT outcome FROM outbox WHERE network_id = $1", second.network_id)
        return bool(rows[0]["outcome"] == "sent")

    await until(sent)
    resting = asyncio.ensure_future(scene.sender.queue.rest())
    await asyncio.sleep(0)
    resting.cancel()
    await asyncio.gather(resting, return_exceptions=True)


async def test_the_lease_outlasts_the_hard_time_out() -> None:
    from lastro.core.work_queue import LEASE_SECONDS  # noqa: PLC0415

    assert sending.HARD_TIMEOUT_SECONDS * 2 < LEASE_SECONDS


async def test_two_workers_send_each_message_once(scene: Scene, house: House) -> None:
    for sequence in range(30):
        await scene.to_return(house.ana, sequence=sequence)
    other = sending.Sender(scene.database, scene.work, scene.runner, Chance(scene.chance.bytes), "pix", scene.rail)
    await asyncio.gather(scene.sender.queue.drain(), other.queue.drain())
    names = [m["returnId"] for m in scene.network.of("pacs.004")]
    assert len(names) == len(set(names)) == 30
