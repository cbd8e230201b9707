"""What takes memory for as long as its caller likes: large bodies, and answers in parts. How many there are, and their end."""

import asyncio
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.api_kit.http import Response, seen_of, unauthorized
from lastro.core.errors import Kind
from lastro.web.concurrency_limit import ConcurrencyLimit, NoSlot
from lastro.web.middleware import LARGEST_BODY, Gate
from lastro.web.operations import Operations, is_large

SOON = 0.05
END: dict[str, Any] = {"type": "http.request", "body": b"", "more_body": False}
GONE: dict[str, Any] = {"type": "http.disconnect"}


async def settle() -> None:
    """Everybody has done what can be done without waiting for anybody else."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_caller_has_fewer_turns_than_its_company_and_that_fewer_than_all_have() -> None:
    turns = ConcurrencyLimit(3, 1, SOON, of_company=2)
    async with turns.turn("ana", "a"), turns.turn("ana", "b"):
        for client in ("a", "b", "c"):
            with pytest.raises(NoSlot) as own:
                async with turns.turn("ana", client):
                    pass
            assert own.value.refused.kind == Kind.TOO_MANY
        async with turns.turn("dora", "d"):
            with pytest.raises(NoSlot) as others:
                async with turns.turn("eva", "e"):
                    pass
    assert others.value.refused.kind == Kind.UNAVAILABLE
    assert own.value.refused.retry_after_seconds == 5


async def test_a_company_with_many_clients_leaves_half_to_others() -> None:
    turns = ConcurrencyLimit(8, 2, 5.0)

    async def hold(company: str, client: str, had: list[str], over: asyncio.Event) -> None:
        async with turns.turn(company, client):
            had.append(company)
            await over.wait()

    had, over = list[str](), asyncio.Event()
    greedy = [asyncio.ensure_future(hold("ana", str(n), had, over)) for n in range(50)]
    await settle()
    assert had == ["ana"] * 4
    async with asyncio.timeout(1), turns.turn("dora", "d"):
        pass
    over.set()
    await asyncio.gather(*greedy)
    assert len(had) == 50


async def test_a_free_turn_goes_to_the_company_that_has_the_fewest() -> None:
    turns, had, over = ConcurrencyLimit(2, 2, 5.0, of_company=2), list[str](), asyncio.Event()

    async def take(company: str) -> None:
        async with turns.turn(company):
            had.append(company)
            await over.wait()

    first = turns.turn("ana")
    await first.__aenter__()
    asks = [asyncio.ensure_future(take("ana")) for _ in range(5)]
    await settle()
    asks.append(asyncio.ensure_future(take("dora")))
    await settle()
    assert had == ["ana"]
    await first.__aexit__(None, None, None)
    await settle()
    assert had == ["ana", "dora"]
    over.set()
    await asyncio.gather(*asks)


async def test_who_waits_has_the_turn_that_is_given_back() -> None:
    turns, had = ConcurrencyLimit(1, 1, 5.0), []

    async def wait(name: str) -> None:
        async with turns.turn(name):
            had.append(name)

    async with turns.turn("ana"):
        waiting = [asyncio.ensure_future(wait(name)) for name in ("ana", "dora")]
        await settle()
        assert had == []
    await asyncio.gather(*waiting)
    assert sorted(had) == ["ana", "dora"]


async def test_who_has_left_waits_no_longer() -> None:
    turns = ConcurrencyLimit(1, 1, 5.0)
    async with turns.turn("ana"):
        waiting = asyncio.ensure_future(turns.turn("ana").__aenter__())
        await settle()
        waiting.cancel()
        await asyncio.wait((waiting,))
    async with asyncio.timeout(1), turns.turn("ana"):
        pass


@dataclass
class Call:
    """One request through the gate: what arrives, and what was sent."""

    method: str = "POST"
    arrives: "asyncio.Queue[dict[str, Any]]" = field(default_factory=asyncio.Queue)
    sent: list[dict[str, Any]] = field(default_factory=list)
    asked_for_more: int = 0

    async def receive(self) -> Any:
        self.asked_for_more += 1
        return await self.arrives.get()

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(m["body"] for m in self.sent[1:])

    async def served(self, gate: Gate, answer: Any, admit: Any = None, largest: int = LARGEST_BODY) -> None:
        scope: Any = {"type": "http", "method": self.method, "path": "/x", "client": None, "headers": []}
        await gate.serve(scope, self.receive, self.send, answer, "/x", largest, admit)


async def admitted(scope: Any, _: Any) -> None:
    seen_of(scope).client_id = "ana"


async def echo(_: Any, body: bytes, __: Any) -> Response:
    return Response(200, body)


def gate(**more: Any) -> Gate:
    return Gate(frozenset({"x"}), os.urandom, **more)


async def test_the_body_of_a_stranger_is_not_taken() -> None:
    async def refuse(*_: Any) -> Response:
        return unauthorized()

    call = Call()
    await call.served(gate(), echo, refuse)
    assert (call.status, call.asked_for_more) == (401, 0)


async def test_so_many_large_bodies_are_taken_at_a_time() -> None:
    """The third waits without a byte of it being taken, and is refused when it has waited long enough."""
    narrow, calls = gate(large_bodies=ConcurrencyLimit(2, 2, SOON, of_company=2)), [Call() for _ in range(3)]
    first, second, third = (asyncio.ensure_future(c.served(narrow, echo, admitted, LARGEST_BODY + 1)) for c in calls)
    async with asyncio.timeout(1):
        await third
    assert (calls[2].status, calls[2].asked_for_more) == (429, 0)
    assert (b"retry-after", b"5") in calls[2].sent[0]["headers"]
    assert [c.asked_for_more for c in calls[:2]] == [1, 1]
    for call in calls[:2]:
        call.arrives.put_nowait({"type": "http.request", "body": b"whole", "more_body": False})
    await asyncio.gather(first, second)
    assert [(c.status, c.body) for c in calls[:2]] == [(200, b"whole")] * 2
    small = Call()
    small.arrives.put_nowait(END)
    await small.served(narrow, echo, admitted)
    assert small.status == 200


@dataclass
class File:
    """An answer in parts. at: how many parts have begun. parts: each is made when one is let go."""

    let_go: "asyncio.Queue[bytes | None]" = field(default_factory=asyncio.Queue)
    at: int = 0
    is_closed: bool = False

    async def answer(self, *_: Any) -> Response:
        return Response(200, b"", more=self._parts())

    async def _parts(self) -> AsyncGenerator[bytes, None]:
        try:
            self.at += 1
            while (part := await self.let_go.get()) is not None:
                yield part
                self.at += 1
        finally:
            self.is_closed = True


async def test_a_file_is_sent_as_its_parts_are_made() -> None:
    file, call = File(), Call("GET")
    call.arrives.put_nowait(END)
    for part in (b"a", b"b", None):
        file.let_go.put_nowait(part)
    await call.served(gate(), file.answer, admitted)
    assert (call.status, call.body, call.sent[-1]["more_body"], file.is_closed) == (200, b"ab", False, True)


async def test_for_a_head_no_part_is_begun() -> None:
    file, call = File(), Call("HEAD")
    file.let_go.put_nowait(None)
    await call.served(gate(), file.answer, admitted)
    assert (call.status, file.at) == (200, 0)
    assert b"content-length" not in dict(call.sent[0]["headers"])


async def test_who_hangs_up_ends_the_file_while_a_part_is_made() -> None:
    file, call = File(), Call("GET")
    call.arrives.put_nowait(END)
    file.let_go.put_nowait(b"a")
    serving = asyncio.ensure_future(call.served(gate(), file.answer, admitted))
    await settle()
    assert (call.body, file.at, file.is_closed) == (b"a", 2, False)
    call.arrives.put_nowait(GONE)
    async with asyncio.timeout(1):
        await serving
    assert file.is_closed
    assert call.sent[-1]["more_body"], "no part is taken for the whole"


async def test_a_client_has_so_many_files_at_a_time() -> None:
    narrow, files, calls = gate(long_answers=ConcurrencyLimit(9, 1, SOON)), [File(), File()], [Call("GET"), Call("GET")]
    calls[0].arrives.put_nowait(END)
    first = asyncio.ensure_future(calls[0].served(narrow, files[0].answer, admitted))
    await settle()
    files[1].let_go.put_nowait(None)
    await calls[1].served(narrow, files[1].answer, admitted)
    assert (calls[1].status, files[1].at) == (429, 0)
    assert msgspec.json.decode(calls[1].body)["details"] == []
    files[0].let_go.put_nowait(None)
    await first
    assert calls[0].status == 200


@in_one_test(
    ("limit", "large"), [("200", False), ("201", True), ("5000", True), ("", False), ("-5000", False), ("9" * 5000, False)]
)
def test_a_page_is_large_by_the_rows_that_are_asked_for(limit: str, large: bool) -> None:
    assert is_large({"limit": limit}) is large
    assert not is_large({})


async def test_a_company_makes_one_large_page_at_a_time_and_another_company_does_not_wait_for_it() -> None:
    operations = Operations(Mock(), Mock(), lambda: 0.0, b"", Mock())
    ana, dora, under_way = UUID(int=1), UUID(int=2), list[UUID]()
    over = asyncio.Event()

    async def page(company: UUID, limit: str) -> None:
        async with operations._page_turn({"limit": limit}, company):
            under_way.append(company)
            await over.wait()

    pages = [asyncio.ensure_future(page(ana, "5000")) for _ in range(8)]
    await settle()
    assert under_way == [ana]
    pages += [asyncio.ensure_future(page(dora, "5000")), asyncio.ensure_future(page(ana, "1"))]
    await settle()
    assert under_way == [ana, dora, ana]
    over.set()
    await asyncio.gather(*pages)
    assert under_way.count(ana) == 9
