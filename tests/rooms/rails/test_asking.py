"""Silence is not failure: the network is asked until it says how something ended."""

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from lastro.orders import WAITING
from lastro.rails import port
from lastro.rails.status_poller import StatusPoller

from .conftest import House, Scene
from .network import end_to_end_id


async def _wait(scene: Scene, table: str) -> float:
    (row,) = await scene.rows(f"SELECT ask_at - business_now() AS wait FROM {table} WHERE ask_at IS NOT NULL")
    seconds: float = row["wait"].total_seconds()
    return seconds


async def test_a_payment_is_asked_about_less_and_less_often(scene: Scene, house: House) -> None:
    name = end_to_end_id(1)
    payment_id = await scene.accepted(house.ana, name)
    scene.network.statuses[name] = {"endToEndId": name, "status": "PENDING", "amount": "10.00", "settledAt": None}
    for times, seconds in enumerate((30, 60, 300, 900, 900), start=1):
        assert await scene.status_poller.round()
        assert scene.network.asked == [name] * times
        assert seconds - 5 < await _wait(scene, "pix_payments") <= seconds
        assert not await scene.status_poller.round()
        await scene.pass_time(seconds)
    (row,) = await scene.rows("SELECT version, asked FROM pix_payments WHERE id = $1", payment_id)
    assert (row["version"], row["asked"]) == (1, 5)
    assert await scene.inbox_rows() == []


@pytest.mark.parametrize(("status", "code"), [("ACCC", None), ("RJCT", "AB03")])
async def test_an_end_becomes_news(scene: Scene, house: House, status: str, code: str | None) -> None:
    name = end_to_end_id(1)
    await scene.accepted(house.ana, name)
    settled_at = "2026-11-20T12:00:01.000000Z" if code is None else None
    scene.network.statuses[name] = {
        "endToEndId": name, "status": status, "code": code, "amount": "10.00", "settledAt": settled_at,
    }  # fmt: skip
    assert await scene.status_poller.round()
    (row,) = await scene.inbox_rows()
    assert (row["kind"], row["network_id"], row["subject"]) == (port.PIX_FINAL, f"asked:{name}:1:{port.PIX_FINAL}", name)
    final = port.pix_final(bytes(row["body"]))
    assert (final.settled, final.code) == (code is None, code)
    assert (final.settled_at is not None) == final.settled


async def test_a_payment_the_network_does_not_know_is_asked_about_again(scene: Scene, house: House) -> None:
    await scene.accepted(house.ana, end_to_end_id(1))
    assert await scene.status_poller.round()
    await scene.pass_time(30)
    assert await scene.status_poller.round()
    assert len(scene.network.asked) == 2
    assert await scene.inbox_rows() == []


async def test_a_silent_network_decides_nothing(scene: Scene, house: House) -> None:
    await scene.accepted(house.ana, end_to_end_id(1))
    scene.network.silent = True
    assert await scene.status_poller.round()
    assert await scene.inbox_rows() == []
    assert 25 < await _wait(scene, "pix_payments") <= 30


async def test_what_the_network_leaves_undecided_for_too_long_is_for_people(scene: Scene, house: House) -> None:
    """While it is asked about all the same, and only where its room says so."""
    name, late = end_to_end_id(1), "created_at < (SELECT business_now()) - interval '20 minutes'"
    await scene.accepted(house.ana, name)
    waiting = replace(WAITING["pix"][0], late=late)
    status_poller = StatusPoller(scene.database, scene.work, scene.inbox, "pix", scene.rail, (waiting,))
    for answer in ("pending", "silent", "unknown"):
        scene.network.silent = answer == "silent"
        scene.network.statuses.pop(name, None)
        if answer != "unknown":
            scene.network.statuses[name] = {"endToEndId": name, "status": "PENDING", "amount": "10.00", "settledAt": None}
        with capture_logs() as logs:
            assert await status_poller.round()
        alarms = [line["event"] for line in logs if line["log_level"] == "critical"]
        assert alarms == ([] if answer == "pending" else ["network.undecided"]), answer
        await scene.pass_time(1800)
    scene.network.silent = False
    with capture_logs() as logs:
        assert await scene.status_poller.round()
    assert "network.undecided" not in [line["event"] for line in logs]


async def test_the_end_of_a_return_becomes_news(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    await scene.returning(house.ana, name)
    await scene.sender.queue.drain()
    scene.network.statuses[name] |= {"status": "ACCC", "settledAt": "2026-11-20T12:00:01.000000Z"}
    assert await scene.status_poller.round()
    (row,) = await scene.inbox_rows()
    assert (row["kind"], row["network_id"], row["subject"]) == (
        port.RETURN_FINAL,
        f"asked:{name}:1:{port.RETURN_FINAL}",
        name,
    )
    assert port.return_final(bytes(row["body"])).settled


async def test_a_return_the_network_does_not_know_is_sent_again(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    await scene.returning(house.ana, name)
    await scene.sender.queue.drain()
    del scene.network.statuses[name]  # it said 201 and lost it
    assert await scene.status_poller.round()
    await scene.sender.queue.drain()
    assert [m["returnId"] for m in scene.network.of("pacs.004")] == [name, name]
    assert scene.network.asked == [name, name], "asked before it was sent again"


async def test_a_return_on_its_way_is_left_alone(scene: Scene, house: House) -> None:
    name = await scene.to_return(house.ana)
    await scene.returning(house.ana, name)
    assert await scene.status_poller.round()
    (row,) = await scene.rows("SELECT sends FROM outbox")
    assert row["sends"] == 0


async def test_two_workers_ask_once(scene: Scene, house: House) -> None:
    import asyncio  # noqa: PLC0415

    for number in range(20):
        name = end_to_end_id(number)
        await scene.accepted(house.ana, name)
        scene.network.statuses[name] = {"endToEndId": name, "status": "ACCC", "amount": "10.00"}
    while any(await asyncio.gather(scene.status_poller.round(), scene.status_poller.round())):
        pass
    assert sorted(scene.network.asked) == sorted(end_to_end_id(n) for n in range(20))
    assert len(await scene.inbox_rows()) == 20
