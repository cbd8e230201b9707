"""The rail of claims against a directory that says no: what is a no for good, what passes, and what is for people."""

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from aiohttp import web
from tests.rules.rails.test_claims_wire import AT, CLAIM, OF_OURS

from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.claims import Claims
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import (
    CLAIM_ACKNOWLEDGE,
    CLAIM_CANCEL,
    CLAIM_COMPLETE,
    CLAIM_CONFIRM,
    CLAIM_NEWS,
    ClaimTask,
    ClaimWish,
    KeyAccount,
    KeyOwner,
    Permanent,
    Transient,
)
from lastro.rails.port.claims import ClaimRefused
from lastro.rails.rejected_messages import REFUSED_ENDS

from .network import ISPB, TOKEN
from .test_med import LATER, NO, NOT_ITS_OWN

_ADDRESS = "https://dict.example/api/v2/error/"
TASK = ClaimTask(claim_id=uuid4(), request_id=uuid4(), role="DONOR", reason="DEFAULT_OPERATION")


@pytest.fixture
async def directory() -> AsyncIterator[tuple[Claims, list[tuple[int, bytes]]]]:
    """A rail, and with what its directory answers, the next one first."""
    answers: list[tuple[int, bytes]] = []

    async def answer(_: web.Request) -> web.Response:
        status, body = answers.pop(0)
        return web.Response(body=body, status=status)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, number = runner.addresses[0][:2]
    rail = Claims(NetworkClient(f"http://{host}:{number}", Secret(TOKEN)), ISPB)
    yield rail, answers
    await rail.close()
    await runner.cleanup()


def says(word: str) -> bytes:
    return f'{{"type": "{_ADDRESS}{word}", "title": "no"}}'.encode()


async def test_what_is_the_directorys_no_and_what_passes(directory: tuple[Claims, list[Any]]) -> None:
    rail, answers = directory
    cases = [(status, says("SAID_NO"), True) for status in NO] + [(status, says("SAID_NO"), False) for status in LATER]
    cases += [(status, body, False) for status in (403, 404) for body in NOT_ITS_OWN]
    cases += [(409, says(f"Claim{period}PeriodNotEnded"), False) for period in ("Resolution", "Completion")]
    for status, body, is_final in cases:
        answers += [(status, body)] * 2
        with pytest.raises(Permanent if is_final else Transient) as told:
            await rail.send(CLAIM_CANCEL, "x", port.encode(TASK), uuid4())
        assert getattr(told.value, "code", None) == ("SAID_NO" if is_final else None)
        with pytest.raises(Permanent if is_final else Transient):
            await rail.tell_claim(CLAIM_CONFIRM, TASK)


WISH = ClaimWish(
    uuid4(), "CLAIM_OWNERSHIP", "PHONE", CLAIM["Key"], KeyOwner("X", CLAIM["Claimer"]["TaxIdNumber"]),
    KeyAccount("0001", OF_OURS["AccountNumber"], AT),
)  # fmt: skip


async def test_a_claim_that_is_open_already_is_ours_where_the_list_has_it(directory: tuple[Claims, list[Any]]) -> None:
    """createClaim has no RequestId: after a lost answer the claim is found by listClaims, on whichever page it is."""
    rail, answers = directory
    own = {**CLAIM, "Id": str(uuid4()), "Status": "OPEN", "ClaimerAccount": OF_OURS, "DonorParticipant": "99999030"}
    other = {**own, "Id": str(uuid4()), "Key": "+5511900000000"}
    exists = (400, says("ClaimAlreadyExistsForKey"))
    pages = [({"HasMoreElements": more, "Claims": claims}) for more, claims in ((True, [other]), (False, [own]))]
    answers += [exists, *((200, json.dumps(page).encode()) for page in pages)]
    assert str((await rail.open_claim(WISH)).claim_id) == own["Id"]
    answers += [exists, (200, json.dumps({"HasMoreElements": False, "Claims": [other]}).encode())]
    with pytest.raises(Permanent) as told:
        await rail.open_claim(WISH)
    assert told.value.code == "ClaimAlreadyExistsForKey"
    answers += [exists, (503, b"")]
    with pytest.raises(Transient):
        await rail.open_claim(WISH)
    assert answers == []


@pytest.mark.parametrize(
    ("kind", "stands", "is_followed"),
    [
        (CLAIM_ACKNOWLEDGE, "CANCELLED", True), (CLAIM_ACKNOWLEDGE, "OPEN", False), (CLAIM_CONFIRM, "COMPLETED", True),
        (CLAIM_CONFIRM, "CANCELLED", False), (CLAIM_COMPLETE, "COMPLETED", True), (CLAIM_COMPLETE, "CONFIRMED", False),
        (CLAIM_CANCEL, "CANCELLED", True), (CLAIM_CANCEL, "COMPLETED", False),
    ],
)  # fmt: skip
async def test_what_is_said_again_of_a_claim_that_has_gone_on(
    directory: tuple[Claims, list[Any]], kind: Any, stands: str, is_followed: bool
) -> None:
    """The operations are idempotent in the status they lead to alone; beyond it the claim is read."""
    rail, answers = directory
    answers += [(400, says("ClaimOperationInvalid")), (200, json.dumps({**CLAIM, "Status": stands}).encode())]
    if is_followed:
        assert (await rail.tell_claim(kind, TASK)).status == stands
    else:
        with pytest.raises(Permanent):
            await rail.tell_claim(kind, TASK)
    assert answers == []


@pytest.mark.parametrize("kind", [CLAIM_ACKNOWLEDGE, CLAIM_CONFIRM, CLAIM_CANCEL, CLAIM_COMPLETE])
def test_what_the_directory_refuses_is_for_people(kind: str) -> None:
    told = REFUSED_ENDS[kind](port.encode(TASK), "SAID_NO")
    assert (told.kind, told.subject) == (port.REFUSED, str(TASK.claim_id))
    assert msgspec.json.decode(told.body, type=ClaimRefused) == ClaimRefused(TASK, "SAID_NO")


async def test_how_a_claim_stands_is_asked_by_its_id(directory: tuple[Claims, list[Any]]) -> None:
    """Unknown: the directory itself has no such claim. Whatever else comes back says nothing: it is asked again later."""
    rail, answers = directory
    claim = {**CLAIM, "Status": "CANCELLED"}
    name = claim["Id"]
    answers.append((200, json.dumps(claim).encode()))
    told = await rail.status_of(CLAIM_NEWS, name)
    assert isinstance(told, port.NetworkMessage)
    assert (told.kind, told.network_id, told.subject, told.rail, told.key) == (
        CLAIM_NEWS,
        "",
        name,
        port.CLAIMS,
        claim["Key"],
    )
    assert port.claim_news(told.body).status == "CANCELLED"
    answers.append((404, says("NotFound")))
    assert await rail.status_of(CLAIM_NEWS, name) == port.Unknown()
    others = [(404, b"no such page"), (403, says("Forbidden")), (503, b""), (200, b"{}"), (200, json.dumps(claim).encode())]
    for status, body in others:
        answers.append((status, body))
        with pytest.raises(Transient):
            await rail.status_of(CLAIM_NEWS, str(uuid4()))
    assert await rail.status_of(CLAIM_CONFIRM, name) == port.Unknown(), "what is told can be told again: nothing is asked"
