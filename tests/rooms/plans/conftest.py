"""An office with money, and a second client to approve what the first one plans."""

import pytest
from tests.cast import Cast, Seller

from .bureau import Bureau


@pytest.fixture
async def bureau(cast: Cast, ana: Seller) -> Bureau:
    return await Bureau.open(cast, ana)
