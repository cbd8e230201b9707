"""The rows of every server: of those that write one name at once, one does."""

import pytest
from tests.cast import Cast, Seller

from lastro.core.errors import Stale, Taken
from lastro.core.reference_rows import Apart
from lastro.core.write import Freed, Row, Write


async def test_of_two_that_write_a_name_at_once_one_decides_again(cast: Cast, ana: Seller) -> None:
    one = Apart.of(Write(ana.company_id, rows=(Row("own_keys", {"key": "a@ana.example", "account_id": ana.account_id}),)))
    other = Apart.of(Write(ana.company_id, freed=(Freed("own_keys", {"key": "a@ana.example"}),)))
    beside = Apart.of(Write(ana.company_id, freed=(Freed("own_keys", {"key": "b@ana.example"}),)))
    assert one is not None
    assert other is not None
    assert beside is not None
    async with one.alone(cast.database):
        with pytest.raises(Stale):
            async with other.alone(cast.database):
                pytest.fail("it is alone")
        async with beside.alone(cast.database):
            pass
    with pytest.raises(Taken):
        async with one.alone(cast.database):
            raise Taken("whatever")
    async with other.alone(cast.database), beside.alone(cast.database):
        pass
