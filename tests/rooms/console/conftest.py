"""A console for each test, whose visitors come as browsers do."""

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, building


@pytest.fixture
def house(cast: Cast, ana: Seller) -> Building:
    return building(cast, ana)
