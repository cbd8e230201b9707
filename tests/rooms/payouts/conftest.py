"""An office with money for each test; at its end every law holds of what it made."""

import pytest
from tests.cast import Cast, Seller

from lastro.core.db import Database

from .here import Here
from .office import Office


@pytest.fixture
async def office(cast: Cast, ana: Seller) -> Office:
    return await Office.open(cast, ana)


@pytest.fixture
async def here(own_cast: Cast, own_work: Database) -> Here:
    return await Here.open(own_cast, own_work)
