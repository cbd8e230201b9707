"""Reads a bank's lists whole: each page that the bank's own answer names, until its count and ours agree.

Items move between pages while they are read, and a bank cuts periods and pages silently: what the answer says of itself
counts, never the question. Pages are handed on one by one, so that a list of any length takes the memory of one page. A
list that did not hold still is read again; who takes the pages knows a second copy by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import structlog

from lastro.rails.api_pix import wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.messages import Malformed
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.wire import Listing

    Take = Callable[[tuple[bytes, ...]], Awaitable[None]]

TIMEOUT_SECONDS = 10.0
_READS = 4  # of one period
_MOST_PAGES = 1_000_000
_BRASILIA_BEHIND = timedelta(hours=3)
# A bank that marks its own time as UTC may take ours for its own or not, and may tell the period by either.
_SHIFTS = (timedelta(), _BRASILIA_BEHIND, 2 * _BRASILIA_BEHIND)
_WHOLE_SECONDS = timedelta(seconds=1)  # a bank may repeat an instant without its fraction
_SHORTEST_PERIOD = timedelta(hours=1)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ListTerms:
    """The terms of one connection's lists. window: the longest period of a question. page_size: items of a page."""

    rail: str
    clock: Clock
    window: timedelta
    page_size: int


@dataclass(frozen=True, slots=True)
class PeriodPage:
    """A page of the payments of a period. until: up to where the bank answers for it. has_more: there is a next page."""

    rows: tuple[bytes, ...]
    until: datetime
    has_more: bool


@dataclass(slots=True)
class _Pass:
    """One reading of a period: how many items came, and every count that the bank has told meanwhile."""

    seen: int = 0
    told: frozenset[int | None] = frozenset()
    until: datetime | None = None


class _Narrowed(Exception):  # noqa: N818 it says what the bank did
    """The bank has cut off the beginning of the period: the question has to be a shorter one."""


