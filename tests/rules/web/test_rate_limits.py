"""Who asks too often: a minute's burst, an even refill, and what the headers say of it."""

import os
import time
from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.api_kit.http import RequestNotes
from lastro.api_kit.rate_limits import Limits, Taken
from lastro.companies import Callers, OwnKeys, SigningKeys, issue
from lastro.companies.tokens import new_signing_key
from lastro.core.rights import NOBODY
from lastro.web.operations import Operations


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def limits(per_minute: int = 60) -> tuple[Limits, Clock]:
    clock = Clock()
    return Limits(per_minute, clock), clock


def test_a_minutes_worth_may_come_at_once_and_no_more() -> None:
    made, _ = limits(60)
    assert [made.take("ana").retry_after_seconds for _ in range(60)] == [None] * 60
    refused = made.take("ana")
    assert (refused.remaining, refused.retry_after_seconds, refused.reset_seconds) == (0, 1, 60)


def test_what_is_refused_costs_nothing() -> None:
    made, clock = limits(60)
    for _ in range(60):
        made.take("ana")
    assert all(made.take("ana").retry_after_seconds == 1 for _ in range(1000))
    clock.now += 1
    assert made.take("ana").retry_after_seconds is None
    assert made.take("ana").retry_after_seconds == 1


def test_it_fills_evenly() -> None:
    made, clock = limits(6)
    for _ in range(6):
        made.take("ana")
    assert made.take("ana").retry_after_seconds == 10
    clock.now += 9.99
    assert made.take("ana").retry_after_seconds == 1
    clock.now += 0.01
    assert made.take("ana").retry_after_seconds is None
    clock.now += 3600
    assert [made.take("ana").retry_after_seconds is None for _ in range(7)] == [True] * 6 + [False]


def test_who_waits_as_long_as_told_is_served() -> None:
    made, clock = limits(7)
    for _ in range(7):
        made.take("ana")
    for _ in range(20):
        wait = made.take("ana").retry_after_seconds
        assert wait is not None
        clock.now += wait
        assert made.take("ana").retry_after_seconds is None


def test_callers_do_not_share() -> None:
    made, _ = limits(1)
    assert made.take("ana").retry_after_seconds is None
    assert made.take("ana").retry_after_seconds is not None
    assert made.take("dora").retry_after_seconds is None


def test_a_client_may_have_a_number_of_its_own() -> None:
    made, clock = limits(60)
    assert made.take("ana", 2).limit == 2
    assert made.take("ana", 2).retry_after_seconds is None
    assert made.take("ana", 2).retry_after_seconds == 30
    assert made.take("dora").limit == 60
    clock.now += 30
    assert made.take("ana", 2).retry_after_seconds is None


def test_the_headers_tell_what_is_left_and_when_all_is_there_again() -> None:
    made, clock = limits(10)
    assert made.take("ana").headers() == ((b"ratelimit-limit", b"10"), (b"ratelimit-remaining", b"9"), (b"ratelimit-reset", b"6"))  # fmt: skip
    for expected in range(8, -1, -1):
        assert made.take("ana").remaining == expected
    assert made.take("ana") == Taken(10, 0, 60, 6)
    clock.now += 60
    assert made.take("ana").headers()[1:] == ((b"ratelimit-remaining", b"9"), (b"ratelimit-reset", b"6"))


def test_memory_does_not_grow_with_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    made, clock = limits(1)
    for n in range(100_050):
        clock.now += 0.0001
        made.take(str(n))
    assert len(made._full_at) == 100_000
    assert made.take(str(100_049)).retry_after_seconds is not None
    assert made.take("0").retry_after_seconds is None  # forgotten, as if it had been silent


def _admitted(per_minute: int, pauses: Sequence[int]) -> list[bool]:
    """The simplest bucket there is, in whole ticks: 60,000 ticks are a minute and one request is 60,000 / per_minute."""
    full, cost = 60_000, 60_000 // per_minute
    level, answers = full, []
    for pause in pauses:
        level = min(full, level + pause)
        answers.append(level >= cost)
        level -= cost if answers[-1] else 0
    return answers


@given(
    st.sampled_from([1, 2, 3, 5, 10, 60, 600]),
    st.lists(st.one_of(st.just(0), st.integers(0, 5_000), st.integers(0, 90_000)), max_size=200),
)
def test_it_is_the_simple_bucket(per_minute: int, pauses: list[int]) -> None:
    made, clock = limits(per_minute)
    answers = []
    for pause in pauses:
        clock.now += pause / 1000
        taken = made.take("ana")
        answers.append(taken.retry_after_seconds is None)
        assert 0 <= taken.remaining < per_minute
        assert 0 <= taken.reset_seconds <= 60
        assert taken.retry_after_seconds is None or 1 <= taken.retry_after_seconds <= 60 // per_minute + 1
    assert answers == _admitted(per_minute, pauses)


async def test_one_name_in_two_companies_is_two_callers() -> None:
    """An outside issuer calls its subjects as it likes."""
    made, _ = limits(1)
    key = new_signing_key(os.urandom)
    own = OwnKeys(SigningKeys((key,), (), b""), Mock(), "https://lastro.test", time.monotonic)
    runner = Mock(requests_per_minute=lambda *_: None)
    operations = Operations(runner, Callers(own), time.time, b"", made)

    async def status(company_id: str) -> int:
        token = issue(
            key,
            issuer="https://lastro.test",
            client_id="outside:shop",
            company_id=company_id,
            now_machine=time.time(),
            jti="j",
        )
        scope: Any = {"method": "GET", "state": {"seen": RequestNotes("GET", "/x", "r"), "peer": NOBODY}}
        refused = await operations.admit({}, scope, {b"authorization": f"Bearer {token}".encode()})
        return 0 if refused is None else refused.status

    ana, dora = "01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"
    assert [await status(c) for c in (ana, ana, dora, dora)] == [405, 429, 405, 429]


def test_all_clients_of_a_company_share_its_limit_and_another_companys_is_its_own() -> None:
    made = Limits(60, Clock(), of_company=100)
    given = [made.take(f"ana {n % 10}", within="ana").retry_after_seconds for n in range(200)]
    assert given.count(None) == 100
    assert made.take("ana 10", within="ana").retry_after_seconds == 1
    assert made.take("dora 0", within="dora").retry_after_seconds is None


def test_what_a_company_has_too_much_of_costs_its_client_nothing() -> None:
    clock = Clock()
    made = Limits(60, clock, of_company=60)
    for _ in range(60):
        made.take("ana 1", within="ana")
    for _ in range(30):
        assert made.take("ana 2", within="ana").retry_after_seconds == 1
    clock.now += 60
    assert made.take("ana 2", within="ana") == Taken(60, 59, 1)


def test_a_client_that_was_given_more_than_its_company_has_may_use_it() -> None:
    made = Limits(60, Clock(), of_company=100)
    given = [made.take("ana 1", 150, within="ana").retry_after_seconds for _ in range(151)]
    assert given.count(None) == 150


def test_the_scarcer_of_both_is_told() -> None:
    made = Limits(60, Clock(), of_company=61)
    for _ in range(50):
        made.take("ana 1", within="ana")
    assert made.take("ana 2", within="ana") == Taken(61, 10, 51)
