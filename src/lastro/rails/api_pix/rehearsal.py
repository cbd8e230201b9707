"""A rehearsal at a real bank: a charge, a person who pays it, the payment, and its return. Nothing of it is in our books."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails import port
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.charges import Charges, StillOpen
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.returns import ReturnedPayment, Returns
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.rails.port.foreign import REHEARSAL_NAME, REHEARSAL_RANDOM

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.api_pix.charges import ChargeState
    from lastro.rails.api_pix.line import BankLine
    from lastro.rails.api_pix.wire import BankPayment
    from lastro.rails.port import IssuedCharge, NetworkMessage, Pending, ReturnOrder

CHARGE_SECONDS = 600  # a person takes out a phone
_RETURN_SECONDS = 300.0
_LOOKS_EVERY_SECONDS = 3.0


class Rehearsal:
    """One rehearsal at a connection. random: 15 letters and digits, drawn for it. pause: waits so many seconds."""

    def __init__(
        self, line: BankLine, random: str, now: Callable[[], datetime], clock: Callable[[], float],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        if len(random) != REHEARSAL_RANDOM:
            raise ValueError("a rehearsal is named by 15 letters and digits")
        connection = line.connection
        # Its form has no company's number: neither the worker nor its nightly looks take it for an order's.
        self.txid = self.return_id = REHEARSAL_NAME + random
        self._now, self._clock, self._pause = now, clock, pause
        self._issuer = ApiPixIssuer(connection.name, line, connection.dialect.clock, tell=line.tell)
        self._charges = Charges(connection.name, line, connection.dialect.clock)
        self._returned: ReturnedPayment | None = None
        self._returns = Returns(connection.name, line, connection.dialect.clock, self._payment_of)

    async def charge(self, key: str, amount: Money) -> IssuedCharge:
        """Makes the charge. IssueRefused, AnswerInvalid, Transient: there is none."""
        request = port.ChargeRequest(
            self.txid, amount, key, CHARGE_SECONDS, "LASTRO", "BRASILIA", text="Ensaio do lastro", now=self._now()
        )
        return await self._issuer.issue(request)

    async def payment(self) -> BankPayment | None:
        """Waits for somebody to pay. None: nobody has, and the charge is ended. Transient: it is not known."""
        ends_at = self._clock() + CHARGE_SECONDS
        while self._clock() < ends_at:
            try:
                found = await self._charges.state(self.txid)
            except Transient:
                found = Unknown()
            if not isinstance(found, Unknown) and found.payments:
                return found.payments[0]
            await self._pause(_LOOKS_EVERY_SECONDS)
        return await self.end()

    async def end(self) -> BankPayment | None:
        """Ends the charge. The payment: somebody has paid it after all.

        Permanent: the bank keeps it open. Transient: so it does, or it is not known if it is over.
        """
        try:
            found = await self._charges.remove(self.txid)
        except Permanent:  # some banks end no charge whose time is over
            found = await self._charges.state(self.txid)
            if self._is_open(found):
                raise
        except StillOpen as kept:
            found = kept.state
            if self._is_open(found):
                raise
        return None if isinstance(found, Unknown) or not found.payments else found.payments[0]

    def _is_open(self, found: ChargeState | Unknown) -> bool:
        """Tells whether somebody may still pay."""
        return not isinstance(found, Unknown) and found.is_open and (found.ends_at is None or self._now() <= found.ends_at)

    async def give_back(self, paid: BankPayment) -> ReturnEnd:
        """Gives the payment back, and waits for the end of it. Permanent: the bank will not.

        As the worker does: it asks before it sends another copy, and the refusal of one says nothing of those before.
        """
        order = port.ReturnOrder(self.return_id, paid.payment_id, paid.amount, "MD06")
        self._returned = ReturnedPayment(paid.payment_id, paid.amount)
        ends_at, copies = self._clock() + _RETURN_SECONDS, 0
        refused: Permanent | None = None
        told: NetworkMessage | Pending | Unknown = Unknown()
        while self._clock() < ends_at:
            try:
                if copies:
                    told = await self._returns.status_of(order.return_id)
                if isinstance(told, Unknown) and refused is None:
                    copies += 1
                    refused = await self._sent(order)
                    told = await self._returns.status_of(order.return_id)
                if isinstance(told, port.NetworkMessage):
                    final = port.return_final(told.body)
                    return ReturnEnd(wire.RETURN_DONE if final.settled else wire.RETURN_FAILED, final.code)
                if refused is not None and copies == 1 and isinstance(told, Unknown):
                    raise refused
            except Transient:
                pass
            await self._pause(_LOOKS_EVERY_SECONDS)
        if refused is not None and isinstance(told, Unknown):
            raise refused
        return ReturnEnd(wire.RETURN_PENDING)

    async def _sent(self, order: ReturnOrder) -> Permanent | None:
        """Sends a return; the bank's refusal, where it refuses. Transient: it is not known if it arrived."""
        try:
            await self._returns.send(order)
        except Permanent as refused:
            return refused
        return None

    async def _payment_of(self, _: str) -> ReturnedPayment | None:
        return self._returned


@dataclass(frozen=True, slots=True)
class ReturnEnd:
    """The end of a return. status: the bank's word. code: why not, where it says so."""

    status: str
    code: str | None = None

    @property
    def is_done(self) -> bool:
        """True if the payer has the money back."""
        return self.status == wire.RETURN_DONE
