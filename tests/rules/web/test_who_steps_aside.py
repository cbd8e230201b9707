"""Whoever waits for others, or for one of few turns, keeps nobody out meanwhile: its place is left, and come back to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import wraps
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest
from tests.in_one import in_one_test

from lastro.accounts.opening.actions.upload import Upload, UploadContext
from lastro.core import concurrency_slot, trace
from lastro.core.errors import NotYet
from lastro.core.runner import Runner
from lastro.people import Entrance, passwords, store
from lastro.rails.locations.reading import Locations
from lastro.rails.ttl_cache import CachedAnswer, TtlCache
from lastro.web.operations import Operations
from lastro.webhooks.actions.feed import ReadFeed
from lastro.webhooks.arrivals import Arrivals

COMPANY, NOW = UUID(int=1), datetime(2026, 3, 4, tzinfo=UTC)


def by_itself(test: Any) -> Any:
    """Such a test, in a task of its own: where it works is nothing to the next one."""

    @wraps(test)
    async def run(**given: Any) -> None:
        await asyncio.create_task(test(**given))

    return run


class Noted:
    """A place that notes how it is left and come back to."""

    def __init__(self) -> None:
        self.was: list[str] = []

    def leave(self) -> None:
        self.was.append("left")

    async def come_back(self) -> None:
        self.was.append("back")

    def give_up(self) -> None:
        self.was.append("given up")


async def asks_a_location(_: pytest.MonkeyPatch) -> None:
    async def silent(*_: Any, **__: Any) -> None:
        raise LookupError

    locations = Locations(Mock(get=silent), Mock(), (), Mock(), lambda: NOW, sandbox=True)
    with pytest.raises(LookupError):
        await locations.read("127.0.0.1:9/qr/v2/x", NOW)


async def is_told_to_ask_again_soon(patch: pytest.MonkeyPatch) -> None:
    ends = iter((NotYet(0.0), None))

    async def once(*_: Any) -> Any:
        if (early := next(ends)) is not None:
            raise early
        return "answered"

    runner = Runner(Mock(), Mock(), Mock())
    patch.setattr(runner, "_settle", once)
    patch.setattr(runner, "_from_memory", lambda *_: asyncio.sleep(0))
    assert await runner.run(Mock(), Mock()) == "answered"  # type: ignore[comparison-overlap]


async def hashes(_: pytest.MonkeyPatch) -> None:
    assert await Entrance(Mock(), Mock(), Mock(), Mock()).in_thread(lambda: 1) == 1


async def reads_a_large_body(_: pytest.MonkeyPatch) -> None:
    assert await Operations(Mock(), Mock(), Mock(), b"", Mock())._apart(lambda: 1) == 1


async def looks_into_a_file(patch: pytest.MonkeyPatch) -> None:
    upload = Upload(COMPANY, "selfieHolder", b"", b"", Mock(turns=asyncio.Semaphore(1)))
    patch.setattr(Upload, "_answered", lambda *_: None)
    patch.setattr(Upload, "_sealed", lambda *_: None)
    assert await upload.call_out(UploadContext(None), Mock()) == UploadContext(None)


async def waits_for_the_feed(_: pytest.MonkeyPatch) -> None:
    feed = ReadFeed(None, 1, 30, Arrivals(), gone=lambda: asyncio.sleep(0))
    feed._seconds_left()
    await feed._pause(COMPANY, 0)
    await asyncio.sleep(0)  # what else was waited for ends now


WAITS: tuple[Callable[[pytest.MonkeyPatch], Awaitable[None]], ...] = (
    asks_a_location, is_told_to_ask_again_soon, hashes, reads_a_large_body, looks_into_a_file, waits_for_the_feed,
)  # fmt: skip


@in_one_test("waits", WAITS, ids=lambda each: each.__name__)
@by_itself
async def test_who_waits_leaves_its_place_and_comes_back(
    waits: Callable[[pytest.MonkeyPatch], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Noted()
    concurrency_slot.hold(place)
    await waits(monkeypatch)
    assert place.was == ["left", "back"]


@by_itself
async def test_who_is_told_to_end_waits_for_no_place() -> None:
    place = Noted()
    concurrency_slot.hold(place)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0), concurrency_slot.without_slot():
            await asyncio.Event().wait()
    assert place.was == ["left", "given up"]


@in_one_test(("by", "whose"), [(None, None), ("Ana", "first")])
@by_itself
async def test_a_shared_question_is_asked_in_nobodys_place(by: str | None, whose: str | None) -> None:
    """by: whoever asks for itself is told by whom it was, everybody together is not."""
    seen: list[str | None] = []

    async def ask() -> CachedAnswer[int]:
        present = trace.present()
        seen.append(None if present is None else present.request_id)
        async with concurrency_slot.without_slot():
            return CachedAnswer(1, 1.0)

    place = Noted()
    concurrency_slot.hold(place)
    trace.take_up("first")
    assert await TtlCache[int](lambda: 0.0, 1).get("a", ask, by=by) == 1
    assert (place.was, seen) == (["left", "back"], [whose])


@by_itself
async def test_who_looks_for_all_looks_for_nobody_in_particular() -> None:
    seen = []

    async def latest(_: Any) -> dict[UUID, int]:
        seen.append(trace.present())
        return {COMPANY: 1}

    trace.take_up("first")
    await Arrivals(latest).later_than(COMPANY, 0, 1.0)
    assert seen == [None]


async def test_no_connection_is_held_while_a_password_is_hashed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    lent, lent_while_hashing = [0], []

    @asynccontextmanager
    async def session() -> AsyncIterator[None]:
        lent[0] += 1
        yield
        lent[0] -= 1

    async def apart(_: Any, act: Callable[[], Any]) -> Any:
        lent_while_hashing.append(lent[0])
        return act()

    async def rehash(_: Any, *given: Any) -> None:
        rehashed.append(given)

    rehashed: list[Any] = []
    whom = SimpleNamespace(id=COMPANY, ended_at=None, has_factor=False)
    answers: dict[str, Any] = {"try_counted": None, "by_email": (whom, "old"), "was_right": None, "start": True}
    for name, answer in answers.items():
        monkeypatch.setattr(store, name, lambda *_, answer=answer, **__: asyncio.sleep(0, answer))
    monkeypatch.setattr(store, "rehash", rehash)
    monkeypatch.setattr(passwords, "is_right", lambda *_: True)
    monkeypatch.setattr(passwords, "hashed", lambda *_: "new")
    monkeypatch.setattr(Entrance, "in_thread", apart)
    chance: Any = Mock(bytes=bytes)
    context = Entrance(Mock(session=session), Mock(), chance, lambda: NOW)
    assert await context.by_password("ana@ana.example", "x", "net", None) is not None
    assert (rehashed, lent_while_hashing) == ([(COMPANY, "old", "new")], [0, 0])
