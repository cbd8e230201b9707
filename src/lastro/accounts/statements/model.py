"""A statement, its entries, and the filters of a request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from lastro.core.media import CSV
from lastro.core.media import JSON as JSON_MEDIA

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.model import Account, Institution
    from lastro.core.money import Money

IN, OUT = "in", "out"
OPERATIONS = (IN, OUT)
SIDES = {None: (1, -1), IN: (1,), OUT: (-1,)}  # of an entry in the schema
MOST_DAYS = 366
OF_PAGES = ("limit", "sort", "cursor", "operation", "endToEndId", "mergeBatch")  # what no file takes
JSON = "json"
# The formats of a statement: name in the query and media type. Text for OFX 1.0.2 and CNAB 240.
MEDIA = {
    JSON: JSON_MEDIA, "csv": CSV, "ofx": "application/x-ofx", "cnab240": "text/plain", "camt053": "application/xml",
}  # fmt: skip
BRASILIA = timezone(timedelta(hours=-3))  # no summer time since 2019
MICROSECOND = timedelta(microseconds=1)
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Period:
    """The first and the last instant, both inclusive, in UTC."""

    since: datetime = EARLIEST
    until: datetime = LATEST


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """The filters of a page of entries. operation: in, out or None for both. merges: a batch's transfers are one entry."""

    currency: str
    operation: str | None = None
    end_to_end_id: str | None = None
    period: Period = Period()
    merges: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """The head of a file.

    until: the last instant that is in it; nothing before it will ever change. opening, closing: the balances, available and
    held together, before the first and after the last entry. last_day: that was asked for, which may lie ahead.
    """

    account: Account
    institution: Institution
    currency: str
    since: datetime
    until: datetime
    opening: Money
    closing: Money
    made_at: datetime
    id: UUID
    last_day: date

    @property
    def name(self) -> str:
        """The statement's id, up to 35 characters.

        It is the same for each request of this period of this account. A period that is not over has another one each day,
        since a reader takes a known id for read.
        """
        return f"{self.account.number}-{self.currency}-{day_of(self.since):%Y%m%d}-{self._day:%Y%m%d}"

    @property
    def sequence(self) -> int:
        """The day's number in the account's life, from 1: it rises from one day's statement to the next."""
        return max((self._day - day_of(self.account.created_at)).days, 0) + 1

    @property
    def _day(self) -> date:
        """The last day that the file covers."""
        return min(self.last_day, day_of(self.until))


def day_of(at: datetime) -> date:
    """Returns the day in Brasilia."""
    return at.astimezone(BRASILIA).date()
