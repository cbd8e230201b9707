"""What only a socket shows: requests that are no HTTP, cut off, too slow, too large, or several on one connection."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Any

import msgspec
import pytest
from tests.http_contract import contract
from tests.in_one import in_one_test

from lastro.api_kit.proxies import Proxies
from lastro.app import wiring
from lastro.web.application import application
from lastro.web.server import server

from .strangers import HOST, Town, leave, settle

LOGIN = b'{"clientId":"lc_0000000000000000000000","clientSecret":"lsk_x"}'
HEALTH, TOKEN = "GET /health", "POST /auth/v1/token"  # what is asked by GET and by post()
ERROR = {"$ref": "#/components/schemas/ApiError"}
SOON = 0.3
PATIENT = 5.0


@dataclass(frozen=True)
class Answer:
    """What came back, byte for byte understood."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> tuple[int, str, str]:
        (detail,) = msgspec.json.decode(self.body)["details"]
        return self.status, detail["field"], detail["issue"]


@dataclass
class Line:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, asked: str = "") -> Answer:
        """The next answer. asked: method and target of the request that it is to, of which it is held to be as documented.

        What is no HTTP, or broke off before it was a request, asks for no operation: its answer is an Error of the document.
        """
        async with asyncio.timeout(PATIENT):
            told = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = told.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            length = 0 if asked.startswith("HEAD ") else int(headers["content-length"])
            answer = Answer(int(first.split(" ")[1]), headers, await self.reader.readexactly(length))
        if asked:
            method, target = asked.split(" ")
            contract().holds(method, target, answer.status, answer.headers, answer.body)
        else:
            contract().valid("an answer to no operation", ERROR, msgspec.json.decode(answer.body))
        return answer

    async def statuses(self, *asked: str) -> list[int]:
        """Of the next answers, one to each of these."""
        return [(await self.answer(one)).status for one in asked]

    async def ends(self) -> bool:
        """Whether nothing more comes."""
        async with asyncio.timeout(PATIENT):
            return await self.reader.read() == b""


@dataclass
class Port:
    """Servers of the town's application. behind: as behind a proxy; hasty: with less patience for bodies."""

    town: Town
    patient: int
    behind: int
    hasty: int

    @asynccontextmanager
    async def line(self, *, hasty: bool = False, behind: bool = False) -> AsyncIterator[Line]:
        port = self.hasty if hasty else self.behind if behind else self.patient
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            yield Line(reader, writer)
        finally:
            writer.close()

    async def said(self, data: bytes, asked: str = "", *, hasty: bool = False) -> Answer:
        """The one answer to bytes, after which the connection ends by itself."""
        async with self.line(hasty=hasty) as line:
            await line.send(data)
            answer = await line.answer(asked)
            assert await line.ends()
            return answer


@asynccontextmanager
async def serving(asgi: Any, *, behind_proxy: bool = False, **more: Any) -> AsyncIterator[int]:
    """A server as the API process starts it."""
    serves = server(asgi, behind_proxy=behind_proxy, lifespan="off", **more)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.ensure_future(serves.serve([listening]))
        try:
            yield listening.getsockname()[1]
        finally:
            serves.should_exit = True
            await task


@asynccontextmanager
async def served(town: Town, *, behind_proxy: bool = False, **gate: Any) -> AsyncIterator[int]:
    house = town.house
    proxies = Proxies((ip_network("127.0.0.2/32"),) if behind_proxy else ())
    made = replace(wiring.gate(house), proxies=proxies, **gate)
    asgi = application(made, wiring.operations(house), wiring.routes(house), wiring.public(house))
    async with serving(asgi, behind_proxy=behind_proxy, timeout_keep_alive=1) as port:
        yield port


@pytest.fixture(scope="module")
async def port(database: Any) -> AsyncIterator[Port]:
    town = await settle(database)
    async with served(town) as own, served(town, behind_proxy=True) as behind, served(town, patience_seconds=SOON) as hasty:
        yield Port(town, own, behind, hasty)
    await leave(town)


