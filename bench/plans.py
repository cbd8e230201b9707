"""A plan of ten thousand payouts: how soon it is checked, how fast it is applied, and what the API's clients feel of it."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
from bench.figures import Figure, Rounds
from bench.load import opened, template
from bench.payouts import enrich

if TYPE_CHECKING:
    from bench.house import House, Payee

_PATH = "/order/v1/banking/payout-plans"
_LINES = 10_000
_KEYS = 1_000  # the directory lets an answer be kept for a minute: so many can be asked for in less
_PATIENCE_SECONDS = 180.0
_LOOK_SECONDS = 0.02
_PACE, _PACED_SECONDS = 50.0, 8.0  # of others' orders, while nothing and while the plan is applied
_UNSIGNED = "UPDATE companies SET plan_approvals = 0, version = version + 1"


@dataclass
class _Desk:
    """One client of the API that plans."""

    house: House
    payee: Payee
    http: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The answer of an operation."""
        headers = {"authorization": f"Bearer {self.payee.token}", "idempotency-key": f"plan-{time.time_ns()}"}
        url = f"http://127.0.0.1:{self.house.settings.port}{path}"
        given: dict[str, Any] = {} if body is None else {"json": body}
        async with self.http.request(method, url, headers=headers, **given) as answer:
            told: dict[str, Any] = await answer.json()
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {told}")
            return told

    async def checked(self, keys: list[str], lines: int, stamp: str) -> tuple[dict[str, Any], float]:
        """A plan of so many lines to these keys, once it can be applied; and after how many seconds that was."""
        payouts = [
            {
                "externalId": f"{stamp}-{n}", "accountId": str(self.payee.account_id), "paymentMethod": "PIX",
                "paymentData": {"pixKey": keys[n % len(keys)]}, "description": "Folha de novembro",
                "amount": {"currency": "BRL", "value": f"{n // len(keys) + 1}.{n % 100:02d}"},
            }
            for n in range(lines)
        ]  # fmt: skip
        begun = time.perf_counter()
        plan = await self.call("POST", _PATH, {"payouts": payouts})
        while plan["status"] == "VALIDATING":
            if time.perf_counter() > begun + _PATIENCE_SECONDS:
                raise RuntimeError(f"the plan is not checked: {plan['progress']}")
            await asyncio.sleep(_LOOK_SECONDS)
            plan = await self.call("GET", f"{_PATH}/{plan['id']}")
        if plan["status"] != "APPROVED":
            raise RuntimeError(f"the plan is {plan['status']}")
        return plan, time.perf_counter() - begun


async def planned(house: House, rounds: int) -> list[Figure]:
    """Seconds until ten thousand lines are checked; p99 of others' creates while a plan is applied, beside none."""
    await enrich(house)
    await house.as_superuser(_UNSIGNED)
    variables = {"LASTRO_DIRECTORY_CATEGORY": "A", "LASTRO_DIRECTORY_COMPANY_PERCENT": "100"}
    async with (
        house.api(),
        house.process("worker", "lastro.cli.main", "worker", **variables),
        aiohttp.ClientSession(trust_env=False) as http,
    ):
        desk = _Desk(house, house.payees[0], http)
        keys = await _keys(house, http)
        await desk.checked(keys, _KEYS, f"warm-{time.time_ns()}")
        plans = [await desk.checked(keys, _LINES, f"folha-{n}-{time.time_ns()}") for n in range(rounds)]
        idle, busy, made = await _beside(desk, [plan for plan, _ in plans])
    seconds = Rounds(tuple(took for _, took in plans))
    note = f"{_KEYS:,} keys that the worker knows, each on {_LINES // _KEYS} lines; POST until it can be applied"
    return [
        Figure("plan of 10,000 lines checked", "s", seconds, None, 10, 5, at_most=True, digits=1, note=note),
        Figure("create of others beside a plan applied, p99", "ms", busy, idle, 2, 1.2, at_most=True, digits=1,
               note=f"{_PACE:.0f} creates/s; floor: no plan is applied"),
        Figure("payouts made of a plan", "/s", made, note=f"at most {house.settings.plan_lines_per_second}/s, as is usual"),
    ]  # fmt: skip


async def _beside(desk: _Desk, plans: list[dict[str, Any]]) -> tuple[Rounds, Rounds, Rounds]:
    """p99 of others' creates in milliseconds, idle and while each of the plans is applied; and payouts made a second."""
    port = desk.house.settings.port
    texts = [template(p, port) for p in desk.house.payees]
    idle, busy, made = [], [], []
    await opened(port, texts, _PACE, 2)
    for plan in plans:
        idle.append(statistics.quantiles((await opened(port, texts, _PACE, _PACED_SECONDS)).latencies_ms, n=100)[98])
        await desk.call("POST", f"{_PATH}/{plan['id']}/apply")
        begun = time.perf_counter()
        busy.append(statistics.quantiles((await opened(port, texts, _PACE, _PACED_SECONDS)).latencies_ms, n=100)[98])
        after = await desk.call("POST", f"{_PATH}/{plan['id']}/cancel")  # the rest would be measured in vain
        made.append(after["progress"]["created"] / (time.perf_counter() - begun))
    return Rounds(tuple(idle)), Rounds(tuple(busy)), Rounds(tuple(made))


async def _keys(house: House, http: aiohttp.ClientSession) -> list[str]:
    """So many keys of people at another bank, in a directory that counts no look-ups."""
    base = f"http://127.0.0.1:{house.settings.sim_port}"
    async with http.post(f"{base}/directory/limits", json={"enforced": False}) as answer:
        answer.raise_for_status()
    keys = [f"pessoa{n}@fora.example" for n in range(_KEYS)]
    for key in keys:
        async with http.post(f"{base}/directory", json={"type": "EMAIL", "key": key}) as answer:
            if answer.status >= 300:
                raise RuntimeError(await answer.text())
    return keys
