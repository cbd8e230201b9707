"""lastro med: what it lists and shows, what a verdict does, and every no."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from tests.cast import Cast
from tests.rooms.med.court import Court

from .office import Office


@pytest.fixture
async def court(own_database: Any) -> AsyncIterator[Court]:
    cast = Cast.of(own_database.app, size=2)
    yield Court(cast, await cast.ana())
    await cast.close()


async def test_what_is_disputed_is_listed_shown_and_decided(court: Court, office: Office) -> None:
    async def asks(*words: str) -> Any:
        return await asyncio.to_thread(office.asks, *words)

    assert await asks("med", "list") == []
    notice = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(notice)
    name = str(notice.reference_id)
    assert "is OPEN" in await asyncio.to_thread(office.declined, "med", "decide", name, "agreed", "--fraud", "mule_account")
    await court.says(notice, status="RECEIVED")
    assert "fraud" in await asyncio.to_thread(office.declined, "med", "decide", name, "agreed")
    assert [(one["referenceId"], one["status"]) for one in await asks("med", "list")] == [(name, "RECEIVED")]
    assert "fraud" in await asyncio.to_thread(office.declined, "med", "decide", name, "disagreed", "--fraud", "other")
    assert (await asks("med", "decide", name, "disagreed"))["analysisResult"] == "DISAGREED"
    shown = await asks("med", "show", name)
    assert (shown["status"], shown["blockedAmount"], len(shown["history"])) == ("ANALYSED", "0.00", 3)
    assert (await asks("med", "list"), len(await asks("med", "list", "--all"))) == ([], 1)
    assert "There is no object of a dispute 'x'" in await asyncio.to_thread(office.declined, "med", "show", "x")
    other = await court.notice(await court.transaction(await court.paid(1000)))
    await court.says(other)
    await court.says(other, status="RECEIVED")
    await asks("med", "decide", str(other.reference_id), "agreed", "--fraud", "mule_account", "--details", "Lent")
    # Of two sides here the directory's id leads to the one that is decided about.
    directory_id = uuid4()
    side = await court.notice(await court.transaction(await court.paid(1000)), directory_id=directory_id)
    await court.says(side)
    await court.says(side, status="RECEIVED")
    assert (await asks("med", "show", str(side.reference_id)))["directoryId"] == str(directory_id)
    decided = await asks("med", "decide", str(directory_id), "agreed", "--fraud", "mule_account", "--details", "Lent")
    assert decided["referenceId"] == str(side.reference_id)
    told = {one["result"]: (one["fraud"], one["details"]) for one in await court.sent("med.verdict")}
    assert told == {"DISAGREED": (None, None), "AGREED": ("MULE_ACCOUNT", "Lent")}
