"""A network of tills over HTTP: vouchers are registered one by one, its movements pulled by long polling."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import port
from lastro.rails.cash import wire
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, order
from lastro.rails.port import Pending, Permanent, Unknown

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep, NetworkMessage

_CLOSE = "close:"  # before the reference, in the name of the message that ends an instrument (port.close_message)
NO_RETURNS = "NO_RETURNS"  # our word: no till gives money back, and there is no other way to who paid


class Cash:
    """The adapter of one network: a Rail. rail: its name, by which its paths begin. line: to it, with our token there."""

    def __init__(self, rail: str, line: NetworkClient) -> None:
        self._line = line
        self._path = f"/{rail}/v1"
        self._movements = Movements(line, f"{self._path}/movements", wire.READERS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Registers a voucher, or ends one; the same again changes nothing there.

        Permanent for a return, without asking: the tills have none. ValueError for a kind that nobody has.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            voucher = port.collection_order(body)
            await order(self._line, "PUT", self._charge(voucher.reference), wire.written(voucher))
        elif kind == port.COLLECTION_CLOSE:
            await order(self._line, "POST", f"{self._charge(port.collection_close(body).reference)}/cancel", None)
        elif kind == port.RETURN_SEND:
            raise Permanent(NO_RETURNS, "what was paid at a till is not given back there")
        else:
            raise ValueError(f"a network of tills has no message for {kind}")

    async def became(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Whether a voucher is known there, or its end: payments are told by the network alone. Returns it has none."""
        if kind == port.RETURN_SEND:
            return Unknown()
        found = await self._line.found(self._charge(network_id.removeprefix(_CLOSE)), TIMEOUT_SECONDS)
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

    def _charge(self, reference: str) -> str:
        return f"{self._path}/charges/{quote(reference, safe='')}"