def request(line: str, *headers: str, body: bytes = b"", host: str | None = HOST) -> bytes:
    named = [line, *([f"host: {host}"] if host else []), *headers]
    return "\r\n".join(named).encode("latin-1") + b"\r\n\r\n" + body


def post(*headers: str, body: bytes = LOGIN) -> bytes:
    return request("POST /auth/v1/token HTTP/1.1", "content-type: application/json", *headers, body=body)


GET = request("GET /health HTTP/1.1")

# Bytes that are no request of HTTP/1.1, or none for an origin. A proxy lets none of them pass.
BROKEN = {
    "no method of HTTP": request("FETCH /health HTTP/1.1"),
    "a method in lower case": request("get /health HTTP/1.1"),
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "no version": b"GET /health HTTP\r\n\r\n",
    "a blank in the path": request("GET /hea lth HTTP/1.1"),
    "no path": request("GET HTTP/1.1"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a blank before the colon": request("GET /health HTTP/1.1", "x-one : 1"),
    "a header without a name": request("GET /health HTTP/1.1", ": 1"),
    "a NUL in a header": request("GET /health HTTP/1.1", "x-one: \0"),
    "a length that is no number": post("content-length: many"),
    "a negative length": post("content-length: -1"),
    "two lengths": post("content-length: 5", "content-length: 50"),
    "an encoding nobody speaks": post("transfer-encoding: gzip"),
    "chunks that are none": post("transfer-encoding: chunked", body=b"zz\r\n{}\r\n"),
    "a chunk that is longer than it says": post("transfer-encoding: chunked", body=b"1\r\n{}\r\n0\r\n\r\n"),
}
TOO_LARGE = {
    "a long header": request("GET /health HTTP/1.1", "x-one: " + "1" * 1_000_000),
    "many headers": request("GET /health HTTP/1.1", *["x: 1"] * 200_000),
    "a long path": request(f"GET /{'a' * 1_000_000} HTTP/1.1"),
    "a header without end": GET[:-4] + b"\r\nx: " + b"1" * 600_000,
}


async def heard(line: Line) -> bytes:
    """All that is answered, until the connection ends."""
    told = b""
    with suppress(ConnectionError):
        async with asyncio.timeout(PATIENT):
            while part := await line.reader.read(65536):
                told += part
    return told


@in_one_test("behind, what", [(behind, what) for behind in (False, True) for what in BROKEN])
async def test_what_is_no_http_is_not_served(port: Port, what: str, behind: bool) -> None:
    async with port.line(behind=behind) as line:
        await line.send(BROKEN[what])
        told = await heard(line)
    statuses = re.findall(rb"HTTP/1\.1 (\d{3}) ", told)
    assert statuses, "nothing is told"
    assert set(statuses) <= {b"400", b"405"}, told


@in_one_test("what", TOO_LARGE)
async def test_a_head_that_is_too_large_is_not_served(port: Port, what: str) -> None:
    """Of callers that come by themselves; a proxy has a limit of its own."""
    async with port.line() as line:
        with suppress(ConnectionError):
            await line.send(TOO_LARGE[what])
        told = await heard(line)
    assert told == b"" or told.startswith(b"HTTP/1.1 400 "), told  # what was said may be lost under what is still sent


# ── several on one connection ──


async def test_what_was_asked_before_is_answered_first(port: Port) -> None:
    """Or the refusal would be taken for its answer."""
    async with port.line() as line:
        await line.send(GET + post(f"content-length: {len(LOGIN)}") + GET + b"rubbish \0\r\n\r\n" + GET)
        assert await line.statuses(HEALTH, TOKEN, HEALTH) == [200, 401, 200]
        told = await heard(line)
        assert told.startswith(b"HTTP/1.1 400 ")
        assert told.count(b"HTTP/1.1 ") == 1


@in_one_test("behind", [False, True])
async def test_a_body_is_only_what_its_length_says(port: Port, behind: bool) -> None:
    """Shorter than said: it is waited for. Longer: the rest is another request."""
    async with port.line(behind=behind) as line:
        await line.send(post("content-length: 2", body=b"{}") + GET)
        assert await line.statuses(TOKEN, HEALTH) == [400, 200]
        await line.send(post("content-length: 2", body=b"{}"))
        assert (await line.answer(TOKEN)).status == 400
        await line.send(b"{}\r\n\r\n")
        assert (await heard(line)).startswith(b"HTTP/1.1 400 ")


UPGRADES = (
    ("connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABk"),  # as Java's client asks
    (
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-version: 13",
    ),
)
LENGTH, CHUNKED = f"content-length: {len(LOGIN)}", b"%x\r\n%s\r\n0\r\n\r\n" % (len(LOGIN), LOGIN)


@in_one_test("protocols", UPGRADES)
async def test_an_upgrade_is_not_taken(port: Port, protocols: tuple[str, ...]) -> None:
    """The request is answered as it stands, and the next one on the connection too."""
    async with port.line() as line:
        upgrading = request("GET /health HTTP/1.1", *protocols)
        for sent in (
            upgrading + GET, upgrading, post(*protocols, LENGTH) + GET,
            post(*protocols, "transfer-encoding: chunked", body=CHUNKED), post(*protocols, LENGTH, body=LOGIN[:9]), LOGIN[9:],
            GET,
        ):  # fmt: skip
            await line.send(sent)
        asked = (HEALTH, HEALTH, HEALTH, TOKEN, HEALTH, TOKEN, TOKEN, HEALTH)
        assert await line.statuses(*asked) == [200, 200, 200, 401, 200, 401, 401, 200]


@in_one_test("protocols", UPGRADES)
async def test_behind_a_proxy_a_body_of_an_upgrade_is_never_a_request(port: Port, protocols: tuple[str, ...]) -> None:
    """A proxy that hands upgrades on takes it for a body: its answer would be given to whoever is next on the connection."""
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(GET), GET)
    for headers, body in ((f"content-length: {len(GET)}", GET), ("transfer-encoding: chunked", chunked)):
        for pieces in ((post(*protocols, headers, body=body),), (post(*protocols, headers, body=b""), body)):
            async with port.line(behind=True) as line:
                for piece in pieces:
                    with suppress(ConnectionError):
                        await line.send(piece)
                    await asyncio.sleep(0)
                answer = await line.answer(TOKEN)
                assert answer.problem == (400, "request", "INVALID")
                assert answer.headers["connection"] == "close"
                assert await heard(line) == b""
    async with port.line(behind=True) as line:
        await line.send(request("GET /health HTTP/1.1", *protocols))
        assert (await line.answer(HEALTH)).status == 200


