"""The connection of our own: what it writes, and how it reads an answer, compared with the outgoing client."""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rooms.http_client.loopback import Names, answers, http, read_request, receiver
from tests.rooms.tools import receivers as r
from tests.rooms.tools.test_duties import certified_at, short_of_pass
from tests.self_signed import self_signed

from lastro.http_client import Failure, OutgoingClient
from lastro_tools.certify.connection import ReceiverClient, Unreached
from lastro_tools.certify.model import Event, Must, Pace, Request, Verdict

BODY = b'{"id":"' + b"x" * 93 + b'"}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def request(pace: Pace = Pace.WHOLE) -> Request:
    event = Event("e1", "ORDER-PAYIN.PAID", 1, BODY)
    return Request(event, {"content-type": "application/json", "x-event-id": "e1"}, BODY, Must.EITHER, "", pace)


@pytest.mark.parametrize(
    "raw",
    [
        http(),
        http(b"busy", "503 Busy", "Retry-After: 120\r\n"),
        http(b"", "302 There", "Location: http://127.0.0.1:1/\r\n"),
        http(b"x" * 65536),
        http(b"x" * 65537),
        CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
        CHUNKED + b"5\r\nhel",
        b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + http(),
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"",
    ],
)
async def test_it_reads_an_answer_as_a_delivery_does(raw: bytes) -> None:
    async with receiver(answers(raw, then_close=True)) as at, OutgoingClient(sandbox=True) as client:
        url = f"http://127.0.0.1:{at.port}/hooks"
        own = await ReceiverClient(url, is_sandbox=True).post(request(), 0)
        theirs = await client.post(url, BODY, request().headers)
    assert (own.status, own.body, own.failure, own.retry_after) == (
        theirs.status, theirs.body, theirs.failure, theirs.retry_after,
    )  # fmt: skip


async def test_a_slow_body_arrives_whole_and_in_pieces() -> None:
    pieces: list[bytes] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert head.startswith("POST /hooks?a=b%2Bc HTTP/1.1\r\nhost: 127.0.0.1:")
        assert "\r\nx-event-id: e1\r\n" in head
        assert f"\r\ncontent-length: {len(BODY)}\r\n" in head
        while sum(map(len, pieces)) < len(BODY):
            pieces.append(await reader.read(4096))
        writer.write(http())
        await writer.drain()

    async with receiver(behave) as at:
        answer = await ReceiverClient(f"http://127.0.0.1:{at.port}/hooks?a=b%2Bc", is_sandbox=True).post(
            request(Pace.SLOW), 0.4
        )
    assert (answer.status, answer.failure) == (200, None)
    assert b"".join(pieces) == BODY
    assert len(pieces) > 1
    assert answer.duration_ms < 400  # the body's time is ours, not the receiver's


async def test_an_answer_before_the_end_of_a_slow_body_is_read() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(http(b"", "408 Request Timeout"))
        await reader.readexactly(len(BODY))

    async with receiver(behave) as at:
        answer = await ReceiverClient(f"http://127.0.0.1:{at.port}/", is_sandbox=True).post(request(Pace.SLOW), 0.1)
    assert (answer.status, answer.failure) == (408, None)


async def test_what_goes_before_an_answer_is_not_the_answer() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    reading = asyncio.create_task(ReceiverClient("http://127.0.0.1/", is_sandbox=True)._read(reader))
    while reader._buffer:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    reader.feed_data(http())
    assert await reading == (200, b'{"returnCode":"SUCCESS"}', None, None)


async def test_a_cut_body_ends_in_the_middle() -> None:
    arrived: asyncio.Queue[bytes] = asyncio.Queue()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.put_nowait(await reader.read())

    async with receiver(behave) as at:
        answer = await ReceiverClient(f"http://127.0.0.1:{at.port}/", is_sandbox=True).post(request(Pace.CUT), 0)
        assert await asyncio.wait_for(arrived.get(), 10) == BODY[: len(BODY) // 2]
    assert (answer.status, answer.failure) == (0, Failure.CONNECTION_CLOSED)


async def test_nobody_answers() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        await reader.read()

    async with receiver(behave) as at:
        answer = await ReceiverClient(f"http://127.0.0.1:{at.port}/", is_sandbox=True, timeout_seconds=0.2).post(
            request(), 0
        )
    assert (answer.status, answer.failure) == (0, Failure.TIMEOUT)


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        (lambda: ReceiverClient("http://127.0.0.1:1/", is_sandbox=True), Failure.CONNECTION_REFUSED),
        (lambda: ReceiverClient("http://127.0.0.1:1/", is_sandbox=False), Failure.ADDRESS_REFUSED),
        (lambda: ReceiverClient("http://127.0.0.1:1/", is_sandbox=True, own_ports=frozenset({1})), Failure.ADDRESS_REFUSED),
        (lambda: ReceiverClient("https://a.example.com/", is_sandbox=True, resolver=Names([])), Failure.DNS_FAILURE),
        (
            lambda: ReceiverClient("https://a.example.com/", is_sandbox=False, resolver=Names(["127.0.0.1"])),
            Failure.ADDRESS_REFUSED,
        ),
        (
            lambda: ReceiverClient(
                "https://a.example.com/", is_sandbox=True, resolver=Names(["1.1.1.1", "169.254.169.254"])
            ),
            Failure.ADDRESS_REFUSED,
        ),
    ],
)
async def test_where_there_is_no_connection(line: Callable[[], ReceiverClient], failure: Failure) -> None:
    with pytest.raises(Unreached) as caught:
        await line().lasts()
    assert caught.value.failure is failure
    assert (await line().post(request(), 0)).failure is failure


@pytest.mark.parametrize(
    ("days", "verdict", "seen"),
    [
        (30.5, Verdict.PASS, "good for 30 more days"),
        (5.5, Verdict.ADVICE, "good for 5 more days"),
        (-0.5, Verdict.MEND, "TLS_FAILURE"),
    ],
)
async def test_a_certificate_and_how_long_it_is_good(tmp_path: Path, days: float, verdict: Verdict, seen: str) -> None:
    both = self_signed(tmp_path / "both.pem", "receiver.example.com", days)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(both)
    trusting = ssl.create_default_context(cafile=str(both))
    made = r.Receiver()
    names = Names(["127.0.0.1"])
    async with (
        r.served(made, server) as url,
        OutgoingClient(sandbox=True, resolver=names, tls=trusting) as client,
    ):
        found = await certified_at(ReceiverClient(url, is_sandbox=True, resolver=names, tls=trusting), client, made)
    assert (found["certificate"].verdict, found["certificate"].seen) == (verdict, seen)
    if verdict is Verdict.MEND:
        assert not made.requests
        assert {f.seen for name, f in found.items() if name != "certificate"} == {"not judged: mend 'certificate' first"}
    else:
        # A machine that is busy answers late, which is advice.
        assert {f.verdict for name, f in found.items() if name != "certificate"} <= {Verdict.PASS, Verdict.ADVICE}


async def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(self_signed(tmp_path / "both.pem", "receiver.example.com", 30))
    made = r.Receiver()
    names = Names(["127.0.0.1"])
    async with r.served(made, server) as url, OutgoingClient(sandbox=True, resolver=names) as client:
        found = await certified_at(ReceiverClient(url, is_sandbox=True, resolver=names), client, made)
    assert short_of_pass(found) == {"certificate": "MEND"}
