"""How fast an order is read over HTTP, beside pgbench; what a body with problems costs; whether memory grows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Rounds
from bench.floor import Pgbench, Script, Sent, recording
from bench.load import closed, filled, template
from bench.orders import CONNECTIONS, InProcess, connections_held, in_turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.house import House, Payee

_EACH = 2  # orders that one pgbench client reads
_MANY = 100_000  # requests over which memory must stay as it is
_MEMORY_PARTS = 10
_WRONG = (  # ten problems
    '{"order":{"externalId":"","paymentMethod":"PIXX","description":7,"notificationUrl":"ftp://x","expiration":1,'
    '"amount":{"currency":"XXX","value":"1.234"}},"customer":{"name":"","entityType":"CAT","document":{"type":"X",'
    '"number":"1"},"email":"no"}}'
)


def reading(payee: Payee, port: int, order_id: str) -> str:
    """One request for an order."""
    return (
        f"GET /order/v2/transparent/{order_id} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n"
        f"authorization: Bearer {payee.token}\r\n\r\n"
    )


def wrong(payee: Payee, port: int) -> str:
    """A create with ten problems."""
    return (
        f"PUT /order/v2/transparent HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {payee.token}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(_WRONG)}\r\n\r\n{_WRONG}"
    )


async def by_id(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Reads per second of one API process, and of pgbench, in turns."""
    port = house.settings.port
    orders = [(payee, await ordered(house, payee, number)) for number, payee in enumerate(house.payees)]
    texts = [reading(payee, port, order_id) for payee, order_id in orders]
    async with house.api():
        await closed(house.home, port, texts, CONNECTIONS, 1)
        connections = await connections_held(house)
        floor, statements = await _floor_of(house, orders, connections)
        ways: dict[str, Callable[[], Any]] = {
            "floor": lambda: floor.run(connections, seconds),
            "one": lambda: _rate(house, texts, seconds),
        }
        rates = await in_turns(house, ways, rounds)
    note = f"{connections} connections, {statements} statement(s) each"
    return [
        Figure(
            "read an order over HTTP",
            "/s",
            Rounds(tuple(rates["one"])),
            Rounds(tuple(rates["floor"])),
            0.40,
            None,
            note=note,
        )
    ]


async def of_a_bad_body(house: House, rounds: int, seconds: float) -> list[Figure]:
    """How long a create with ten problems takes beside one with none."""
    port = house.settings.port
    good, bad = [template(p, port) for p in house.payees], [wrong(p, port) for p in house.payees]
    async with house.api():
        await closed(house.home, port, good, CONNECTIONS, 1)
        ways: dict[str, Callable[[], Any]] = {
            "good": lambda: _rate(house, good, seconds),
            "bad": lambda: _rate(house, bad, seconds, refused=True),
        }
        rates = await in_turns(house, ways, rounds)
    times = [g / b for g, b in zip(rates["good"], rates["bad"], strict=True)]
    return [
        Figure(
            "a body with ten problems, times a good one", "x", Rounds(tuple(times)), None, 3, None, at_most=True, digits=2
        )
    ]


async def memory(house: House, requests: int = _MANY) -> list[Figure]:
    """What the API process holds after each tenth of many requests, beside what it held after the first."""
    port = house.settings.port
    orders = [(payee, await ordered(house, payee, 900 + number)) for number, payee in enumerate(house.payees)]
    texts = [reading(payee, port, order_id) for payee, order_id in orders] + [template(p, port) for p in house.payees]
    held: list[int] = []
    async with house.api() as api:
        done = 0
        while done < requests * (_MEMORY_PARTS + 1) / _MEMORY_PARTS:
            done += (await closed(house.home, port, texts, CONNECTIONS, 5)).answered
            held.append(resident(api.pid))
    most = max(held[1:]) / held[1]
    note = f"{done:,} requests, {held[1] / 1e6:.0f} MB at first, {held[-1] / 1e6:.0f} MB at last"
    return [
        Figure("memory of the API, most by first", "x", Rounds((most,)), None, 1.1, None, at_most=True, digits=3, note=note)
    ]


async def ordered(house: House, payee: Payee, number: int) -> str:
    """The id of an order made for this."""
    app = await InProcess.build(house)
    try:
        status = await app.ask(filled(template(payee, house.settings.port), 40_000_000 + number))
        if status >= 300:
            raise RuntimeError(f"a create was answered with {status}")
        rows = await house.as_superuser("SELECT id::text FROM orders ORDER BY created_at DESC LIMIT 1")
        return str(rows[0][0])
    finally:
        await app.close()


async def _rate(house: House, texts: list[str], seconds: float, *, refused: bool = False) -> float:
    seen = await closed(house.home, house.settings.port, texts, CONNECTIONS, seconds)
    if seen.others != (seen.answered if refused else 0):
        raise RuntimeError(f"{seen.others} of {seen.answered} answers were not as meant")
    return seen.rate


async def _floor_of(house: House, orders: list[tuple[Payee, str]], connections: int) -> tuple[Pgbench, int]:
    app, script = await InProcess.build(house), Script()
    script.set("k", f":client_id * {_EACH} + :i % {_EACH}")
    statements = 0
    for place in range(connections * _EACH):
        payee, order_id = orders[place * 7 % len(orders)]
        request = reading(payee, house.settings.port, order_id).encode()
        await app.ask(request)  # what a second one sends is what is sent again and again
        with recording() as sent:
            await app.ask(request)
        reads: list[Sent] = [s for s in sent if "set_config('lastro.company'" not in s.sql]
        statements = len(reads)
        script.lines.append(rf"\{'elif' if place else 'if'} :k = {place}")
        script.lines += [f"{script.statement(s, s)};" for s in reads]
    script.lines.append(r"\endif")
    await app.close()
    return Pgbench(house, script.write(house.home / "reads.sql")), statements


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * 4096


def most_resident(pid: int) -> int:
    """Bytes of memory that a process has held at most since it began."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
