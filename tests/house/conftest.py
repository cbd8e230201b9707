"""A town of two companies for the tests of a file, and an operator for each test of a command."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import lent

from lastro.config.settings import read

from .many import filled, many
from .office import Office, environment
from .strangers import Town, leave, settle

__all__ = ["filled", "many"]


@pytest.fixture(scope="module")
async def town(request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    """In a database of its own: what is written is looked for in all of it."""
    for database in lent(request, "clone", secrets.token_hex(4)):
        settled = await settle(database)
        yield settled
        await leave(settled)


@pytest.fixture
def office(own_database: Any, tmp_path: Path) -> Office:
    return Office(read(environment(own_database, tmp_path)))
