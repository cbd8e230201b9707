"""Ana's company in this worker's database, as the app's role; at the end of each test every law holds of what it made,
and every event is as its schema says.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.event_contract import hold_over
from tests.laws import broken, connected, some_broken

from lastro.core.db import Dsn

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

    async def look(self, companies: Iterable[UUID]) -> None:
        """AssertionError: a law is broken in one of these companies, or an event of theirs is not as its schema says."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._look(list(companies)), self._loop))

    def close(self) -> None:
        if self._connection is not None:
            asyncio.run_coroutine_threadsafe(self._connection.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _look(self, companies: list[UUID]) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await connected(self._dsn)
            # Planning the laws takes longer than reading what one test made.
            await self._connection.execute("SET plan_cache_mode = force_generic_plan")
        # What nobody here works off may be long due.
        if await some_broken(self._connection, companies):
            assert await broken(self._connection, at_rest=False, companies=companies) == {}
        await hold_over(self._connection, companies)


@pytest.fixture(scope="session")
def auditor(database: Any) -> Iterator[Auditor]:
    made = Auditor(database.audit)
    yield made
    made.close()


@pytest.fixture
async def cast(database: Any, auditor: Auditor) -> AsyncIterator[Cast]:
    made = Cast.of(database.app)
    yield made
    await made.close()
    await auditor.look(made.companies)


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
