"""lastro account: block, unblock and close; requests, their documents, approval and refusal; the story of a request."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from PIL import Image
from tests.cast import Cast
from tests.rooms.accounts.openings import ALL, Desk, photo

from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.secrets import load_key_ring
from lastro.timeline.by_id import find, lines
from lastro.timeline.reading import Root, tell

from .office import HOLDER, Office, environment


@pytest.fixture
def ana(own_database: Any, tmp_path: Path) -> Office:
    office = Office(read(environment(own_database, tmp_path)))
    office.types("company", "add", "Ana")
    office.types("account", "open", "1", *HOLDER)
    return office


def test_an_account_is_blocked_unblocked_and_closed(ana: Office) -> None:
    (account,) = ana.asks("account", "list", "1")
    number = account["number"]
    blocked = ana.asks("account", "block", number, "--reason", "COURT_ORDER", "--description", " Order 7 ", "--by", "Olga")
    assert blocked == {
        "id": account["id"], "number": number.replace("-", ""), "status": "INACTIVE", "previousStatus": "ACTIVE",
        "reason": "COURT_ORDER", "description": "Order 7",
    }  # fmt: skip
    assert ana.asks("account", "show", number)["status"] == "INACTIVE"
    assert "is INACTIVE already" in ana.declined("account", "block", number, "--reason", "FRAUD_SUSPECTED")
    assert "is INACTIVE: only an active one" in ana.declined("account", "default", "1", number)
    assert ana.asks("account", "unblock", number, "--reason", "FRAUD_CLEARED")["description"] == "FRAUD_CLEARED"
    assert "is ACTIVE already" in ana.declined("account", "unblock", number, "--reason", "FRAUD_CLEARED")
    closed = ana.asks("account", "close", number, "--reason", "HOLDER_REQUEST")
    assert (closed["status"], closed["obstacles"]) == ("REQUESTED", [])
    for command, reason in (("close", "HOLDER_REQUEST"), ("block", "COURT_ORDER"), ("unblock", "COURT_ORDER")):
        assert "is CLOSED already" in ana.declined("account", command, number, "--reason", reason)


@pytest.mark.parametrize("wrong", [("--description", "a\nb"), ("--description", "x" * 141), ("--by", " ")])
def test_what_is_said_must_be_a_line(ana: Office, wrong: tuple[str, str]) -> None:
    number = ana.asks("account", "list", "1")[0]["number"]
    for command, reason in (("block", "COURT_ORDER"), ("close", "HOLDER_REQUEST")):
        assert wrong[0] in ana.declined("account", command, number, "--reason", reason, *wrong)
    assert ana.asks("account", "show", number)["status"] == "ACTIVE"


@pytest.fixture
async def desk(own_database: Any, office: Office) -> AsyncIterator[Desk]:
    """Ana's company, where people judge, with the keys that the commands have."""
    settings = office.settings
    ring = load_key_ring(settings.keys_file, os.urandom)
    cast = Cast.of(own_database.app, size=2)
    cast.key_ring = ring
    yield Desk(cast, await cast.ana(), is_analysed=False)
    await cast.close()


async def asks(office: Office, *words: str) -> Any:
    """A command ends with the loop that it has made."""
    return await asyncio.to_thread(office.asks, *words)


async def declined(office: Office, *words: str) -> str:
    return await asyncio.to_thread(office.declined, *words)


async def test_people_look_at_a_request_and_judge_it(desk: Desk, office: Office, tmp_path: Path) -> None:
    request = await desk.handed_over()
    made, number = request["accountRequestId"], str(desk.seller.number)
    (listed,) = await asks(office, "account", "requests", number, "--status", "ANALYSIS")
    assert (listed["id"], listed["holder"], listed["missing"]) == (made, "Bia Silva", [])
    assert await asks(office, "account", "requests", number, "--status", "APPROVED") == []
    shown = await asks(office, "account", "request", made)
    assert (shown["document"], shown["submissions"]) == ("CPF 12345678909", 1)
    assert shown["uploaded"] == [f"{slot} 1" for slot in sorted(ALL)]
    written = await asks(office, "account", "request-documents", made, str(tmp_path / "looked"))
    files = [Path(one["file"]) for one in written]
    assert {(Image.open(one).format, one.stat().st_mode & 0o777) for one in files} == {("PNG", 0o600)}
    no = ("--code", "DOCUMENT_ILLEGIBLE", "--field", ALL[0], "--by", "Eva")
    assert (await asks(office, "account", "refuse-request", made, *no))["status"] == "REPROVED"
    assert (await asks(office, "account", "request", made))["missing"] == [ALL[0]]
    assert "is REPROVED" in await declined(office, "account", "approve-request", made)
    await desk.upload(request, ALL[0], photo(8))
    assert (await asks(office, "account", "approve-request", made, "--by", "Eva"))["status"] == "APPROVED"
    assert (await asks(office, "account", "request", made))["accountId"]


async def test_what_is_no_request_and_no_reason_is_declined(desk: Desk, office: Office) -> None:
    made = (await desk.handed_over())["accountRequestId"]
    for wrong in ("7", "0198c0de-0000-7000-8000-000000000009"):
        assert "There is no request" in await declined(office, "account", "request", wrong)
    assert "--code" in await declined(office, "account", "refuse-request", made, "--code", "because")
    bad = ("--code", "NO", "--field", "cnpjCard")
    assert "no document of such a holder" in await declined(office, "account", "refuse-request", made, *bad)
    assert "--description" in await declined(
        office, "account", "refuse-request", made, "--code", "NO", "--description", "a\nb"
    )


async def test_a_request_has_its_story(desk: Desk, own_database: Any) -> None:
    request = await desk.handed_over()
    made = UUID(request["accountRequestId"])
    async with desk.cast.database.session(desk.seller.company_id) as session:
        told = await tell(session, desk.seller.company_id, Root("accountRequest", made))
    audit = Database(own_database.audit, size=1)
    found = await find(audit, str(made))
    await audit.close()
    assert told is not None
    said = "\n".join(lines(told))
    assert said.startswith(f"accountRequest {made}")
    assert "accountRequest PENDING_DOCUMENTS → ANALYSIS" in said
    assert "event ACCOUNT.PENDING_DOCUMENTS" in said
    assert [root.thing for _, root in found] == ["accountRequest"]
