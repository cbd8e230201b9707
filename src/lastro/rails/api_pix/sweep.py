"""The nightly sweeps: what a bank did unasked, and what was left there.

Money that goes back out of a payment of ours, and not by us, is told in no message: the bank returned it in a dispute (MED),
or a person did at its console. It stands among the returns of a payment that may be ninety days old. A charge that was made
for an order that was never written is removed, for nobody has its code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import structlog

from lastro.rails.api_pix import wire
from lastro.rails.api_pix.polling import as_foreign, asked_for
from lastro.rails.messages import Malformed
from lastro.rails.port import CONSOLE, Permanent, Taken, Transient, taken_message
from lastro.standards.pix_ids import base62

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.api_pix.charges import Charges
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.lists import Lists, ListTerms
    from lastro.rails.api_pix.own_returns import OwnReturns
    from lastro.rails.api_pix.wire import BankPayment, BankReturn
    from lastro.rails.port import Keep, NetworkMessage
    from lastro.rails.port.foreign import Foreign, Own

DISPUTED_WITHIN = timedelta(days=100)  # a payment may be returned for 90 days, and a dispute of the last one takes its time
_BY_BANK = frozenset({"MED_FRAUDE", "MED_OPERACIONAL", "MED_PIX_AUTOMATICO"})
_IN_HAND = timedelta(minutes=15)  # an order is written long before
_OVERLAP = timedelta(hours=1)
_LENGTH = 32
_MADE_UP = re.compile(r"(?=.*[a-z])(?=.*[A-Z])[a-zA-Z0-9]{27}")
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


def taken_of(payment: BankPayment, returns: Iterable[BankReturn], own: frozenset[str]) -> tuple[TakenReturn, ...]:
    """Returns what was taken out of a payment: its settled returns that are not ours. own: the ids of those that are."""
    return tuple(
        TakenReturn(
            payment.payment_id, taking_id(payment.payment_id, one.return_id), one.amount,
            one.nature if one.nature in _BY_BANK else CONSOLE, one.settled_at, payment.txid,
        )
        for one in returns
        if one.status == wire.RETURN_DONE and one.return_id not in own and one.settled_at is not None
    )  # fmt: skip


def taking_id(payment_id: str, return_id: str) -> str:
    """Returns the id of a taking: the same whenever it is found."""
    return f"{payment_id}:{return_id}"


class ReturnsFound:
    """Reads the returns of a bank's payments, and tells ours. own: by instruments; foreign: claimed."""

    def __init__(self, terms: ListTerms, own: Own, foreign: Foreign, own_returns: OwnReturns) -> None:
        self._rail = terms.rail
        self._clock: Clock = terms.clock
        self._own = own
        self._foreign = foreign
        self._own_returns = own_returns

    async def of(self, rows: tuple[bytes, ...]) -> list[tuple[BankPayment, tuple[BankReturn, ...], frozenset[str]]]:
        """Returns our payments on a page, their returns, and our returns' ids.

        Others are kept as foreign ones. A payment that cannot be read is told: people look at the bank what became of it.
        """
        found: list[tuple[BankPayment, tuple[BankReturn, ...]]] = []
        for raw in rows:
            try:
                payment = wire.payment(raw, self._clock)
                found.append((payment, tuple(wire.returns_of(payment.returns, self._clock))))
            except Malformed as unread:
                _log.critical("bank.returns_unread", rail=self._rail, reason=str(unread))
        payments = [payment for payment, _ in found]
        ours = await own_payments(self._rail, payments, self._own, self._foreign)
        others = [as_foreign(self._rail, one) for one in payments if one.payment_id not in ours]
        if others:  # a bank may have listed them too late for any poll
            await self._foreign.keep(others)
        mine = await self._own_returns.own([one.return_id for _, returns in found for one in returns])
        return [(payment, returns, mine) for payment, returns in found if payment.payment_id in ours]


async def own_payments(rail: str, payments: Sequence[BankPayment], own: Own, foreign: Foreign) -> frozenset[str]:
    """Returns the ids of the payments that are ours: asked for by an order, or claimed by a person."""
    mine = await asked_for(rail, payments, own)
    others = [one.payment_id for one in payments if one.payment_id not in mine]
    return mine | (await foreign.claimed(rail, others) if others else frozenset())


async def sweep_returns(rail: str, lists: Lists, now: datetime, found: ReturnsFound, takings: Takings) -> int:
    """Books what was taken out of payments of the last hundred days; returns how much there is, booked before or not.

    Transient: not all was read, and the same is done again.
    """
    count = 0

    async def take(rows: tuple[bytes, ...]) -> None:
        nonlocal count
        taken = [one for payment, returns, own in await found.of(rows) for one in taken_of(payment, returns, own)]
        if taken:
            count += len(taken)
            await takings.keep(rail, taken)

    await lists.payments(now - DISPUTED_WITHIN, now, take, devolucaoPresente="true")
    return count


def is_orphan(charge: wire.BankCharge, company_number: int, clock: Clock, now: datetime) -> bool:
    """Tells whether a charge may be one of ours without an order; a row of `instruments` says that it has one.

    Its txid is made as ours are, under this company's number: behind it stand letters of both cases, which no padded number
    and no UUID has. It can still be paid, and is old enough for its order to be written.
    """
    txid = charge.txid
    if charge.status != wire.ACTIVE or txid is None or len(txid) != _LENGTH or _MADE_UP.fullmatch(txid[5:]) is None:
        return False
    if not txid.startswith(base62(company_number, 5)) or charge.pix or charge.calendario is None:
        return False
    seconds = wire.number(charge.calendario.expiracao)
    try:
        made_at = wire.instant(charge.calendario.criacao, clock, "calendario.criacao")
    except Malformed:
        return False
    return seconds is not None and made_at + _IN_HAND <= now <= made_at + timedelta(seconds=seconds)


async def sweep_orphans(
    terms: ListTerms, lists: Lists, charges: Charges, own: Own, company_number: int, since: datetime, now: datetime
) -> tuple[str, ...]:
    """Removes charges made since then that have no order; returns their txids. Transient: not all were looked at."""
    removed: list[str] = []

    async def take(rows: tuple[bytes, ...]) -> None:
        found: set[str] = set()
        for raw in rows:
            try:
                charge = wire.charge(raw)
            except Malformed:
                continue  # nothing is done to what cannot be read
            if is_orphan(charge, company_number, terms.clock, now) and charge.txid is not None:
                found.add(charge.txid)
        for txid in sorted(found - (await own.own(terms.rail, found) if found else frozenset()) - set(removed)):
            try:
                await charges.remove(txid)
            except (Permanent, Transient) as left:
                _log.error("bank.charge_not_removed", rail=terms.rail, network_id=txid, reason=str(left))
                continue
            _log.warning("bank.orphan_removed", rail=terms.rail, network_id=txid)
            removed.append(txid)

    await lists.charges(since - _OVERLAP, now, take, status=wire.ACTIVE)
    return tuple(removed)
