"""Requests that create orders, and two ways to send them: wrk for a closed loop, a process of ours for an open one.

Run as a program it reads a plan from its standard input and prints what it saw; the house starts it so that its work is
not done by the process that measures.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import resource
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import uvloop
from bench.wire import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.house import Payee

UNIQUE = "#" * 20  # stands in a template for the digits that differ from request to request
_NOTIFY = "http://127.0.0.1:9/webhooks"
_LUA = """
local templates = {%s}
local count = 0
local base = %s
request = function()
  count = count + 1
  local id = string.format("%%020.0f", base + count)
  return (string.gsub(templates[count %% #templates + 1], "%s", id))
end
"""
# Each connection sends its next request at an instant of its own, and never before the last one is answered.
_PACED = """
math.randomseed(%s)
delay = function()
  return math.floor(-math.log(1 - math.random()) * %s)
end
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a load generator saw. cpu_seconds: its own. accepted_ms: latencies of answers with a 2xx status."""

    answered: int
    seconds: float
    others: int  # answers without a 2xx status
    cpu_seconds: float
    latencies_ms: tuple[float, ...] = ()
    accepted_ms: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answered / self.seconds


def template(payee: Payee, port: int, notify: str = _NOTIFY) -> str:
    """One request to create an order, with a place for unique digits."""
    order = {
        "externalId": f"pedido-{port}-{UNIQUE}",
        "accountId": str(payee.account_id),
        "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "49.90"},
        "description": "Dois bolos e um cento de salgados",
        "notificationUrl": notify,
    }
    customer = {
        "name": "Maria da Silva Santos",
        "entityType": "INDIVIDUAL",
        "document": {"type": "CPF", "number": "12345678909"},
        "email": "maria.santos@example.com",
        "phone": "+5511987654321",
    }
    return asking("PUT", "/order/v2/transparent", payee, port, {"order": order, "customer": customer})


def asking(method: str, path: str, payee: Payee, port: int, content: object) -> str:
    """One request under a key of its own, as bytes would go over the wire, with a place for the key's unique digits."""
    body = json.dumps(content)
    head = (
        f"{method} {path} HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        f"authorization: Bearer {payee.token}",
        f"idempotency-key: chave-{port}-{UNIQUE}",
        "content-type: application/json",
        f"content-length: {len(body)}",
    )
    return "\r\n".join(head) + "\r\n\r\n" + body


def filled(text: str, number: int) -> bytes:
    """The request with this number."""
    return text.replace(UNIQUE, f"{number:020d}").encode()


def has_wrk() -> bool:
    """Whether the fairer client is there: in C, it takes the least from the two cores that all share."""
    return shutil.which("wrk") is not None


async def closed(folder: Path, port: int, texts: Sequence[str], connections: int, seconds: float) -> Seen:
    """As many requests as are answered: each connection sends its next one when the last one is answered."""
    if not has_wrk():
        return await _ours({"port": port, "texts": list(texts), "connections": connections, "seconds": seconds})
    return await _wrk(folder, port, texts, connections, seconds)


async def flooded(folder: Path, port: int, texts: Sequence[str], rate: float, connections: int, seconds: float) -> Seen:
    """So many requests a second at random instants, as far as they are answered, by a client that takes little of it.

    It knows no latencies: who wants some asks beside it.
    """
    if not has_wrk():
        return await opened(port, texts, rate, seconds, connections)
    return await _wrk(folder, port, texts, connections, seconds, paced=1000 * connections / rate)


async def _wrk(
    folder: Path, port: int, texts: Sequence[str], connections: int, seconds: float, *, paced: float | None = None
) -> Seen:
    """paced: milliseconds between two requests of a connection, at the mean. None: none."""
    script = folder / f"load-{port}-{uuid4().hex[:8]}.lua"
    quoted = ",\n".join(json.dumps(t) for t in texts)  # JSON's escapes of these texts are Lua's too
    lua = _LUA % (quoted, f"{time.time_ns() // 1_000_000}000", UNIQUE)
    script.write_text(lua if paced is None else lua + _PACED % (time.time_ns() % 2**31, f"{paced:.3f}"), encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = await asyncio.create_subprocess_exec(
        "wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "-s", str(script), f"http://127.0.0.1:{port}",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said = (await process.communicate())[0].decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = re.search(r"(\d+) requests in ([\d.]+)s", said)
    others = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", said)
    if process.returncode or counted is None or int(counted[1]) == 0:
        raise RuntimeError(f"wrk ended with {process.returncode} and said:\n{said}")
    if broken is not None and any(int(count) for count in broken.groups()):
        print(f"wrk: {broken[0]}", file=sys.stderr, flush=True)  # what was cut is no answer: it is not counted
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seen(int(counted[1]), float(counted[2]), int(others[1]) if others else 0, cpu)


async def opened(port: int, texts: Sequence[str], rate: float, seconds: float, connections: int | None = None) -> Seen:
    """So many requests a second at instants of their own (Poisson), whether or not earlier ones are answered.

    connections: as many as a caller keeps; one that finds all of them busy waits, and its time runs. None: as it takes.
    """
    plan = {"port": port, "texts": list(texts), "rate": rate, "seconds": seconds, "most": connections or sys.maxsize}
    return await _ours(plan)


async def _ours(plan: dict[str, Any]) -> Seen:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.load", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    told = json.loads((await process.communicate(json.dumps(plan).encode()))[0])
    return Seen(
        told["answered"], told["seconds"], told["others"], told["cpu"], tuple(told["latencies"]), tuple(told["accepted"])
    )


class _Generator:
    def __init__(self, plan: dict[str, Any]) -> None:
        self._lines, self._texts, self._seconds = Lines(plan["port"]), plan["texts"], plan["seconds"]
        self._number = time.time_ns() // 1000 * 1000
        self._latencies: list[float] = []
        self._accepted: list[float] = []
        self._statuses: Counter[bytes] = Counter()
        self._room = asyncio.Semaphore(plan.get("most", sys.maxsize))

    async def closed(self, connections: int) -> float:
        started = time.perf_counter()
        await asyncio.gather(*(self._keep_asking(started + self._seconds) for _ in range(connections)))
        return time.perf_counter() - started

    async def opened(self, rate: float) -> float:
        """A late answer makes nobody wait but itself: its latency counts from when it was meant to be sent."""
        chance = random.Random(self._number)
        started = due = time.perf_counter()
        asked = []
        while (due := due + chance.expovariate(rate)) < started + self._seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            asked.append(asyncio.ensure_future(self._ask(due)))
        await asyncio.gather(*asked)
        return time.perf_counter() - started

    async def _keep_asking(self, end: float) -> None:
        while (now := time.perf_counter()) < end:
            await self._ask(now)

    async def _ask(self, due: float) -> None:
        self._number += 1
        request = filled(self._texts[self._number % len(self._texts)], self._number)
        async with self._room:
            status = (await self._lines.ask(request)).status
        took = (time.perf_counter() - due) * 1000
        self._statuses[status] += 1
        self._latencies.append(took)
        if status.startswith(b"2"):
            self._accepted.append(took)

    def told(self, seconds: float) -> dict[str, Any]:
        """What the process that measures wants to know."""
        others = sum(count for status, count in self._statuses.items() if not status.startswith(b"2"))
        cpu = time.process_time()
        return {
            "answered": len(self._latencies), "seconds": seconds, "others": others, "cpu": cpu,
            "latencies": self._latencies, "accepted": self._accepted,
        }  # fmt: skip


async def _main(plan: dict[str, Any]) -> None:
    generator = _Generator(plan)
    if "rate" in plan:
        seconds = await generator.opened(plan["rate"])
    else:
        seconds = await generator.closed(plan["connections"])
    print(json.dumps(generator.told(seconds)))


if __name__ == "__main__":
    uvloop.run(_main(json.load(sys.stdin)))
