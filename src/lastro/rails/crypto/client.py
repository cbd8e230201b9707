"""The crypto partner, over HTTP: a quote is opened for its order, or closed; payments are pulled by long polling."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import port
from lastro.rails.crypto import wire
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, order
from lastro.rails.messages import understood
from lastro.rails.port import NetworkMessage, Pending, ReturnFinal, Unknown

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep

_CLOSE = "close:"  # before the reference, in the name of the message that ends an instrument (port.close_message)


class Crypto:
    """The adapter of the crypto partner: a Rail. line: to it, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line
        self._movements = Movements(line, "/crypto/v1/movements", wire.READERS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Opens a quote to be paid, ends one, or gives money back; the same again changes nothing there.

        ValueError for a kind that the partner has not.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            opened = port.collection_order(body)
            await order(self._line, "PUT", f"{quote_path(opened.reference)}/order", wire.written(opened))
        elif kind == port.COLLECTION_CLOSE:
            await order(self._line, "POST", f"{quote_path(port.collection_close(body).reference)}/close", None)
        elif kind == port.RETURN_SEND:
            back = port.return_order(body)
            await order(self._line, "PUT", _return(back.return_id), wire.returned(back))
        else:
            raise ValueError(f"the crypto partner has no message for {kind}")

    async def became(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """What became of a return; of a quote, whether it has its order there: payments are told by the partner alone."""
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
        answer = await self._line.found(quote_path(network_id.removeprefix(_CLOSE)), TIMEOUT_SECONDS)
        if answer is None:
            return Unknown()
        return Pending() if understood(wire.has_order, network_id, answer) else Unknown()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._movements.listen(keep, stop)

    async def catch_up(self, keep: Keep) -> None:
        """Stores every movement that was told so far. Transient: some may be missing."""
        await self._movements.catch_up(keep)

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()


def quote_path(reference: str) -> str:
    """Where a quote is."""
    return f"/crypto/v1/quotes/{quote(reference, safe='')}"


def _return(return_id: str) -> str:
    return f"/crypto/v1/returns/{quote(return_id, safe='')}"
