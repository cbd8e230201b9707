"""A desk for each test; at its end every law holds of what it made."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.cast import Cast

from .desk import Desk


@pytest.fixture
async def desk(cast: Cast, database: Any) -> AsyncIterator[Desk]:
    made = await Desk.open(cast, database.work)
    yield made
    await made.work.close()
