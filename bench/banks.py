"""Orders by a company's own bank: what lastro adds to its answer, what is booked after an outage, and polling's memory."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import aiohttp
from bench.figures import Figure, Rounds
from bench.house import cpu_seconds, free_port, ready

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from bench.house import House, Payee

NAME, KEY = "benchbank", "padaria@bench.example"
_AT_ONCE = 16
_EACH = 200  # requests of a round
_PATIENCE_SECONDS = 300.0
_CUSTOMER = {
    "name": "Bento Braga", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
    "email": "bento@example.com",
}  # fmt: skip
_BOOKED = "SELECT count(*) AS n FROM pix_payments WHERE rail = 'benchbank' AND state = 'SETTLED'"


async def measured(house: House, rounds: int, payments: int, items: int) -> list[Figure]:
    """The figures. payments: found after an outage. items: of the list that is read for the memory."""
    port = free_port()
    payee = house.payees[0]
    file = await _connected(house, payee, port)
    banks = {"LASTRO_BANKS_FILE": str(file)}
    async with house.process("bank", "bench.bank_server", str(port)):
        await ready(port)
        async with house.process("worker", "lastro.cli.main", "worker", **banks):  # it declares the connection
            await _until(house, "SELECT count(*) AS n FROM connections", 1)
        house.environment |= banks
        try:
            async with house.api() as api, aiohttp.ClientSession(trust_env=False) as http:
                shop = _Shop(http, house.settings.port, port, payee)
                figures = await _overhead(house, shop, api.pid, rounds)
                await _many(shop.order, payments)
                figures.append(await _after_outage(house, http, port))
            figures.append(await _memory(house, file, items))
        finally:
            del house.environment["LASTRO_BANKS_FILE"]
    return figures


async def _connected(house: House, payee: Payee, port: int) -> Path:
    """The file of a connection to the fast bank."""
    (account,) = await house.as_superuser(f"SELECT number FROM accounts WHERE id = '{payee.account_id}'")
    (company,) = await house.as_superuser(f"SELECT number FROM company_numbers WHERE company_id = '{payee.company_id}'")
    secret, file = house.home / "bank-secret", house.home / "banks.toml"
    secret.write_text("a-secret-of-a-bench")
    url = f"http://127.0.0.1:{port}"
    lines = [
        f"[{NAME}]", f"company = {company['number']}", f'base_url = "{url}/v2"', f'token_url = "{url}/oauth/token"',
        'client_id = "bench"', f"client_secret_file = {json.dumps(str(secret))}", "poll_seconds = 5",
        "requests_per_minute = 60000", f"[{NAME}.keys]", f'"{KEY}" = "{account["number"]}"',
    ]  # fmt: skip
    file.write_text("\n".join(lines) + "\n")
    for one in (secret, file):
        one.chmod(0o600)
    return file


class _Shop:
    """Who asks the API for orders, and the bank for charges as it would without lastro."""

    def __init__(self, http: aiohttp.ClientSession, port: int, bank: int, payee: Payee) -> None:
        self._http = http
        self._api, self._bank = f"http://127.0.0.1:{port}/order/v2/transparent", f"http://127.0.0.1:{bank}/v2/cob"
        self._live = f"http://127.0.0.1:{port}/live"
        self._headers = {"authorization": f"Bearer {payee.token}"}

    async def order(self, *, at_bank: bool = True) -> float:
        """The seconds that an order takes. at_bank: else we make its code ourselves."""
        amount = {"currency": "BRL", "value": "10.50"}
        order = {
            "externalId": uuid4().hex, "paymentMethod": "PIX", "description": "Bread",
            "amount": amount, "notificationUrl": "https://shop.example.com/hook",
        }  # fmt: skip
        order |= {"financialPartner": NAME.upper()} if at_bank else {}
        return await self._put(
            self._api, {"order": order, "customer": _CUSTOMER}, {**self._headers, "idempotency-key": str(uuid4())}
        )

    async def charge(self) -> float:
        """The seconds that the bank itself takes."""
        body = {"calendario": {"expiracao": 86_400}, "valor": {"original": "10.50"}, "chave": KEY}
        return await self._put(f"{self._bank}/{uuid4().hex}", body, {"authorization": "Bearer token-of-a-bench"})

    async def bare(self) -> float:
        """The seconds that an answer without any work takes."""
        begun = time.perf_counter()
        async with self._http.get(self._live) as answer:
            await answer.read()
        return time.perf_counter() - begun

    async def _put(self, url: str, body: dict[str, Any], headers: dict[str, str]) -> float:
        begun = time.perf_counter()
        async with self._http.put(url, json=body, headers=headers) as answer:
            said = await answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{url} answered {answer.status} {said[:300]!r}")
        return time.perf_counter() - begun


async def _overhead(house: House, shop: _Shop, api: int, rounds: int) -> list[Figure]:
    """In turns, one request after the other; the first round is left out. api: its process, whose CPU is counted."""
    ways: dict[str, Callable[[], Awaitable[float]]] = {
        "ours": shop.order, "theirs": shop.charge, "plain": partial(shop.order, at_bank=False), "bare": shop.bare,
    }  # fmt: skip
    took: dict[str, list[float]] = {name: [] for name in ways}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    flushes: list[float] = []
    assert house.server.pid is not None
    for _ in range(rounds + 1):
        for name, way in ways.items():
            before = cpu_seconds(api), cpu_seconds(house.server.pid, family=True)
            took[name].append(statistics.median([await way() for _ in range(_EACH)]) * 1000)
            after = cpu_seconds(api), cpu_seconds(house.server.pid, family=True)
            spent[name].append(((after[0] - before[0]) / _EACH * 1000, (after[1] - before[1]) / _EACH * 1000))
        flushes.append(_flush(house.home / "flushed"))
    ours, theirs, plain, bare = (times[1:] for times in took.values())
    added = tuple(mine - their for mine, their in zip(ours, theirs, strict=True))
    beside = tuple(mine - their - own for mine, their, own in zip(ours, theirs, plain, strict=True))
    note = f"an order {statistics.median(ours):.2f} ms, the bank alone {statistics.median(theirs):.2f} ms"
    own = f"one whose code is ours {statistics.median(plain):.2f} ms"
    shown = partial(Figure, unit="ms p50", at_most=True, digits=2)
    return [
        shown("an order by a bank, without the bank", value=Rounds(added), bar=3, aim=2, note=note),
        shown("and without what any order takes", value=Rounds(beside), bar=3, aim=2, note=own),
        shown("an answer without work: client and HTTP server", value=Rounds(tuple(bare))),
        shown("a flush of this disk; each order waits for one", value=Rounds(tuple(flushes[1:]))),
        _cpu("CPU of an order by a bank", spent["ours"][1:]),
        _cpu("CPU of an order whose code is ours", spent["plain"][1:]),
    ]


def _cpu(what: str, spent: Sequence[tuple[float, float]]) -> Figure:
    """What the API and the database worked for an order that came alone. Code and data have left the caches by then."""
    api, database = (statistics.median(of) for of in zip(*spent, strict=True))
    note = f"API {api:.2f}, PostgreSQL {database:.2f}"
    return Figure(what, "ms", Rounds(tuple(map(sum, spent))), at_most=True, digits=2, note=note)


def _flush(file: Path) -> float:
    """The milliseconds until 16 KB are on the disk: as much as an order's log, where the log has its room already."""
    took, size = [], 16_384
    with file.open("w+b", buffering=0) as stream:
        stream.write(bytes(size * _EACH))
        os.fsync(stream.fileno())
        for at in range(_EACH):
            begun = time.perf_counter()
            os.pwrite(stream.fileno(), b"x" * size, at * size)
            os.fdatasync(stream.fileno())
            took.append(time.perf_counter() - begun)
    return statistics.median(took) * 1000


