"""More than can be done, over real sockets: who is turned away is told so early and in the interface's words, who watches and
who has less than others is served.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from lastro.app import wiring
from lastro.config.load import Bounds
from lastro.web.admission import Admission
from lastro.web.application import application

from .strangers import Town
from .test_errors_socket import Line, heard, request, serving

HERE = "127.0.0.1"
ALIVE, BANKS, TOKEN = "GET /live", "GET /order/v1/banks", "POST /auth/v1/token"
CHARGE, HEAD = "GET /qr/v2/0000000000000000000000", "HEAD /qr/v2/0000000000000000000000"
GET = request(f"{CHARGE} HTTP/1.1")  # a 404, once the database has been asked
LIVE = request(f"{ALIVE} HTTP/1.1")


@dataclass
class Door:
    """A server of the town's application that does two things at a time, and lets two wait."""

    town: Town
    admission: Admission
    port: int

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield Line(reader, writer)
        finally:
            writer.close()

    async def full(self, stack: AsyncExitStack) -> None:
        """Both places are taken, and two of whoever calls without a token wait, until the stack ends."""
        for _ in range(2):
            await stack.enter_async_context(self.admission.place(HERE))
        waiting = [asyncio.ensure_future(self.admission.place(HERE).__aenter__()) for _ in range(2)]
        await self.waiting(2)
        for each in waiting:
            stack.callback(each.cancel)

    async def waiting(self, count: int) -> None:
        async with asyncio.timeout(5):
            while self.admission.waiting != count:
                await asyncio.sleep(0.001)

    def asked(self, client: Any) -> bytes:
        return request(f"{BANKS} HTTP/1.1", f"authorization: Bearer {self.town.token(client)}")


@pytest.fixture(params=[False, True], ids=["alone", "behind a proxy"])
async def context(town: Town, request: pytest.FixtureRequest) -> AsyncIterator[Door]:
    operations = wiring.operations(town.house)
    gate = wiring.gate(town.house, operations)
    gate.admission.bounds = bounds = Bounds(at_once=2, waiting=2, patience_seconds=30.0, hurried_seconds=30.0)
    gate.admission = Admission(bounds, asyncio.get_running_loop().time, gate.admission.who)
    app = application(gate, operations, wiring.routes(town.house), wiring.public(town.house))
    async with serving(app, behind_proxy=request.param) as port:
        yield Door(town, gate.admission, port)


def assert_away(answer: Any, status: int = 503) -> None:
    error = {429: "INVALID_REQUEST", 503: "INTERNAL_ERROR"}[status]
    message = {429: "Request is not valid", 503: "Not available now, try again later"}[status]
    assert answer.status == status
    assert msgspec.json.decode(answer.body) == {"error": error, "message": message, "details": []}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["retry-after"] in ("1", "2", "3")


async def test_who_is_turned_away_is_told_and_may_stay(context: Door) -> None:
    """Before its body has come, which is taken and dropped; the connection is as good as before."""
    async with AsyncExitStack() as stack:
        await context.full(stack)
        async with context.line() as line:
            posted = request("POST /auth/v1/token HTTP/1.1", "content-length: 5", "x-request-id: mine-7")
            await line.send(posted)
            answer = await line.answer(TOKEN)
            assert_away(answer)
            assert answer.headers["x-request-id"] == "mine-7"
            await line.send(b"hello" + request(f"{HEAD} HTTP/1.1") + GET)
            assert (await line.answer(HEAD)).status == 503
            assert_away(await line.answer(CHARGE))
            await stack.aclose()
            await line.send(GET)
            assert (await line.answer(CHARGE)).status == 404


async def test_many_on_one_connection_are_turned_away_one_after_the_other(context: Door) -> None:
    async with AsyncExitStack() as stack, context.line() as line:
        await context.full(stack)
        await line.send(b"".join(request(f"{CHARGE} HTTP/1.1", f"x-request-id: {n}") for n in range(2_000)))
        assert [(await line.answer(CHARGE)).headers["x-request-id"] for _ in range(2_000)] == [str(n) for n in range(2_000)]
        await line.send(request(f"{CHARGE} HTTP/1.1", "connection: close"))
        answer = await line.answer(CHARGE)
        assert_away(answer)
        assert answer.headers["connection"] == "close"
        assert await line.ends()


