"""The journey that the service is for: an order is made, a person pays it with the telephone, the client is told."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import statistics
import time
from typing import TYPE_CHECKING, Any, Protocol, cast

from bench.figures import Figure, Rounds
from bench.load import filled, template
from bench.receiver import ACKNOWLEDGED
from bench.wire import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.house import House, Payee

_CALM = 60  # orders paid one after another
_CALM_PAUSE_SECONDS = 0.05
_PHONES = 8  # people who pay at the same time
_PATIENCE_SECONDS = 60.0
_ORDER = re.compile(rb'"code":"(pedido-[0-9-]+)"')
_LENGTH = re.compile(rb"(?i)content-length: (\d+)")
_PAY = "POST /phone/pay HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}"


class Told(asyncio.Protocol):
    """The client's side of notifications: says thank you, and when the first byte about each order came."""

    def __init__(self, first_byte: dict[str, float]) -> None:
        self._first_byte = first_byte
        self._buffer = b""
        self._began = 0.0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own do not descend from it

    def data_received(self, data: bytes) -> None:
        if not self._buffer:
            self._began = time.perf_counter()
        self._buffer += data
        head, gap, body = self._buffer.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not gap or length is None or len(body) < int(length[1]):
            return
        self._buffer = b""
        if order := _ORDER.search(body):
            self._first_byte.setdefault(order[1].decode(), self._began)
        assert self._transport is not None
        self._transport.write(ACKNOWLEDGED)


class Ports(Protocol):
    """Where the API and the simulated network listen."""

    @property
    def port(self) -> int:
        """Returns the API's."""

    @property
    def sim_port(self) -> int:
        """Returns the network's."""


class Street:
    """Orders, telephones and the time at which each was paid."""

    def __init__(self, ports: Ports, payees: Sequence[Payee], webhook_url: str) -> None:
        self._ports = ports
        self._api, self._network = Lines(ports.port), Lines(ports.sim_port)
        self._webhook_url = webhook_url
        self._numbers = itertools.count(time.time_ns() // 1000)
        self.asked_at: dict[str, float] = {}
        self.go_on_for(payees)

    def go_on_for(self, payees: Sequence[Payee]) -> None:
        """Takes the tokens of these payees."""
        self._texts = [template(p, self._ports.port, self._webhook_url) for p in payees]

    async def order(self) -> tuple[str, str]:
        """A new order's external id and the text of its QR. RuntimeError if there is none."""
        number = next(self._numbers)
        answer = await self._api.ask(filled(self._texts[number % len(self._texts)], number))
        if answer.status != b"200":
            raise RuntimeError(f"no order was made: {answer.status.decode()}")
        made: dict[str, Any] = json.loads(answer.body)
        return made["externalId"], made["pix"]["qrcodeData"]

    async def pay(self, external_id: str, code: str) -> None:
        """With the telephone, at the simulated bank. RuntimeError if it does not settle."""
        self.asked_at[external_id] = time.perf_counter()
        body = json.dumps({"qrcodeData": code})
        answer = await self._network.ask(_PAY.format(self._ports.sim_port, len(body), body).encode())
        told = json.loads(answer.body) if answer.status == b"200" else {}
        if told.get("status") != "SETTLED":
            said = f"{told.get('status', answer.status.decode())} {told.get('code', '')}"
            raise RuntimeError(f"a payment was not settled: {said.strip()}")

    async def pay_all(self, orders: Sequence[tuple[str, str]]) -> None:
        """Several people, each with the next order as soon as the last one is paid."""
        waiting = iter(orders)

        async def person() -> None:
            for order in waiting:
                await self.pay(*order)

        await asyncio.gather(*(person() for _ in range(_PHONES)))


async def paid(house: House, count: int) -> list[Figure]:
    """Orders paid per second, and from the payment to the notification's first byte."""
    first_byte: dict[str, float] = {}
    loop = asyncio.get_running_loop()
    receiver = await loop.create_server(lambda: Told(first_byte), "127.0.0.1", 0)
    webhook_url = f"http://127.0.0.1:{receiver.sockets[0].getsockname()[1]}/webhooks"
    async with (
        house.api(),
        house.process("worker", "lastro.cli.main", "worker"),
    ):
        street = Street(house.settings, house.payees, webhook_url)
        await street.pay_all([await street.order() for _ in range(10)])  # everything is warm
        await all_told(street, first_byte)
        calm = [await street.order() for _ in range(_CALM)]
        for order in calm:
            await street.pay(*order)
            await asyncio.sleep(_CALM_PAUSE_SECONDS)
        await all_told(street, first_byte)
        waits = [(first_byte[name] - street.asked_at[name]) * 1000 for name, _ in calm]
        crowd = [await street.order() for _ in range(count)]
        started = time.perf_counter()
        await street.pay_all(crowd)
        settled = time.perf_counter() - started
        await all_told(street, first_byte)
        told = max(first_byte[name] for name, _ in crowd) - started
    receiver.close()
    steps = statistics.quantiles(waits, n=100, method="inclusive")
    note = f"{_PHONES} telephones, {count} orders; simulator, API and worker share the machine"
    return [
        Figure("orders paid", "/s", Rounds((count / settled,)), note=note),
        Figure("orders paid and told", "/s", Rounds((count / told,))),
        Figure("payment to notification, p50", "ms", Rounds((steps[49],)), note=f"{_CALM} payments, one by one"),
        Figure("payment to notification, p99", "ms", Rounds((steps[98],))),
    ]


async def all_told(street: Street, first_byte: dict[str, float]) -> None:
    """Waits until the client has heard of each payment. RuntimeError: it takes too long."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while missing := street.asked_at.keys() - first_byte.keys():
        if time.monotonic() > deadline:
            raise RuntimeError(f"no notification about {len(missing)} paid orders")
        await asyncio.sleep(0.02)
