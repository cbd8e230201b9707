"""A company with more events without a number than anybody could wait for: what is due elsewhere goes out between."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from aiohttp import web
from tests.rooms.webhooks.conftest import Company, Received, Scene, acknowledge, until

from lastro.core.db import Session
from lastro.webhooks import engine, store

AT_ONCE, PARTS = 5, 20


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_NUMBERED_AT_ONCE", AT_ONCE)


async def leave(scene: Scene, company: Company) -> None:
    """Events without a number, of one transaction: a horizon is above all of them or none."""
    await scene.admin.execute(
        "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
        " SELECT $1, gen_random_uuid(), 'T', gen_random_uuid(), NULL, '{}', business_now() FROM generate_series(1, $2)",
        company.id, AT_ONCE * PARTS,
    )  # fmt: skip


async def numbered(scene: Scene, company: Company) -> int:
    count: int = await scene.admin.fetchval("SELECT count(*) FROM event_numbers WHERE company_id = $1", company.id)
    return count


async def test_what_is_due_goes_out_between_the_parts_of_a_backlog(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = asyncio.Event()

    async def note(received: Received) -> web.Response:
        heard.set()
        return await acknowledge(received)

    ana, bento, receiver = await scene.company(), await scene.company(), await scene.receiver(note)
    await scene.tell(bento, receiver.url)
    await scene.number_all()
    await leave(scene, ana)
    number_events, waits = store.number_events, list[bool]()

    async def after_what_is_due(session: Session, company_id: UUID, reach: int) -> Any:
        # The first part is there: the next comes when what was due is on its way.
        if company_id == ana.id and all(waits) and await numbered(scene, ana):
            waits.append(await _comes(heard))
        return await number_events(session, company_id, reach)

    monkeypatch.setattr(store, "number_events", after_what_is_due)

    async def all_are() -> bool:
        return await numbered(scene, ana) == AT_ONCE * PARTS

    async with scene.running(scene.deliverer()):
        await until(all_are)
    assert waits
    assert all(waits)


async def _comes(event: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(event.wait(), 5)
    except TimeoutError:
        return False
    return True


async def test_the_rest_of_a_backlog_waits_for_no_sweep(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    ana = await scene.company()
    await leave(scene, ana)
    monkeypatch.setattr(engine, "_SWEEP_SECONDS", 3600.0)
    async with scene.running(scene.deliverer()) as running:

        async def one_part_is() -> bool:
            running.wake.set()  # a transaction open elsewhere on the server may delay it
            return await numbered(scene, ana) > 0

        async def all_are() -> bool:
            return await numbered(scene, ana) == AT_ONCE * PARTS

        await until(one_part_is)
        await until(all_are)


async def test_what_waits_for_an_older_transaction_waits_for_no_sweep(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at again soon after it was found to wait, without being told of once more."""
    ana, asked, number_events = await scene.company(), asyncio.Event(), store.number_events

    async def noted(session: Session, company_id: UUID, reach: int) -> tuple[int, bool]:
        found = await number_events(session, company_id, reach)
        if company_id == ana.id and found == (0, True):
            asked.set()
        return found

    async def is_numbered() -> bool:
        return await numbered(scene, ana) == AT_ONCE * PARTS

    monkeypatch.setattr(store, "number_events", noted)
    monkeypatch.setattr(engine, "_SWEEP_SECONDS", 3600.0)
    async with scene.running(scene.deliverer()) as running, scene.work.session() as older:
        await older.fetch("BEGIN")
        await older.fetch("SELECT pg_current_xact_id()::text")
        await leave(scene, ana)
        running.wake.set()
        await asyncio.wait_for(asked.wait(), 5)
        await older.fetch("COMMIT")
        await until(is_numbered)
