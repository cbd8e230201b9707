"""For how long lines are silent, and how many of them are remembered."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from lastro.base.errors import Kind, Refused
from lastro.payouts import Unasked
from lastro.plans import silences
from lastro.plans.silences import Silences

PLAN, NOW = UUID(int=1), datetime(2026, 11, 23, 12, tzinfo=UTC)
SILENT = Unasked(Kind.UNAVAILABLE, is_address=True)


def test_an_address_is_given_up_after_an_hour_and_a_directory_never() -> None:
    heard = Silences()
    for minutes, given_up in ((0, False), (59, False), (61, True), (62, False)):
        found = heard.judge(SILENT, PLAN, 1, NOW + timedelta(minutes=minutes))
        assert isinstance(found, Refused) == given_up, minutes
    assert heard.judge(Unasked(Kind.UNAVAILABLE, is_address=False), PLAN, 2, NOW) is None
    assert heard.judge(Unasked(Kind.UNAVAILABLE, is_address=False), PLAN, 2, NOW + timedelta(days=1)) is None


def test_lines_of_plans_that_nobody_ends_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silences, "_MOST", 3)
    heard = Silences()
    for number in range(4):
        heard.judge(SILENT, PLAN, number, NOW)
    late = NOW + timedelta(hours=2)
    assert isinstance(heard.judge(SILENT, PLAN, 1, late), Refused)
    assert heard.judge(SILENT, PLAN, 0, late) is None, "its hour begins anew"
