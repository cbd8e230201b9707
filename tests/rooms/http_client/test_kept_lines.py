"""Connections that are kept, and what is looked up once for many."""

import asyncio
import gc
import weakref
from collections.abc import Sequence

import pytest

from lastro.http_client import Failure, OutgoingClient
from lastro.http_client.connection import Connection

from .loopback import JSON, answers, http, read_request, receiver


async def test_lines_that_end_with_lf_alone_are_read() -> None:
    raw = b"HTTP/1.1 200 OK\nContent-Length: 2\nRetry-After: 7\n\nab"
    async with receiver(answers(raw)) as at, OutgoingClient(sandbox=True) as client:
        for _ in range(2):
            answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
            assert (answer.status, answer.body, answer.failure, answer.retry_after) == (200, b"ab", None, "7")
        assert at.connections == 1


async def test_a_kept_connection_that_ends_within_an_answer_is_a_failure() -> None:
    # Something was answered, so the request was read: it is not sent again by itself.
    asked = 0

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await read_request(reader)
        writer.write(http())
        await read_request(reader)
        asked += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Le")

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        url = f"http://127.0.0.1:{at.port}/"
        assert (await client.post(url, b"{}", JSON)).status == 200
        assert (await client.post(url, b"{}", JSON)).failure == Failure.CONNECTION_CLOSED
        assert (at.connections, asked) == (1, 1)


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nConnection: close\r\n", b"HTTP/1.0 200 OK\r\n"])
async def test_a_connection_whose_end_is_announced_is_not_kept(head: bytes) -> None:
    async with receiver(answers(head + b"Content-Length: 2\r\n\r\nab")) as at, OutgoingClient(sandbox=True) as client:
        for _ in range(2):
            assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).body == b"ab"
        assert at.connections == 2


async def test_an_idle_connection_is_let_go() -> None:
    let_go = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(http())
        assert await reader.read() == b""
        let_go.set()

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).status == 200
        assert not let_go.is_set()
        await asyncio.wait_for(let_go.wait(), 10)


async def test_many_who_want_one_name_wait_for_one_look_up() -> None:
    names: list[str] = []
    found = asyncio.Event()

    class Slow:
        async def addresses(self, host: str) -> Sequence[str]:
            names.append(host)
            await found.wait()
            return ["127.0.0.1"]

    async with receiver(answers(http())) as at, OutgoingClient(sandbox=True, resolver=Slow()) as client:
        url = f"http://receiver.example.com:{at.port}/"
        asking = [asyncio.create_task(client.post(url, b"{}", JSON)) for _ in range(20)]
        while not names:
            await asyncio.sleep(0)
        asking[0].cancel()  # whoever asked first goes; the others are answered all the same
        await asyncio.sleep(0)
        found.set()
        answered = await asyncio.gather(*asking, return_exceptions=True)
    assert names == ["receiver.example.com"]
    assert isinstance(answered[0], asyncio.CancelledError)
    assert all(not isinstance(one, BaseException) and one.status == 200 for one in answered[1:])


async def test_a_look_up_ends_with_the_last_who_waits_for_it() -> None:
    names: list[str] = []
    ended: list[str] = []
    found = asyncio.Event()

    class Slow:
        async def addresses(self, host: str) -> Sequence[str]:
            names.append(host)
            try:
                await found.wait()
            except asyncio.CancelledError:
                ended.append(host)
                raise
            return ["127.0.0.1"]

    async with receiver(answers(http())) as at, OutgoingClient(sandbox=True, resolver=Slow()) as client:
        url = f"http://receiver.example.com:{at.port}/"
        first, last = (asyncio.create_task(client.post(url, b"{}", JSON)) for _ in range(2))
        while not names:
            await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert ended == []
        last.cancel()
        # Whoever comes in the same moment has a look-up of its own, and not the one that is ending.
        again = asyncio.create_task(client.post(url, b"{}", JSON))
        await asyncio.gather(last, return_exceptions=True)
        for _ in range(9):
            await asyncio.sleep(0)
        assert ended == ["receiver.example.com"]
        found.set()
        assert (await again).status == 200
    assert names == ["receiver.example.com"] * 2


async def test_a_connection_that_ended_leaves_nothing_behind() -> None:
    # The parser and what it tells know each other; without care each would wait for the collector.
    gone: list[weakref.ref[Connection]] = []
    made = Connection.connection_made

    def noted(self: Connection, transport: asyncio.BaseTransport) -> None:
        gone.append(weakref.ref(self))
        made(self, transport)

    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Connection, "connection_made", noted)
            raw = http(more="Connection: close\r\n")
            async with receiver(answers(raw)) as at, OutgoingClient(sandbox=True) as client:
                for _ in range(20):
                    assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).status == 200
            for _ in range(5):
                await asyncio.sleep(0)
        assert len(gone) == 20
        assert [one for one in gone if one() is not None] == []
    finally:
        gc.enable()
