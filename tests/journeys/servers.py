"""The server of a database that a test may kill: one of its own, or all nodes of a cluster."""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.cluster.nodes import Cluster, Node, is_cluster
from tests.journeys.stage import until

from lastro_sandbox.embedded import EmbeddedServer

Server = EmbeddedServer | Cluster
Part = EmbeddedServer | Node


def on_cluster() -> bool:
    """Whether tests are run on clusters."""
    return bool(os.environ.get("LASTRO_CITUS_URL"))


async def started(home: Path, *, is_spread: bool) -> Server:
    """A durable server in this folder. is_spread: where there is none yet, it is a cluster; its database is migrated."""
    kind: type[Server] = Cluster if is_spread or is_cluster(home) else EmbeddedServer
    return await asyncio.to_thread(kind.start, home)


def parts(server: Server) -> Sequence[Part]:
    """What may be killed by itself: the coordinator first."""
    return server.nodes if isinstance(server, Cluster) else (server,)


async def put_out(server: Server, number: signal.Signals, pause: float = 0.0, some: Sequence[Part] = ()) -> None:
    """These parts of it, or all, end by this signal, stay away for so many seconds, and come back."""
    await ended(number, some or parts(server))
    await asyncio.sleep(pause)
    await asyncio.to_thread(server.revive)


async def ended(number: signal.Signals, some: Sequence[Part]) -> None:
    """These parts are sent this signal, and are gone."""
    for part in some:
        if part.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(part.pid, number)

    async def are_gone() -> bool:
        return not any(part.is_running() for part in some)

    await until(are_gone, "the server's end")
