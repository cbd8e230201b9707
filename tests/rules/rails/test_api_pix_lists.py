"""What a bank with a clock of its own says of a period is never taken for more than it answered for."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from lastro.rails.api_pix.lists import _SHIFTS, reach

UNTIL = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SINCE = UNTIL - 2 * DAY
ZONE = 3 * HOUR
CUTS = [timedelta(minutes=20), HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, DAY]
HOW = list(product([timedelta(), ZONE], [timedelta(), ZONE]))


@pytest.mark.parametrize(("read", "written"), HOW)
def test_a_whole_answer_is_whole_however_it_is_told(read: timedelta, written: timedelta) -> None:
    """read: it took our times for its own. written: it tells its own times marked as UTC, or else UTC itself."""
    asked = (SINCE - ZONE, UNTIL)
    meant = (asked[0] + read, asked[1] + read)
    told = tuple(one - written + ZONE for one in meant)  # as the dialect reads it: always as its own time
    assert reach(asked, (told[0], told[1]), _SHIFTS) == UNTIL
    assert reach(asked, (None, told[1]), _SHIFTS) == UNTIL
    assert reach(asked, (told[0], None), _SHIFTS) == UNTIL


@pytest.mark.parametrize(("read", "written"), HOW)
@pytest.mark.parametrize("is_begin", [True, False])
@pytest.mark.parametrize("cut", CUTS)
def test_a_cut_answer_is_never_taken_for_more(
    read: timedelta, written: timedelta, cut: timedelta, *, is_begin: bool
) -> None:
    asked = (SINCE - ZONE, UNTIL)
    meant = (asked[0] + read + cut * is_begin, asked[1] + read - cut * (not is_begin))
    told = tuple(one - written + ZONE for one in meant)
    end = reach(asked, (told[0], told[1]), _SHIFTS)
    if end is not None:
        assert meant[0] <= SINCE
        assert end <= meant[1]
    if not is_begin and cut not in {3 * HOUR, 6 * HOUR}:
        assert end is not None, "the rest is asked for, and no shorter periods"
        assert end >= UNTIL - cut


def test_a_bank_in_utc_is_taken_at_its_word() -> None:
    once = (timedelta(),)
    assert reach((SINCE, UNTIL), (SINCE, UNTIL), once) == UNTIL
    assert reach((SINCE, UNTIL), (SINCE, UNTIL - DAY), once) == UNTIL - DAY
    assert reach((SINCE, UNTIL), (SINCE + HOUR, UNTIL), once) is None
    assert reach((SINCE, UNTIL), (SINCE - HOUR, UNTIL - HOUR), once) == UNTIL - HOUR
    assert reach((SINCE, UNTIL), (None, None), once) == UNTIL
