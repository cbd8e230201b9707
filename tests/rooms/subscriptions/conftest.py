"""A desk for each test; at its end every law holds of what it made."""

import pytest
from tests.cast import Cast, Seller

from .charging import Bank
from .desk import Desk


@pytest.fixture
async def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk.open(cast, ana)


@pytest.fixture
async def bank(desk: Desk) -> Bank:
    return Bank(desk)
