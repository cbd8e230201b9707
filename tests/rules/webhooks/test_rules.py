from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.http_client.answers import Failure, Outcome
from lastro.webhooks.rules import (
    MOVES,
    SETTLED,
    Delivered,
    EventStatus,
    Failed,
    FailureKind,
    GiveUp,
    Plan,
    RetryAt,
    Trigger,
    after_failure,
    judge,
    retry_after_seconds,
    safe_text,
)

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def answer(status: int, body: bytes = b"", failure: Failure | None = None) -> Outcome:
    return Outcome(status, body, failure, 5)


@pytest.mark.parametrize(
    "body",
    [
        b'{"returnCode":"SUCCESS"}',
        b' \r\n{ "message": "ok", "returnCode" : "SUCCESS", "more": [1, {"a": null}] }\n',
        b'{"returnCode":"\\u0053UCCESS"}',
        b'\xef\xbb\xbf{"returnCode":"SUCCESS"}',
    ],
)
def test_an_acknowledgement_is_200_and_the_return_code(body: bytes) -> None:
    assert judge(answer(200, body)) == Delivered(safe_text(body), 200)
    for status in (201, 202, 204, 304, 400, 410, 429, 500, 503, 100, 299):
        assert judge(answer(status, body)) == Failed(safe_text(body), status, FailureKind.BAD_STATUS)


@in_one_test(
    "body",
    [
        b"",
        b"OK",
        b"SUCCESS",
        b'"SUCCESS"',
        b"null",
        b"true",
        b"{}",
        b"[]",
        b'["SUCCESS"]',
        b'[{"returnCode":"SUCCESS"}]',
        b'{"returnCode":"success"}',
        b'{"returnCode":"SUCCESS "}',
        b'{"returnCode":"ERROR"}',
        b'{"returnCode":null}',
        b'{"returnCode":true}',
        b'{"returnCode":["SUCCESS"]}',
        b'{"returncode":"SUCCESS"}',
        b'{"data":{"returnCode":"SUCCESS"}}',
        b'{"returnCode":"SUCCESS"',
        b'{"returnCode":"SUCCESS"}}',
        b'{"returnCode":"SUCCESS"} {"returnCode":"SUCCESS"}',
        b"returnCode=SUCCESS",
        b"<returnCode>SUCCESS</returnCode>",
        b'{"returnCode":"\xff"}',
        b'\xff\xfe{"returnCode":"SUCCESS"}',
        b"[" * 65536,
        b'{"a":' * 13000,
    ],
)
def test_anything_else_is_a_failure(body: bytes) -> None:
    assert judge(answer(200, body)) == Failed(safe_text(body), 200, FailureKind.BAD_ACKNOWLEDGEMENT)


@pytest.mark.parametrize("failure", Failure)
def test_a_failure_is_named_whatever_came_with_it(failure: Failure) -> None:
    status = {Failure.REDIRECT: 302, Failure.TOO_LARGE: 200}.get(failure, 0)
    assert judge(answer(status, b'{"returnCode":"SUCCESS"}', failure)) == Failed(
        failure.value, status, FailureKind(failure.value)
    )


def test_every_failure_of_the_client_is_a_kind() -> None:
    assert {k.value for k in FailureKind} == {f.value for f in Failure} | {"BAD_ACKNOWLEDGEMENT", "BAD_STATUS"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"a" * 1001, "a" * 1000),
        ("é".encode() * 1001, "é" * 1000),
        ("\N{GRINNING FACE}".encode() * 1001, "\N{GRINNING FACE}" * 1000),
        (b"a\0b", "a\ufffdb"),
        (b"\x1b[31mred", "\ufffd[31mred"),
        (b"one\r\n\ttwo", "one\r\n\ttwo"),
        (b"a\xffb", "a\ufffdb"),
        ("\u202eevil\u2066".encode(), "\ufffdevil\ufffd"),
        ("\x85\u2028".encode(), "\ufffd\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"<script>", "<script>"),  # whoever shows it escapes it
    ],
)
def test_a_strangers_text_is_made_safe(body: bytes, text: str) -> None:
    assert safe_text(body) == text


@given(st.binary(max_size=5000))
def test_safe_text_can_always_be_stored(body: bytes) -> None:
    text = safe_text(body)
    assert len(text) <= 1000
    assert "\0" not in text
    text.encode()
    assert text == safe_text(text.encode()[:4000]) or len(text.encode()) > 4000


