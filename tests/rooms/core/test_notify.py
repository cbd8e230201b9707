"""Hints between processes outlive the connections that carry them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from lastro.core import notify
from lastro.core.write import Event, Message, Write

DEADLINE_SECONDS = 20.0
_LISTENERS = (
    "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'lastro hints%' AND datname = current_database()"
    " AND query ILIKE 'LISTEN%'"
)


class Ear:
    """What one process hears of events, and the connections it hears by."""

    def __init__(self, signals: notify.Signals, admin: Any) -> None:
        self.on_commit: list[UUID | None] = []
        self._admin = admin
        signals.listen(lambda topic, company: self.on_commit.append(company) if topic == notify.EVENTS else None)

    async def listeners(self) -> set[int]:
        return {r["pid"] for r in await self._admin.fetch(_LISTENERS)}

    async def cut(self) -> set[int]:
        """The server ends the connection; which it was."""
        async with asyncio.timeout(DEADLINE_SECONDS):
            while not (pids := await self.listeners()):
                await asyncio.sleep(0.01)
        for pid in pids:
            await self._admin.fetch("SELECT pg_terminate_backend($1::int)", pid)
        return pids

    async def hears(self, company: UUID | None) -> None:
        async with asyncio.timeout(DEADLINE_SECONDS):
            while company not in self.on_commit:
                await asyncio.sleep(0.01)


@pytest.fixture
async def admin(own_database: Any) -> AsyncIterator[Any]:
    connection = await own_database.connect()
    yield connection
    await connection.close()


@pytest.fixture
async def ear(own_database: Any, admin: Any) -> AsyncIterator[Ear]:
    signals, stop = notify.Signals(), asyncio.Event()
    made = Ear(signals, admin)
    task = asyncio.create_task(notify.receive_signals(own_database.app, signals, stop))
    yield made
    stop.set()
    await asyncio.wait_for(task, DEADLINE_SECONDS)


async def _notify(admin: Any, company: UUID) -> None:
    await admin.execute("SELECT pg_notify($1, $2)", notify.CHANNEL, f"{notify.EVENTS} {company}")


async def test_a_hint_arrives_after_the_connection_was_cut(ear: Ear, admin: Any) -> None:
    for _ in range(2):
        await ear.hears(None)  # it has begun to listen: whatever was told before may be missing
        ear.on_commit.clear()
        cut = await ear.cut()
        await ear.hears(None)
        assert cut.isdisjoint(await ear.listeners())
        company = uuid4()
        await _notify(admin, company)
        await ear.hears(company)


async def test_what_was_told_while_nobody_listened_is_looked_for(ear: Ear, admin: Any) -> None:
    """No hint is kept, so all signals ring when somebody listens again."""
    await ear.hears(None)
    await ear.cut()
    missed = uuid4()
    await _notify(admin, missed)
    ear.on_commit.clear()
    await ear.hears(None)


async def test_a_listener_asks_now_and_then_whether_the_server_is_there(
    own_database: Any, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that waits for ever on a connection that died without a word hears nothing more."""
    monkeypatch.setattr(notify, "_ASKED_EVERY_SECONDS", 0.02)
    signals, stop = notify.Signals(), asyncio.Event()
    task = asyncio.create_task(notify.receive_signals(own_database.app, signals, stop))
    asked = _LISTENERS.replace("LISTEN%", "SELECT 1")
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not await admin.fetch(asked):
            await asyncio.sleep(0.01)
    stop.set()
    await asyncio.wait_for(task, DEADLINE_SECONDS)


async def test_who_tells_goes_on_after_its_connection_was_cut(own_database: Any, ear: Ear, admin: Any) -> None:
    await ear.hears(None)
    hinter, stop = notify.Hinter(own_database.app), asyncio.Event()
    task = asyncio.create_task(hinter.run(stop))
    listening = await ear.listeners()
    company = uuid4()
    fact = Event(uuid4(), "TEST", uuid4(), None, b"{}", await admin.fetchval("SELECT now()"))
    write = Write(company, events=(fact,))
    async with asyncio.timeout(DEADLINE_SECONDS):
        while company not in ear.on_commit:
            hinter.on_commit(write)
            await asyncio.sleep(0.01)
        rows = await admin.fetch("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'lastro hints%'"
                                 " AND datname = current_database()")  # fmt: skip
        for pid in {r["pid"] for r in rows} - listening:
            await admin.fetch("SELECT pg_terminate_backend($1::int)", pid)
        ear.on_commit.clear()
        while company not in ear.on_commit:  # hints that meet a dead connection are dropped; the next one makes a new one
            hinter.on_commit(write)
            await asyncio.sleep(0.01)
    stop.set()
    await asyncio.wait_for(task, DEADLINE_SECONDS)


def _said(*rails: str) -> Write:
    at, messages = datetime(2026, 11, 20, 12, tzinfo=UTC), []
    for number, rail in enumerate(rails):
        messages.append(Message(UUID(int=number), rail, "return.send", f"M{number}", UUID(int=9), b"{}", at))
    return Write(UUID(int=1), messages=tuple(messages))


def test_a_message_wakes_its_own_rail_alone() -> None:
    signals = notify.Signals()
    events = {rail: signals.event(notify.outbox_of(rail)) for rail in ("pix", "ted", "boleto")}
    signals.on_commit(_said("pix", "boleto", "pix"))
    assert {rail for rail, event in events.items() if event.is_set()} == {"pix", "boleto"}
    signals.notify_all()
    assert all(event.is_set() for event in events.values())


def test_a_hint_of_many_rails_has_room_in_a_payload() -> None:
    """PostgreSQL takes less than 8,000 bytes, and refuses the rest."""
    companies = {uuid4() for _ in range(50)}
    pending = {notify.outbox_of(f"a-rail-of-long-name-{n}"): set(companies) for n in range(20)} | {
        notify.EVENTS: set(companies)
    }
    payload = notify._payload(pending)
    assert len(payload.encode()) < 8000
    assert {line.split()[0] for line in payload.splitlines()} == set(pending), "each topic is told, if not of whom"
