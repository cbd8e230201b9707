"""A merchant's own bank as a rail: charges end there, money goes back by it, and its list of payments is polled."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from lastro.rails import port
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.charges import Charges, told
from lastro.rails.api_pix.polling import asked_for
from lastro.rails.api_pix.recurring import KINDS
from lastro.rails.api_pix.returns import NOT_SUPPORTED, Returns
from lastro.rails.port import Permanent, Unknown

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.polling import Polling
    from lastro.rails.api_pix.recurring import Recurring
    from lastro.rails.api_pix.returns import PaymentOf
    from lastro.rails.port import Keep, KnownInstruments, NetworkMessage, Pending

_CLOSE_PREFIX = "close:"
_log = structlog.get_logger(__name__)


class ApiPix:
    """The adapter of one connection: a Rail and a Stream.

    rail: the connection's name. instruments: tell our payments. recurring: its subscriptions and their charges.
    gives_refunds: False: no return is ordered there.
    """

    def __init__(
        self, rail: str, line: Line, clock: Clock, polling: Polling, payment_of: PaymentOf, instruments: KnownInstruments,
        recurring: Recurring, *, gives_refunds: bool = True,
    ) -> None:  # fmt: skip
        self._rail = rail
        self._gives_refunds = gives_refunds
        self._instruments = instruments
        self._recurring = recurring
        self._line = line
        self._polling = polling
        self._charges = Charges(rail, line, clock)
        self._returns = Returns(rail, line, clock, payment_of)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Ends a charge, gives money back, or orders what a subscription needs; the same again changes nothing there.

        A charge that was paid meanwhile is left as it is: polling finds its payment. Permanent: it is a return, and the
        connection gives nothing back. ValueError for another kind.
        """
        del network_id, company_id  # the one stands in the body, the other concerns us alone
        if kind == port.COLLECTION_CLOSE:
            await self._close(port.collection_close(body).reference)
        elif kind == port.RETURN_SEND:
            if not self._gives_refunds:
                raise Permanent(NOT_SUPPORTED, "the capabilities of the connection lack refund")
            await self._returns.send(port.return_order(body))
        elif kind in KINDS:
            await self._recurring.send(kind, body)
        else:
            raise ValueError(f"a bank has no message for {kind}")

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of a return, a recurrence or its charge; else of an order's charge, by its payment first."""
        if kind == port.RETURN_SEND:
            return await self._returns.status_of(network_id)
        if kind in KINDS:
            return await self._recurring.status_of(kind, network_id)
        state = await self._charges.state(network_id.removeprefix(_CLOSE_PREFIX))
        if not isinstance(state, Unknown) and state.payments:  # one that polling takes for foreign is foreign here too
            ours = (await asked_for(self._rail, state.payments, self._instruments)).ours
            state = replace(state, payments=tuple(one for one in state.payments if one.payment_id in ours))
        return told(state)

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Polls until stop."""
        await self._polling.listen(keep, stop)

    async def catch_up(self, keep: Keep) -> None:
        """Stores every payment that the bank lists by now. Transient: some may be missing."""
        await self._polling.catch_up(keep)

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()

    async def _close(self, txid: str) -> None:
        found = await self._charges.remove(txid)
        if isinstance(found, Unknown):
            _log.error("bank.charge_unknown", rail=self._rail, network_id=txid)
        elif found.status == wire.CONCLUDED or found.payments:
            _log.warning("bank.charge_paid", rail=self._rail, network_id=txid)
