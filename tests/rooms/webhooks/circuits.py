"""An endpoint that has stopped answering, as a test wants it."""

from datetime import timedelta

import asyncpg
from aiohttp import web
from tests.rooms.webhooks.conftest import Company, Received, Receiver, Scene

from lastro.webhooks import Deliverer
from lastro.webhooks.circuit import TRIPS_AT


async def away(_: Received) -> web.Response:
    return web.Response(status=503, body=b"maintenance")


async def circuit(scene: Scene, company: Company | None = None) -> asyncpg.Record:
    """The one row there is, or that of a company."""
    rows = await scene.admin.fetch(
        "SELECT * FROM webhook_circuits WHERE $1::uuid IS NULL OR company_id = $1", None if company is None else company.id
    )
    (row,) = rows
    return row


async def attempted(scene: Scene) -> int:
    count: int = await scene.admin.fetchval("SELECT count(*) FROM delivery_attempts")
    return count


async def to_the_probe(scene: Scene) -> None:
    """The clock goes to the circuit's next probe."""
    await scene.set_clock((await circuit(scene))["probe_at"] + timedelta(milliseconds=1))


async def opened(scene: Scene, company: Company, receiver: Receiver, deliverer: Deliverer, waiting: int = 6) -> list[str]:
    """Events in a row are not answered, and so many more wait; their ids."""
    ids = [str(await scene.tell(company, receiver.url)) for _ in range(TRIPS_AT + waiting)]
    await scene.step(deliverer)
    row = await circuit(scene, company)
    assert (row["state"], row["failed_probes"]) == ("OPEN", 0)
    return ids