async def test_what_is_asked_ahead_is_read_when_its_turn_comes() -> None:
    """Thousands at once on one connection are begun one after the other, and each is answered with its body."""
    begun, most, may_go = 0, 0, asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal begun, most
        begun += 1
        most = max(most, begun)
        body, goes_on = b"", True
        while goes_on:
            message = await receive()
            body, goes_on = body + message["body"], message["more_body"]
        await may_go.wait()
        said = f"{scope['path']} {len(body)}".encode()
        headers = [(b"content-length", b"%d" % len(said))]
        begun -= 1
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": said})

    lengths = [7_000 if n % 500 == 499 else 0 for n in range(1_000)]
    asked = [
        f"POST /{n} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n".encode() for n, length in enumerate(lengths)
    ]
    async with serving(app) as port:
        line = Line(*await asyncio.open_connection("127.0.0.1", port))
        line.writer.write(b"".join(head + b"x" * length for head, length in zip(asked, lengths, strict=True)))
        while not begun:
            await asyncio.sleep(0.001)
        may_go.set()
        for n, length in enumerate(lengths):
            head = await line.reader.readuntil(b"\r\n\r\n")
            said = f"/{n} {length}".encode()
            assert b"content-length: %d\r\n" % len(said) in head
            assert await line.reader.readexactly(len(said)) == said
        line.writer.close()
    assert most == 1


async def test_who_watches_is_answered_all_the_same(context: Door) -> None:
    async with AsyncExitStack() as stack, context.line() as line:
        await context.full(stack)
        await line.send(LIVE)
        assert (await line.answer(ALIVE)).status == 200


async def test_a_company_that_asks_less_is_served_beside_one_that_asks_too_much(context: Door) -> None:
    ana, dora = context.asked(context.town.ana), context.asked(context.town.dora)
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(context.line()) for _ in range(3)]
        for asked, line in ((ana, lines[0]), (dora, lines[1])):
            await line.send(asked)  # whose token it is is known from now on
            assert (await line.answer(BANKS)).status == 200
        async with context.admission.place("one"), context.admission.place("two"):
            for line in lines[:2]:
                await line.send(ana)
            await context.waiting(2)
            await lines[2].send(ana)
            assert_away(await lines[2].answer(BANKS), 429)
            await lines[2].send(dora)
            assert_away(await lines[0].answer(BANKS), 429)  # its place in the line is Dora's now
        assert [(await line.answer(BANKS)).status for line in lines[1:]] == [200, 200]
    assert (context.admission.taken, context.admission.waiting) == (0, 0)


async def test_a_body_that_comes_slowly_takes_no_place(context: Door) -> None:
    async with context.line() as slow, context.line() as quick:
        for _ in range(3):  # the head of a request that is refused, so that nothing is left of the town changed
            await slow.send(request("POST /auth/v1/token HTTP/1.1", "content-type: application/json", "content-length: 2"))
            await slow.send(b"{")
            await quick.send(GET)
            assert (await quick.answer(CHARGE)).status == 404
            assert context.admission.taken == 0
            await slow.send(b"}")
            assert (await slow.answer(TOKEN)).status == 400


async def test_of_too_many_connections_each_is_told_so(town: Town) -> None:
    """In the server's own words; those that were open before stay so."""
    house = town.house
    app = application(wiring.gate(house), wiring.operations(house), wiring.routes(house), wiring.public(house))
    async with serving(app, connections=3) as port, AsyncExitStack() as stack:
        door = Door(town, Admission(Bounds(), asyncio.get_running_loop().time), port)
        first, second = [await stack.enter_async_context(door.line()) for _ in range(2)]
        await first.send(LIVE)
        assert (await first.answer(ALIVE)).status == 200
        third = await stack.enter_async_context(door.line())
        await third.send(request(f"{ALIVE} HTTP/1.1", "connection: close"))
        assert (await heard(third)).startswith(b"HTTP/1.1 503 ")
        for line in (first, second):
            await line.send(LIVE)
            assert (await line.answer(ALIVE)).status == 200
