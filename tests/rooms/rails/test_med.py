"""The rail of disputes against a directory that says no: what is a no for good, and what is asked again."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from aiohttp import web

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.med import Med
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import MED_ACKNOWLEDGE, MED_ANSWER, MED_ORDER, MED_VERDICT, MedTask, Permanent, Transient
from lastro.rails.port.med import MedRefused
from lastro.rails.rejected_messages import REFUSED_ENDS

from .network import ISPB, TOKEN

_NO = b'{"type": "https://dict.example/api/v2/error/SAID_NO", "title": "no"}'
# What may stand before a directory, or at a wrong address.
NOT_ITS_OWN = (
    b"", b"<html>404 Not Found</html>", b"[]", b"null", b'{"error": "NOT_FOUND", "message": "no"}', b'{"type": 7}',
    b'{"type": ""}', b'{"type": "about:blank", "title": "Not Found"}', b'{"title": "Not Found"}',
)  # fmt: skip
NO, LATER = (400, 403, 404, 409, 413, 422), (401, 408, 429, 500, 502, 503)
KINDS = (MED_ACKNOWLEDGE, MED_VERDICT, MED_ORDER, MED_ANSWER)


@pytest.fixture
async def directory() -> AsyncIterator[tuple[Med, list[Any]]]:
    """A rail, and with what its directory answers, the next one first: a status, or that and a body."""
    answers: list[Any] = []

    async def answer(_: web.Request) -> web.Response:
        said = answers.pop(0)
        status, body = said if isinstance(said, tuple) else (said, _NO)
        return web.Response(body=body, status=status)

    application = web.Application()
    application.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, number = runner.addresses[0][:2]
    rail = Med(NetworkClient(f"http://{host}:{number}", Secret(TOKEN)), ISPB)
    yield rail, answers
    await rail.close()
    await runner.cleanup()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_directory_refuses_is_told_once(directory: tuple[Med, list[Any]], kind: str) -> None:
    rail, statuses = directory
    task = MedTask(reference_id=uuid4(), result="AGREED", returned=Money(0, "BRL"))
    for status in (*NO, *LATER):
        statuses.append(status)
        with pytest.raises(Permanent if status in NO else Transient, match="SAID_NO"):
            await rail.send(kind, f"{kind}:{task.reference_id}", port.encode(task), uuid4())


async def test_what_it_does_not_open_is_no_fault_of_the_way_there(directory: tuple[Med, list[Any]]) -> None:
    rail, statuses = directory
    for status in (*NO, *LATER):
        statuses.append(status)
        with pytest.raises(Permanent if status in NO else Transient, match="SAID_NO"):
            await rail.cancel(uuid4())


@pytest.mark.parametrize("body", NOT_ITS_OWN)
async def test_a_no_that_is_not_the_directorys_own_says_nothing(directory: tuple[Med, list[Any]], body: bytes) -> None:
    """A wrong address, or what stands on the way, is no refusal: it is told again, and alarmed where that does not end."""
    rail, answers = directory
    task = MedTask(reference_id=uuid4())
    for status in NO:
        answers += [(status, body)] * 2
        with pytest.raises(Transient):
            await rail.send(MED_ORDER, "x", port.encode(task), uuid4())
        with pytest.raises(Transient):
            await rail.cancel(uuid4())


async def test_the_directorys_word_is_the_last_part_of_its_address(directory: tuple[Med, list[Any]]) -> None:
    rail, answers = directory
    answers.append(404)
    with pytest.raises(Permanent) as no:
        await rail.cancel(uuid4())
    assert no.value.code == "SAID_NO"


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_directory_refuses_is_for_people(kind: str) -> None:
    """Of every kind: an alarmed row of the inbox, about the object, with what was to be told and the directory's word."""
    task = MedTask(reference_id=uuid4(), result="AGREED")
    told = REFUSED_ENDS[kind](port.encode(task), "SAID_NO")
    assert (told.kind, told.subject) == (port.REFUSED, str(task.reference_id))
    assert msgspec.json.decode(told.body, type=MedRefused) == MedRefused(task, "SAID_NO")