class Lists:
    """The lists of one connection."""

    def __init__(self, terms: ListTerms, line: Line) -> None:
        self._terms = terms
        self._line = line

    async def payments(self, since: datetime, until: datetime, take: Take, **filters: str) -> None:
        """Hands over the payments of a period: page by page, each at least once. Transient: not all were."""
        await self.walk("pix", since, until, take, **filters)

    async def charges(self, since: datetime, until: datetime, take: Take, **filters: str) -> None:
        """Hands over the charges made in a period, as `payments` does."""
        await self.walk("cobs", since, until, take, **filters)

    async def page(self, since: datetime, until: datetime, number: int, **filters: str) -> PeriodPage:
        """Returns one page of the payments of a period.

        It reaches from the period's beginning up to where the bank answers; the next pages are asked for with that end.
        Transient: there is none, or the bank has cut the period meanwhile.
        """
        window = until - since
        while True:
            asked = since + window
            page = await self._page("pix", since, asked, number, filters)
            try:
                covered = self._covered(page, since, asked)
            except _Narrowed:
                if number == 0:
                    window = self._narrower(window, "pix")
                    continue
                covered = since
            if number and covered < until:
                raise Transient("the bank answers for a shorter period than at the page before")
            has_more = bool(page.rows) and (page.pages is None or number + 1 < page.pages)
            return PeriodPage(page.rows, covered, has_more)

    async def walk(self, name: Literal["pix", "cobs"], since: datetime, until: datetime, take: Take, **filters: str) -> None:
        """Reads a period of any length: in steps that the bank answers for. Transient: some of it was not read."""
        at, window = since, self._terms.window
        while at < until:
            try:
                at = await self.step(name, at, min(at + window, until), take, **filters)
            except _Narrowed:
                window = self._narrower(window, name)

    async def step(
        self, name: Literal["pix", "cobs"], since: datetime, until: datetime, take: Take, **filters: str
    ) -> datetime:
        """Reads one period; returns up to where the bank has answered for it. Transient: it did not hold still."""
        before: _Pass | None = None
        for _ in range(_READS):
            read = await self._once(name, since, until, take, filters)
            # More than the bank counts are copies; fewer, and some have moved to a page that was read before.
            has_all = all(told is None or told <= read.seen for told in read.told)
            is_still = len(read.told) == 1 and (read.told <= {read.seen, None} or (before is not None and before == read))
            if has_all and is_still:
                return until if read.until is None else read.until
            before = read
        raise Transient("the list did not hold still while it was read")

    async def _once(
        self, name: Literal["pix", "cobs"], since: datetime, until: datetime, take: Take, filters: dict[str, str]
    ) -> _Pass:
        read, last, told = _Pass(), None, set[int | None]()
        for number in range(_MOST_PAGES):
            page = await self._page(name, since, until, number, filters)
            if number == 0:
                read.until = self._covered(page, since, until)
            told.add(page.items)
            if not page.rows or page.rows == last:  # a bank that knows no pages gives the same again
                break
            read.seen += len(page.rows)
            await take(page.rows)
            if page.pages is not None and number + 1 >= page.pages:
                break
            last = page.rows
        read.told = frozenset(told)
        return read

    async def _page(
        self, name: Literal["pix", "cobs"], since: datetime, until: datetime, number: int, filters: dict[str, str]
    ) -> Listing:
        path = "/pix" if name == "pix" else "/cob"
        # A bank that marks its own time as UTC may read ours so as well: then its question begins three hours later.
        begins = since if self._terms.clock == "utc" else since - _BRASILIA_BEHIND
        query = {
            "inicio": wire.asked_instant(begins), "fim": wire.asked_instant(until), **filters,
            "paginacao.paginaAtual": str(number), "paginacao.itensPorPagina": str(self._terms.page_size),
        }  # fmt: skip
        answer = await self._line.ask("GET", path, None, TIMEOUT_SECONDS, query=query)
        verdict = alarmed(judge(answer, "GET list"), self._terms.rail, "GET list", path)
        if verdict.meaning is not Meaning.DONE:
            raise verdict.transient
        try:
            return wire.listing(answer.body, name, self._terms.clock)
        except Malformed as unread:
            raise Transient(f"the list cannot be read: {unread}") from unread

    def _narrower(self, window: timedelta, name: str) -> timedelta:
        """Returns half of a question's length. Transient: it would be too short, and people are told."""
        if window / 2 < _SHORTEST_PERIOD:
            _log.critical("bank.period_cut", rail=self._terms.rail, kind=name)
            raise Transient("the bank answers for no period that it is asked about")
        return window / 2

    def _covered(self, page: Listing, since: datetime, until: datetime) -> datetime:
        """Returns up to where an answer reaches. _Narrowed: it begins later than the question."""
        is_utc = self._terms.clock == "utc"
        asked = (since if is_utc else since - _BRASILIA_BEHIND, until)
        end = reach(asked, (page.since, page.until), (timedelta(),) if is_utc else _SHIFTS)
        if end is None or end <= since:
            raise _Narrowed
        return end


def reach(
    asked: tuple[datetime, datetime], told: tuple[datetime | None, datetime | None], shifts: tuple[timedelta, ...]
) -> datetime | None:
    """Returns up to where an answer surely reaches; None: it may begin later than the question.

    asked, told: begin and end. shifts: by which both ends of what is told may differ from what is meant. The bank's reading
    and writing of times move both ends alike, and a cut moves one of them.
    """
    begins, until = asked
    told_begins, told_until = told
    fitting = [shift for shift in shifts if told_begins is None or told_begins <= begins + shift + _WHOLE_SECONDS]
    if not fitting:
        return None
    if told_until is None or any(told_until >= until + shift - _WHOLE_SECONDS for shift in fitting):
        return until
    if len(shifts) == 1:
        return told_until
    shift = next((one for one in fitting if told_begins is not None and told_begins >= begins + one - _WHOLE_SECONDS), None)
    # Where the end stands as it was asked for, under whatever shift, it may be the beginning that was cut.
    if shift is None or any(abs(told_until - until - one) <= _WHOLE_SECONDS for one in shifts):
        return None
    return told_until - shift
