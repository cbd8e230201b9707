"""Which day and which night a payout counts for, at the edges of Brasilia's clock, and what it uses of which limit."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from lastro.payouts.model import Limits
from lastro.payouts.rules import quota_period, quotas
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
