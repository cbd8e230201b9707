"""Returns of payments at a bank (devolução): ordered under our own id, and asked about by it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

import structlog

from lastro.rails import port
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.api_pix.lists import TIMEOUT_SECONDS
from lastro.rails.messages import Malformed, code_or
from lastro.rails.port import Pending, Permanent, Transient, Unknown

if TYPE_CHECKING:
    from lastro.core.money import Money
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.wire import BankReturn
    from lastro.rails.port import NetworkMessage, ReturnOrder

NOT_SUPPORTED = "NOT_SUPPORTED"  # our word: nothing is given back so, and no bank was asked
_LONGEST_ID = 35
_NOT_FOUND = 404
_OTHERS = re.compile(r"[^a-zA-Z0-9]")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ReturnedPayment:
    """The payment that a return of ours gives back. payment_id: the endToEndId. amount: of the return."""

    payment_id: str
    amount: Money


class PaymentOf(Protocol):
    """Finds what a return of ours gives back: the bank asks for both ids."""

    async def __call__(self, return_id: str, /) -> ReturnedPayment | None:
        """Returns it; None: there is no such return here. DatabaseAway: try again later."""


class Returns:
    """The returns of one connection."""

    def __init__(self, rail: str, line: Line, clock: Clock, payment_of: PaymentOf) -> None:
        self._rail = rail
        self._line = line
        self._clock = clock
        self._payment_of = payment_of

    async def send(self, order: ReturnOrder) -> None:
        """Orders a return; the same again is the same return. Permanent, Transient: as the port says.

        Permanent too: the bank itself does not know the payment, and says so again when it is asked for that alone. It has
        told of the payment before, so that no later try would find it.
        """
        if order.anew is not None:
            raise Permanent(NOT_SUPPORTED, "a bank gives back to the payer alone")
        body = wire.new_return(order.amount)
        answer = await self._line.ask("PUT", return_path(order.end_to_end_id, order.return_id), body, TIMEOUT_SECONDS)
        verdict = alarmed(judge(answer, "PUT return"), self._rail, "PUT return", order.return_id)
        is_missing = answer.status == _NOT_FOUND and verdict.is_worded and await self._is_unpaid(order.end_to_end_id)
        if verdict.meaning is Meaning.PERMANENT or is_missing:
            raise verdict.permanent
        wanted = ReturnedPayment(order.end_to_end_id, order.amount)
        if verdict.meaning is Meaning.DONE:
            self._read(order.return_id, wanted, answer.body)
        elif verdict.meaning is not Meaning.LOOK or await self._found(order.return_id, wanted) is None:
            raise verdict.transient

    async def status_of(self, return_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the end of a return as the port has it. Transient: the bank does not say, or not in words we know."""
        wanted = await self._payment_of(return_id)
        if wanted is None:
            raise Transient("there is no such return here", is_on_its_way=False)
        found = await self._found(return_id, wanted)
        return Unknown() if found is None else ended(return_id, wanted.payment_id, found)

    async def _is_unpaid(self, payment_id: str) -> bool:
        """Tells whether the bank itself does not know a payment. Transient: it does not say."""
        answer = await self._line.ask("GET", f"/pix/{quote(payment_id, safe='')}", None, TIMEOUT_SECONDS)
        return alarmed(judge(answer, "GET pix"), self._rail, "GET pix", payment_id).meaning is Meaning.UNKNOWN

    async def _found(self, return_id: str, wanted: ReturnedPayment) -> BankReturn | None:
        """Returns the return as the bank has it; None: the bank itself does not know it."""
        answer = await self._line.ask("GET", return_path(wanted.payment_id, return_id), None, TIMEOUT_SECONDS)
        verdict = alarmed(judge(answer, "GET return"), self._rail, "GET return", return_id)
        if verdict.meaning is Meaning.UNKNOWN:
            return None
        if verdict.meaning is not Meaning.DONE:
            raise verdict.transient
        return self._read(return_id, wanted, answer.body)

    def _read(self, return_id: str, wanted: ReturnedPayment, body: bytes) -> BankReturn:
        """Reads a return. Another amount than ours is told, and left to the rooms: the money has moved there."""
        try:
            found = wire.return_(body, self._clock)
        except Malformed as unread:
            raise Transient(f"the return cannot be read: {unread}") from unread
        if found.return_id != bank_id(return_id):
            _log.critical("bank.answer_invalid", rail=self._rail, network_id=return_id, code="id")
            raise Transient("the bank answered about another return")
        if found.amount != wanted.amount:
            _log.critical("bank.return_differs", rail=self._rail, network_id=return_id)
        return found


def bank_id(return_id: str) -> str:
    """Returns the id of a return as a bank takes it: 1 to 35 letters and digits, the same for the same return."""
    return _OTHERS.sub("", return_id)[-_LONGEST_ID:]


def return_path(payment_id: str, return_id: str) -> str:
    """Returns where a return is."""
    return f"/pix/{quote(payment_id, safe='')}/devolucao/{bank_id(return_id)}"


def ended(return_id: str, payment_id: str, found: BankReturn) -> NetworkMessage | Pending:
    """Returns the end of a return of ours."""
    if found.status == wire.RETURN_PENDING:
        return Pending()
    is_done = found.status == wire.RETURN_DONE
    code = None if is_done else code_or(found.reason or "", found.status)
    final = port.ReturnFinal(return_id, payment_id, is_done, code, found.settled_at, found.amount)
    return port.NetworkMessage(port.RETURN_FINAL, "", return_id, port.encode(final))
