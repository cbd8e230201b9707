"""Ana's company in this worker's database, as the app's role; at the end of each file every law holds of what its tests
made, and every event is as its schema says.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.event_contract import hold_over
from tests.laws import broken, connected, some_broken

from lastro.core.db import PLANNED_ONCE, Database, Dsn

if TYPE_CHECKING:
    import asyncpg


class Auditor:
    """Looks at what tests made, over one connection for all of them: a new one would plan every law anew for each test.

    Its loop is its own, since a test's loop ends with the test.
    """

    def __init__(self, dsn: Dsn) -> None:
        self._dsn = dsn
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def look(self, founded: Mapping[UUID, str]) -> None:
        """AssertionError: a law is broken in one of these companies, or an event of theirs is not as its schema says."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._look(founded), self._loop))

    def close(self) -> None:
        if self._connection is not None:
            asyncio.run_coroutine_threadsafe(self._connection.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _look(self, founded: Mapping[UUID, str]) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await connected(self._dsn)
            # Planning the laws takes longer than reading what the tests of a file made.
            await self._connection.execute("SET plan_cache_mode = force_generic_plan")
        # What nobody here works off may be long due.
        if await some_broken(self._connection, founded):
            found = await broken(self._connection, at_rest=False, companies=founded)
            tests = {founded[row["company_id"]] for rows in found.values() for row in rows}
            assert found == {}, f"broken by {', '.join(sorted(tests))}"
        await hold_over(self._connection, founded)


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
    await auditor.look(founded)


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
