"""The STR over HTTP. It has no stream of its own: its messages come on that of the SPI, by the readers of `wire`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import port
from lastro.rails.messages import problem, understood
from lastro.rails.network_client import Adapter
from lastro.rails.port import Closed, NetworkMessage, Pending, Permanent, Transient, Unknown
from lastro.rails.ted import wire
from lastro.standards.calendar import ted_opens_at

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from datetime import datetime
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep

TIMEOUT_SECONDS = 10.0
# Answers that say no to what was asked; any other refusal may be a fault of the way there, which passes.
# 409 says that the STR has such a number: what it was sent with has to be asked, not given up.
_FOR_GOOD = frozenset({400, 413, 422})
_CLOSED = "OUTSIDE_STR_SESSION"
_CLOCKS_DIFFER_SECONDS = 60


class Ted(Adapter):
    """The adapter of the STR: a Rail. ispb: ours. now: business time, by which the STR's session opens."""

    def __init__(self, line: NetworkClient, ispb: str, now: Callable[[], Awaitable[datetime]]) -> None:
        super().__init__(line)
        self._ispb = ispb
        self._now = now

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Waits: nothing comes this way. One stream, which one process pulls, carries the messages of both systems."""
        del keep
        await stop.wait()

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Posts one STR0008 or STR0010; the STR answers 201 once it has it, and the same message again changes nothing.

        Closed outside its session, and outside the hours in which banks send for customers (contract.md §10), which end
        before it does: for as long as the calendar of banks says.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if wait := await self._seconds_until_it_opens():
            raise Closed("outside the hours of customers' TEDs", wait)
        path, message = f"/str/v1/msgs/{self._ispb}", wire.written(kind, body)
        answer = await self._line.ask("POST", path, message, TIMEOUT_SECONDS)
        if 200 <= answer.status < 300:
            return
        code, reason = problem(answer.status, answer.body)
        if code == _CLOSED:
            # By our clock it is open: the two clocks differ.
            raise Closed(f"{code}: {reason}", _CLOCKS_DIFFER_SECONDS)
        if answer.status in _FOR_GOOD:
            raise Permanent(code, reason)
        raise Transient(f"{code}: {reason}")

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of our TED, or of a return of ours."""
        answer = await self._line.found(f"/str/v1/transfers/{quote(network_id, safe='')}", TIMEOUT_SECONDS)
        if answer is None:
            return Unknown()
        is_return = kind == port.RETURN_SEND
        end = understood(wire.return_status if is_return else wire.status, network_id, answer)
        if isinstance(end, Pending):
            return end
        return NetworkMessage(port.RETURN_FINAL if is_return else port.PAYMENT_FINAL, "", network_id, port.encode(end))

    async def _seconds_until_it_opens(self) -> int:
        """Returns the whole seconds until the STR opens; 0: it is open."""
        now = await self._now()
        return -((now - ted_opens_at(now)) // timedelta(seconds=1))
