"""Reading a page and walking through pages, without a database."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.api_kit.paging import Page, read_date, read_page, read_timestamp
from lastro.api_kit.rendering import Paged
from lastro.api_kit.routes import stamp

if TYPE_CHECKING:
    from lastro.core.errors import Problem

BASE = datetime(2026, 3, 4, 12, tzinfo=UTC)
offsets = st.integers(0, 40)


class Times(Paged, frozen=True, kw_only=True):
    data: list[str]


def page_of(rows: list[datetime], page: Page) -> list[datetime]:
    """What the SQL of a list does: one range of one index, in order, up to the reach."""
    found = sorted((at for at in rows if page.since <= at <= page.until), reverse=page.is_descending)
    return found[: page.reach]


def read(**query: str) -> Page:
    problems: list[Problem] = []
    page = read_page(query, problems)
    assert not problems
    return page


@given(
    there=st.sets(offsets, max_size=30), first=st.integers(-2, 42), last=st.integers(-2, 42), sort=st.sampled_from(["asc", "desc"]),
    limits=st.lists(st.integers(1, 6), min_size=1, max_size=5), made=st.lists(st.integers(1, 3), max_size=10),
)  # fmt: skip
def test_every_row_in_the_range_is_shown_once_in_order(
    there: set[int], first: int, last: int, sort: str, limits: list[int], made: list[int]
) -> None:
    rows = [BASE + timedelta(microseconds=n) for n in there]
    begin, end = BASE + timedelta(microseconds=first), BASE + timedelta(microseconds=last)
    wanted = sorted((at for at in rows if begin <= at <= end), reverse=sort == "desc")
    query = {"from": stamp(begin), "to": stamp(end), "sort": sort}
    seen: list[str] = []
    turn = 0
    while True:
        page = read(limit=str(limits[turn % len(limits)]), **query)
        answer = page.answer(Times, page.part(page_of(rows, page), lambda at: at), stamp)
        assert len(answer.data) <= page.limit
        seen += answer.data
        assert answer.has_next == (answer.next_cursor is not None)
        if answer.next_cursor is None:
            break
        query["cursor"] = answer.next_cursor
        # New rows are newer than all there are.
        rows += [max(rows) + timedelta(microseconds=made[turn])] if turn < len(made) else []
        turn += 1
    old = [at for at in seen if at in {stamp(w) for w in wanted}]
    assert old == [stamp(at) for at in wanted]
    assert len(set(seen)) == len(seen)
    assert sort == "asc" or seen == old


@pytest.mark.parametrize(
    "text",
    ["2026-03-04T12:00:00Z", "2026-03-04T12:00:00.0Z", "2026-03-04T12:00:00.000000Z", "2026-03-04T09:00:00-03:00",
     "2026-03-04T12:00:00+00:00", "2026-03-04T12:00:00 00:00"],
)  # fmt: skip
def test_forms_of_one_instant(text: str) -> None:
    assert read_timestamp(text) == BASE


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-03-04", "2026-03-04T12:00:00", "2026-03-04 12:00:00Z", "2026-03-04T12:00Z", "20260304T120000Z",
     "2026-03-04T12:00:00.1234567Z", "2026-13-04T12:00:00Z", "2026-02-30T12:00:00Z", "2026-03-04T24:00:01Z", "1772625600",
     "2026-03-04T12:00:00Z\n", "٢٠٢٦-03-04T12:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-12:00", "2026-03-04T12:00:00+99:00"],
)  # fmt: skip
def test_what_is_no_timestamp(text: str) -> None:
    assert read_timestamp(text) is None


def test_dates() -> None:
    assert read_date("2024-02-29") is not None
    assert [read_date(text) for text in ("2023-02-29", "20240229", "2024-2-9", "2024-W01-1", "", "2024-02-29 ")] == [
        None
    ] * 6


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_printed_cursor_is_read_to_the_microsecond(at: datetime) -> None:
    assert read_timestamp(stamp(at)) == at or at.year < 1000


@pytest.mark.parametrize(
    ("limit", "issue"),
    [("0", "OUT_OF_RANGE"), ("-1", "OUT_OF_RANGE"), ("5001", "OUT_OF_RANGE"), ("", "INVALID"), ("ten", "INVALID"), ("1.0", "INVALID"),
     ("1e2", "INVALID"), (" 1", "INVALID"), ("+1", "INVALID"), ("\N{ARABIC-INDIC DIGIT ONE}", "INVALID"), ("9" * 40, "INVALID")],
)  # fmt: skip
def test_limits_that_are_refused(limit: str, issue: str) -> None:
    problems: list[Problem] = []
    assert read_page({"limit": limit}, problems).limit == 20
    assert [(p.field, p.issue) for p in problems] == [("limit", issue)]


def test_defaults_and_bounds_of_the_limit() -> None:
    assert (read().limit, read().is_descending, read(limit="1").limit, read(limit="5000").limit) == (20, True, 1, 5000)
    problems: list[Problem] = []
    read_page({"limit": "101"}, problems, largest=100)
    assert problems[0].issue == "OUT_OF_RANGE"


def test_a_cursor_at_the_end_of_time_ends_the_list() -> None:
    assert read(cursor="9999-12-31T23:59:59.999999Z", sort="asc").since == datetime.max.replace(tzinfo=UTC)
    assert read(cursor="0001-01-01T00:00:00Z").until == datetime.min.replace(tzinfo=UTC)
