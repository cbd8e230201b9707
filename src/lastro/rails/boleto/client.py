"""The bank that collects slips, over HTTP: registered one by one, its movements pulled by long polling."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from lastro.base.gaps import gap
from lastro.rails import port
from lastro.rails.boleto import wire
from lastro.rails.messages import Malformed, problem, understood
from lastro.rails.port import Pending, Permanent, ReturnFinal, Told, Transient, Unknown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.rails.line import Answer, Line
    from lastro.rails.port import Keep

TIMEOUT_SECONDS = 10.0
WAIT_SECONDS = 10  # how long a pull waits for movements
_LIMIT = 100
# Answers that say no to what was asked; any other refusal may be a fault of the way there, which passes.
_FOR_GOOD = frozenset({400, 409, 413, 422})
_SHORTEST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 10.0
_CLOSE = "close:"  # before the reference, in the name of the message that ends an instrument (port.close_message)
_log = structlog.get_logger(__name__)


class Boleto:
    """The adapter of the collecting bank: a Rail. line: to it, with our token there."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Registers a slip, ends one, or gives money back; the same again changes nothing there.

        ValueError for a kind that the bank has not.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            order = port.collection_order(body)
            await self._checked("PUT", _slip(order.reference), wire.written(order))
        elif kind == port.COLLECTION_CLOSE:
            await self._checked("POST", f"{_slip(port.collection_close(body).reference)}/close", None)
        elif kind == port.RETURN_SEND:
            back = port.return_order(body)
            await self._checked("PUT", _return(back.return_id), wire.returned(back))
        else:
            raise ValueError(f"the collecting bank has no message for {kind}")

    async def became(self, kind: str, network_id: str) -> Told | Pending | Unknown:
        """What became of a return; of a slip, or of its end, whether the bank knows it: payments are told by it alone."""
        if kind == port.RETURN_SEND:
            answer = await self._line.found(_return(network_id), TIMEOUT_SECONDS)
            if answer is None:
                return Unknown()
            back = understood(wire.return_status, network_id, answer)
            return Told(port.RETURN_FINAL, "", network_id, port.encode(back)) if isinstance(back, ReturnFinal) else back
        found = await self._line.found(_slip(network_id.removeprefix(_CLOSE)), TIMEOUT_SECONDS)
        return Unknown() if found is None else Pending()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop. The bank knows which movements we have confirmed, so that a new process begins behind them."""
        place: int | None = None
        pause = _SHORTEST_PAUSE_SECONDS
        while not stop.is_set():
            try:
                place = await self._pull(place, keep, stop)
                pause = _SHORTEST_PAUSE_SECONDS
                continue
            except Transient as away:
                # The first failures are those of two processes that start together.
                tell = _log.warning if pause >= 1 else _log.info
                tell("network.gives_nothing", reason=away.reason)
            except Exception:  # noqa: BLE001 whatever it was, the movements are not confirmed and come again
                _log.exception("network.messages_not_stored")
            # What a failed pull has confirmed is confirmed there: the bank says itself where it goes on.
            place = None
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        if place is not None:
            with suppress(Transient):
                await self._line.ask("GET", _movements(place, 0), None, 1.0)

    async def _pull(self, place: int | None, keep: Keep, stop: asyncio.Event) -> int | None:
        """One pull, which confirms the one before, and the storing of what it brought; the new place."""
        answer = await self._until(stop, _movements(place, WAIT_SECONDS))
        if answer is None:
            return place
        if answer.status != 200:
            raise Transient(f"the movements answered with HTTP status {answer.status}")
        try:
            told, last = wire.read_batch(answer.body)
        except Malformed as malformed:
            raise Transient(f"the movements cannot be read: {malformed}") from malformed
        if last is None:
            return place
        await keep(told)
        gap("inbox.stored")
        return last

    async def _until(self, stop: asyncio.Event, path: str) -> Answer | None:
        """The answer to a pull, None when it is time to stop."""
        pull = asyncio.ensure_future(self._line.ask("GET", path, None, WAIT_SECONDS + TIMEOUT_SECONDS))
        stopped = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({pull, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return None if stop.is_set() else await pull
        finally:
            for task in (pull, stopped):
                task.cancel()
            await asyncio.gather(pull, stopped, return_exceptions=True)

    async def _checked(self, method: str, path: str, body: bytes | None) -> None:
        answer = await self._line.ask(method, path, body, TIMEOUT_SECONDS)
        if 200 <= answer.status < 300:
            return
        code, reason = problem(answer.status, answer.body)
        if answer.status in _FOR_GOOD:
            raise Permanent(code, reason)
        raise Transient(f"{code}: {reason}")

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()


def _slip(nosso_numero: str) -> str:
    return f"/boleto/v1/slips/{quote(nosso_numero, safe='')}"


def _return(return_id: str) -> str:
    return f"/boleto/v1/returns/{quote(return_id, safe='')}"


def _movements(place: int | None, wait: int) -> str:
    after = "" if place is None else f"&after={place}"
    return f"/boleto/v1/movements?wait={wait}&limit={_LIMIT}{after}"
