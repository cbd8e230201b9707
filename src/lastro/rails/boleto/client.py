"""The bank that collects slips, over HTTP: registered one by one, its movements pulled by long polling."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import port
from lastro.rails.boleto import wire
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, order
from lastro.rails.messages import understood
from lastro.rails.port import NetworkMessage, Pending, ReturnFinal, Unknown

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep

_CLOSE = "close:"  # before the reference, in the name of the message that ends an instrument (port.close_message)


class Boleto:
    """The adapter of the collecting bank: a Rail. line: to it, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line
        self._movements = Movements(line, "/boleto/v1/movements", wire.READERS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Registers a slip, ends one, or gives money back; the same again changes nothing there.

        ValueError for a kind that the bank has not.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            slip = port.collection_order(body)
            await order(self._line, "PUT", _slip(slip.reference), wire.written(slip))
        elif kind == port.COLLECTION_CLOSE:
            await order(self._line, "POST", f"{_slip(port.collection_close(body).reference)}/close", None)
        elif kind == port.RETURN_SEND:
            back = port.return_order(body)
            await order(self._line, "PUT", _return(back.return_id), wire.returned(back))
        else:
            raise ValueError(f"the collecting bank has no message for {kind}")

    async def became(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """What became of a return; of a slip, or of its end, whether the bank knows it: payments are told by it alone."""
        if kind == port.RETURN_SEND:
            answer = await self._line.found(_return(network_id), TIMEOUT_SECONDS)
            if answer is None:
                return Unknown()
            back = understood(wire.return_status, network_id, answer)
            return (
                NetworkMessage(port.RETURN_FINAL, "", network_id, port.encode(back))
                if isinstance(back, ReturnFinal)
                else back
            )
        found = await self._line.found(_slip(network_id.removeprefix(_CLOSE)), TIMEOUT_SECONDS)
        return Unknown() if found is None else Pending()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._movements.listen(keep, stop)

    async def catch_up(self, keep: Keep) -> None:
        """Stores every movement that was told so far. Transient: some may be missing."""
        await self._movements.catch_up(keep)

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()


def _slip(nosso_numero: str) -> str:
    return f"/boleto/v1/slips/{quote(nosso_numero, safe='')}"


def _return(return_id: str) -> str:
    return f"/boleto/v1/returns/{quote(return_id, safe='')}"
