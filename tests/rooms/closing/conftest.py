"""A counter for each test; at its end every law holds of what it made."""

import pytest
from tests.cast import Cast, Seller

from .counter import Counter


@pytest.fixture
async def counter(cast: Cast, ana: Seller) -> Counter:
    return Counter(cast, ana)
