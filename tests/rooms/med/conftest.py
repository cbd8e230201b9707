"""What every test about disputes has."""

import pytest
from tests.cast import Cast, Seller

from .court import Court


@pytest.fixture
async def court(cast: Cast, ana: Seller) -> Court:
    return Court(cast, ana)
