import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .stage import Institution, Sim, Till, registered_key, running, till, working

_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a store that is made for each test waits for no disk."""
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.fixture
async def sim(tmp_path: Path) -> AsyncIterator[Sim]:
    async with running(tmp_path) as made:
        yield made


@pytest.fixture
async def impatient(tmp_path: Path) -> AsyncIterator[Sim]:
    """A network that waits 50 ms for the receiver and leases for as long."""
    async with running(tmp_path, ask_seconds=0.05, lease_seconds=0.05) as made:
        yield made


@pytest.fixture
async def still(tmp_path: Path) -> AsyncIterator[Sim]:
    """A network whose machine's clock stands: nothing but the test moves time, and no token comes back meanwhile."""
    now = datetime.now(UTC)
    async with running(tmp_path, machine=lambda: now) as made:
        yield made


@pytest.fixture
async def lastro(sim: Sim) -> AsyncIterator[Institution]:
    async with working(sim) as made:
        yield made


@pytest.fixture
async def shop(sim: Sim) -> AsyncIterator[Till]:
    async with till(sim) as made:
        yield made


@pytest.fixture
async def key(sim: Sim) -> str:
    return await registered_key(sim)
