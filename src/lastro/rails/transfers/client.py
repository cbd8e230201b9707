"""A bank that keeps account numbers for orders, over HTTP: registered one by one, its movements pulled by long polling."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import port
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, order
from lastro.rails.messages import understood
from lastro.rails.port import NetworkMessage, Pending, ReturnFinal, Unknown
from lastro.rails.transfers import wire
from lastro.rails.transfers.dialects import DEPOSIT, SPEI

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep
    from lastro.rails.transfers.dialects import Dialect

_CLOSE = "close:"  # before the reference, in the name of the message that ends an instrument (port.close_message)


class _Transfers:
    """The adapter of such a bank: a Rail. line: to it, with our token there."""

    def __init__(self, line: NetworkClient, dialect: Dialect) -> None:
        self._line = line
        self._dialect = dialect
        self._movements = Movements(line, f"{dialect.root}/movements", wire.readers(dialect))

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Registers an account number, ends one, or gives money back; the same again changes nothing there.

        ValueError for a kind that the bank has not.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            made = port.collection_order(body)
            await order(self._line, "PUT", self._account(made.reference), wire.written(made))
        elif kind == port.COLLECTION_CLOSE:
            await order(self._line, "POST", f"{self._account(port.collection_close(body).reference)}/close", None)
        elif kind == port.RETURN_SEND:
            back = port.return_order(body)
            await order(self._line, "PUT", self._return(back.return_id), wire.returned(back))
        else:
            raise ValueError(f"a bank of account numbers has no message for {kind}")

    async def became(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """What became of a return; of an account number, or of its end, whether the bank knows it."""
        if kind == port.RETURN_SEND:
            answer = await self._line.found(self._return(network_id), TIMEOUT_SECONDS)
            if answer is None:
                return Unknown()
            back = understood(wire.return_status, network_id, answer)
            return (
                NetworkMessage(port.RETURN_FINAL, "", network_id, port.encode(back))
                if isinstance(back, ReturnFinal)
                else back
            )
        found = await self._line.found(self._account(network_id.removeprefix(_CLOSE)), TIMEOUT_SECONDS)
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

    def _account(self, reference: str) -> str:
        return f"{self._dialect.root}/{self._dialect.accounts}/{quote(reference, safe='')}"

    def _return(self, return_id: str) -> str:
        return f"{self._dialect.root}/returns/{quote(return_id, safe='')}"


class Spei(_Transfers):
    """The participant of SPEI at which our CLABEs are."""

    def __init__(self, line: NetworkClient) -> None:
        super().__init__(line, SPEI)


class Deposit(_Transfers):
    """The partner that keeps account numbers at banks of Brazil."""

    def __init__(self, line: NetworkClient) -> None:
        super().__init__(line, DEPOSIT)
