"""Ana's company in this worker's database, as the app's role; at the end of each file every law holds of what its tests
made, and every event is as its schema says.

What moves the clock, or works off what is due of all companies, has a database to itself: `own_cast`.
"""

import os
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests import statements
from tests.cast import Cast, Seller
from tests.conftest import lent
from tests.emptied import Emptied
from tests.event_contract import hold_over
from tests.laws import Auditor

from lastro.core.db import PLANNED_ONCE, Database


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tells what a test of the rooms sends, where that is wanted."""
    if statements.FOLDER is None or not item.path.is_relative_to(Path(__file__).parent):
        return (yield)
    with statements.told(item.nodeid, Path(statements.FOLDER)):
        return (yield)


@pytest.fixture(scope="session")
def auditor(database: Any) -> Iterator[Auditor]:
    made = Auditor(database.audit)
    yield made
    made.close()


@pytest.fixture(scope="session")
async def pool(database: Any) -> AsyncIterator[Database]:
    """The worker's database as the app's role: connections of each test's own would plan every statement anew."""
    made = Database(database.app, size=10, settings=PLANNED_ONCE)
    yield made
    await made.close()


@pytest.fixture(scope="module")
async def audited(auditor: Auditor) -> AsyncIterator[dict[UUID, str]]:
    """The companies of a file's tests, by the test that founded each; looked at once, since reading the laws takes longer
    than what most tests do."""
    founded: dict[UUID, str] = {}
    yield founded
    # What nobody here works off may be long due.
    found = await auditor.breaches(at_rest=False, companies=founded)
    tests = {founded[row["company_id"]] for rows in found.values() for row in rows}
    assert found == {}, f"broken by {', '.join(sorted(tests))}"
    await auditor.ask(lambda read: hold_over(read, founded))


@pytest.fixture
async def cast(pool: Database, audited: dict[UUID, str], request: pytest.FixtureRequest) -> AsyncIterator[Cast]:
    made = Cast(pool)
    yield made
    audited.update(dict.fromkeys(made.companies, request.node.nodeid))


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


@pytest.fixture
async def inside(database: Any, ana: Seller) -> AsyncIterator[Any]:
    """A connection of the app's role that is set to Ana's company: for setting a scene that no verb sets yet."""
    connection = await database.connect_to(ana.company_id)
    yield connection
    await connection.close()


# Of tests whose worker numbers no events, and ends nothing that hangs on a closed account.
_NOT_AT_REST = {"law_nothing_is_overdue_at_rest", "law_a_closed_account_has_nothing_at_rest"}


class Alone:
    """A second database of this worker, for one test at a time: emptied behind each, since to copy one anew takes longer."""

    def __init__(self, database: Any) -> None:
        self.database, self.auditor = database, Auditor(database.audit)
        self.app = Database(database.app, size=10, settings=PLANNED_ONCE)
        self.work = Database(database.work, size=4, settings=PLANNED_ONCE)

    async def begin(self) -> None:
        self._emptied = Emptied(await self.database.connect_everywhere())
        await self._emptied.begin()

    async def hold(self) -> None:
        """Every law holds, and every event is as its schema says."""
        found = await self.auditor.breaches()
        assert found.keys() <= _NOT_AT_REST, found
        await self.auditor.ask(hold_over)

    async def empty(self) -> None:
        await self._emptied.empty()

    async def close(self) -> None:
        self.auditor.close()
        for one in (self.app, self.work, self._emptied):
            await one.close()


@pytest.fixture(scope="session")
def _second_database(request: pytest.FixtureRequest) -> Iterator[Any]:
    yield from lent(request, "clone", os.environ.get("PYTEST_XDIST_WORKER", "main") + "_alone")


@pytest.fixture(scope="session")
async def _alone(_second_database: Any) -> AsyncIterator[Alone]:
    made = Alone(_second_database)
    await made.begin()
    yield made
    await made.close()


@pytest.fixture
async def own_cast(_alone: Alone) -> AsyncIterator[Cast]:
    """With a clock of its own, and nothing else in the database but the institution."""
    made = Cast(_alone.app)
    await made.found("The institution", number=0)
    yield made
    try:
        await _alone.hold()
    finally:
        await _alone.empty()


@pytest.fixture
def own_work(_alone: Alone, own_cast: Cast) -> Database:
    """The database of `own_cast` as the role that finds what is due."""
    return _alone.work
