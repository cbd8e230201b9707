"""A shop for each test; at its end every law holds of what it made."""

import pytest
from tests.cast import Cast, Seller

from .shop import Shop


@pytest.fixture
async def shop(cast: Cast, ana: Seller) -> Shop:
    return Shop(cast, ana)
