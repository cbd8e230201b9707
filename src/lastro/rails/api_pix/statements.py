"""The day's statement of an account at a bank: a port.Statements made of its payments.

API Pix has no statement, no balances, and no search by the time of a return. Incoming money is the day's payments; what
went back is looked for among the returns of a hundred days. Only what is ours is a line. A bank lists late, so that a day
is issued once its list was read twice with the same outcome, an hour apart. Fees are not told, and no balance is claimed.

Questions overlap, for a bank may list by another of its times than the one that it shows; a payment is a line of the one
period in which its own time lies. A place in the statement names its period, for a bank may cut the period of a question.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

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
_SECOND = timedelta(seconds=1)
_SHORT = timedelta(hours=1)
_PLACE = re.compile(r"([01])x([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})")  # returns or not, its beginning and length, page
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Place:
    """A page of a day's statement. since, until: the times of its payments. is_returns: it is about what went back."""

    is_returns: bool
    since: datetime
    until: datetime
    number: int = 0


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
                went_out=read.went_out + minor * (not is_in), digest=(read.digest + mark) % 2**64,
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

    async def _page(self, day: date, text: str | None) -> tuple[tuple[StatementLine, ...], str | None]:
        """Returns the lines of a page, and the next place. Transient: it cannot be read."""
        place = self._place(day, text)
        filters = {"devolucaoPresente": "true"} if place.is_returns else {}
        page = await self._lists.page(place.since - _EDGE, place.until + _EDGE, place.number, **filters)
        if page.until < place.until + _EDGE:  # the bank has cut the period
            place = replace(place, until=place.since + (page.until - _EDGE - place.since) // _SECOND * _SECOND)
            if place.until <= place.since:
                _log.critical("bank.period_cut", rail=self._terms.rail, kind="pix")
                raise port.Transient("the bank answers for no period that it is asked about")
        lines = await self._lines(page.rows, day, place)
        following = replace(place, number=place.number + 1) if page.has_more else self._after(day, place)
        return lines, None if following is None else self._text(day, following)

    def _span(self, day: date, *, is_returns: bool) -> tuple[datetime, datetime]:
        """Returns the times of the payments in a day's statement."""
        begins, ends = day_bounds(day)
        return (ends - DISPUTED_WITHIN if is_returns else begins), ends

    def _period(self, day: date, since: datetime, most: timedelta = timedelta.max, *, is_returns: bool) -> _Place:
        """Returns the first page of the period that begins then. most: its length, where a question can be as long."""
        _, ends = self._span(day, is_returns=is_returns)
        return _Place(is_returns, since, since + min(most, self._terms.window - 2 * _EDGE, ends - since))

    def _after(self, day: date, place: _Place) -> _Place | None:
        """Returns the place after the last page of a period; None: the statement ends with it."""
        _, ends = self._span(day, is_returns=place.is_returns)
        if place.until < ends:
            # After a period that the bank has cut, the next question is a short one too.
            most = max(2 * (place.until - place.since), _SHORT)
            return self._period(day, place.until, most, is_returns=place.is_returns)
        if place.is_returns:
            return None
        return self._period(day, self._span(day, is_returns=True)[0], is_returns=True)

    def _place(self, day: date, text: str | None) -> _Place:
        """Reads a place. None: the first. Transient: it is none of this statement."""
        if text is None:
            return self._period(day, self._span(day, is_returns=False)[0], is_returns=False)
        named = _PLACE.fullmatch(text)
        if named is not None:
            kind, begins, seconds, number = (int(one) for one in named.groups())
            first, ends = self._span(day, is_returns=kind == 1)
            since = first + begins * _SECOND
            place = _Place(kind == 1, since, since + seconds * _SECOND, number)
            if since < place.until <= ends and seconds * _SECOND <= self._terms.window - 2 * _EDGE:
                return place
        raise port.Transient("the statement has no such page")

    def _text(self, day: date, place: _Place) -> str:
        first, _ = self._span(day, is_returns=place.is_returns)
        begins, seconds = (place.since - first) // _SECOND, (place.until - place.since) // _SECOND
        return f"{int(place.is_returns)}x{begins}x{seconds}x{place.number}"

    async def _lines(self, rows: tuple[bytes, ...], day: date, place: _Place) -> tuple[StatementLine, ...]:
        """Returns the lines of a page: of the payments whose time lies in its period, so that none is in two."""
        begins, ends = day_bounds(day)
        page = await self._reader.read(rows)
        await self._reader.keep_foreign(page)
        found = [one for one in page.payments if place.since <= one.payment.at < place.until]
        if place.is_returns:
            every = [line for one in found for line in self._outgoing(one) if begins <= line.settled_at < ends]
        else:
            every = [self._incoming(one.payment) for one in found]
        return tuple({line.line_id: line for line in every}.values())  # a list that moves may show one twice

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
