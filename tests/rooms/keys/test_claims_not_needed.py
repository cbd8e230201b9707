"""What the directory was to be told of a claim is not told once the claim stands elsewhere by the directory's own word."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from tests.cast import ANA, Cast
from tests.rooms.med.test_called_off import Directory

from lastro.app.outbox_lines import NEEDS
from lastro.core.db import Database
from lastro.rails import port
from lastro.rails.port import Transient
from lastro.rails.sending import Sender

from .claiming import claim_news
from .test_claims import Desk
from .test_keys import company


@pytest.fixture
async def desk(own_database: Any) -> AsyncIterator[Desk]:
    cast = Cast.of(own_database.app)
    yield Desk(cast, await cast.found("Ana", replace(ANA, document_number=company())))
    await cast.close()


@pytest.fixture
async def directory() -> Directory:
    return Directory()


@pytest.fixture
async def sender(desk: Desk, directory: Directory, own_database: Any) -> AsyncIterator[Sender]:
    work, cast = Database(own_database.work, size=4), desk.cast
    yield Sender(cast.database, work, cast.runner, cast.chance, port.CLAIMS, directory, needs=NEEDS)
    await work.close()


LATER = "UPDATE clock SET offset_us = offset_us + 3600000000, version = version + 1 RETURNING 1"


@pytest.mark.parametrize("is_tried", [False, True])
@pytest.mark.parametrize("until", ["WAITING_RESOLUTION", "CANCELLED", "COMPLETED"])
async def test_a_claim_is_acknowledged_while_it_is_open(
    desk: Desk, directory: Directory, sender: Sender, until: str, is_tried: bool
) -> None:
    await desk.key()
    news = claim_news(desk.phone, "PHONE")
    assert await desk.says(news) == "handled"
    directory.says = [Transient("no answer")] * is_tried
    if is_tried:
        await sender.queue.drain()
    assert await desk.says(news, status=until) in ("handled", "alarmed")
    await desk.rows(LATER)
    await sender.queue.drain()
    assert await desk.rows("SELECT outcome FROM outbox WHERE rail = 'claims'") == [("withdrawn",)]
    assert len(directory.heard) == is_tried


async def test_a_default_is_not_told_of_a_claim_that_was_given_up(desk: Desk, directory: Directory, sender: Sender) -> None:
    await desk.key()
    news = await desk.claimed("PORTABILITY")
    await desk.rows("UPDATE key_claims SET due_at = now() RETURNING 1")
    assert await desk.fall(news)
    assert await desk.says(news, status="CANCELLED") == "handled"
    await sender.queue.drain()
    assert await desk.rows("SELECT kind, outcome FROM outbox WHERE rail = 'claims' ORDER BY id") == [
        (port.CLAIM_ACKNOWLEDGE, "withdrawn"), (port.CLAIM_CANCEL, "withdrawn"),
    ]  # fmt: skip
    assert directory.heard == []
