"""Lists in pages: reading limit, sort, cursor, from and to of a query, and saying what comes next.

Rows go by createdAt, which is unique among a company's rows of a kind, and the cursor is the createdAt of the last row
shown. So a page is one range of one index, as cheap at row ten million as at row twenty, and no row is skipped or shown
twice, whatever is made meanwhile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from lastro.base.api import Query, stamp
from lastro.base.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DEFAULT_LIMIT = 20
LARGEST_LIMIT = 5000
_TEXT = {"type": "string"}
PAGING = (
    Query("limit", "How many rows a page has at most.",
          {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT}),
    Query("sort", "By createdAt: newest first, or oldest first.",
          {"type": "string", "enum": ["asc", "desc"], "default": "desc"}),
    Query("cursor", "The nextCursor of the page before; left out on the first.", _TEXT),
    Query("from", "Made at or after: a date (the whole day in Brasilia) or a timestamp, ISO 8601.", _TEXT),
    Query("to", "Made at or before: a date (the whole day in Brasilia) or a timestamp, ISO 8601.", _TEXT),
)  # fmt: skip

_BRASILIA = timezone(timedelta(hours=-3))  # no summer time since 2019
_MICROSECOND = timedelta(microseconds=1)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
# In a query a plus that was not escaped arrives as a blank; it can mean nothing else here.
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+\- ]\d{2}:\d{2})\Z", re.ASCII)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """What was asked for. since, until: the first and the last createdAt that may be shown, both inclusive, in UTC.

    The cursor is in them already: past it goes since in an ascending page, until in a descending one.
    """

    limit: int = DEFAULT_LIMIT
    is_descending: bool = True
    since: datetime = _FIRST
    until: datetime = _LAST

    @property
    def reach(self) -> int:
        """How many rows to read: one more than is shown says whether there are more."""
        return self.limit + 1

    def answer(self, rows: Sequence[T], created_at: Callable[[T], datetime], shown: Callable[[T], Any]) -> dict[str, Any]:
        """limit, sort, nextCursor (only when there is more), hasNext and data, of up to `reach` rows in the page's order."""
        has_next = len(rows) > self.limit
        rows = rows[: self.limit]
        answer: dict[str, Any] = {"limit": self.limit, "sort": "desc" if self.is_descending else "asc"}
        if has_next:
            answer["nextCursor"] = stamp(created_at(rows[-1]))
        return {**answer, "hasNext": has_next, "data": [shown(row) for row in rows]}


def read_page(query: Mapping[str, str], problems: list[Problem], *, largest: int = LARGEST_LIMIT) -> Page:
    """The page a query asks for; whatever is wrong is added to `problems`, and what is wrong keeps its default."""
    limit = _limit(query.get("limit"), largest, problems)
    sort = query.get("sort", "desc")
    if sort not in ("asc", "desc"):
        problems.append(Problem("sort", "INVALID", "must be asc or desc"))
    cursor = _bound(query, "cursor", problems, read_timestamp)
    since = _bound(query, "from", problems, _first_instant) or _FIRST
    until = _bound(query, "to", problems, _last_instant) or _LAST
    if cursor is not None and sort == "asc":
        since = max(since, _LAST if cursor == _LAST else cursor + _MICROSECOND)
    elif cursor is not None:
        until = min(until, _FIRST if cursor == _FIRST else cursor - _MICROSECOND)
    return Page(limit, sort != "asc", since, until)


def read_timestamp(text: str) -> datetime | None:
    """An ISO 8601 timestamp with seconds, at most six decimals of them, and Z or an offset, in UTC; None if it is none."""
    if not _TIMESTAMP.match(text):
        return None
    try:
        return datetime.fromisoformat(text.replace(" ", "+")).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_date(text: str) -> date | None:
    """A date YYYY-MM-DD; None if it is none."""
    try:
        return date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        return None


def _limit(text: str | None, largest: int, problems: list[Problem]) -> int:
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


def _first_instant(text: str) -> datetime | None:
    day = read_date(text)
    return read_timestamp(text) if day is None else datetime.combine(day, time.min, _BRASILIA).astimezone(UTC)


def _last_instant(text: str) -> datetime | None:
    day = read_date(text)
    if day is None:
        return read_timestamp(text)
    last = datetime.combine(day, time.max, _BRASILIA)
    return _LAST if day == date.max else last.astimezone(UTC)
