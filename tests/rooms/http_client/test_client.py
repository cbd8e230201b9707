"""The client against real servers on loopback: no database, no name that is looked up outside of this machine."""

import asyncio
import gzip
import socket
from collections.abc import Sequence

import pytest

from lastro.http_client import Failure, Outcome, OutgoingClient

from .loopback import JSON, answers, http, read_request, receiver


async def ask(raw: bytes, *, then_close: bool = False, timeout_seconds: float = 5) -> Outcome:
    async with (
        receiver(answers(raw, then_close=then_close)) as at,
        OutgoingClient(sandbox=True, timeout_seconds=timeout_seconds) as client,
    ):
        return await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)


async def test_what_is_sent_arrives_as_it_is() -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            seen.append(await read_request(reader))
            writer.write(http(more="Set-Cookie: a=b; Path=/\r\n"))

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        url = f"http://127.0.0.1:{at.port}/hook?a=b%2Bc"
        first = await client.post(url, b'{"a": 1}', {**JSON, "x-event-id": "e1"})
        second = await client.get(url, {"accept": "application/jose"})
    assert (first.status, first.body, first.failure) == (200, b'{"returnCode":"SUCCESS"}', None)
    assert 0 <= first.duration_ms < 5000
    assert second.status == 200
    line, headers, body = seen[0]
    assert line == "POST /hook?a=b%2Bc HTTP/1.1"
    assert body == b'{"a": 1}'
    assert headers == {
        "host": f"127.0.0.1:{at.port}", "user-agent": "lastro", "accept": "*/*", "accept-encoding": "identity",
        "content-type": "application/json", "x-event-id": "e1", "content-length": "8",
    }  # fmt: skip
    line, headers, body = seen[1]
    assert line == "GET /hook?a=b%2Bc HTTP/1.1"
    assert "cookie" not in headers
    assert body == b""


@pytest.mark.parametrize("status", ["201 Created", "204 No Content", "304 Not Modified", "410 Gone", "503 Busy"])
async def test_any_status_is_an_answer(status: str) -> None:
    answer = await ask(http(b"", status, more="Retry-After: 120\r\n"))
    assert (answer.status, answer.failure, answer.retry_after) == (int(status[:3]), None, "120")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(code: int) -> None:
    async with receiver(answers(http())) as inside:
        answer = await ask(http(b"", f"{code} There", f"Location: http://127.0.0.1:{inside.port}/\r\n"))
        assert inside.connections == 0
    assert (answer.status, answer.failure) == (code, Failure.REDIRECT)


CHUNK = b"10000\r\n" + b"x" * 65536 + b"\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("raw", "length", "failure"),
    [
        (http(b"x" * 65536), 65536, None),
        (http(b"x" * 65537), 65536, Failure.TOO_LARGE),
        (CHUNKED + CHUNK + b"0\r\n\r\n", 65536, None),
        (CHUNKED + CHUNK + b"1\r\nx\r\n0\r\n\r\n", 65536, Failure.TOO_LARGE),
        (CHUNKED + CHUNK * 64, 65536, Failure.TOO_LARGE),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 70000, 65536, Failure.TOO_LARGE),
    ],
)
async def test_a_body_is_cut_at_64_kib(raw: bytes, length: int, failure: Failure | None) -> None:
    answer = await ask(raw)
    assert (answer.status, len(answer.body), answer.failure) == (200, length, failure)


async def test_a_compressed_body_is_not_unfolded() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    answer = await ask(http(bomb, more="Content-Encoding: gzip\r\n"))
    assert answer.body == bomb


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        CHUNKED + b"10\r\nshort",
        CHUNKED + b"zz\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 1000 + b"\r\n",
    ],
)
async def test_hanging_up_early_and_speaking_something_else(raw: bytes) -> None:
    answer = await ask(raw, then_close=True)
    assert (answer.status, answer.body, answer.failure) == (0, b"", Failure.CONNECTION_CLOSED)


async def test_a_reset_connection() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.transport.abort()

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
    assert (answer.status, answer.failure) == (0, Failure.CONNECTION_CLOSED)


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nslow", b"HTTP/1.1 100 Continue\r\n\r\n"]
)
async def test_the_time_out_is_for_all_of_it(start: bytes) -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        await asyncio.Event().wait()

    async with receiver(behave) as at, OutgoingClient(sandbox=True, timeout_seconds=0.2) as client:
        answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
    assert (answer.status, answer.body, answer.failure) == (0, b"", Failure.TIMEOUT)
    assert 150 <= answer.duration_ms < 3000


async def test_a_slow_lookup_is_inside_the_time_out() -> None:
    class Slow:
        async def addresses(self, _: str) -> Sequence[str]:
            await asyncio.Event().wait()
            return []

    async with OutgoingClient(sandbox=True, timeout_seconds=0.2, resolver=Slow()) as client:
        assert (await client.get("https://slow.example.com/", {})).failure == Failure.TIMEOUT


async def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused for as long as the test lasts
        async with OutgoingClient(sandbox=True) as client:
            answer = await client.post(f"http://127.0.0.1:{taken.getsockname()[1]}/", b"{}", JSON)
    assert (answer.status, answer.failure) == (0, Failure.CONNECTION_REFUSED)


async def test_connections_are_used_again() -> None:
    async with receiver(answers(http())) as at, OutgoingClient(sandbox=True) as client:
        for _ in range(20):
            assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).status == 200
        assert at.connections == 1


async def test_a_kept_connection_that_ended_is_no_failure() -> None:
    async with receiver(answers(http(), then_close=True)) as at, OutgoingClient(sandbox=True) as client:
        for _ in range(20):
            answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
            assert (answer.status, answer.failure) == (200, None)


async def test_a_fresh_connection_that_ends_is_not_tried_twice() -> None:
    async with receiver(answers(b"", then_close=True)) as at, OutgoingClient(sandbox=True) as client:
        assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).failure == Failure.CONNECTION_CLOSED
        assert at.connections == 1


async def test_a_slow_receiver_takes_no_connections_from_others() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with (
        receiver(never) as slow,
        receiver(answers(http())) as quick,
        OutgoingClient(sandbox=True, timeout_seconds=3) as client,
    ):
        url = f"http://127.0.0.1:{slow.port}/"
        waiting = [asyncio.create_task(client.post(url, b"{}", JSON)) for _ in range(150)]
        while slow.connections < 150:
            await asyncio.sleep(0.005)
        answer = await client.post(f"http://127.0.0.1:{quick.port}/", b"{}", JSON)
        assert answer.status == 200
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)


async def test_proxy_variables_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiver(answers(http())) as at, receiver(answers(http(b"proxy"))) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with OutgoingClient(sandbox=True) as client:
            assert (await client.get(f"http://127.0.0.1:{at.port}/", {})).body != b"proxy"
        assert proxy.connections == 0


async def test_a_header_that_would_split_is_the_callers_mistake() -> None:
    async with receiver(answers(http())) as at, OutgoingClient(sandbox=True) as client:
        with pytest.raises(ValueError, match="header"):
            await client.get(f"http://127.0.0.1:{at.port}/", {"x": "a\r\nb: c"})


async def test_a_closed_client_may_be_used_again() -> None:
    async with receiver(answers(http())) as at:
        client = OutgoingClient(sandbox=True)
        await client.close()
        for _ in range(2):
            assert (await client.get(f"http://127.0.0.1:{at.port}/", {})).status == 200
            await client.close()
