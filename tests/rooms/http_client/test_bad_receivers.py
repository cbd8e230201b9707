"""Receivers that do what none should: each ends with its failure, in the time a request may take and in little memory."""

import asyncio
import socket
import tracemalloc
from contextlib import suppress

import pytest

from lastro.http_client import Failure, OutgoingClient

from .loopback import JSON, Behaviour, answers, http, read_request, receiver
from .sockets import connects

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CLOSED, TOO_LARGE = (0, Failure.CONNECTION_CLOSED), (200, Failure.TOO_LARGE)
_MOST_MEMORY = 8_000_000  # bytes, the receiver's own included


def endless(start: bytes, piece: bytes) -> Behaviour:
    """Begins an answer and goes on for ever, as fast as it is read."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()

    return behave


def slow(start: bytes, rest: bytes) -> Behaviour:
    """Begins an answer and sends the rest byte by byte, each well inside any time-out of its own."""

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        for byte in rest:
            if writer.is_closing():
                return
            writer.write(bytes([byte]))
            await asyncio.sleep(0.02)

    return behave


ENDLESS: dict[str, tuple[bytes, bytes, tuple[int, Failure | None]]] = {
    "a gigabyte": (OK + b"Content-Length: 1000000000\r\n\r\n", b"x" * 65536, TOO_LARGE),
    "a body without an end": (OK + b"\r\n", b"x" * 65536, TOO_LARGE),
    "chunks": (CHUNKED, b"10\r\n0123456789abcdef\r\n" * 3000, TOO_LARGE),
    "a chunk's extension": (CHUNKED + b"1;", b"a" * 65536, TOO_LARGE),
    "a chunk's size": (CHUNKED, b"0" * 65536, TOO_LARGE),
    "a chunk's size that is no number": (CHUNKED, b"f" * 65536, CLOSED),
    "a trailer": (CHUNKED + b"0\r\nX: ", b"a" * 65536, CLOSED),
    "trailers": (CHUNKED + b"0\r\n", b"X: a\r\n" * 10000, CLOSED),
    "a header": (OK + b"X: ", b"a" * 65536, CLOSED),
    "a header's name": (OK, b"a" * 65536, CLOSED),
    "headers": (OK, b"X: a\r\n" * 10000, CLOSED),
    "a folded header": (OK + b"X: a\r\n", b" a\r\n" * 10000, CLOSED),
    "a reason": (b"HTTP/1.1 200 ", b"a" * 65536, CLOSED),
    "a status": (b"HTTP/1.1 ", b"2" * 65536, CLOSED),
    "empty lines before the answer": (b"", b"\r\n" * 32768, CLOSED),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2000, CLOSED),
    "103 Early Hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n" * 1000, CLOSED),
    "answers": (b"", http(b"x") * 1500, (200, None)),
    "another protocol": (b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", b"x" * 65536, (101, None)),
    "bytes": (b"", bytes(range(256)) * 256, CLOSED),
    "nothing but zeros": (b"", bytes(65536), CLOSED),
}


@pytest.mark.parametrize(("start", "piece", "ends"), ENDLESS.values(), ids=ENDLESS)
async def test_an_answer_without_an_end(start: bytes, piece: bytes, ends: tuple[int, Failure | None]) -> None:
    tracemalloc.start()
    try:
        async with receiver(endless(start, piece)) as at, OutgoingClient(sandbox=True, timeout_seconds=2) as client:
            answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
            assert at.connections == 1
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.status, answer.failure) == ends
    assert len(answer.body) <= 65536
    assert answer.duration_ms < 2500
    assert most < _MOST_MEMORY


SLOW = {
    "the status": (b"", b"HTTP/1.1 200 OK" + b"K" * 99),
    "a header": (OK, b"X: " + b"a" * 99),
    "headers": (OK, b"X: a\r\n" * 20),
    "the body": (OK + b"Content-Length: 99\r\n\r\n", b"x" * 99),
    "a chunk": (CHUNKED + b"63\r\n", b"x" * 99),
    "chunks": (CHUNKED, b"1\r\nx\r\n" * 20),
    "trailers": (CHUNKED + b"0\r\n", b"X: a\r\n" * 20),
    "empty lines": (b"", b"\r\n" * 50),
    "100 Continue": (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 9),
}


@pytest.mark.parametrize(("start", "rest"), SLOW.values(), ids=SLOW)
async def test_a_byte_at_a_time(start: bytes, rest: bytes) -> None:
    async with receiver(slow(start, rest)) as at, OutgoingClient(sandbox=True, timeout_seconds=0.3) as client:
        answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
    assert (answer.status, answer.body, answer.failure) == (0, b"", Failure.TIMEOUT)
    assert 250 <= answer.duration_ms < 2500


async def test_a_server_that_takes_the_connection_and_says_nothing_of_tls() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with receiver(behave) as at, OutgoingClient(sandbox=True, timeout_seconds=0.3) as client:
        answer = await client.post(f"https://127.0.0.1:{at.port}/", b"{}", JSON)
    assert (answer.status, answer.failure) == (0, Failure.TIMEOUT)


async def test_a_server_that_takes_no_connection() -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):  # what fits into its queue; whoever comes now is not answered at all
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(full.getsockname())
        async with OutgoingClient(sandbox=True, timeout_seconds=0.3) as client:
            answer = await client.post(f"http://127.0.0.1:{full.getsockname()[1]}/", b"{}", JSON)
    assert (answer.status, answer.failure) == (0, Failure.TIMEOUT)
    assert 250 <= answer.duration_ms < 2500


@pytest.mark.parametrize(
    "there",
    [
        "http://169.254.169.254/latest/meta-data/iam/",
        "https://metadata.google.internal/computeMetadata/v1/",
        "http://127.0.0.1:{inside}/",
        "//127.0.0.1:{inside}/",
        "http://[::1]:{inside}/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:{inside}/_x",
        "/again",
        "",
        "http://",
        "http://[::/",
        "\\\\127.0.0.1\\x",
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_leads_nowhere(status: int, there: str) -> None:
    async with receiver(answers(http())) as inside, OutgoingClient(sandbox=True) as client:
        location = f"Location: {there.format(inside=inside.port)}\r\n"
        async with receiver(answers(http(b"there", f"{status} There", location))) as at:
            with connects() as begun:
                answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
        assert (answer.status, answer.body, answer.failure) == (status, b"", Failure.REDIRECT)
        assert (begun, inside.connections) == ([("127.0.0.1", at.port)], 0)


@pytest.mark.parametrize(
    "more", ["Refresh: 0; url=http://127.0.0.1/", "Location: /", 'Alt-Svc: h2=":1"', "Link: </x>; rel=preload"]
)
async def test_other_ways_to_send_us_on_are_not_taken(more: str) -> None:
    page = b'<meta http-equiv="refresh" content="0; url=http://127.0.0.1/"><p>Obrigado!</p>'
    raw = http(page, more=f"Content-Type: text/html\r\n{more}\r\n")
    async with receiver(answers(raw)) as at, OutgoingClient(sandbox=True) as client:
        with connects() as begun:
            answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
        assert (answer.status, answer.body, answer.failure) == (200, page, None)
        assert len(begun) == 1


@pytest.mark.parametrize(
    "raw",
    [
        OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        OK + b"Content-Length: 0x2\r\n\r\nab",
        OK + b"Content-Length: +2\r\n\r\nab",
        OK + b"Content-Length: 2,3\r\n\r\nab",
        OK + b"Content Length: 2\r\n\r\nab",
        OK + b"no colon\r\n\r\n",
        OK + b"X: a\0b\r\nContent-Length: 0\r\n\r\n",
        OK + b": empty\r\n\r\n",
        CHUNKED + b"-1\r\nx\r\n0\r\n\r\n",
        CHUNKED + b"1 \r\nxx\r\n0\r\n\r\n",
        CHUNKED + b"ffffffffffffffffff\r\nx\r\n0\r\n\r\n",
        CHUNKED + b"1\r\nxyz\r\n0\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 -200 OK\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"<html>200</html>",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b'{"returnCode":"SUCCESS"}',
    ],
)
async def test_what_is_not_quite_http(raw: bytes) -> None:
    async with receiver(answers(raw, then_close=True)) as at, OutgoingClient(sandbox=True) as client:
        answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
    assert (answer.status, answer.body, answer.failure) == (0, b"", Failure.CONNECTION_CLOSED)


async def test_an_answer_of_many_tiny_chunks_is_whole() -> None:
    raw = CHUNKED + b"1\r\nx\r\n" * 65536 + b"0\r\nTrailer: a\r\n\r\n"
    async with receiver(answers(raw)) as at, OutgoingClient(sandbox=True) as client:
        answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
        assert (answer.status, answer.body, answer.failure) == (200, b"x" * 65536, None)
        assert (await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)).status == 200
        assert at.connections == 1


@pytest.mark.parametrize("before", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 9])
async def test_a_few_heads_before_the_answer_are_no_harm(before: bytes) -> None:
    async with receiver(answers(before + http())) as at, OutgoingClient(sandbox=True) as client:
        for _ in range(3):
            answer = await client.post(f"http://127.0.0.1:{at.port}/", b"{}", JSON)
            assert (answer.status, answer.failure) == (200, None)
        assert at.connections == 1


async def test_an_answer_sent_ahead_is_not_taken_for_the_next_one() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, _, body = await read_request(reader)
            writer.write(http(b"to " + body) + http(b"forged"))

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        for body in (b"1", b"2"):
            assert (await client.post(f"http://127.0.0.1:{at.port}/", body, JSON)).body == b"to " + body
        assert at.connections == 2


@pytest.mark.parametrize("late", [http(b"forged"), b"x", b"HTTP/1.1 100 Continue\r\n\r\n"])
async def test_a_connection_that_speaks_unasked_is_let_go(late: bytes) -> None:
    answered, let_go = asyncio.Event(), asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, _, body = await read_request(reader)
        writer.write(http(b"to " + body))
        await answered.wait()
        if body == b"1":
            writer.write(late)
        with suppress(ConnectionError):
            assert await reader.read() == b""
        let_go.set()

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        assert (await client.post(f"http://127.0.0.1:{at.port}/", b"1", JSON)).body == b"to 1"
        answered.set()
        await asyncio.wait_for(let_go.wait(), 1.9)  # sooner than idle connections are let go anyhow
        assert (await client.post(f"http://127.0.0.1:{at.port}/", b"2", JSON)).body == b"to 2"
        assert at.connections == 2
