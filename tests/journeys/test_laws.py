"""What every journey ends with sees a law that was broken on its way."""

from uuid import UUID

import pytest

from lastro.core.db import Database

from .conftest import playing
from .stage import Stage

_STRAY = "UPDATE companies SET default_account_id = $2 WHERE company_id = $1"
_NOWHERE = UUID(int=404)


async def test_a_journey_that_breaks_a_law_fails(stack: Stage) -> None:
    pool, company_id = Database(stack.dsn("lastro_app"), size=1), UUID(stack.sandbox["companyId"])
    async with pool.session(company_id) as session:
        before = await session.value("SELECT default_account_id FROM companies WHERE company_id = $1", company_id)
        try:
            with pytest.raises(AssertionError, match="law_an_account_is_the_companys_own"):
                async with playing(stack):
                    await session.fetch(_STRAY, company_id, _NOWHERE)
        finally:
            await session.fetch(_STRAY, company_id, before)
    await pool.close()
