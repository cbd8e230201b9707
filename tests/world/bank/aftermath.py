"""What must be true when a bank's storm is over: everything it lists was read, and its books and ours say one thing."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import ClassVar

from tests.journeys.stage import until
from tests.world.bank import recurring
from tests.world.bank.agreed import agreed
from tests.world.bank.matching import matched
from tests.world.bank.town import RAIL
from tests.world.whole.aftermath import Aftermath, Restless
from tests.world.whole.crowd import AWAY
from tests.world.whole.ends import EXPLAINED
from tests.world.whole.weather import later

from lastro.rails.api_pix.nightly import night_of

_POLLED = """
SELECT count(*) = 3 FROM rail_cursors WHERE rail = $1
   AND until > CASE stream WHEN 'pix' THEN $2::timestamptz - interval '2 seconds' ELSE $3::timestamptz END
"""
# A statement that is TAKEN and due looks again at what it told the inbox; the clock does not go on to that by itself.
_UNTAKEN = "SELECT count(*) FROM statements WHERE state <> 'TAKEN' OR due_at IS NOT NULL"
_AN_HOUR, _MOST_HOURS = timedelta(minutes=71), 12
_HELD_ASKED_AFTER = timedelta(hours=7)
_PATIENCE_SECONDS = 150.0  # longer than the lease of a worker that died, and a bank's pauses


# Of another amount than its order asked for, or taken back out of what pays no order: told to people, and not in the books.
_TOLD_TO_PEOPLE = (
    "(kind = 'IN' AND difference = 'UNHEARD' AND EXISTS (SELECT FROM inbox m WHERE m.rail = o.rail"
    " AND m.subject = o.network_id AND m.kind = 'collection.settled' AND m.outcome = 'alarmed')) OR (kind = 'CHARGEBACK'"
    " AND EXISTS (SELECT FROM inbox m WHERE m.rail = o.rail AND m.kind = 'collection.taken' AND m.outcome = 'alarmed'"
    " AND m.network_id = 'taken:' || o.network_id))"
)


class BankAftermath(Aftermath):
    """Of a bank's storm."""

    explained: ClassVar[Mapping[tuple[str, str], str]] = {**EXPLAINED, ("statement_items", "OPEN"): _TOLD_TO_PEOPLE}

    async def rest(self) -> None:
        """As everywhere, and until each statement of a day that has begun is taken: a bank's list is read twice for it."""
        await super().rest()
        for _ in range(_MOST_HOURS):
            if not await self.play.books.fetchval(_UNTAKEN):
                return
            await later(self.crowd, _AN_HOUR)
            await self._quiet()

    async def _quiet(self) -> None:
        """Nothing is due, the bank was polled since, and its night was swept."""
        await super()._quiet()
        since = await self.play.books.fetchval("SELECT business_now()")

        async def polled() -> bool:
            with suppress(*AWAY):
                return bool(await self.play.books.fetchval(_POLLED, RAIL, since, night_of(since)))
            return False

        try:
            await until(polled, "polling", _PATIENCE_SECONDS)
        except AssertionError:
            raise Restless(f"the bank was not polled for {_PATIENCE_SECONDS:.0f} s") from None
        await super()._quiet()

    async def _unsubscribed(self) -> None:
        """Who has agreed at the bank is known here, before everybody ends it; a bank is asked every six hours if it stands."""
        await later(self.crowd, _HELD_ASKED_AFTER)
        await self._quiet()
        self.broken += [f"before the end: {said}" for said in await agreed(self.crowd)]
        await super()._unsubscribed()
        await recurring.ends_all(self.crowd)

    async def _paid_meanwhile(self) -> None:
        """No slips here."""

    async def _money(self) -> None:
        """The network's books beside ours, and the bank's."""
        await super()._money()
        self.broken += await matched(self.crowd)
        self.broken += await agreed(self.crowd)
