"""Whoever looks for an id sees all companies."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from lastro.core.db import PLANNED_ONCE, Database


@pytest.fixture(scope="session")
async def audit(database: Any) -> AsyncIterator[Database]:
    """One for all tests: to plan the search takes far longer than to search."""
    made = Database(database.audit, size=1, settings=PLANNED_ONCE)
    yield made
    await made.close()
