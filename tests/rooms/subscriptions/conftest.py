"""A desk for each test; at its end every law holds of what it made."""

from collections.abc import AsyncIterator

import pytest
from tests.cast import Cast, Seller

from .at_bank import AtBank, opened
from .charging import Bank
from .desk import Desk


@pytest.fixture
async def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk.open(cast, ana)


@pytest.fixture
async def bank(desk: Desk) -> Bank:
    return Bank(desk)


@pytest.fixture
async def at_bank(cast: Cast, ana: Seller) -> AsyncIterator[AtBank]:
    async with opened(cast, ana) as made:
        yield made
