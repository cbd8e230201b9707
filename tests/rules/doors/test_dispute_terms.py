"""The deadlines of disputes as settings."""

from datetime import timedelta
from typing import Any

import pytest

from lastro.doors.dispute_terms import dispute_terms
from lastro.med import TERMS


@pytest.mark.parametrize(
    ("name", "value", "field", "read"),
    [
        ("CONTEST_DAYS", "90", "contest", timedelta(days=90)),
        ("ANALYSIS_DAYS", "3", "analysis", timedelta(days=3)),
        ("VERDICT", "DISAGREED", "verdict", "DISAGREED"),
        ("REFUND_HOURS", "6", "refund", timedelta(hours=6)),
        ("SETTLE_HOURS", "24", "settle", timedelta(hours=24)),
        ("TOP_UP_MINUTES", "720", "top_up", timedelta(hours=12)),
        ("TOP_UP_MINUTES", "0", "top_up", timedelta(0)),
    ],
)
def test_each_term_is_a_setting(name: str, value: str, field: str, read: Any) -> None:
    problems: list[str] = []
    assert (getattr(dispute_terms({f"LASTRO_MED_{name}": value}, problems), field), problems) == (read, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONTEST_DAYS", "0"), ("ANALYSIS_DAYS", "31"), ("VERDICT", "maybe"), ("REFUND_HOURS", "-1"),
        ("SETTLE_HOURS", "25"), ("TOP_UP_MINUTES", "721"), ("TOP_UP_MINUTES", "1h"),
    ],
)  # fmt: skip
def test_what_is_no_term_is_named(name: str, value: str) -> None:
    problems: list[str] = []
    dispute_terms({f"LASTRO_MED_{name}": value}, problems)
    assert [f"LASTRO_MED_{name}" in problem for problem in problems] == [True]


def test_what_is_not_given_is_as_it_is_known() -> None:
    assert dispute_terms({}, []) == TERMS
