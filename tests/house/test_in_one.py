"""A table in one test tries every case and tells each that failed (tests/in_one.py)."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from tests.in_one import in_one_test


def _plain(cases: Any, check: Callable[[int], None]) -> Callable[..., Any]:
    @in_one_test("number", cases)
    def test(number: int) -> None:
        check(number)

    return test


def _waiting(cases: Any, check: Callable[[int], None]) -> Callable[..., Any]:
    @in_one_test("number", cases)
    async def test(number: int) -> None:
        check(number)

    return test


async def _run(make: Callable[..., Any], cases: Any, check: Callable[[int], None]) -> None:
    made = make(cases, check)()
    if inspect.isawaitable(made):
        await made


both = pytest.mark.parametrize("make", [_plain, _waiting])


@both
async def test_every_case_is_tried_and_each_that_failed_is_told(make: Callable[..., Any]) -> None:
    tried = []

    def check(number: int) -> None:
        tried.append(number)
        assert number % 2

    with pytest.RaisesGroup(AssertionError, AssertionError, match="2 of 5 cases failed: 2, four") as told:
        await _run(make, [1, 2, 3, pytest.param(4, id="four"), 5], check)
    assert tried == [1, 2, 3, 4, 5]
    assert [error.__notes__ for error in told.value.exceptions] == [["in the case 2"], ["in the case four"]]


@both
@pytest.mark.parametrize("word", [pytest.skip, pytest.fail])
async def test_a_case_that_skips_or_fails_by_word_has_failed(make: Callable[..., Any], word: Callable[[str], None]) -> None:
    with pytest.RaisesGroup(AssertionError, match="1 of 1 cases failed"):
        await _run(make, [1], lambda _: word("no"))


@both
async def test_a_table_without_cases_has_failed(make: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError, match="proves nothing"):
        await _run(make, [], print)


async def test_what_a_test_asks_for_besides_is_asked_once() -> None:
    @in_one_test("first, second", [(1, 2), (3, 4)])
    async def test(tmp_path: object, first: int, second: int) -> None:
        assert (tmp_path, first + 1) == ("here", second)

    assert list(inspect.signature(test).parameters) == ["tmp_path"]
    await test(tmp_path="here")


def test_a_name_that_the_test_does_not_take_is_seen() -> None:
    with pytest.raises(AssertionError, match="takes no"):
        in_one_test("first, second", [(1, 2)])(lambda first: first)
