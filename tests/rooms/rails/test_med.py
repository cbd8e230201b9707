"""The rail of disputes against a directory that says no: what is a no for good, and what is asked again."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from aiohttp import web

from lastro.base.money import Money
from lastro.base.secrets import Secret
from lastro.rails import port
from lastro.rails.line import Line
from lastro.rails.med import Med
from lastro.rails.port import MED_ACKNOWLEDGE, MED_ANSWER, MED_ORDER, MED_VERDICT, MedTask, Permanent, Transient

from .network import ISPB, TOKEN

NO, LATER = (400, 403, 404, 409, 413, 422), (401, 408, 429, 500, 502, 503)
KINDS = (MED_ACKNOWLEDGE, MED_VERDICT, MED_ORDER, MED_ANSWER)


@pytest.fixture
async def directory() -> AsyncIterator[tuple[Med, list[int]]]:
    """A rail, and the statuses with which its directory answers, the next one first."""
    statuses: list[int] = []

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"type": "SAID_NO", "title": "no"}, status=statuses.pop(0))

    application = web.Application()
    application.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, number = runner.addresses[0][:2]
    rail = Med(Line(f"http://{host}:{number}", Secret(TOKEN)), ISPB)
    yield rail, statuses
    await rail.close()
    await runner.cleanup()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_directory_refuses_is_told_once(directory: tuple[Med, list[int]], kind: str) -> None:
    rail, statuses = directory
    task = MedTask(reference_id=uuid4(), result="AGREED", returned=Money(0, "BRL"))
    for status in (*NO, *LATER):
        statuses.append(status)
        with pytest.raises(Permanent if status in NO else Transient, match="SAID_NO"):
            await rail.send(kind, f"{kind}:{task.reference_id}", port.encode(task), uuid4())


async def test_what_it_does_not_open_is_no_fault_of_the_way_there(directory: tuple[Med, list[int]]) -> None:
    rail, statuses = directory
    for status in (*NO, *LATER):
        statuses.append(status)
        with pytest.raises(Permanent if status in NO else Transient, match="SAID_NO"):
            await rail.cancel(uuid4())
