"""What partners told while nobody read: who reads, and what a partner that says nothing costs the others."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from lastro.rails.catch_up import CatchUp
from lastro.rails.port import Transient

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


class Partner:
    """A stream that is silent, or has no more."""

    def __init__(self) -> None:
        self.is_silent, self.asked = True, 0

    async def catch_up(self, keep: Any) -> None:
        del keep
        self.asked += 1
        if self.is_silent:
            raise Transient("no answer")


async def test_a_silent_partner_is_asked_by_one_of_the_orders_that_wait_for_it() -> None:
    partner = Partner()
    streams = CatchUp({"oxxo": (cast("Any", partner), cast("Any", None))})
    for n in range(5):
        assert not await streams.read("oxxo", NOW, NOW + timedelta(seconds=n))
    assert partner.asked == 1
    partner.is_silent = False
    assert await streams.read("oxxo", NOW, NOW + timedelta(seconds=30))
    assert await streams.read("oxxo", NOW, NOW + timedelta(seconds=60)), "that moment is covered already"
    assert partner.asked == 2
