"""Which day and which night a payout counts for, at the edges of Brasilia's clock, and what it uses of which limit."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from lastro.payouts.model import Limits
from lastro.payouts.rules import counts_in, quota_period, quotas
from lastro.standards.calendar import BRASILIA

ACCOUNT = UUID(int=1)


@pytest.mark.parametrize(
    ("at", "day", "is_night"),
    [
        ("2026-11-23 05:59:59.999999", "2026-11-22", True),
        ("2026-11-23 06:00:00", "2026-11-23", False),
        ("2026-11-23 12:00:00", "2026-11-23", False),
        ("2026-11-23 19:59:59.999999", "2026-11-23", False),
        ("2026-11-23 20:00:00", "2026-11-23", True),
        ("2026-11-23 23:59:59.999999", "2026-11-23", True),
        ("2026-11-24 00:00:00", "2026-11-23", True),
        ("2026-11-24 02:00:00", "2026-11-23", True),
        ("2026-11-24 05:59:59.999999", "2026-11-23", True),
        ("2026-11-24 06:00:00", "2026-11-24", False),
        ("2027-01-01 00:00:00", "2026-12-31", True),
        ("2028-03-01 03:00:00", "2028-02-29", True),
    ],
)
def test_a_night_belongs_to_the_day_on_which_it_began(at: str, day: str, is_night: bool) -> None:
    local = datetime.fromisoformat(at).replace(tzinfo=BRASILIA)
    assert quota_period(local.astimezone(UTC)) == (day, is_night)


# What begins at `at` of Brasilia: how it goes, when it was asked for, the day it is scheduled for; its day, whether of the night.
@pytest.mark.parametrize(
    ("rail", "asked", "scheduled", "at", "period"),
    [
        ("pix", "2026-11-22 12:00", None, "2026-11-22 12:00", ("2026-11-22", False)),
        ("pix", "2026-11-22 21:00", None, "2026-11-22 21:00", ("2026-11-22", True)),
        ("pix", "2026-11-22 21:00", "2026-11-22", "2026-11-22 21:00", ("2026-11-22", True)),
        ("pix", "2026-11-22 21:00", "2026-11-24", "2026-11-24 00:00", ("2026-11-24", False)),
        ("book", "2026-11-22 21:00", "2026-11-24", "2026-11-24 00:00", ("2026-11-24", False)),
        ("pix", "2026-11-22 21:00", "2026-11-24", "2026-11-24 22:00", ("2026-11-24", False)),
        ("ted", "2026-11-23 12:00", None, "2026-11-23 12:00", ("2026-11-23", False)),
        ("ted", "2026-11-23 21:00", None, "2026-11-23 21:00", ("2026-11-24", False)),
        ("ted", "2026-11-20 21:00", None, "2026-11-20 21:00", ("2026-11-23", False)),
        ("ted", "2026-11-19 21:00", "2026-11-21", "2026-11-21 00:00", ("2026-11-23", False)),
    ],
)
def test_which_day_a_payout_counts_in(
    rail: str, asked: str, scheduled: str | None, at: str, period: tuple[str, bool]
) -> None:
    def of_brasilia(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=BRASILIA).astimezone(UTC)

    day = None if scheduled is None else date.fromisoformat(scheduled)
    payout: Any = SimpleNamespace(rail=rail, created_at=of_brasilia(asked), scheduled_on=day)
    assert counts_in(payout, of_brasilia(at)) == period


def test_a_day_has_one_night() -> None:
    """Whenever within it: ten hours are night, and all of them are of one day."""
    begin = datetime(2026, 11, 23, 6, tzinfo=BRASILIA).astimezone(UTC)
    periods = [quota_period(begin + timedelta(minutes=n)) for n in range(24 * 60)]
    assert {day for day, _ in periods} == {"2026-11-23"}
    assert sum(night for _, night in periods) == 10 * 60


@pytest.mark.parametrize("night", [False, True])
@pytest.mark.parametrize(
    ("limits", "mosts"), [(Limits(), (100_000_000, None)), (Limits(1, 5, 3), (5, 3)), (None, (None, None))]
)
@pytest.mark.parametrize("minor", [7, -7])
def test_what_is_used(minor: int, limits: Limits | None, mosts: tuple[int | None, int | None], night: bool) -> None:
    found = quotas(ACCOUNT, "PIX", ("2026-11-23", night), minor, limits)
    expected = [("PIX.day", mosts[0]), *([("PIX.night", mosts[1])] if night else [])]
    assert [(q.kind, q.most) for q in found] == expected
    assert {(q.owner_id, q.period, q.minor) for q in found} == {(ACCOUNT, "2026-11-23", minor)}
