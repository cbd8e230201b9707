"""The adapter against the simulated network itself: a protocol is what two sides written apart agree on."""

import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import uvicorn

from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.core.secrets import Secret
from lastro.core.write import Write
from lastro.orders import WAITING
from lastro.rails import port
from lastro.rails.sending import Sender
from lastro.rails.spi import Spi, SpiEndpoint
from lastro.rails.status_poller import StatusPoller
from lastro.standards.pix_ids import return_id
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store

from .conftest import DEADLINE_SECONDS, House, Scene, until
from .network import ISPB, TOKEN

Act = Any


@asynccontextmanager
async def simulated(scene: Scene, home: Path) -> AsyncIterator[Act]:
    """The simulator on a free port in place of the scene's network; gives what plays its acts."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    settings = Settings(home=home, token=TOKEN, port=listener.getsockname()[1])
    store = Store(settings.store_path)
    network = Network(settings, store, Clock(lambda: time.time_ns() // 1000), Dice(random.SystemRandom()), Bells())
    server = Server(uvicorn.Config(build(network), log_level="warning", timeout_graceful_shutdown=0))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    url = f"http://127.0.0.1:{settings.port}"
    await scene.rail.close()
    scene.rail = Spi(SpiEndpoint(url, ISPB, Secret(TOKEN), "worker"))
    scene.sender = Sender(scene.database, scene.work, scene.runner, scene.chance, "pix", scene.rail)
    scene.status_poller = StatusPoller(scene.database, scene.work, scene.inbox, "pix", scene.rail, WAITING["pix"])
    async with aiohttp.ClientSession(url) as client:

        async def act(path: str, **body: Any) -> Any:
            async with client.post(path, json=body) as answered:
                assert answered.status == 200, await answered.text()
                return await answered.json()

        async def started() -> bool:
            return bool(server.started)

        await until(started)
        try:
            yield act
        finally:
            server.should_exit = True
            await serving
            store.close()
            listener.close()


@asynccontextmanager
async def working(scene: Scene) -> AsyncIterator[None]:
    """Pulls, answers and sends until the block is left."""
    stop = asyncio.Event()

    async def lanes() -> None:
        while not stop.is_set():
            if not any([await scene.handler.queue.round(), await scene.sender.queue.round()]):
                await asyncio.sleep(0.005)

    tasks = [asyncio.ensure_future(scene.listening(stop)), asyncio.ensure_future(lanes())]
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(*tasks), DEADLINE_SECONDS)


def accepting(scene: Scene, refuse: str | None = None) -> Any:
    def outcome(row: port.InboxRow, context: RequestContext) -> Any:
        write = Write(context.company_id, finished=(row.claimed.finished("handled", context.now),))
        if row.kind == port.PIX_ASK:
            answer = port.PixAnswer.new(ISPB, port.arrival(row.body), refuse, scene.chance.bytes(24))
            ids = scene.chance.uuid(context.now), scene.chance.uuid(context.now)
            write += Write(context.company_id, messages=(port.answer_message(answer, *ids, context.now),))
        return Done(write, b"")

    return outcome


def _of(scene: Scene, kind: str) -> list[port.InboxRow]:
    return [h.row for h in scene.handled if h.row.kind == kind]


async def test_a_payment_is_asked_answered_and_ends(scene: Scene, house: House, tmp_path: Path) -> None:
    scene.outcome = accepting(scene)
    async with simulated(scene, tmp_path) as act, working(scene):
        paid = await act("/phone/transfer", account={"branch": "0001", "account": house.account}, amount="10.00")
        assert paid["status"] == "SETTLED"

        async def ended() -> bool:
            return bool(_of(scene, port.PIX_FINAL))

        await until(ended)
        final = port.pix_final(_of(scene, port.PIX_FINAL)[0].body)
        assert (final.end_to_end_id, final.settled) == (paid["endToEndId"], True)
        answered = await scene.rail.payment(paid["endToEndId"])
        assert isinstance(answered, port.PixFinal)
        assert answered.settled
    assert {h.company_id for h in scene.handled} == {house.ana}


async def test_a_refused_payment(scene: Scene, house: House, tmp_path: Path) -> None:
    scene.outcome = accepting(scene, "BE17")
    async with simulated(scene, tmp_path) as act, working(scene):
        paid = await act("/phone/transfer", account={"branch": "0001", "account": house.account}, amount="10.00")
        assert (paid["status"], paid["code"]) == ("REJECTED", "BE17")


async def test_a_return_whose_end_is_withheld_is_asked_about(scene: Scene, house: House, tmp_path: Path) -> None:
    scene.outcome = accepting(scene)
    async with simulated(scene, tmp_path) as act, working(scene):
        paid = await act("/phone/transfer", account={"branch": "0001", "account": house.account}, amount="10.00")
        await act("/faults", operation="return", behaviour="timeout")
        now = await scene.now()
        name = return_id(ISPB, now, 7, 1)
        order = port.ReturnOrder(name, paid["endToEndId"], Money(400, "BRL"), "MD06")
        await scene.put(house.ana, port.return_message(order, UUID(int=1), scene.chance.uuid(now), now))
        await scene.returning(house.ana, name)

        async def ended() -> bool:
            await scene.status_poller.round()
            await scene.admin.execute("UPDATE refunds SET ask_at = business_now()")
            return bool(_of(scene, port.RETURN_FINAL))

        await until(ended)
        final = port.return_final(_of(scene, port.RETURN_FINAL)[0].body)
        assert (final.return_id, final.settled) == (name, True)
        too_much = return_id(ISPB, now, 7, 2)
        order = port.ReturnOrder(too_much, paid["endToEndId"], Money(700, "BRL"), "MD06")
        await scene.put(house.ana, port.return_message(order, UUID(int=1), scene.chance.uuid(now), now))

        async def refused() -> bool:
            ends = [port.return_final(row.body) for row in _of(scene, port.RETURN_FINAL)]
            return any(e.return_id == too_much and not e.settled and e.code == "AM09" for e in ends)

        await until(refused)


async def test_keys_and_participants(scene: Scene, house: House, tmp_path: Path) -> None:
    owner = port.KeyOwner("Loja da Ana Ltda", "11222333000181")
    account = port.KeyAccount("0001", house.account, await scene.now())
    async with simulated(scene, tmp_path):
        asked: dict[str, Any] = {"key_type": "RANDOM", "key": None, "owner": owner, "account": account}
        first = await scene.rail.register_key(request_id=UUID(int=5), **asked)
        assert await scene.rail.register_key(request_id=UUID(int=5), **asked) == first
        mail = asked | {"key_type": "EMAIL", "key": "ana@example.com"}
        assert await scene.rail.register_key(request_id=UUID(int=6), **mail) == "ana@example.com"
        await scene.rail.register_participant(name="LASTRO", jku="http://127.0.0.1:1/jwks", host="127.0.0.1:1")
