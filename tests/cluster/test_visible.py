"""A session asks for types without the engine, which would look at each row of the catalogue."""

import os
from typing import Any

import pytest
from tests.cast import Cast

from lastro.core.db import Database

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")
_SETTING = "SELECT current_setting('citus.override_table_visibility')"


async def test_at_the_coordinator_and_in_a_shard(own_database: Any) -> None:
    cast = Cast(Database(own_database.app, size=2))
    ana = await cast.ana()
    for company_id in (None, ana.company_id):
        async with cast.database.session(company_id) as session:
            assert await session.value(_SETTING) == "off"
    await cast.close()
