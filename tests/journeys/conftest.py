"""Stages for journeys: one for all that do not kill, shared by the tests of a worker, and one for those that do."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from tests.conftest import lent
from tests.databases import Database
from tests.journeys.play import Play
from tests.journeys.servers import Server, on_cluster, started
from tests.journeys.stage import Stage
from tests.laws import connected

_STAGES = pytest.StashKey[list[Stage]]()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Lets the shared stages rest when the next test is no journey."""
    if nextitem is not None and not nextitem.path.is_relative_to(Path(__file__).parent):
        for stage in item.config.stash.get(_STAGES, []):
            stage.rest()


def opened(home: Path, database: Database) -> Iterator[Stage]:
    stage = Stage(home, database.admin.url, is_external=database.is_external)
    try:
        asyncio.run(stage.open())
        yield stage
    finally:
        stage.close()


def mortal_server() -> Iterator[Server]:
    """A durable server for one test alone, which may kill it; a cluster where the run's server is one."""
    if os.environ.get("LASTRO_DATABASE_URL"):
        pytest.skip("the database of LASTRO_DATABASE_URL is not ours to kill")
    with tempfile.TemporaryDirectory(prefix="lastro-outage-") as folder:
        Path(folder).chmod(0o711)
        server = asyncio.run(started(Path(folder), is_spread=on_cluster()))
        yield server
        server.stop(hurry=True)


def _shared(request: pytest.FixtureRequest, factory: pytest.TempPathFactory, name: str) -> Iterator[Stage]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    for database in lent(request, "clone", f"{name}_{worker}"):
        for stage in opened(factory.mktemp(name), database):
            request.config.stash.setdefault(_STAGES, []).append(stage)
            yield stage


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Shared by journeys, which use names of their own and leave it at rest."""
    yield from _shared(request, tmp_path_factory, "journeys")


@pytest.fixture(scope="session")
def fragile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Shared by tests that kill, each of which leaves everything running."""
    yield from _shared(request, tmp_path_factory, "crashes")


@asynccontextmanager
async def playing(stage: Stage) -> AsyncIterator[Play]:
    """A play whose end is that everything adds up."""
    await stage.wake()
    books = await connected(stage.dsn("lastro_audit"))
    try:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60), trust_env=False) as http:
            play = Play(stage, http, books)
            await play.rest()
            yield play
            await play.end()
    finally:
        await books.close()


@pytest.fixture
async def play(stack: Stage) -> AsyncIterator[Play]:
    async with playing(stack) as made:
        yield made
