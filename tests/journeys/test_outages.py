"""kill -9 of what lastro stands on: the network, and the database."""

import asyncio
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import aiohttp
import pytest
from tests.laws import connected

from lastro.ops.migrate import migrate

from .conftest import mortal_server, playing
from .insisting import insist, journey
from .play import ORDERS, Answer, Play
from .servers import Server, ended, parts
from .stage import Stage, until
from .test_vouchers import voucher


@pytest.fixture
async def scene(fragile: Stage) -> AsyncIterator[Play]:
    async with playing(fragile) as made:
        yield made


async def test_the_network_dies_while_a_payment_is_under_way(scene: Play) -> None:
    order = await scene.order("10.00")
    await scene.fault("payin", "slow", delay=1)
    paying = scene.meanwhile(scene.pay(order))
    await scene.reserved(order)
    await scene.stage.restart("simulator")
    assert isinstance((await asyncio.gather(paying, return_exceptions=True))[0], aiohttp.ClientError)
    await scene.becomes(order, "PAID")
    await scene.told(order, "ORDER-PAYIN.PAID")
    await journey(scene)


async def test_the_network_and_the_worker_die_before_the_question_is_answered(scene: Play) -> None:
    order = await scene.order("10.00")
    scene.stage.kill("worker")
    paying = scene.meanwhile(scene.pay(order))

    async def asked() -> bool:
        return bool(
            (await scene.act("/payments?limit=1", method="GET"))["data"][0]["txId"] == order["pix"]["conciliationId"]
        )

    await until(asked, "the question")
    await scene.stage.restart("simulator", "worker")
    await asyncio.gather(paying, return_exceptions=True)
    (payment,) = (await scene.act("/payments?limit=1", method="GET"))["data"]
    await until(lambda: has_ended(scene, payment["endToEndId"]), "the payment's end")
    record = await scene.statement(payment["endToEndId"])
    await scene.rest()
    assert (await scene.shown(order))["status"] == ("PAID" if record["status"] == "SETTLED" else "INITIAL")


async def has_ended(play: Play, end_to_end_id: str) -> bool:
    return bool((await play.statement(end_to_end_id))["status"] != "PENDING")


async def test_the_network_dies_while_money_goes_back(scene: Play) -> None:
    await scene.fault("payin", "late")
    await scene.fault("return", "slow", delay=1)
    place = {"branch": "0001", "account": "999999999"}
    payment = await scene.act("/phone/transfer", {"account": place, "amount": "10.00"})
    await scene.payment_becomes(payment["endToEndId"], "RETURNING")
    await scene.stage.restart("simulator")
    await scene.payment_becomes(payment["endToEndId"], "RETURNED")


@pytest.fixture
def server() -> Iterator[Server]:
    yield from mortal_server()


@pytest.fixture
async def mortal(server: Server, tmp_path: Path) -> AsyncIterator[Stage]:
    """A stage on a durable server of its own."""
    await migrate(server.dsn())
    stage = Stage(tmp_path / "home", server.dsn(), is_external=False)
    try:
        await stage.open()
        yield stage
    finally:
        stage.close()


async def test_the_database_dies_and_comes_back(mortal: Stage, server: Server) -> None:
    async with playing(mortal) as play:
        order = await play.order("10.00")
        await play.fault("payin", "slow", delay=1)
        paying = play.meanwhile(play.pay(order))
        await play.reserved(order)
        await ended(signal.SIGKILL, parts(server))
        refused = await until(lambda: unavailable(play), "503")
        assert refused is not None
        assert (refused.json["error"], refused.json["details"], refused.headers["retry-after"]) == (
            "INTERNAL_ERROR",
            [],
            "1",
        )
        insisting = play.meanwhile(
            insist(partial(play.call, "PUT", ORDERS, play.asking("1.00"), key=secrets.token_hex(8)), 200)
        )
        await asyncio.to_thread(server.revive)  # as the supervisor of a sandbox does
        assert (await paying)["status"] == "SETTLED"
        assert (await insisting).status == 200
        play.books = await connected(mortal.dsn("lastro_audit"))
        await play.becomes(order, "PAID")
        await play.told(order, "ORDER-PAYIN.PAID")
        await journey(play)


async def unavailable(play: Play) -> Answer | None:
    """A connection of the server that was killed may answer once more."""
    answer = await play.call("GET", "/order/v2/account/balance")
    return answer if answer.status == 503 else None


async def test_an_order_that_was_paid_while_nobody_here_read_does_not_expire(scene: Play) -> None:
    """Paid at the till in time; the worker is back after the term, and the network of tills only later."""
    made = await voucher(scene, "PAYNET")
    scene.stage.kill("worker")
    paid = await scene.act("/phone/pay", {"qrcodeData": made["cash"]["reference"]})
    assert paid["status"] == "SETTLED"
    scene.stage.kill("simulator")
    await scene.jump(timedelta(days=8))
    await scene.stage.restart("worker")
    await until(lambda: has_asked(scene, "paynet"), "the question to the network")
    assert (await scene.shown(made))["status"] == "INITIAL"
    await scene.stage.restart("simulator")
    await scene.becomes(made, "PAID")
    await scene.told(made, "ORDER-PAYIN.PAID")


async def has_asked(play: Play, rail: str) -> bool:
    """Whether the worker wanted to read a partner's stream before it ended an order, and could not."""
    return any("stream.unread" in line and f'"{rail}"' in line for line in play.stage.said("worker").splitlines())
