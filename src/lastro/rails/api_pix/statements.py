"""The day's statement of an account at a bank: a port.Statements made of its payments.

API Pix has no statement, no balances, and no search by the time of a return. Incoming money is the day's payments; what
went back is looked for among the returns of a hundred days. Only what is ours is a line. A bank lists late, so that a day
is issued once its list was read twice with the same outcome, an hour apart. Fees are not told, and no balance is claimed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.api_pix.nightly import BEGINS_AT
from lastro.rails.api_pix.polling import settled
from lastro.rails.api_pix.returns import ended
from lastro.rails.api_pix.sweep import DISPUTED_WITHIN, message_of, taken_of, taking_id
from lastro.rails.port import NotIssued
from lastro.rails.port.statements import CHARGEBACK, IN, INWARD, RETURN_OUT, StatementLine, StatementPage, Totals
from lastro.standards.calendar import day_bounds, instant

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from datetime import date, datetime

    from lastro.rails.api_pix.lists import Lists, ListTerms
    from lastro.rails.api_pix.sweep import ReturnsOfPayment, ReturnsReader
    from lastro.rails.api_pix.wire import BankPayment
    from lastro.rails.port import NetworkMessage

AGREES_AFTER = timedelta(hours=1)
_MOST_DAYS = 100  # remembered
_EDGE = timedelta(minutes=15)  # a bank may list by another of its times than the one that it shows


@dataclass(frozen=True, slots=True)
class _Period:
    """One question of a day's statement. is_returns: it is about what went back."""

    since: datetime
    until: datetime
    is_returns: bool


@dataclass(frozen=True, slots=True)
class _Reading:
    """A day as it was read. digest: of its lines, in whatever order."""

    at: datetime
    lines: int = 0
    came_in: int = 0
    went_out: int = 0
    digest: int = 0

    def plus(self, lines: Iterable[StatementLine]) -> _Reading:
        """Returns the reading with a page more."""
        read = self
        for line in lines:
            is_in, minor = line.kind in INWARD, line.amount.minor
            name = f"{line.line_id} {minor} {line.settled_at.isoformat()}"
            mark = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
            read = replace(
                read, lines=read.lines + 1, came_in=read.came_in + minor * is_in,
                went_out=read.went_out + minor * (not is_in), digest=read.digest ^ mark,
            )  # fmt: skip
        return read

    @property
    def totals(self) -> Totals:
        """The totals of the day. A bank tells no balance by API Pix."""
        return Totals(self.lines, Money(self.came_in, "BRL"), Money(self.went_out, "BRL"), None, None)


