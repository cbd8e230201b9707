"""lastro payout: every no in a sentence. What a yes books is in tests/journeys/test_teds.py."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lastro.doors.settings import read
from lastro.standards.ted_ids import control_number

from .test_commands import Office, environment

AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
TIME = "2026-11-23T10:15:00-03:00"


@pytest.fixture
def desk(own_database: Any, tmp_path: Path) -> Office:
    return Office(read(environment(own_database, tmp_path)))


def test_what_cannot_be_proved(desk: Office) -> None:
    desk.asks("company", "add", "Ana Flores")
    ours, nobodys = control_number(AT, 1, 1), control_number(AT, 7, 1)
    for number in ("STR20261123000000001", "E99999020202611231300000000abcde", "", ours[:-1]):
        assert "is no id of ours" in desk.declined("payout", "prove", number, "--settled-at", TIME)
    for time in ("yesterday", "2026-11-23", "2026-11-23T10:15:00"):
        assert "must be a time with its offset" in desk.declined("payout", "prove", ours, "--settled-at", time)
    assert "There is no company '7'" in desk.declined("payout", "prove", nobodys, "--settled-at", TIME)
    for name in (ours, "E9999901020261123130000001abcdef"):
        assert "is that of no Pix or TED that we sent" in desk.declined("payout", "prove", name, "--settled-at", TIME)