async def _many(act: Callable[[], Awaitable[Any]], count: int) -> None:
    left = iter(range(count))

    async def some() -> None:
        for _ in left:
            await act()

    await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


async def _after_outage(house: House, http: aiohttp.ClientSession, port: int) -> Figure:
    """From the first payment that is booked to the last."""
    async with http.post(f"http://127.0.0.1:{port}/play/pay") as answer:
        paid = (await answer.json())["paid"]
    await asyncio.sleep(3)  # a poll asks for what was there two seconds ago
    (before,) = await house.as_superuser("SELECT count(*) AS n FROM orders WHERE financial_partner = 'BENCHBANK'")
    async with house.process("worker", "lastro.cli.main", "worker") as worker:
        first = await _until(house, _BOOKED, 1)
        begun, used = time.monotonic(), cpu_seconds(worker.pid)
        booked = await _until(house, _BOOKED, before["n"]) - first
        seconds, used = time.monotonic() - begun, cpu_seconds(worker.pid) - used
    cpu = f"the worker takes {used / booked * 1000:.2f} ms of CPU for each"
    note = f"{before['n']:,} orders, of {paid:,} payments that the bank lists; {cpu}"
    return Figure("payments booked after an outage", "/s", Rounds((booked / seconds,)), None, 200, 300, note=note)


async def _until(house: House, sql: str, count: int) -> int:
    """The number, once it is so large: it is looked for five times a second."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        (row,) = await house.as_superuser(sql)
        if row["n"] >= count:
            return int(row["n"])
        if time.monotonic() > deadline:
            raise RuntimeError(f"{row['n']} of {count} after {_PATIENCE_SECONDS:.0f} s: {sql}")
        await asyncio.sleep(0.2)


async def _memory(house: House, file: Path, items: int) -> Figure:
    """What the process holds at most after the first tenth of the list, by what it held at most within that."""
    async with house.process("reading", "bench.bank_reading", str(file), str(items)) as reading:
        begun = time.monotonic()
        status = await asyncio.to_thread(reading.wait)
        seconds = time.monotonic() - begun
    said = (house.home / "logs" / "reading.log").read_text().split("\n")
    told = [int(line.split()[1]) for line in said if line.count(" ") == 1 and line.replace(" ", "").isdecimal()]
    if status != 0 or len(told) < 100:
        raise RuntimeError(f"the list was not read: {said[-3:]}")
    tenth = len(told) // 10
    note = f"{items:,} Pix at {items / seconds:,.0f}/s, {max(told) / 1e6:.0f} MB at most"
    grown = max(told[tenth:]) / max(told[:tenth])
    return Figure(
        "memory of polling a list, by its first tenth",
        "x",
        Rounds((grown,)),
        None,
        1.1,
        1.05,
        at_most=True,
        digits=3,
        note=note,
    )
