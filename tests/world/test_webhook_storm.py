"""A seeded storm of events: whatever dies on their way, each is delivered or given up as promised, in order, and nothing else.

LASTRO_STORM_SEED plays the choices of a storm again, LASTRO_STORM_ROUNDS makes it longer.
"""

import os
import secrets
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from ssl import SSLContext

import pytest
from tests.journeys.conftest import mortal_server, playing
from tests.journeys.play import Play
from tests.journeys.servers import Server
from tests.journeys.stage import PROGRAMS, Stage
from tests.laws import connected
from tests.rooms.http_client.conftest import certificate as certificate  # noqa: PLC0414 a fixture is found by its name
from tests.rooms.http_client.conftest import certify as certify  # noqa: PLC0414
from tests.rooms.http_client.conftest import server_tls as server_tls  # noqa: PLC0414
from tests.world.street import street
from tests.world.webhook_laws import Aftermath, summary
from tests.world.webhook_storm import GAPS, WORKERS, WebhookStorm

from lastro.core import failpoints
from lastro.ops.migrate import migrate
from lastro.ops.verify import HOLD, verify

_WORKER = (str(Path(__file__).with_name("hurried_worker.py")),)


@pytest.fixture
def server() -> Iterator[Server]:
    yield from mortal_server()


@pytest.fixture
async def play(server: Server, tmp_path: Path) -> AsyncIterator[Play]:
    """A stage with several workers on a server of its own."""
    await migrate(server.dsn())
    programs = {name: PROGRAMS[name] for name in ("simulator", "api")} | dict.fromkeys(WORKERS, _WORKER)
    stage = Stage(tmp_path / "home", server.dsn(), is_external=False, programs=programs)
    try:
        await stage.open()
        async with playing(stage) as made:
            yield made
    finally:
        stage.close()


async def test_every_event_comes_through_a_storm(play: Play, server: Server, server_tls: SSLContext) -> None:
    seed = int(os.environ.get("LASTRO_STORM_SEED") or secrets.randbelow(2**32))
    sys.stdout.write(f"LASTRO_STORM_SEED={seed}\n")
    rounds = int(os.environ.get("LASTRO_STORM_ROUNDS") or 1)
    async with street(server_tls) as receivers:
        storm = WebhookStorm(play, server, receivers, seed)
        await storm.open()
        await storm.blow(rounds)
        await storm.send_again(most=4)
        play.books = await connected(play.stage.dsn("lastro_audit"))  # what it had ended with the database
        sys.stdout.write(f"{summary(storm)}\n")
        (await Aftermath.of(storm, play.books)).hold()
    assert set(GAPS) <= set(failpoints.GAPS)
    assert all(storm.deaths[gap] for gap in GAPS)
    assert storm.outages
    said: list[str] = []
    assert await verify(play.stage.dsn("lastro_audit"), at_rest=True, say=said.append) == HOLD, said
