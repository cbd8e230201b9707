"""How fast an order is created over HTTP, beside the same write by pgbench; how long one takes at a steady pace."""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Rounds
from bench.floor import Pgbench, Script, Sent, recording
from bench.house import cpu_seconds, free_port
from bench.load import Seen, closed, filled, has_wrk, opened, template

from lastro.app import wiring
from lastro.core.db import Database
from lastro.web.application import application

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.house import House
    from litestar import Litestar

CONNECTIONS = 32
_EACH = 2  # accounts that one pgbench client writes to: each is a prepared statement of its own
_PACE = 100.0
_PACED_SECONDS = 7.0


class InProcess:
    """The API's application in this process, called without a server."""

    def __init__(self, house: wiring.AppContext) -> None:
        self._house = house
        self._app: Litestar = application(
            wiring.gate(house), wiring.operations(house), wiring.routes(house), wiring.public(house)
        )

    @classmethod
    async def build(cls, house: House) -> InProcess:
        """As the API process builds it."""
        return cls(await wiring.open_house(house.settings, Database(house.settings.app, size=2), lambda _: None))

    async def ask(self, request: bytes) -> int:
        """The status that one request as on the wire is answered with."""
        head, _, body = request.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        method, target, _ = first.decode().split(" ")
        path, _, query = target.partition("?")
        pairs = (line.split(b": ", 1) for line in lines)
        scope: dict[str, Any] = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
            "raw_path": path.encode(), "root_path": "", "scheme": "http", "query_string": query.encode(),
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 1), "headers": [(name, value) for name, value in pairs],
            "extensions": {},
        }  # fmt: skip
        status = 0

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)

        await self._app(scope, receive, send)  # type: ignore[arg-type] # a scope as a server gives it
        return status

    async def close(self) -> None:
        """Lets go of its connections."""
        await self._house.rail.close()
        await self._house.database.close()


async def floor_of(house: House, connections: int, texts: Sequence[str], first: int = 0) -> Pgbench:
    """pgbench with the write of these creates: each client for accounts of its own, all companies among them.

    texts: one request for each account, in the order of the house's payees. first: where its numbers begin, which
    are those of no other floor of the house.
    """
    app, script = await InProcess.build(house), Script()
    spread = [text for each in range(4) for text in texts[each::4]]  # one company after the other
    script.set("k", f":client_id * {_EACH} + :i % {_EACH}")
    for place in range(connections * _EACH):
        sent = await _writes(app, spread[place % len(spread)], first + place * 3)
        script.lines += [rf"\{'elif' if place else 'if'} :k = {place}", f"{script.statement(*sent)};"]
    script.lines.append(r"\endif")
    await app.close()
    return Pgbench(house, script.write(house.home / "floor.sql"), runs=first)


async def _writes(app: InProcess, text: str, number: int) -> tuple[Sent, Sent]:
    """The writes of two creates."""
    with recording() as sent:
        for each in (number, number + 1):
            status = await app.ask(filled(text, each))
            if status >= 300:
                raise RuntimeError(f"a create was answered with {status}")
    writes = [s for s in sent if s.sql.startswith("WITH door")]
    return writes[-2], writes[-1]


async def connections_held(house: House) -> int:
    """How many connections the API works with."""
    rows = await house.as_superuser(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'lastro_app' AND application_name = 'lastro'"
    )
    return int(rows[0][0])


class Http:
    """Closed loops against one or two API processes, with what they cost. texts: what is asked of each, by its port."""

    def __init__(self, house: House, texts: Mapping[int, Sequence[str]], pids: Sequence[int]) -> None:
        self._house, self._texts, self._pids = house, texts, pids
        self.api_us: list[float] = []
        self.database_us: list[float] = []
        self.client_us: list[float] = []

    async def run(self, seconds: float) -> float:
        """Answers per second."""
        before = self._cpu()
        each = CONNECTIONS // len(self._texts)
        runs = (closed(self._house.home, port, texts, each, seconds) for port, texts in self._texts.items())
        seen: list[Seen] = await asyncio.gather(*runs)
        after = self._cpu()
        answered = sum(s.answered for s in seen)
        if any(s.others for s in seen):
            raise RuntimeError(f"{sum(s.others for s in seen)} of {answered} creates were refused")
        self.api_us.append((after[0] - before[0]) / answered * 1e6)
        self.database_us.append((after[1] - before[1]) / answered * 1e6)
        self.client_us.append(sum(s.cpu_seconds for s in seen) / len(seen) / answered * 1e6)
        return sum(s.rate for s in seen)

    def forget(self) -> None:
        """What it cost until now: that was for warming up."""
        for each in (self.api_us, self.database_us, self.client_us):
            each.clear()

    @property
    def cost(self) -> str:
        """What one request has cost each of those who took part, for a figure's note."""
        parts = (("API", self.api_us), ("PostgreSQL", self.database_us), (client(), self.client_us))
        return "CPU us each: " + ", ".join(f"{name} {statistics.median(us):.0f}" for name, us in parts)

    def _cpu(self) -> tuple[float, float]:
        database = self._house.server.pid
        assert database is not None
        return sum(cpu_seconds(pid) for pid in self._pids), cpu_seconds(database, family=True)


def client() -> str:
    """Who loads."""
    return "wrk" if has_wrk() else "our own client"


async def throughput(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Creates per second of one API process and of two, and of pgbench, in turns."""
    port, second = house.settings.port, free_port()
    texts = {each: [template(p, each) for p in house.payees] for each in (port, second)}
    async with house.api() as api:
        one = Http(house, {port: texts[port]}, [api.pid])
        await one.run(1)
        connections = await connections_held(house)
        floor = await floor_of(house, connections, texts[port])
        async with house.api(second) as other:
            two = Http(house, texts, [api.pid, other.pid])
            await two.run(1)
            one.forget()
            ways: dict[str, Callable[[], Any]] = {
                "floor": lambda: floor.run(connections, seconds),
                "one": lambda: one.run(seconds),
                "two": lambda: two.run(seconds),
            }
            rates = await in_turns(house, ways, rounds)
    base, note = Rounds(tuple(rates["floor"])), f"{connections} connections; {one.cost}"
    return [
        Figure("create an order over HTTP", "/s", Rounds(tuple(rates["one"])), base, 0.25, 0.40, note=note),
        Figure("the same, two API processes", "/s", Rounds(tuple(rates["two"])), base),
    ]


async def in_turns(house: House, ways: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Each way once a round, another one first each time, each after a checkpoint."""
    rates: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(rounds):
        for name in (*names[number % len(names) :], *names[: number % len(names)]):
            await house.as_superuser("CHECKPOINT")
            rates[name].append(await ways[name]())
    return rates


async def paced(house: House, rounds: int) -> list[Figure]:
    """How long a create takes when 100 a second come at instants of their own."""
    texts = [template(p, house.settings.port) for p in house.payees]
    middle, late = [], []
    async with house.api():
        await opened(house.settings.port, texts, _PACE, 2)
        for _ in range(rounds):
            seen = await opened(house.settings.port, texts, _PACE, _PACED_SECONDS)
            if seen.others:
                raise RuntimeError(f"{seen.others} creates were refused")
            steps = statistics.quantiles(seen.latencies_ms, n=100)
            middle.append(steps[49])
            late.append(steps[98])
    return [
        Figure("create at 100 requests/s, p50", "ms", Rounds(tuple(middle)), None, 5, 3, at_most=True, digits=1),
        Figure("create at 100 requests/s, p99", "ms", Rounds(tuple(late)), None, 15, 7, at_most=True, digits=1),
    ]
