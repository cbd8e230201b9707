"""A seeded storm: many people at once, a network at fault, processes that are killed; in the end everything adds up.

LASTRO_STORM_SEED plays the choices of a storm again, LASTRO_STORM_ORDERS makes it longer.
"""

import asyncio
import os
import random
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from tests.journeys.conftest import playing
from tests.journeys.insisting import insist
from tests.journeys.play import ORDERS, Play
from tests.journeys.stage import Stage, until

AT_ONCE = 6
ACTS_BETWEEN_KILLS = 20
FAULTS = [
    ("payin", "reject"), ("payin", "timeout"), ("payin", "late"), ("payin", "late"), ("payin", "twice"),
    ("payin", "lost-answer"), ("payin", "slow"), ("payin", "down"), ("return", "reject"), ("return", "timeout"),
    ("return", "twice"), ("return", "slow"), ("return", "down"), ("location", "down"),
]  # fmt: skip


class Storm:
    """seed: every choice comes from it; how they meet in time does not."""

    def __init__(self, play: Play, seed: int) -> None:
        self.play = play
        self.chance = random.Random(seed)
        self.acts = 0
        self.kills = 0
        self.is_over = False

    async def act(self, path: str, body: Any) -> None:
        """An act of a person who does it again when the line breaks, whatever has become of the first try."""
        await self.insist(lambda: self.play.ask("POST", self.play.stage.simulator_url + path, body))

    async def insist(self, act: Callable[[], Awaitable[Any]]) -> None:
        """Tries until there is an answer, be it a no."""
        self.acts += 1

        async def attempt() -> bool:
            try:
                await act()
            except (aiohttp.ClientError, OSError):
                return False
            return True

        await until(attempt, "an answer")

    async def order(self, number: int, chance: random.Random) -> None:
        """The life of one order."""
        if chance.random() < 0.6:
            operation, behaviour = chance.choice(FAULTS)
            await self.act("/faults", {"operation": operation, "behaviour": behaviour, "times": chance.randint(1, 2)})
        if chance.random() < 0.2:
            await self.act("/merchant/behaviour", {"status": chance.choice([500, 204, 302]), "times": 1})
        value = None if chance.random() < 0.2 else f"{chance.randint(1, 99)}.{chance.randint(0, 99):02}"
        asked = self.play.asking(
            value, externalId=f"storm-{self.play.name}-{number}", expiration=chance.choice([60, 3600, 86_400])
        )
        order = (await insist(self.play, asked, secrets.token_hex(8))).json
        for _ in range(chance.randint(1, 3)):
            await chance.choice([self.pay, self.pay, self.pay, self.pay_twice, self.pay_wrong, self.cancel, self.stray])(
                order, chance
            )

    async def pay(self, order: dict[str, Any], chance: random.Random) -> None:
        amount = {} if "amount" in order else {"amount": "5.00"}
        await self.act("/phone/pay", {"qrcodeData": order["pix"]["qrcodeData"], **amount, "force": chance.random() < 0.5})

    async def pay_twice(self, order: dict[str, Any], chance: random.Random) -> None:
        await asyncio.gather(self.pay(order, chance), self.pay(order, chance))

    async def pay_wrong(self, order: dict[str, Any], chance: random.Random) -> None:
        await self.act("/phone/pay", {"qrcodeData": order["pix"]["qrcodeData"], "amount": "0.01", "force": True})

    async def cancel(self, order: dict[str, Any], chance: random.Random) -> None:
        await self.insist(lambda: self.play.call("POST", f"{ORDERS}/{order['id']}/cancel", {}))

    async def stray(self, order: dict[str, Any], chance: random.Random) -> None:
        nobody = {"account": {"branch": "0001", "account": "999999999"}}
        where: dict[str, Any] = chance.choice([{"key": self.play.account["pixKey"]}, nobody])
        await self.act("/phone/transfer", {**where, "amount": "3.00"})

    async def kill(self) -> None:
        """Kills now one process, now another, as often as so many things were done."""
        while not self.is_over:
            await until(self._is_time_to_kill, "the next kill", 120.0)
            if not self.is_over:
                self.kills += 1
                await self.play.stage.restart(self.chance.choice(["api", "worker", "simulator", "worker"]))

    async def _is_time_to_kill(self) -> bool:
        return self.is_over or self.acts >= (self.kills + 1) * ACTS_BETWEEN_KILLS

    async def blow(self, orders: int) -> None:
        """All of it."""
        lives = [(n, random.Random(self.chance.random())) for n in range(orders)]
        gate = asyncio.Semaphore(AT_ONCE)

        async def live(number: int, chance: random.Random) -> None:
            async with gate:
                await self.order(number, chance)

        killing = asyncio.create_task(self.kill())
        try:
            await asyncio.gather(*(live(n, c) for n, c in lives))
        finally:
            self.is_over = True
            await killing


@pytest.fixture
async def play(stormy: Stage) -> AsyncIterator[Play]:
    async with playing(stormy) as made:
        yield made


async def test_a_storm_ends_in_rest(play: Play) -> None:
    seed = int(os.environ.get("LASTRO_STORM_SEED") or secrets.randbelow(2**32))
    sys.stdout.write(f"LASTRO_STORM_SEED={seed}\n")
    storm = Storm(play, seed)
    await storm.blow(int(os.environ.get("LASTRO_STORM_ORDERS") or 40))
    assert storm.kills >= 2
    sys.stdout.write(f"{storm.acts} acts, {storm.kills} kills\n")
    await play.act("/faults", method="DELETE")
    await play.stage.restart("worker")  # what a killed one held under a lease is taken up at once
    await play.rest()
    await play.advance(advance="P2D")  # every order's time is over, every delivery's plan, every question's pause
    rows = await play.books.fetch(
        "SELECT o.status, count(e.id) AS events, count(d.id) FILTER (WHERE d.status IN ('DELIVERED', 'FAILED')) AS told,"
        " bool_or(o.notification_url IS NOT NULL) AS has_url FROM orders o LEFT JOIN events e ON e.reference_id = o.id"
        " LEFT JOIN deliveries d ON d.id = e.id GROUP BY o.id, o.status"
    )
    assert {r["status"] for r in rows} <= {"PAID", "EXPIRED", "CANCELED"}
    assert all(r["events"] == 1 and r["told"] == r["has_url"] for r in rows)
    assert not await play.books.fetch("SELECT * FROM pix_payments WHERE state IN ('ACCEPTED', 'RETURNING')")