async def test_headers_behind_a_body_are_not_believed(port: Port) -> None:
    token = port.town.token(port.town.ana)
    chunks = b"2\r\n{}\r\n0\r\nauthorization: Bearer " + token.encode() + b"\r\nx-request-id: trailing\r\n\r\n"
    async with port.line() as line:
        await line.send(
            request(
                "PUT /order/v2/transparent HTTP/1.1",
                "content-type: application/json",
                "transfer-encoding: chunked",
                body=chunks,
            )
        )
        answer = await line.answer("PUT /order/v2/transparent")
        assert (answer.status, answer.headers["x-request-id"] == "trailing") == (401, False)


async def test_who_asks_first_to_go_on_is_told_to(port: Port) -> None:
    async with port.line() as line:
        await line.send(post("expect: 100-continue", f"content-length: {len(LOGIN)}", body=b""))
        assert await line.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        await line.send(LOGIN)
        assert (await line.answer(TOKEN)).status == 401


# ── cut off, slow, too much ──


@in_one_test("behind, data", [(behind, data) for behind in (False, True) for data in (
    b"GET /hea", GET[:-2], post("content-length: 500"), post("transfer-encoding: chunked", body=b"2\r\n{}\r\n"),
)])  # fmt: skip
async def test_what_was_cut_off_is_not_served(port: Port, behind: bool, data: bytes) -> None:
    async with port.line(behind=behind) as line:
        await line.send(data)
        line.writer.write_eof()
        assert await heard(line) == b""


