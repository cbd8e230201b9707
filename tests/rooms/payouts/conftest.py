"""An office with money for each test; at its end every law holds of what it made."""

import pytest
from tests.cast import Cast, Seller

from .office import Office


@pytest.fixture
async def office(cast: Cast, ana: Seller) -> Office:
    return await Office.open(cast, ana)
