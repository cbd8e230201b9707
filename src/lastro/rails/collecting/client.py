"""A partner that collects, over HTTP: instruments are registered one by one, its movements pulled by long polling."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails import event_stream, port
from lastro.rails.collecting import card, wire
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, order
from lastro.rails.messages import understood
from lastro.rails.network_client import Adapter
from lastro.rails.port import Pending, Permanent, Unknown
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.collecting.partner import Partner
    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep, NetworkMessage

NO_RETURNS = "NO_RETURNS"  # our word: no till gives money back, and there is no other way to who paid


class Collecting(Adapter):
    """The adapter of one partner: a Rail. line: to it, with our token there."""

    def __init__(self, partner: Partner, line: NetworkClient) -> None:
        super().__init__(line)
        self._partner = partner
        self._path = f"/{partner.rail}/v1"
        self._movements = Movements(line, f"{self._path}/movements", wire.readers(partner))

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Registers an instrument, has it charged, ends it, or gives money back; the same again changes nothing there.

        Permanent for a return to a partner that has none, without asking. ValueError for a kind that the partner has not.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_SEND:
            wanted = port.collection_order(body)
            await order(self._line, "PUT", self._charge(wanted.reference), wire.written(self._partner, wanted))
        elif kind == port.COLLECTION_CLOSE:
            await order(self._line, "POST", f"{self._charge(port.collection_close(body).reference)}/close", None)
        elif kind == port.RETURN_SEND and self._partner.gives_back:
            back = port.return_order(body)
            await order(self._line, "PUT", self._return(back.return_id), wire.returned(back))
        elif kind == port.RETURN_SEND:
            raise Permanent(NO_RETURNS, "what was paid at a till is not given back there")
        elif kind == port.CARD_AUTHORIZE and self._partner.charges:
            charge = port.card_authorize(body)
            await order(self._line, "POST", f"{self._charge(charge.reference)}/charge", card.charged(charge))
        else:
            raise ValueError(f"the partner of {self._partner.rail} has no message for {kind}")

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of a return or of a card's charge.

        For an instrument, or for its end, it tells only if the partner knows it: Pending or Unknown.
        """
        if kind == port.RETURN_SEND:
            if not self._partner.gives_back:
                return Unknown()
            answer = await self._line.found(self._return(network_id), TIMEOUT_SECONDS)
            read = partial(wire.return_status, self._partner)
            return Unknown() if answer is None else understood(read, network_id, answer)
        reference = network_id.rpartition(":")[2]  # behind the word of a close, or of a charge
        answer = await self._line.found(self._charge(reference), TIMEOUT_SECONDS)
        if answer is None:
            return Unknown()
        return understood(card.charge_status, reference, answer) if kind == port.CARD_AUTHORIZE else Pending()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._movements.listen(keep, stop)

    async def catch_up(self, keep: Keep) -> None:
        """Stores every movement that was told so far. Transient: some may be missing."""
        await self._movements.catch_up(keep)

    def _charge(self, reference: str) -> str:
        return f"{self._path}/charges/{quote(reference, safe='')}"

    def _return(self, return_id: str) -> str:
        return f"{self._path}/returns/{quote(return_id, safe='')}"


def statements(partner: Partner, line: NetworkClient) -> JsonStatements:
    """Returns the source of the statements of our account there.

    Each line has the message behind it. line: to the partner, of its own.
    """
    readers = wire.readers(partner)
    path = f"/{partner.rail}/v1/statements"
    return JsonStatements(line, path, lambda raw: event_stream.read(raw, readers), partner.currency)