@in_one_test("data", [post("content-length: 500"), post("transfer-encoding: chunked", body=b"2\r\n{}\r\n")])
async def test_a_body_that_takes_too_long_is_refused(port: Port, data: bytes) -> None:
    answer = await port.said(data, TOKEN, hasty=True)
    assert answer.problem == (400, "body", "EXPIRED")
    assert f"{SOON:g} s" in answer.body.decode()
    assert answer.headers["connection"] == "close"


async def test_a_drop_now_and_then_is_too_slow_as_well(port: Port) -> None:
    """The time is that of the whole body, not between two pieces of it."""
    async with port.line(hasty=True) as line:
        await line.send(post("content-length: 60000", body=b""))
        answer = asyncio.ensure_future(line.answer(TOKEN))
        while not answer.done():
            await line.send(b" ")
            await asyncio.wait((answer,), timeout=SOON / 10)
        assert answer.result().problem == (400, "body", "EXPIRED")


@pytest.mark.parametrize("length", [1024 * 1024 + 1, 10**15])
async def test_a_body_that_says_it_is_too_large_is_not_waited_for(port: Port, length: int) -> None:
    answer = await port.said(post(f"content-length: {length}", body=b"{"), TOKEN, hasty=True)
    assert answer.problem == (413, "body", "TOO_LONG")


async def test_a_body_that_is_too_large_is_refused_whatever_it_says(port: Port) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    async with port.line() as line:
        await line.send(post("transfer-encoding: chunked", body=chunk * 17 + b"0\r\n\r\n") + GET)
        assert (await line.answer(TOKEN)).problem == (413, "body", "TOO_LONG")
        assert (await line.answer(HEALTH)).status == 200  # it has ended in time, and so the connection is as good as before


async def test_small_pieces_of_a_good_body_are_taken(port: Port) -> None:
    """One byte a chunk is five bytes of frame a byte, and no reason to refuse."""
    body = LOGIN[:-1] + b" " * 4_000 + b"}"
    chunks = b"".join(b"1\r\n" + body[i : i + 1] + b"\r\n" for i in range(len(body))) + b"0\r\n\r\n"
    async with port.line() as line:
        await line.send(post("transfer-encoding: chunked", body=chunks))
        assert (await line.answer(TOKEN)).status == 401


async def test_a_name_is_needed(port: Port) -> None:
    for behind, version, asked in ((False, "1.0", HEALTH), (True, "1.0", HEALTH), (True, "1.1", HEALTH)):
        async with port.line(behind=behind) as line:
            await line.send(request(f"GET /health HTTP/{version}", host=None))
            assert (await line.answer(asked)).problem == (400, "host", "NOT_ALLOWED")
    async with port.line() as line:  # without a name it is no HTTP/1.1 (RFC 9112 §3.2)
        await line.send(request("GET /health HTTP/1.1", host=None))
        assert (await heard(line)).startswith(b"HTTP/1.1 400 ")


@in_one_test("behind", [False, True])
async def test_head_has_no_body(port: Port, behind: bool) -> None:
    async with port.line(behind=behind) as line:
        for path, status in (
            ("/health", 200),
            ("/nowhere", 404),
            ("/order/v2/account/balance", 401),
            ("/auth/v1/token", 405),
        ):
            await line.send(request(f"HEAD {path} HTTP/1.1") + GET)
            answer = await line.answer(f"HEAD {path}")
            assert answer.status == status
            assert int(answer.headers["content-length"]) > 0
            assert (await line.answer(HEALTH)).status == 200


@in_one_test("behind", [False, True])
async def test_an_answer_that_is_cut_ends_the_connection(behind: bool) -> None:
    """Nobody takes a part for the whole."""

    async def cut(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10")]})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})

    async with serving(cut, behind_proxy=behind) as port:
        line = Line(*await asyncio.open_connection("127.0.0.1", port))
        await line.send(GET)
        assert (await heard(line)).endswith(b"\r\n\r\nhalf")
        line.writer.close()