@pytest.mark.parametrize(("attempt", "wait"), [(1, MINUTE), (2, 10 * MINUTE), (3, HOUR), (4, 6 * HOUR), (5, None)])
def test_a_plan_is_one_attempt_and_four_retries(attempt: int, wait: timedelta | None) -> None:
    wanted = GiveUp() if wait is None else RetryAt(NOW + wait)
    assert after_failure(attempt, NOW, None, 0) == wanted
    assert after_failure(attempt, NOW, 0, 0) == wanted


@given(st.integers(1, 4), st.none() | st.integers(-10, 10**20), st.floats(0, 1))
def test_a_wait_is_the_interval_shortened_a_little_or_stretched_to_six_hours(
    attempt: int, asked: int | None, jitter: float
) -> None:
    interval = Plan().intervals[attempt - 1]
    outcome = after_failure(attempt, NOW, asked, jitter)
    assert isinstance(outcome, RetryAt)
    wait = outcome.due - NOW
    assert wait >= interval * 0.9 - timedelta(microseconds=1)
    assert wait <= 6 * HOUR
    assert wait >= timedelta(seconds=max(0, min(asked or 0, 6 * 3600)))
    assert wait <= max(interval, timedelta(seconds=max(0, min(asked or 0, 6 * 3600))))


@pytest.mark.parametrize(("attempt", "jitter"), [(0, 0.0), (6, 0.0), (-1, 0.0), (1, -0.1), (1, 1.1), (1, float("nan"))])
def test_numbers_outside_their_range_are_a_mistake(attempt: int, jitter: float) -> None:
    with pytest.raises(ValueError, match=r"attempts 1 to 5|from 0 to 1"):
        after_failure(attempt, NOW, None, jitter)


def test_intervals_and_jitter_are_configurable_and_the_number_of_attempts_is_not() -> None:
    plan = Plan((timedelta(seconds=1),) * 4)
    assert after_failure(4, NOW, None, 0, plan) == RetryAt(NOW + timedelta(seconds=1))
    assert after_failure(5, NOW, None, 0, plan) == GiveUp()
    for intervals in ((), (MINUTE,) * 3, (MINUTE,) * 5, (MINUTE, MINUTE, MINUTE, timedelta(0))):
        with pytest.raises(ValueError, match="4 intervals"):
            Plan(intervals)
    steady, loose = Plan(jitter=0.0), Plan(jitter=0.5)
    assert after_failure(2, NOW, None, 1, steady) == RetryAt(NOW + 10 * MINUTE)
    assert after_failure(2, NOW, None, 1, loose) == RetryAt(NOW + 5 * MINUTE)
    assert after_failure(2, NOW, 3600, 1, loose) == RetryAt(NOW + HOUR), "what the receiver asks for is not shortened"
    for jitter in (-0.1, 0.51, float("nan")):
        with pytest.raises(ValueError, match="jitter"):
            Plan(jitter=jitter)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("999999999", 999_999_999),
        ("9" * 5000, 999_999_999),
        (format_datetime(NOW + HOUR, usegmt=True), 3600),
        (format_datetime(NOW - HOUR, usegmt=True), 0),
        ("Wed, 04 Mar 2026 12:00:30 -0000", 30),
        ("Wednesday, 04-Mar-26 12:01:00 GMT", 60),
        ("Wed Mar  4 12:02:00 2026", 120),
        (None, None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Wed, 99 Foo 2026 12:00:30 GMT", None),
        ("Wed, 04 Mar 99999999999 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str | None, seconds: int | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds


@given(st.text(max_size=60))
def test_any_retry_after_has_an_answer(value: str) -> None:
    seconds = retry_after_seconds(value, NOW)
    assert seconds is None or seconds >= 0


def test_every_pair_of_state_and_trigger() -> None:
    on_the_way = (EventStatus.PENDING, EventStatus.RETRYING)
    wanted: dict[tuple[EventStatus, Trigger], EventStatus] = {
        **{(status, Trigger.DELIVER): EventStatus.DELIVERED for status in on_the_way},
        **{(status, Trigger.RETRY): EventStatus.RETRYING for status in on_the_way},
        **{(status, Trigger.GIVE_UP): EventStatus.FAILED for status in on_the_way},
        **{(status, Trigger.RESEND): EventStatus.PENDING for status in EventStatus if status != EventStatus.PENDING},
    }
    assert dict(MOVES) == wanted
    assert set(EventStatus) - set(on_the_way) == SETTLED
