"""Lists in pages: reads the query and returns the next cursor.

The query has limit, sort, cursor, from and to. Rows go by createdAt, which is unique among a company's rows of a kind, and
the cursor is the createdAt of the last row shown. So a page is one range of one index, as cheap at row ten million as at row
twenty, and no row is skipped or shown twice, whatever is made meanwhile (contract.md §1). The proof for a list that goes
forward: docs/decisions/lists.md.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import msgspec

from lastro.api_kit.rendering import Paged
from lastro.api_kit.routes import Query, render, stamp
from lastro.core.errors import NotYet, Problem, misread, one_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

DEFAULT_LIMIT = 20
LARGEST_LIMIT = 5000
LARGE = 200  # rows: a page of more is made at the turn of its company
SLICE = 50  # rows that are read and mapped before others go on: a millisecond or two
_MOMENT = {"type": "string", "format": "date-time"}
DAY_OR_MOMENT = {"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}


def page_queries(largest: int) -> tuple[Query, ...]:
    """Returns the query parameters of a list: limit, sort and cursor. Its pages have at most `largest` rows."""
    return (
        Query("limit", "How many rows a page has at most.",
              {"type": "integer", "minimum": 1, "maximum": largest, "default": DEFAULT_LIMIT}),
        Query("sort", "By createdAt: newest first, or oldest first.",
              {"type": "string", "enum": ["asc", "desc"], "default": "desc"}),
        Query("cursor", "The nextCursor of the page before; left out on the first.", _MOMENT),
    )  # fmt: skip


def text_schema(longest: int) -> dict[str, Any]:
    """Returns the JSON Schema of a text that read_text accepts."""
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"}


PAGING = (
    *page_queries(LARGEST_LIMIT),
    Query("from", "Made at or after: a date (the whole day in Brasilia) or a timestamp, ISO 8601.", DAY_OR_MOMENT),
    Query("to", "Made at or before: a date (the whole day in Brasilia) or a timestamp, ISO 8601.", DAY_OR_MOMENT),
)
PAGE_REFUSALS = (
    misread("limit", "INVALID", "It is no whole number.", "Give digits."),
    misread("limit", "OUT_OF_RANGE", "A page has at least one row, and no more than the operation says.",
            "Ask for less and go on with `nextCursor`."),
    misread("sort", "INVALID", "It is neither asc nor desc.", "Give one of the two."),
    misread("cursor", "INVALID", "It is no timestamp.",
            "Send the `nextCursor` of the page before as it came."),
)  # fmt: skip
PERIOD_REFUSALS = tuple(
    misread(name, "INVALID", "It is neither a date nor a timestamp with seconds and offset, in ISO 8601.",
            "Give one such as 2026-01-31 or 2026-01-31T12:00:00Z.")
    for name in ("from", "to")
)  # fmt: skip
STATUS_REFUSAL = misread("status", "INVALID", "The interface knows no such status.", "Give one that it names.")
EXTERNAL_ID_REFUSALS = (
    misread("externalId", "INVALID", "It is empty or has control characters.", "Give a code of yours."),
    misread("externalId", "TOO_LONG", "No code has more than 64 characters.", "Give a code of yours."),
)

_BRASILIA = timezone(timedelta(hours=-3))  # no summer time since 2019
_MICROSECOND = timedelta(microseconds=1)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
# A Write is refused once its createdAt is a second old (timely, in the schema), and has another one to commit: what is older
# than this is there to be read, or never will be.
SETTLED_AFTER = timedelta(seconds=2)
_MARGIN_SECONDS = 0.01  # two clocks measure a wait; to come back a moment early would be to come in vain

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # api_kit/forms.py refuses the same in a body
# In a query a plus that was not escaped arrives as a blank; it can mean nothing else here.
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+\- ]\d{2}:\d{2})\Z", re.ASCII)

R = TypeVar("R")
T = TypeVar("T")
P = TypeVar("P", bound=Paged)


async def mapped(rows: Sequence[R], form: Callable[[R], T]) -> list[T]:
    """Maps every row. A large page is mapped in slices, so that no other request waits for all of it."""
    found: list[T] = []
    for first in range(0, len(rows), SLICE):
        if first:
            await asyncio.sleep(0)
        found += [form(row) for row in rows[first : first + SLICE]]
    return found


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """The rows that a page shows, in its order. next_cursor: None where there is no more. body: rendered already."""

    rows: Sequence[T]
    next_cursor: str | None
    body: bytes = b""

    async def rendered(self, render: Callable[[Self], bytes]) -> Self:
        """Renders the answer of a large page in a thread. Other requests go on meanwhile."""
        return self if len(self.rows) < LARGE else replace(self, body=await asyncio.to_thread(render, self))

    @property
    def has_next(self) -> bool:
        """True if there is a next page."""
        return self.next_cursor is not None


@dataclass(frozen=True, slots=True)
class Page:
    """The page that a query asks for.

    since, until: the first and the last createdAt that may be shown, both inclusive, in UTC. The cursor is in them already:
    past it goes since in an ascending page, until in a descending one.
    """

    limit: int = DEFAULT_LIMIT
    is_descending: bool = True
    since: datetime = _FIRST
    until: datetime = _LAST

    @property
    def reach(self) -> int:
        """The number of rows to read: one more than the page shows."""
        return self.limit + 1

    def behind(self, cursor: datetime) -> Self:
        """Returns the part of the page that follows this createdAt."""
        if self.is_descending:
            return replace(self, until=min(self.until, _FIRST if cursor == _FIRST else cursor - _MICROSECOND))
        return replace(self, since=max(self.since, _LAST if cursor == _LAST else cursor + _MICROSECOND))

    async def read(
        self, rows_of: Callable[[Self], Awaitable[Sequence[T]]], created_at: Callable[[T], datetime]
    ) -> Sequence[T]:
        """Its rows, up to its reach. rows_of: reads those of a page, up to that one's reach.

        A large page is read in slices, each from where the one before ended, as its client would read small pages: no answer
        of the database is so long that others feel how it is taken apart. For rows that keep their createdAt.
        """
        if self.limit <= LARGE:
            return await rows_of(self)
        found: list[T] = []
        rest = self
        while True:
            some = replace(rest, limit=min(SLICE, self.reach - len(found)) - 1)
            rows = await rows_of(some)
            found += rows
            if len(rows) < some.reach or len(found) == self.reach:
                return found
            rest = rest.behind(created_at(rows[-1]))

    def part(self, rows: Sequence[T], created_at: Callable[[T], datetime]) -> Part[T]:
        """Returns the shown part of up to `reach` rows in page order.

        It is for rows of which an older one never appears after a newer one; for others use settled.
        """
        shown = rows[: self.limit]
        return Part(shown, stamp(created_at(shown[-1])) if len(rows) > self.limit else None)

    def settled(self, rows: Sequence[T], created_at: Callable[[T], datetime], now: datetime) -> Part[T]:
        """Returns the shown part of rows that their writers have dated.

        A row that is not committed yet may be older than one that is there. now: business time, read before the rows were.
        An ascending page with more behind it ends with the last row that is older than two seconds, so that later commits
        lie ahead of its cursor; a page without any such row is asked for again when all of it is older: NotYet.
        """
        whole = self.part(rows, created_at)
        if self.is_descending or not whole.has_next:
            return whole
        until = now - SETTLED_AFTER
        if created_at(whole.rows[-1]) < until:
            return whole
        old = [row for row in whole.rows if created_at(row) < until]
        if old:
            return Part(old, stamp(created_at(old[-1])))
        # Longer than that no row is young, unless the clock was put back under it, and then waiting does not help.
        wait = min(created_at(whole.rows[-1]) - until, SETTLED_AFTER)
        raise NotYet(wait.total_seconds() + _MARGIN_SECONDS)

    async def listed(
        self, rows_of: Callable[[Self], Awaitable[Sequence[T]]], created_at: Callable[[T], datetime], now: datetime
    ) -> Part[T]:
        """Returns the page of rows that their writers have dated. now: business time, read before."""
        return self.settled(await self.read(rows_of, created_at), created_at, now)

    def answer(self, form: type[P], part: Part[T], shown: Callable[[T], Any]) -> P:
        """Returns the body of the answer. form: its `data` is a list of what `shown` gives.

        Of a large page each row is JSON already: nothing else of this process goes on while an object is encoded.
        """
        is_large = len(part.rows) >= LARGE
        return form(
            limit=self.limit,
            sort="desc" if self.is_descending else "asc",
            next_cursor=part.next_cursor,
            has_next=part.has_next,
            data=[msgspec.Raw(render(shown(row))) for row in part.rows] if is_large else [shown(row) for row in part.rows],
        )


def read_page(query: Mapping[str, str], problems: list[Problem], *, largest: int = LARGEST_LIMIT) -> Page:
    """Reads the page that a query asks for. Problems are added to `problems`, and their values keep the default."""
    limit = read_limit(query.get("limit"), largest, problems)
    sort = query.get("sort", "desc")
    if sort not in ("asc", "desc"):
        problems.append(Problem("sort", "INVALID", "must be asc or desc"))
    cursor = _bound(query, "cursor", problems, read_timestamp)
    since = _bound(query, "from", problems, first_instant) or _FIRST
    until = _bound(query, "to", problems, last_instant) or _LAST
    page = Page(limit, sort != "asc", since, until)
    return page if cursor is None else page.behind(cursor)


def read_choice(query: Mapping[str, str], name: str, allowed: Collection[str], problems: list[Problem]) -> str | None:
    """Reads a filter that is one of the given words. None: it is left out or wrong."""
    text = query.get(name)
    if text is None or text in allowed:
        return text
    problems.append(Problem(name, "INVALID", one_of(sorted(allowed) if isinstance(allowed, AbstractSet) else allowed)))
    return None


def read_text(query: Mapping[str, str], name: str, longest: int, problems: list[Problem]) -> str | None:
    """Reads a text filter of 1 to `longest` characters. It allows no control characters. None: it is left out or wrong."""
    text = query.get(name)
    if text is None:
        return None
    if not text:
        problems.append(Problem(name, "INVALID", "must not be empty"))
    elif len(text) > longest:
        problems.append(Problem(name, "TOO_LONG", f"must have at most {longest} characters"))
    elif _CONTROL.search(text):
        problems.append(Problem(name, "INVALID", "has a character that is not allowed here"))
    else:
        return text
    return None


def read_timestamp(text: str) -> datetime | None:
    """Reads an ISO 8601 timestamp as UTC, else None. It has seconds with at most six decimals, and Z or an offset."""
    if not _TIMESTAMP.match(text):
        return None
    try:
        return datetime.fromisoformat(text.replace(" ", "+")).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_date(text: str) -> date | None:
    """Reads a date YYYY-MM-DD; None if it is none."""
    try:
        return date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        return None


def read_limit(text: str | None, largest: int, problems: list[Problem]) -> int:
    """Returns the page size, or notes the problem and returns the default."""
    if text is None:
        return min(DEFAULT_LIMIT, largest)
    if not re.match(r"-?\d{1,18}\Z", text, re.ASCII):
        problems.append(Problem("limit", "INVALID", "must be a whole number"))
    elif not 1 <= int(text) <= largest:
        problems.append(Problem("limit", "OUT_OF_RANGE", f"must be from 1 to {largest}"))
    else:
        return int(text)
    return DEFAULT_LIMIT


def _bound(
    query: Mapping[str, str], name: str, problems: list[Problem], read: Callable[[str], datetime | None]
) -> datetime | None:
    text = query.get(name)
    if text is None:
        return None
    at = read(text)
    if at is None:
        forms = "a timestamp" if name == "cursor" else "a date or a timestamp"
        problems.append(Problem(name, "INVALID", f"must be {forms} in ISO 8601"))
    return at


def first_instant(text: str) -> datetime | None:
    """Reads a timestamp, or a day's first instant, in UTC. The day is one in Brasilia. None if it is neither."""
    day = read_date(text)
    return read_timestamp(text) if day is None else datetime.combine(day, time.min, _BRASILIA).astimezone(UTC)


def last_instant(text: str) -> datetime | None:
    """Reads a timestamp, or a day's last instant, in UTC. The day is one in Brasilia. None if it is neither."""
    day = read_date(text)
    if day is None:
        return read_timestamp(text)
    last = datetime.combine(day, time.max, _BRASILIA)
    return _LAST if day == date.max else last.astimezone(UTC)
