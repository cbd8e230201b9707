"""The primary is killed under load: what was acknowledged is on the standby, which takes over by itself, and nothing is sent twice.

LASTRO_FAILOVER_SECONDS makes the load before and after it longer. LASTRO_FAILOVER_OUT names a file that takes what was
seen, as a line of JSON.
"""

import asyncio
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests.journeys.conftest import playing
from tests.journeys.play import ORDERS, Answer, Play
from tests.journeys.stage import Stage, until
from tests.journeys.test_payouts import PATH, place, wish
from tests.laws import connected
from tests.world.standby import Cluster, cluster

from lastro.ops.migrate import migrate

BACK_WITHIN_SECONDS = 30.0
AT_ONCE = 3
_KNOWN = "SELECT (SELECT count(*) FROM orders WHERE id = ANY ($1::uuid[])) + (SELECT count(*) FROM payouts WHERE id = ANY ($1::uuid[]))"


class Load:
    """Clients that do not give up. acknowledged: key, way and body of each request that was answered with yes, and the answer."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.acknowledged: list[tuple[str, str, Any, Answer]] = []
        self.answered_at: list[tuple[float, float]] = []  # asked and answered, of each that did not have to be asked again
        self.paid_at: list[float] = []
        self.unavailable = 0
        self.is_over = False

    async def client(self) -> None:
        """Orders that are paid, and payouts, one after the other."""
        while not self.is_over:
            order = (await self.insist("PUT", ORDERS, self.play.asking("10.00"), 200)).json
            await self.pay(order)
            await self.insist("POST", PATH, wish(self.play, "1.00", allowDuplicate=True, **place()), 201)

    async def is_under_way(self) -> bool:
        return len(self.acknowledged) >= AT_ONCE and bool(self.paid_at)

    async def insist(self, method: str, path: str, body: Any, success: int) -> Answer:
        """The same request under its key until it is answered; 503 alone is no answer."""
        key, clock = secrets.token_hex(8), asyncio.get_running_loop().time
        while True:
            asked = clock()
            answer = await self.play.call(method, path, body, key=key)
            if answer.status != 503:
                break
            self.unavailable += 1
            await asyncio.sleep(float(answer.headers["retry-after"]))
        assert answer.status == success, answer.body
        self.acknowledged.append((key, path, body, answer))
        self.answered_at.append((asked, clock()))
        return answer

    async def pay(self, order: dict[str, Any]) -> None:
        """A payer who tries once: while nobody answers the network, it says no by itself."""
        begun = asyncio.get_running_loop().time()
        try:
            paid = await self.play.pay(order, force=True)
        except (aiohttp.ClientError, AssertionError):
            return
        if paid["status"] == "SETTLED":
            self.paid_at.append(begun)


@pytest.fixture
async def stood(tmp_path: Path) -> AsyncIterator[tuple[Stage, Cluster]]:
    with cluster() as servers:
        await migrate(servers.address)
        stage = Stage(tmp_path / "home", servers.address, is_external=True)
        try:
            await stage.open()
            yield stage, servers
        finally:
            stage.close()


async def test_the_standby_takes_over_with_all_that_was_acknowledged(stood: tuple[Stage, Cluster]) -> None:
    stage, servers = stood
    seconds, clock = float(os.environ.get("LASTRO_FAILOVER_SECONDS") or 2.0), asyncio.get_running_loop().time
    async with playing(stage) as play:
        load = Load(play)
        clients = [play.meanwhile(load.client()) for _ in range(AT_ONCE)]
        await asyncio.sleep(seconds)
        await until(load.is_under_way, "a load to kill it under")
        before = len(load.acknowledged)
        await asyncio.to_thread(servers.order, "kill 1")
        killed = clock()

        async def serves() -> bool:
            assert not [one for one in clients if one.done()], "a client was answered with neither yes nor 503"
            return any(asked > killed for asked, _ in load.answered_at) and any(paid > killed for paid in load.paid_at)

        await until(serves, "the standby's first answers", BACK_WITHIN_SECONDS + 30)
        answered = min(told for asked, told in load.answered_at if asked > killed) - killed
        paid = min(begun for begun in load.paid_at if begun > killed) - killed
        await asyncio.to_thread(servers.order, "start 1")
        await asyncio.sleep(seconds)
        load.is_over = True
        await asyncio.gather(*clients)
        play.books = await connected(stage.dsn("lastro_audit"))
        ids = [answer.json["id"] for _, _, _, answer in load.acknowledged]
        # In these words .ci/run knows what it must not try again.
        known = await play.books.fetchval(_KNOWN, ids)
        assert known == len(set(ids)) == len(ids), "acknowledged, and lost"
        await said_again(play, load.acknowledged[:before][-AT_ONCE:])
    # The end of a play has compared our books with the network's, and found every law kept.
    await until(lambda: servers.is_standby(1), "the old primary as a standby", 90.0)
    rejoined = clock() - killed
    seen = {
        "answersAfterSeconds": round(answered, 1), "paymentsAfterSeconds": round(paid, 1),
        "standbyAgainAfterSeconds": round(rejoined, 1), "acknowledged": len(ids), "acknowledgedBefore": before,
        "lost": len(ids) - known, "unavailable": load.unavailable,
    }  # fmt: skip
    record(seen)
    assert load.unavailable
    assert max(answered, paid) < BACK_WITHIN_SECONDS


def record(seen: dict[str, Any]) -> None:
    """For whoever watches, and for whoever keeps it."""
    sys.stdout.write(f"failover: {seen}\n")
    if out := os.environ.get("LASTRO_FAILOVER_OUT"):
        with Path(out).open("a", encoding="utf-8") as file:
            file.write(json.dumps(seen) + "\n")


async def said_again(play: Play, acknowledged: list[tuple[str, str, Any, Answer]]) -> None:
    """What was answered last before the primary died is answered again by the standby, to the byte."""
    for key, path, body, answer in acknowledged:
        again = await play.call("POST" if path == PATH else "PUT", path, body, key=key)
        assert (again.status, again.body) == (answer.status, answer.body), "acknowledged, and lost"
        assert again.headers["idempotent-replayed"] == "true"
