"""What says that an endpoint is away, and for how long it is then left alone."""

from datetime import timedelta

import pytest

from lastro.core.work_queue import LEASE_SECONDS
from lastro.webhooks.breaker import origin_of, place_of
from lastro.webhooks.circuit import HELD_AT_MOST, PAUSES, PROBE_LASTS, TRIPS_AT, is_silent, pause_after
from lastro.webhooks.rules import LONGEST_WAIT, RETRIES, FailureKind

AWAY = (
    (FailureKind.TIMEOUT, 0), (FailureKind.DNS_FAILURE, 0), (FailureKind.CONNECTION_REFUSED, 0),
    (FailureKind.CONNECTION_CLOSED, 0), (FailureKind.TLS_FAILURE, 0), (FailureKind.ADDRESS_REFUSED, 0),
    (FailureKind.BAD_STATUS, 502), (FailureKind.BAD_STATUS, 503), (FailureKind.BAD_STATUS, 504),
)  # fmt: skip
THERE = (
    (None, 200), (FailureKind.BAD_ACKNOWLEDGEMENT, 200), (FailureKind.REDIRECT, 302), (FailureKind.TOO_LARGE, 200),
    (FailureKind.TOO_LARGE, 503), *((FailureKind.BAD_STATUS, code) for code in (201, 400, 401, 404, 410, 429, 500, 501, 505)),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "status"), AWAY)
def test_nobody_is_there(kind: FailureKind, status: int) -> None:
    assert is_silent(kind, status)


@pytest.mark.parametrize(("kind", "status"), THERE)
def test_somebody_is_there_whatever_the_answer(kind: FailureKind | None, status: int) -> None:
    assert not is_silent(kind, status)


def test_every_kind_is_one_or_the_other() -> None:
    assert {kind for kind, _ in (*AWAY, *THERE)} == {None, *FailureKind}


@pytest.mark.parametrize(("failed", "seconds"), [(0, 15), (1, 30), (2, 60), (3, 120), (4, 300), (5, 300), (10_000, 300)])
def test_the_pause_grows_to_five_minutes(failed: int, seconds: int) -> None:
    assert pause_after(failed) == timedelta(seconds=seconds)


def test_the_numbers_fit_each_other() -> None:
    # No single event opens a circuit, with all the attempts of its plan.
    assert TRIPS_AT >= RETRIES + 1
    assert sorted(PAUSES) == list(PAUSES)
    assert PAUSES[-1] < HELD_AT_MOST == LONGEST_WAIT
    # A probe is taken for lost when its delivery is free again, and not before.
    assert timedelta(seconds=LEASE_SECONDS) == PROBE_LASTS


@pytest.mark.parametrize(
    ("url", "origin", "place"),
    [
        ("https://Shop.example.com/hook?x=//y", "https://shop.example.com", "shop.example.com"),
        ("https://shop.example.com:8443", "https://shop.example.com:8443", "shop.example.com:8443"),
        ("http://[::1]:9/a//b#c", "http://[::1]:9", "[::1]:9"),
        ("https://a.example?b", "https://a.example", "a.example"),
        ("no url", "", ""),
    ],
)
def test_the_origin_is_scheme_host_and_port(url: str, origin: str, place: str) -> None:
    assert (origin_of(url), place_of(url)) == (origin, place)
