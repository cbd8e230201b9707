from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import Database
from tests.journeys.conftest import opened
from tests.journeys.stage import Stage


@pytest.fixture
def stormy(own_database: Database, tmp_path: Path) -> Iterator[Stage]:
    """A stage for one storm alone."""
    yield from opened(tmp_path / "home", own_database)