class ApiPixStatements:
    """The statements of one connection: a port.Statements.

    reader: tells what is ours. company_number: of the connection's company, whose every line is. now: business time.
    agrees_after: the time between the two readings of a day.
    """

    def __init__(
        self, terms: ListTerms, lists: Lists, reader: ReturnsReader, company_number: int,
        now: Callable[[], Awaitable[datetime]], agrees_after: timedelta = AGREES_AFTER,
    ) -> None:  # fmt: skip
        self._terms = terms
        self._lists = lists
        self._reader = reader
        self._company_number = company_number
        self._now = now
        self._agrees_after = agrees_after
        self._readings: dict[date, _Reading] = {}

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        """Returns one page. NotIssued: the day is not over, or its list has not yet held still for an hour."""
        now, begins = await self._now(), instant(day + timedelta(days=1), BEGINS_AT)
        if now < begins:
            raise NotIssued((begins - now).total_seconds())
        if after is None and not await self._agrees(day, now):
            raise NotIssued((self._readings[day].at + self._agrees_after - now).total_seconds())
        reading = self._readings.get(day) or await self._read(day, now)  # another process has begun the statement
        lines, following = await self._page(day, after)
        return StatementPage(lines, reading.totals, following)

    async def _agrees(self, day: date, now: datetime) -> bool:
        """Reads the day, unless it was just read; tells whether it was the same an hour before."""
        before = self._readings.get(day)
        if before is not None and now < before.at + self._agrees_after:
            return False
        read = await self._read(day, now)
        return before is not None and replace(before, at=now) == read

    async def _read(self, day: date, now: datetime) -> _Reading:
        read, place = _Reading(now), None
        while True:
            lines, place = await self._page(day, place)
            read = read.plus(lines)
            if place is None:
                break
        self._readings[day] = read
        for old in list(self._readings)[:-_MOST_DAYS]:
            del self._readings[old]
        return read

    async def _page(self, day: date, place: str | None) -> tuple[tuple[StatementLine, ...], str | None]:
        """Returns the lines of a page, and the next place. Transient: it cannot be read."""
        periods = self._periods(day)
        at, number = (0, 0) if place is None else _place(place, len(periods))
        period = periods[at]
        filters = {"devolucaoPresente": "true"} if period.is_returns else {}
        page = await self._lists.page(period.since, period.until, number, **filters)
        lines = await self._lines(page.rows, day, is_returns=period.is_returns)
        has_more = bool(page.rows) and (page.pages is None or number + 1 < page.pages)
        if has_more:
            return lines, f"{at}x{number + 1}"
        return lines, f"{at + 1}x0" if at + 1 < len(periods) else None

    def _periods(self, day: date) -> tuple[_Period, ...]:
        begins, ends = day_bounds(day)
        window = self._terms.window
        edge = _EDGE if ends - begins + 2 * _EDGE <= window else timedelta()
        periods = [_Period(begins - edge, ends + edge, is_returns=False)]
        at = ends - DISPUTED_WITHIN
        while at < ends:
            periods.append(_Period(at, min(at + window, ends), is_returns=True))
            at += window
        return tuple(periods)

    async def _lines(self, rows: tuple[bytes, ...], day: date, *, is_returns: bool) -> tuple[StatementLine, ...]:
        begins, ends = day_bounds(day)
        page = await self._reader.read(rows)
        await self._reader.keep_foreign(page)
        if not is_returns:
            return tuple(self._incoming(one.payment) for one in page.payments if begins <= one.payment.at < ends)
        every = (line for one in page.payments for line in self._outgoing(one))
        # A payment at the edge of two periods is in both.
        return tuple({line.line_id: line for line in every if begins <= line.settled_at < ends}.values())

    def _incoming(self, payment: BankPayment) -> StatementLine:
        told = self._ours(settled(payment, payment.txid or ""))
        return StatementLine(
            f"in:{payment.payment_id}", IN, payment.payment_id, payment.txid, payment.amount, payment.at, told
        )

    def _outgoing(self, found: ReturnsOfPayment) -> Iterable[StatementLine]:
        payment = found.payment
        for one in found.returns:
            final = ended(one.return_id, payment.payment_id, one)
            if one.return_id in found.our_ids and one.settled_at is not None and isinstance(final, port.NetworkMessage):
                name = f"out:{taking_id(payment.payment_id, one.return_id)}"
                yield StatementLine(
                    name, RETURN_OUT, one.return_id, payment.payment_id, one.amount, one.settled_at, self._ours(final)
                )
        for taken in taken_of(payment, found.returns, found.our_ids):
            told = self._ours(message_of(self._terms.rail, taken, self._company_number))
            yield StatementLine(
                f"out:{taken.taking_id}", CHARGEBACK, taken.taking_id, payment.payment_id, taken.amount, taken.taken_at, told
            )

    def _ours(self, told: NetworkMessage) -> NetworkMessage:
        """Names the company by its number: an account at a bank is one company's."""
        return replace(told, network_id="", company_number=self._company_number, instrument=None)


def _place(text: str, periods: int) -> tuple[int, int]:
    """Returns the period and page of a place. Transient: it is none of this statement."""
    at, separator, number = text.partition("x")
    if not separator or not at.isdecimal() or not number.isdecimal() or int(at) >= periods:
        raise port.Transient("the statement has no such page")
    return int(at), int(number)
