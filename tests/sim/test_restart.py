import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from lastro_sim.store import Store, StoreInUseError

from .stage import TOKEN, Institution, running, until, working

PLACE = {"account": {"branch": "0001", "account": "19"}, "amount": "2.00"}


async def test_an_open_payment_settles_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path, answer_seconds=0.01) as sim:
        paid = await sim.act("/phone/transfer", PLACE)
        assert paid["status"] == "PENDING"
    async with running(tmp_path) as sim, working(sim) as lastro:
        assert (await lastro.final(paid["endToEndId"]))["status"] == "ACCC"
        assert (await sim.payment(paid["endToEndId"]))["status"] == "SETTLED"


async def test_an_open_payment_times_out_after_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path, answer_seconds=0.01, ask_seconds=0.3) as sim:
        paid = await sim.act("/phone/transfer", PLACE)
    async with running(tmp_path) as sim:
        lastro = Institution(sim, silent=True)
        work = asyncio.create_task(lastro.work())
        assert (await lastro.final(paid["endToEndId"]))["code"] == "AB03"
        work.cancel()


async def test_everything_is_remembered(tmp_path: Path) -> None:
    async with running(tmp_path) as sim, working(sim) as lastro:
        await sim.act("/faults", {"operation": "payin", "behaviour": "reject", "times": 3, "match": {"amount": "5"}})
        made = await sim.act("/directory", {"type": "EVP"})
        paid = await sim.act("/phone/transfer", PLACE)
        message = lastro.message("pacs.002", originalMsgId="Mnone", endToEndId="E" * 32, status="ACSP")
        resource = (await sim.send(message)).json()
    async with running(tmp_path) as sim:
        assert (await sim.http.get("/faults")).json()["data"][0]["times"] == 3
        assert made in (await sim.http.get("/directory")).json()["data"]
        assert (await sim.payment(paid["endToEndId"]))["status"] == "SETTLED"
        assert (await sim.send(message)).json() == resource


async def test_two_simulators_do_not_share_a_store(tmp_path: Path) -> None:
    async with running(tmp_path) as sim:
        with pytest.raises(StoreInUseError):
            Store(sim.network.settings.store_path)


async def test_the_process_survives_kill_9_and_stops_cleanly(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment: dict[str, Any] = os.environ | {
        "LASTRO_HOME": str(tmp_path), "LASTRO_SIM_PORT": str(port), "LASTRO_NETWORK_TOKEN": TOKEN, "LASTRO_PARENT_PIPE": "1",
    }  # fmt: skip

    async def start() -> asyncio.subprocess.Process:
        command = (sys.executable, "-m", "lastro_sim")
        return await asyncio.create_subprocess_exec(*command, env=environment, stdin=asyncio.subprocess.PIPE)

    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=10) as http:
        process = await start()
        await ready(http)
        made = (await http.post("/directory", json={"type": "EVP"})).json()
        process.send_signal(signal.SIGKILL)
        await process.wait()

        process = await start()
        await ready(http)
        assert made in (await http.get("/directory")).json()["data"]
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0

        process = await start()
        await ready(http)
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0


async def ready(http: httpx.AsyncClient) -> None:
    answers: list[int] = []

    async def ask() -> None:
        while not answers:
            try:
                answers.append((await http.get("/health")).status_code)
            except httpx.TransportError:
                await asyncio.sleep(0.02)

    asking = asyncio.create_task(ask())
    await until(lambda: answers)
    await asking
    assert answers == [200]
