"""Ana's company in this worker's database, as the app's role; at the end of each file every law holds of what its tests
made, and every event is as its schema says.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.event_contract import hold_over
from tests.laws import Auditor

from lastro.core.db import PLANNED_ONCE, Database


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
    await auditor.ask(lambda connection: hold_over(connection, founded))


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
    connection = await database.connect(database.app)
    await connection.execute("SELECT set_config('lastro.company', $1, false)", str(ana.company_id))
    yield connection
    await connection.close()
