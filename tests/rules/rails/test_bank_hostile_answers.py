"""Whatever a bank answers to a token's request, or beside a no, ends as an exception of the port, never as a bare one."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.rails.api_pix.errors import is_denial
from lastro.rails.api_pix.exchange import SetUpWrongly, retry_after
from lastro.rails.api_pix.line import demand_answer
from lastro.rails.api_pix.oauth import granted
from lastro.rails.network_client import NetworkAnswer
from lastro.rails.port import Transient

NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
DEEP = b"[" * 100_000 + b"]" * 100_000
BROKEN = (
    b"\xff\xfe",
    b'{"type": "\xff"}',
    b'{"error": "\xc3\x28"}',
    b'{"more": ' + DEEP + b"}",
    DEEP,
    b"{",
    b"",
    b"null",
    b"1" * 400,
)


def answered(status: int, body: bytes = b"", **headers: str) -> NetworkAnswer:
    return NetworkAnswer(status, {name.replace("_", "-"): text for name, text in headers.items()}, body)


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        ("Mon, 23 Nov 2026 13:00:30 GMT", 30), ("Mon, 23 Nov 2026 10:00:30 -0300", 30), ("Mon, 23 Nov 2026 12:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 3600), ("Fri, 31 Dec 9999 23:59:59 -2359", 3600),
        ("Mon, 01 Jan 0001 00:00:00 +2359", None), ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("Fri, 31 Dec 2026 99999999999999999999:59:59 GMT", None), ("Mon, 23 Nov 2026 13:00:30 +99999999999999999999", None),
        ("Mon, 23 Nov 2026 13:00:30 +9999", None), ("9" * 400, None), ("٣", None), ("\x00", None),
    ],
)  # fmt: skip
def test_any_retry_after_is_a_pause_or_none(after: str, seconds: int | None) -> None:
    found = retry_after(answered(429, Retry_After=after), NOW)
    assert found == seconds or (seconds is None and found == 0)  # a year of two digits is one of this century


@given(
    st.builds(
        "{}, {} {} {} {}:{}:{} {}".format, st.sampled_from(["Mon", "x", ""]), st.integers(), st.sampled_from(["Jan", "Dec", "x"]),
        st.integers(), st.integers(), st.integers(), st.integers(), st.one_of(st.integers().map("{:+}".format), st.text()),
    )
)  # fmt: skip
def test_no_date_ends_it(after: str) -> None:
    found = retry_after(answered(429, Retry_After=after), NOW)
    assert found is None or 0 <= found <= 3600


@pytest.mark.parametrize("body", BROKEN)
def test_a_no_that_cannot_be_read_denies_nothing(body: bytes) -> None:
    assert not is_denial(body)
    demand_answer("GET", answered(400, body), NOW)
    with pytest.raises(SetUpWrongly):
        demand_answer("GET", answered(403, body), NOW)


@pytest.mark.parametrize("body", BROKEN)
def test_a_token_that_cannot_be_read_is_none(body: bytes) -> None:
    with pytest.raises(Transient, match="no token"):
        granted(answered(200, body), NOW)
    with pytest.raises(SetUpWrongly, match=r"HTTP status 400$"):
        granted(answered(400, body), NOW)


@pytest.mark.parametrize(
    "told", [b"9" * 400, b'"' + b"9" * 400 + b'"', b"1e999", b'"1e999"', b'"inf"', b'"nan"', b"-" + b"9" * 400]
)
def test_the_life_of_a_token_has_bounds(told: bytes) -> None:
    with suppress(Transient):
        assert 0 <= granted(answered(200, b'{"access_token": "t", "expires_in": ' + told + b"}"), NOW).seconds <= 86_400


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_life_of_a_token_is_seconds_or_no_token(told: Any) -> None:
    body = msgspec.json.encode({"access_token": "t", "expires_in": told})
    with suppress(Transient):
        assert 0 <= granted(answered(200, body), NOW).seconds <= 86_400
