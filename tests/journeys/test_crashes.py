"""kill -9 in every gap: nothing is lost and nothing done twice.

A process dies the last time that it passes a gap for certain. Each run draws some deaths of each journey
(docs/decisions/drawn-cases.md), with DRAW_ALL=1 there are all of this table. With LASTRO_DEATHS=all a process dies each time, until
it has survived a whole journey: then there is no further time to die.
"""

import random
from collections.abc import AsyncIterator

import pytest
from tests import drawn as draw
from tests.in_one import all_tried

from lastro.core.failpoints import GAPS

from . import test_charging as charging
from . import test_teds as teds
from .conftest import playing
from .crashing import EVERY_DEATH, OF_A_JOURNEY, Journey, compared, drawn, passes
from .insisting import authorizing_journey, journey, return_journey
from .play import Play
from .stage import Stage
from .walks import accounts, claims, payouts, rails

# delivery.sent and events.numbered are the same for whatever is told: an order has them for all. Payouts of a plan have inbox.stored.
JOURNEYS = {
    "order paid": Journey(journey, passes(2, 2, 4, 1, delivered=1, numbered=1), passes(1), dies_first_too=True),
    "order authorized": Journey(authorizing_journey, passes(2, 2, 4, 1), passes(0), dies_first_too=True),
    "money returned": Journey(return_journey, passes(2, 2, 3, 1), passes(0), dies_first_too=True),
    "payout": Journey(payouts.sending, passes(1, 1, 2, 1, numbered=1), passes(1), dies_first_too=True),
    # The payer's message, the question, the answer, and the end for each side.
    "payout inside": Journey(payouts.inside, passes(3, 0, 4, 2), passes(0), dies_first_too=True),
    "payout refused": Journey(accounts.refused, passes(1, 1, 2, 1), passes(1)),
    "TED": Journey(rails.ted, passes(2, 2, 3, 1), passes(1), teds.in_session),
    "slip": Journey(rails.slip, passes(2, 2, 4, 1), passes(1)),
    "card": Journey(rails.card, passes(3, 3, 8, 3), passes(2)),
    "voucher": Journey(rails.voucher, passes(2, 2, 4, 1), passes(1)),
    "coin": Journey(rails.coin, passes(2, 2, 4, 1), passes(1)),
    "plan": Journey(rails.plan, passes(6, 0, 4, 2, together=2), passes(3), rails.signer),
    "charge": Journey(rails.charge, passes(3, 3, 6, 2), passes(1), charging.accepted),
    "blamed": Journey(claims.blamed, passes(6, 4, 8, 3), passes(0), claims.paid_order),
    "contested": Journey(claims.contested, passes(11, 5, 6, 1), passes(1), claims.paid_payout),
    "key comes": Journey(claims.coming, passes(3, 3, 5, 2), passes(6), claims.outside_phone),
    "key leaves": Journey(claims.leaving, passes(4, 3, 5, 2), passes(3), claims.own_address),
    "account opened": Journey(accounts.opened, passes(2, 1, 2, 1), passes(4), accounts.asked_for),
    "account closed": Journey(accounts.closed, passes(2, 0, 1), passes(1), accounts.in_use),
    "order in parts": Journey(accounts.in_parts, passes(3, 3, 5, 2), passes(1)),
    "order expired": Journey(accounts.expired, passes(1, 0, 1), passes(1)),
}


@pytest.fixture
async def scene(fragile: Stage) -> AsyncIterator[Play]:
    async with playing(fragile) as made:
        yield made


@pytest.mark.parametrize("name", JOURNEYS)
async def test_a_process_may_die_anywhere(scene: Play, name: str) -> None:
    journey = JOURNEYS[name]
    deaths = journey.deaths if draw.ALL else drawn(JOURNEYS, draw.chance("deaths"))[name]
    if EVERY_DEATH:  # one for each gap, which goes over all times
        deaths = [death for death in journey.deaths if death.count == death.least]
    await all_tried(journey.cases(scene, deaths))
    await compared(scene)


def test_every_gap_is_died_in() -> None:
    """In each run, whatever it draws, by each process that passes it; and no death is left out for ever."""
    places = {death.place for one in JOURNEYS.values() for death in one.deaths}
    assert {gap for _, gap in places} == set(GAPS)
    seen: dict[str, set[object]] = {name: set() for name in JOURNEYS}
    for seed in range(200):
        some = drawn(JOURNEYS, random.Random(seed))
        assert {death.place for deaths in some.values() for death in deaths} == places
        assert min(len(deaths) for deaths in some.values()) >= OF_A_JOURNEY
        for name, deaths in some.items():
            seen[name].update(deaths)
    assert seen == {name: set(one.deaths) for name, one in JOURNEYS.items()}
