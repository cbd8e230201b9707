"""Documents go with a defense: kept as those of an account request are, under the same time as its text."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.rooms.accounts.openings import photo

from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply, RequestContext
from lastro.med import Decide, Files, ReadDispute, ReadDocument
from lastro.med.actions.attach import Attach
from lastro.med.model import MOST_DOCUMENTS

from .court import Court
from .test_defense import noticed


def attaching(court: Court, object_id: UUID | None, content: bytes) -> Attach:
    files = Files(court.cast.key_ring, asyncio.Semaphore(1))
    return Attach(object_id, content, sha256(content).digest(), files)


async def attaches(court: Court, object_id: UUID | None, content: bytes) -> Any:
    return await court.cast.runner.act(court.ana.company_id, attaching(court, object_id, content))


async def case_of(court: Court, object_id: UUID) -> Any:
    read = await court.cast.runner.act(court.ana.company_id, ReadDispute(object_id))
    assert isinstance(read, Done)
    return msgspec.json.decode(read.body)


def problems(found: Any) -> list[tuple[str, str]]:
    assert isinstance(found, Refused)
    return [(p.field, p.issue) for p in found.problems]


async def test_documents_are_kept_listed_and_read(court: Court) -> None:
    """Sealed, numbered, and each once; the notice stays as it is, and needs no reminder."""
    name = await noticed(court)
    given = [photo(shade) for shade in (1, 2, 1)]
    shown = [msgspec.json.decode((await attaches(court, name, one)).body) for one in given]
    assert shown[0] == shown[2]
    assert [one["sha256"] for one in shown] == [sha256(one).hexdigest() for one in given]
    case = await case_of(court, name)
    assert (case["defenseDocuments"], case["status"]) == (shown[:2], "RECEIVED")
    sealed = await court.column("SELECT sealed FROM med_documents WHERE object_id = $1", name)
    assert not [value for value in sealed if b"PNG" in value]
    wanted = ReadDocument(UUID(shown[1]["documentId"]), name, court.cast.key_ring)
    read = await court.cast.runner.act(court.ana.company_id, wanted)
    assert isinstance(read, Done)
    assert read.body.startswith(b"\x89PNG")
    assert (read.media, read.headers) == (
        "application/octet-stream",
        (("content-disposition", 'attachment; filename="defense-2.png"'),),
    )
    for other in (
        replace(wanted, object_id=uuid4()),
        replace(wanted, document_id=uuid4()),
        replace(wanted, document_id=None),
    ):
        assert problems(await court.cast.runner.act(court.ana.company_id, other)) == []
    history = "SELECT count(*) FROM history WHERE reference_id = $1 AND trigger = 'notice attach'"
    assert await court.column(history, name) == [2]


async def test_nobody_else_reads_or_gives_one(court: Court) -> None:
    """Of another company both are not there."""
    name = await noticed(court)
    document_id = UUID(msgspec.json.decode((await attaches(court, name, photo())).body)["documentId"])
    dora = await court.cast.dora()
    for verb in (attaching(court, name, photo(1)), ReadDocument(document_id, name, court.cast.key_ring)):
        assert problems(await court.cast.runner.act(dora.company_id, verb)) == []
    assert await court.column("SELECT count(*) FROM med_documents") == [1]


async def test_a_document_under_a_key_is_answered_alike(court: Court) -> None:
    name = await noticed(court)
    answers = [
        await court.cast.run(
            court.ana.client,
            attaching(court, name, photo()),
            operation="attach_med_document",
            key="one",
            permission="med:write",
        )
        for _ in range(2)
    ]
    assert len({answer.body for answer in answers if isinstance(answer, Reply)}) == 1
    assert await court.column("SELECT id FROM med_documents") == await court.column(
        "SELECT object_id FROM answers WHERE operation = 'attach_med_document' AND company_id = tenant()"
    )


@pytest.mark.parametrize(("seconds", "is_taken"), [(0, True), (1, False)])
async def test_a_document_has_the_time_of_its_text(court: Court, seconds: int, is_taken: bool) -> None:
    """A second after `defenseDueAt` it is too late."""
    name = await noticed(court)
    due: datetime
    (due,) = await court.column("SELECT defense_due_at FROM med_objects WHERE id = $1", name)
    context, verb = (
        RequestContext(court.ana.company_id, due + timedelta(seconds=seconds), court.cast.chance),
        attaching(court, name, photo()),
    )
    async with court.cast.database.session(context.company_id) as session:
        known = await verb.read(session, context)
    looked = await verb.call_out(known, context)
    assert not isinstance(looked, Refused)
    found = verb.decide(looked, context)
    assert isinstance(found, Done) is is_taken
    if isinstance(found, Refused):
        assert problems(found) == [("status", "EXPIRED")]


async def test_what_takes_no_document(court: Court) -> None:
    """A notice that is decided, what is none, more than ten, and what is no whole picture."""
    name = await noticed(court)
    assert problems(await attaches(court, uuid4(), photo())) == []
    assert problems(await attaches(court, None, photo())) == []
    assert problems(await attaches(court, name, photo()[:40])) == [("file", "INVALID")]
    last = photo(MOST_DOCUMENTS)
    for shade in range(MOST_DOCUMENTS):
        assert isinstance(await attaches(court, name, photo(shade)), Done)
    assert problems(await attaches(court, name, last)) == [("file", "LIMIT_EXCEEDED")]
    assert isinstance(await attaches(court, name, photo(0)), Done), "one that is there is answered all the same"
    await court.cast.runner.act(court.ana.company_id, Decide(name, "DISAGREED", court.stand, None))
    assert problems(await attaches(court, name, last)) == [("status", "CONFLICT")]
    assert await court.column("SELECT count(*) FROM med_documents") == [MOST_DOCUMENTS]
