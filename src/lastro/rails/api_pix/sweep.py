"""The nightly sweep of returns: finds the money that a bank took out of payments of ours.

Money that goes back out of a payment of ours, and not by us, is told in no message: the bank returned it in a dispute (MED),
or a person did at its console. It stands among the returns of a payment that may be ninety days old.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import structlog

from lastro.rails.api_pix import wire
from lastro.rails.api_pix.polling import asked_for
from lastro.rails.messages import Malformed
from lastro.rails.port import CONSOLE, Taken, taken_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.lists import Lists, ListTerms
    from lastro.rails.api_pix.own_returns import OwnReturns
    from lastro.rails.api_pix.polling import AskedFor
    from lastro.rails.api_pix.wire import BankPayment, BankReturn
    from lastro.rails.port import Keep, NetworkMessage
    from lastro.rails.port.foreign import Foreign, ForeignPayment, KnownInstruments

# A bank returns a payment for 90 days. Ten more: it may list a return days late, and a sweep may be kept from running.
DISPUTED_WITHIN = timedelta(days=100)
_BY_BANK = frozenset({"MED_FRAUDE", "MED_OPERACIONAL", "MED_PIX_AUTOMATICO"})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class TakenReturn:
    """Money that left a payment of ours again, and not by us.

    taking_id: the endToEndId and the bank's id of the return, for that alone is no payment's. nature: MED_FRAUDE,
    MED_OPERACIONAL, MED_PIX_AUTOMATICO as the bank says, else CONSOLE.
    """

    payment_id: str
    taking_id: str
    amount: Money
    nature: str
    taken_at: datetime
    txid: str | None = None


class Takings(Protocol):
    """The books for money that a bank has taken."""

    async def keep(self, rail: str, taken: Sequence[TakenReturn], /) -> None:
        """Books each once; a second copy changes nothing. DatabaseAway: give the same ones again."""


class InboxTakings:
    """Stores takings in the inbox, each once. company_number: of the connection's company."""

    def __init__(self, keep: Keep, company_number: int) -> None:
        self._keep = keep
        self._company_number = company_number

    async def keep(self, rail: str, taken: Sequence[TakenReturn]) -> None:
        """Stores each once; a second copy changes nothing. DatabaseAway: give the same ones again."""
        await self._keep([message_of(rail, one, self._company_number) for one in taken])


def message_of(rail: str, taken: TakenReturn, company_number: int) -> NetworkMessage:
    """Returns the message by which the orders hear of a taking."""
    told = Taken(taken.payment_id, taken.taking_id, taken.amount, taken.nature, taken.taken_at, taken.txid)
    return taken_message(rail, told, company_number)


def taken_of(payment: BankPayment, returns: Iterable[BankReturn], our_ids: frozenset[str]) -> tuple[TakenReturn, ...]:
    """Returns what was taken out of a payment: its settled returns that are not ours. our_ids: of those that are."""
    return tuple(
        TakenReturn(
            payment.payment_id, taking_id(payment.payment_id, one.return_id), one.amount,
            one.nature if one.nature in _BY_BANK else CONSOLE, one.settled_at, payment.txid,
        )
        for one in returns
        if one.status == wire.RETURN_DONE and one.return_id not in our_ids and one.settled_at is not None
    )  # fmt: skip


def taking_id(payment_id: str, return_id: str) -> str:
    """Returns the id of a taking: the same whenever it is found."""
    return f"{payment_id}:{return_id}"


@dataclass(frozen=True, slots=True)
class ReturnsOfPayment:
    """A payment of ours and its returns. our_ids: of those returns that we ordered."""

    payment: BankPayment
    returns: tuple[BankReturn, ...]
    our_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReturnsPage:
    """A page of a bank's list, sorted. foreign: payments that no order of ours asked for, and that nobody claimed."""

    payments: tuple[ReturnsOfPayment, ...]
    foreign: tuple[ForeignPayment, ...]


class ReturnsReader:
    """Reads the returns of a bank's payments. instruments and foreign tell which payments are ours."""

    def __init__(self, terms: ListTerms, instruments: KnownInstruments, foreign: Foreign, own_returns: OwnReturns) -> None:
        self._rail = terms.rail
        self._clock: Clock = terms.clock
        self._instruments = instruments
        self._foreign = foreign
        self._own_returns = own_returns

    async def read(self, rows: tuple[bytes, ...]) -> ReturnsPage:
        """Reads a page, and writes nothing. DatabaseAway: try again later.

        A payment or return that cannot be read is told, and hides no other: people look at the bank what became of it.
        """
        found = [(payment, tuple(self._returns(payment))) for payment in self._payments(rows)]
        asked = await our_payments(self._rail, [payment for payment, _ in found], self._instruments, self._foreign)
        our_returns = await self._own_returns.known([one.return_id for _, returns in found for one in returns])
        return ReturnsPage(
            tuple(ReturnsOfPayment(one, returns, our_returns) for one, returns in found if one.payment_id in asked.ours),
            tuple(asked.foreign(self._rail, one) for one, _ in found if one.payment_id not in asked.ours),
        )

    async def keep_foreign(self, page: ReturnsPage) -> None:
        """Lists the foreign payments of a page: a bank may have told them too late for any poll."""
        if page.foreign:
            await self._foreign.keep(page.foreign)

    def _payments(self, rows: tuple[bytes, ...]) -> Iterator[BankPayment]:
        for raw in rows:
            try:
                yield wire.payment(raw, self._clock)
            except Malformed as unread:
                _log.critical("bank.returns_unread", rail=self._rail, reason=str(unread))

    def _returns(self, payment: BankPayment) -> Iterator[BankReturn]:
        try:
            rows = wire.return_rows(payment.returns)
        except Malformed as unread:
            self._alarm(payment, unread)
            return
        for raw in rows:
            try:
                yield wire.return_(raw, self._clock)
            except Malformed as unread:
                self._alarm(payment, unread)

    def _alarm(self, payment: BankPayment, unread: Malformed) -> None:
        _log.critical("bank.returns_unread", rail=self._rail, network_id=payment.payment_id, reason=str(unread))


async def our_payments(
    rail: str, payments: Sequence[BankPayment], instruments: KnownInstruments, foreign: Foreign
) -> AskedFor:
    """Finds the payments that are ours: asked for by an order and not listed, or claimed by a person."""
    asked = await asked_for(rail, payments, instruments)
    listed = await foreign.unclaimed(rail, asked.ours) if asked.ours else frozenset()  # as of another amount
    others = [one.payment_id for one in payments if one.payment_id not in asked.ours]
    claimed = await foreign.claimed(rail, others) if others else frozenset()
    return replace(asked, ours=asked.ours - listed | claimed)


async def sweep_returns(rail: str, lists: Lists, now: datetime, reader: ReturnsReader, takings: Takings) -> int:
    """Books what was taken out of payments of the last hundred days; returns how much there is, booked before or not.

    Transient: not all was read, and the same is done again.
    """
    count = 0

    async def take(rows: tuple[bytes, ...]) -> None:
        nonlocal count
        page = await reader.read(rows)
        await reader.keep_foreign(page)
        taken = [taken for one in page.payments for taken in taken_of(one.payment, one.returns, one.our_ids)]
        if taken:
            count += len(taken)
            await takings.keep(rail, taken)

    await lists.payments(now - DISPUTED_WITHIN, now, take, devolucaoPresente="true")
    return count
