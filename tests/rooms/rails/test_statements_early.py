"""A network whose clock follows the sandbox's own by a moment: the statement that was asked for in that moment is taken all the same."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from uuid import UUID

import pytest

from lastro.app.reconciling import BOOKED
from lastro.config.settings import read
from lastro.core import work_queue
from lastro.rails.port import NetworkMessage, StatementPage, Statements
from lastro.rails.spi.statements import statements
from lastro.reconciliation import LANE, Reconciler
from lastro_sandbox.clock import Stepper

from .conftest import Scene, Town
from .network import ISPB, TOKEN

DAYS = 2
STATES = "SELECT state FROM statements ORDER BY day"


@dataclass
class Asked:
    """Statements as the network gives them. arrives: the clock, as soon as an answer has left the network."""

    network: Statements
    stepper: Stepper
    arrives: bool = False
    days: list[tuple[date, bool]] = field(default_factory=list)

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        page = await self.network.statement(day, after)
        self.days.append((day, page is not None))
        if self.arrives:
            self.arrives = not await self.stepper.step()
        return page


@dataclass
class Place:
    """A town whose database is two days further than its network."""

    town: Town
    asked: Asked
    reconciler: Reconciler

    async def turn(self) -> None:
        """One turn of a worker at every statement that is due."""
        scene, company_id = self.town.scene, self.town.house.institution
        await self.reconciler.begin()
        for row in await work_queue.claim(scene.database, LANE, company_id, scene.chance.uuid(await scene.now()), 10):
            await self.reconciler.row(row)

    async def states(self) -> list[str]:
        return [row["state"] for row in await self.town.scene.rows(STATES)]


@pytest.fixture
async def place(town: Town) -> AsyncIterator[Place]:
    scene = town.scene
    town.network.move_clock(0)
    await go_on(scene, timedelta(days=DAYS))
    settings = read({"LASTRO_NETWORK_URL": town.url, "LASTRO_NETWORK_TOKEN": TOKEN})
    stepper = Stepper(settings, scene.work, scene.database)
    source = statements(town.line(), ISPB)
    asked = Asked(source, stepper)

    async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
        return {one.network_id: town.house.institution for one in told}

    reconciler = Reconciler(scene.database, scene.work, scene.runner, {"pix": asked}, BOOKED, owners)
    try:
        yield Place(town, asked, reconciler)
    finally:
        await stepper.close()
        await source.close()


async def test_it_is_asked_for_again_as_soon_as_the_clock_has_arrived(place: Place) -> None:
    await place.turn()
    assert [is_there for _, is_there in place.asked.days] == [False] * DAYS
    await place.turn()
    assert len(place.asked.days) == DAYS  # by itself not for ten minutes
    assert await place.asked.stepper.step()
    await place.turn()
    assert await place.states() == ["TAKEN"] * DAYS


async def test_so_is_what_was_in_a_workers_hands_when_the_clock_arrived(place: Place) -> None:
    place.asked.arrives = True
    await place.turn()
    assert [is_there for _, is_there in place.asked.days] == [False, True]
    await place.turn()
    assert await place.states() == ["TAKEN"] * DAYS


async def test_what_was_over_for_the_network_already_is_not_hurried(place: Place) -> None:
    """It has another reason to wait. Hurried at each step, a statement of many pages would never come to its end."""
    scene, stepper = place.town.scene, place.asked.stepper
    await stepper.step()
    await place.turn()
    await scene.rows("UPDATE statements SET state = 'TAKING', due_at = business_now() + interval '9 minutes'")
    assert await stepper.step() is None
    await go_on(scene, timedelta(seconds=1))
    assert await stepper.step()
    assert not await scene.rows("SELECT 1 FROM statements WHERE due_at <= business_now()")


async def go_on(scene: Scene, by: timedelta) -> None:
    """The database's clock alone, as when a step has just begun."""
    await scene.rows("UPDATE clock SET offset_us = offset_us + $1, version = version + 1", by // timedelta(microseconds=1))
