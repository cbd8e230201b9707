"""Where an ascending page ends while rows are being written, and the filters of lists, without a database."""

import asyncio
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.api_kit.paging import LARGE, SETTLED_AFTER, SLICE, Page, Part, mapped, read_choice, read_text
from lastro.api_kit.rendering import Paged
from lastro.api_kit.routes import render, stamp
from lastro.core.errors import NotYet, Problem

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
A_TICK = timedelta(microseconds=1)
ages = st.lists(st.integers(0, 4_000_000), unique=True, max_size=12)  # microseconds


def settled(page: Page, rows: list[datetime]) -> Part[datetime]:
    return page.settled(rows, lambda at: at, NOW)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@given(there=ages, limit=st.integers(1, 6))
def test_an_ascending_page_with_more_behind_it_ends_before_what_is_young(there: list[int], limit: int) -> None:
    rows = sorted(NOW - age * A_TICK for age in there)[: limit + 1]
    page = Page(limit, is_descending=False)
    old = [at for at in rows[:limit] if NOW - at > SETTLED_AFTER]
    try:
        part = settled(page, rows)
    except NotYet as early:
        assert (len(rows) > limit, old) == (True, [])
        ready = NOW + timedelta(seconds=early.seconds)
        assert ready - rows[limit - 1] > SETTLED_AFTER >= ready - rows[limit - 1] - timedelta(seconds=0.02)
        return
    if len(rows) <= limit:
        assert (part.rows, part.next_cursor, part.has_next) == (rows, None, False)
    else:
        assert (part.rows, part.next_cursor, part.has_next) == (old, stamp(old[-1]), True)


@given(there=ages, limit=st.integers(1, 6))
def test_a_descending_page_ends_where_it_is_full(there: list[int], limit: int) -> None:
    rows = sorted((NOW - age * A_TICK for age in there), reverse=True)[: limit + 1]
    part = settled(Page(limit), rows)
    assert part.rows == rows[:limit]
    assert part.next_cursor == (stamp(rows[limit - 1]) if len(rows) > limit else None)


def test_two_seconds_are_not_older_than_two_seconds() -> None:
    page = Page(1, is_descending=False)
    assert settled(page, [ago(2) - A_TICK, NOW]).rows == [ago(2) - A_TICK]
    with pytest.raises(NotYet):
        settled(page, [ago(2), NOW])


def test_a_row_of_the_future_is_waited_for_no_longer_than_a_young_one() -> None:
    with pytest.raises(NotYet) as early:
        settled(Page(1, is_descending=False), [ago(-3600), ago(-7200)])
    assert early.value.seconds < 2.1


def test_rows_that_only_grow_are_shown_as_young_as_they_are() -> None:
    part = Page(1, is_descending=False).part([NOW, NOW + A_TICK], lambda at: at)
    assert (part.rows, part.next_cursor) == ([NOW], stamp(NOW))


@in_one_test(
    ("text", "issue"),
    [("", "INVALID"), ("x" * 6, "TOO_LONG"), ("\t", "INVALID"), ("a\x00", "INVALID"), ("\x85", "INVALID"),
     ("\u2028", "INVALID"), ("\ud800", "INVALID"), ("x" * 5, None), (" ", None), ("é\u0301", None), ("%_\\'", None),
     ("\u00a0", None), ("😀" * 5, None)],
)  # fmt: skip
def test_texts_to_look_for(text: str, issue: str | None) -> None:
    problems: list[Problem] = []
    read = read_text({"q": text}, "q", 5, problems)
    assert [(p.field, p.issue) for p in problems] == ([] if issue is None else [("q", issue)])
    assert read == (text if issue is None else None)


def test_a_filter_that_is_left_out_is_none() -> None:
    problems: list[Problem] = []
    assert (read_text({}, "q", 5, problems), read_choice({}, "q", ("A",), problems), problems) == (None, None, [])


@in_one_test(("text", "read"), [("A", "A"), ("a", None), ("", None), ("A ", None), ("AB", None)])
def test_words_to_choose_from(text: str, read: str | None) -> None:
    problems: list[Problem] = []
    assert read_choice({"q": text}, "q", ("A", "B"), problems) == read
    assert [(p.field, p.issue) for p in problems] == ([] if read else [("q", "INVALID")])


async def test_a_large_page_lets_others_go_on_between_its_slices() -> None:
    """Two pages that are made at the same time take turns; a small one is made at once."""
    made: list[str] = []

    def form(name: str) -> str:
        made.append(name)
        return name

    pages = [asyncio.ensure_future(mapped([name] * 3 * SLICE, form)) for name in "ab"]
    assert [len(page) for page in await asyncio.gather(*pages)] == [3 * SLICE] * 2
    assert made == [name for name in "ababab" for _ in range(SLICE)]


async def test_a_large_page_is_rendered_beside_the_loop_and_a_small_one_in_it() -> None:
    for rows, body in ((LARGE - 1, b""), (LARGE, b"200 rows")):
        part = await Part([NOW] * rows, None).rendered(lambda part: b"%d rows" % len(part.rows))
        assert part.body == body


@in_one_test("is_descending", [True, False])
@in_one_test(
    ("limit", "there"),
    [(LARGE, LARGE + 5), (LARGE + 1, LARGE + 5), (LARGE + 1, LARGE + 1), (5 * SLICE, 5 * SLICE), (5 * SLICE, 5 * SLICE + 1),
     (5 * SLICE - 1, 5 * SLICE), (5000, 5 * SLICE), (5000, 0)],
)  # fmt: skip
async def test_a_large_page_is_read_in_slices_and_shows_what_one_reading_would(
    limit: int, there: int, *, is_descending: bool
) -> None:
    everything = sorted((NOW - number * A_TICK for number in range(there)), reverse=is_descending)
    read: list[int] = []

    async def rows_of(page: Page) -> list[datetime]:
        found = [at for at in everything if page.since <= at <= page.until][: page.reach]
        read.append(len(found))
        return found

    rows = await Page(limit, is_descending=is_descending).read(rows_of, lambda at: at)
    assert list(rows) == everything[: limit + 1]
    assert max(read) <= (SLICE if limit > LARGE else limit + 1)


async def test_a_row_that_is_written_while_a_large_page_is_read_is_shown_once_or_not_yet() -> None:
    """As in a walk of small pages: behind the slice it is read with the next, before it not any more."""
    everything = [NOW - 2 * number * A_TICK for number in range(6 * SLICE)]
    before, behind = everything[10] - A_TICK, everything[4 * SLICE] - A_TICK
    late = [before, behind]

    async def rows_of(page: Page) -> list[datetime]:
        found = [at for at in sorted(everything, reverse=True) if page.since <= at <= page.until][: page.reach]
        everything.extend(late)
        late.clear()
        return found

    rows = await Page(5000).read(rows_of, lambda at: at)
    assert list(rows) == sorted({*everything} - {before}, reverse=True)


@in_one_test("count", [LARGE - 1, LARGE, LARGE + 1])
def test_a_large_page_is_encoded_row_by_row_and_reads_as_a_small_one(count: int) -> None:
    page, rows = Page(5000), [NOW - number * A_TICK for number in range(count)]
    answer = page.answer(Paged, page.part(rows, lambda at: at), lambda at: {"at": stamp(at)})
    assert {type(row) for row in answer.data} == {msgspec.Raw if count >= LARGE else dict}
    told = msgspec.json.decode(render(answer))
    assert told == {"limit": 5000, "sort": "desc", "hasNext": False, "data": [{"at": stamp(at)} for at in rows]}
