"""Ana's company in this worker's database, as the app's role; at the end of each test every law holds of what it made,
and every event is as its schema says.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.event_contract import hold
from tests.laws import breaches


@pytest.fixture
async def cast(database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(database.app)
    yield made
    await made.close()
    # What nobody here works off may be long due.
    assert await breaches(database.audit, at_rest=False, companies=made.companies) == {}
    await hold(database.audit, made.companies)


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
