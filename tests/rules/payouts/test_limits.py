"""Which day and night a payout counts for, when a person's limits rise and fall, and what their story says."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from lastro.config.given import Given
from lastro.config.settings import read
from lastro.payouts import RAISE_AFTER
from lastro.payouts.actions.limit import changes
from lastro.payouts.model import Limits, Raise, usual_limits
from lastro.payouts.rules import counts_in, limit_set, quota_period, quotas
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


AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
WAITS = Raise(200000, AT)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (Limits(100, None, 100000), Limits(100, None, 100000), None),
        (Limits(100, None, 100000), Limits(100, None, 50000), "PIX night 1000.00 to 500.00"),
        (Limits(100, None, None), Limits(200, 5, None), "PIX transaction 1.00 to 2.00; day none to 0.05"),
        (
            Limits(100, None, 100000), Limits(100, None, 100000, None, WAITS),
            "PIX night 1000.00 to 2000.00 from 2026-03-02T12:00:00.000000Z on",
        ),
        (Limits(100, None, 100000, None, WAITS), Limits(100, None, 100000, None, WAITS), None),
        (
            Limits(100, None, 100000, None, WAITS), Limits(100, None, 100000),
            "PIX night stays 1000.00: the raise to 2000.00 is taken back",
        ),
        (Limits(100, None, 100000, None, WAITS), Limits(100, None, 90000), "PIX night 1000.00 to 900.00"),
    ],
)  # fmt: skip
def test_a_change_is_told_by_what_became_of_each_limit(before: Limits, after: Limits, told: str | None) -> None:
    assert changes("PIX", before, after) == told


NOW, SECOND, DAY = datetime(2026, 12, 10, 15, tzinfo=UTC), timedelta(seconds=1), timedelta(hours=24)
WAITING = Raise(500, NOW + timedelta(hours=3))


@pytest.mark.parametrize(
    ("holder", "method", "night"),
    [("INDIVIDUAL", "PIX", 100_000), ("INDIVIDUAL", "TED", None), ("ORGANIZATION", "PIX", None), (None, "PIX", None)],
)
def test_a_person_has_a_limit_of_a_night(holder: str | None, method: str, night: int | None) -> None:
    assert usual_limits(holder, method).night == night


@pytest.mark.parametrize(
    ("held", "raised", "wanted", "wait", "becomes"),
    [
        (100, None, 200, DAY, (100, Raise(200, NOW + DAY))),
        (100, None, None, DAY, (100, Raise(None, NOW + DAY))),  # no limit at all is more than any
        (100, None, 200, timedelta(hours=48), (100, Raise(200, NOW + timedelta(hours=48)))),
        (100, None, 99, DAY, (99, None)),
        (100, None, 0, DAY, (0, None)),
        (100, None, 100, DAY, (100, None)),
        (None, None, 100, DAY, (100, None)),
        (None, None, None, DAY, (None, None)),
        # What waits is replaced by the newest wish; the same wish once more keeps its instant.
        (100, WAITING, 500, DAY, (100, WAITING)),
        (100, WAITING, 501, DAY, (100, Raise(501, NOW + DAY))),
        (100, WAITING, 50, DAY, (50, None)),
        (100, WAITING, 100, DAY, (100, None)),
        # A firm does not wait.
        (100, None, 200, None, (200, None)),
        (100, None, None, None, (None, None)),
        (100, None, 50, None, (50, None)),
    ],
)
def test_what_a_limit_becomes(
    held: int | None,
    raised: Raise | None,
    wanted: int | None,
    wait: timedelta | None,
    becomes: tuple[int | None, Raise | None],
) -> None:
    assert limit_set(held, raised, wanted, NOW, wait) == becomes


@pytest.mark.parametrize("limit", [200, None])
def test_a_raise_holds_from_its_instant_on(limit: int | None) -> None:
    limits = Limits(day=100, night=50, day_raise=Raise(limit, NOW + DAY), night_raise=Raise(60, NOW + DAY + SECOND))
    assert limits.at(NOW + DAY - SECOND) == limits
    assert limits.at(NOW + DAY) == Limits(day=limit, night=50, night_raise=limits.night_raise)
    assert limits.at(NOW + DAY + SECOND) == Limits(day=limit, night=60)


@pytest.mark.parametrize(("text", "hours"), [("", 24), ("24", 24), (" 48 ", 48), ("23", None), ("49", None), ("x", None)])
def test_how_long_it_waits_is_a_setting(text: str, hours: int | None) -> None:
    given = Given({"LASTRO_LIMIT_RAISE_HOURS": text})
    assert given.whole("LASTRO_LIMIT_RAISE_HOURS") == (hours or 24)
    assert [one.split()[0] for one in given.problems] == ([] if hours else ["LASTRO_LIMIT_RAISE_HOURS"])
    assert read({}).limit_raise == RAISE_AFTER
