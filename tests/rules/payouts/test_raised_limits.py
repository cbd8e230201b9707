"""A person's limits rise after a while and fall at once; a firm's at once. A second before and after each instant."""

from datetime import UTC, datetime, timedelta

import pytest

from lastro.config.given import Given
from lastro.config.settings import read
from lastro.payouts import RAISE_AFTER
from lastro.payouts.model import Limits, Raise, usual_limits
from lastro.payouts.rules import limit_set

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
