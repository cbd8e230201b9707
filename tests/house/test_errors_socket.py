"""What only a socket shows: requests that are no HTTP, cut off, too slow, too large, or several on one connection."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest
import uvicorn
from tests.http_contract import contract

from lastro.app import wiring
from lastro.app.api_process import Server
from lastro.web import protocol
from lastro.web.application import application

from .strangers import HOST, Town, leave, settle

LOGIN = b'{"clientId":"lc_0000000000000000000000","clientSecret":"lsk_x"}'
HEALTH, TOKEN = "GET /health", "POST /auth/v1/token"  # what is asked by GET and by post()
ERROR = {"$ref": "#/components/schemas/Error"}
SOON = 0.3
PATIENT = 5.0


class Hasty(protocol.Protocol):
    """The same with less patience."""

    head_seconds = SOON
    linger_seconds = SOON


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
    """A server of the town's application. hasty: the same, with less patience for heads and bodies."""

    town: Town
    patient: int
    hasty: int

    @asynccontextmanager
    async def line(self, *, hasty: bool = False) -> AsyncIterator[Line]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.hasty if hasty else self.patient)
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
async def served(town: Town, speaks: type[protocol.Protocol], **gate: Any) -> AsyncIterator[int]:
    house = town.house
    asgi = application(
        replace(wiring.gate(house), **gate), wiring.operations(house), wiring.routes(house), wiring.public(house)
    )
    server = Server(uvicorn.Config(asgi, http=speaks, ws="none", lifespan="off", log_config=None, server_header=False))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.ensure_future(server.serve([listening]))
        yield listening.getsockname()[1]
        server.should_exit = True
        await task


@pytest.fixture(scope="module")
async def port(database: Any) -> AsyncIterator[Port]:
    town = await settle(database)
    async with served(town, protocol.Protocol) as patient, served(town, Hasty, patience_seconds=SOON) as hasty:
        yield Port(town, patient, hasty)
    await leave(town)


def request(line: str, *headers: str, body: bytes = b"", host: str | None = HOST) -> bytes:
    named = [line, *([f"host: {host}"] if host else []), *headers]
    return "\r\n".join(named).encode("latin-1") + b"\r\n\r\n" + body


def post(*headers: str, body: bytes = LOGIN) -> bytes:
    return request("POST /auth/v1/token HTTP/1.1", "content-type: application/json", *headers, body=body)


GET = request("GET /health HTTP/1.1")
NO_HTTP = (400, "request", "INVALID")

# Bytes, and the one problem of the answer. All of them end the connection.
BROKEN: dict[str, tuple[bytes, tuple[int, str, str]]] = {
    "no method of HTTP": (request("FETCH /health HTTP/1.1"), (405, "method", "NOT_ALLOWED")),
    "a method in lower case": (request("get /health HTTP/1.1"), (405, "method", "NOT_ALLOWED")),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", (405, "method", "NOT_ALLOWED")),
    "no version": (b"GET /health HTTP\r\n\r\n", NO_HTTP),
    "a blank in the path": (request("GET /hea lth HTTP/1.1"), NO_HTTP),
    "a path that is no ASCII": (request("GET /\xe9 HTTP/1.1"), NO_HTTP),
    "no path": (request("GET HTTP/1.1"), NO_HTTP),
    "a tunnel": (request("CONNECT bank.example:443 HTTP/1.1"), NO_HTTP),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", NO_HTTP),
    "a blank before the colon": (request("GET /health HTTP/1.1", "x-one : 1"), NO_HTTP),
    "a header over two lines": (request("GET /health HTTP/1.1", "x-one: 1", " 2"), NO_HTTP),
    "a header without a name": (request("GET /health HTTP/1.1", ": 1"), NO_HTTP),
    "a NUL in a header": (request("GET /health HTTP/1.1", "x-one: \0"), NO_HTTP),
    "a length that is no number": (post("content-length: many"), NO_HTTP),
    "a negative length": (post("content-length: -1"), NO_HTTP),
    "a length of the next galaxy": (post("content-length: 99999999999999999999999"), NO_HTTP),
    "two lengths": (post("content-length: 5", "content-length: 50"), NO_HTTP),
    "length and chunks": (post("content-length: 5", "transfer-encoding: chunked"), NO_HTTP),
    "an encoding nobody speaks": (post("transfer-encoding: gzip"), NO_HTTP),
    "chunks that are none": (post("transfer-encoding: chunked", body=b"zz\r\n{}\r\n"), NO_HTTP),
    "a chunk that is longer than it says": (post("transfer-encoding: chunked", body=b"1\r\n{}\r\n0\r\n\r\n"), NO_HTTP),
    "a long header": (request("GET /health HTTP/1.1", "x-one: " + "1" * 70_000), (400, "headers", "TOO_LONG")),
    "many headers": (request("GET /health HTTP/1.1", *["x: 1"] * 20_000), (400, "headers", "TOO_LONG")),
    "a long path": (request(f"GET /{'a' * 70_000} HTTP/1.1"), (400, "headers", "TOO_LONG")),
    "a long query": (request(f"GET /health?{'a' * 70_000} HTTP/1.1"), (400, "headers", "TOO_LONG")),
    "a header without end": (GET[:-4] + b"\r\nx: " + b"1" * 600_000, (400, "headers", "TOO_LONG")),
    "a trailer without end": (
        post("transfer-encoding: chunked", body=b"2\r\n{}\r\n0\r\nx: " + b"1" * 600_000), (400, "headers", "TOO_LONG"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
async def test_what_is_no_http_gets_the_error_body(port: Port, what: str) -> None:
    data, problem = BROKEN[what]
    answer = await port.said(data)
    assert answer.problem == problem
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["connection"] == "close"
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert msgspec.json.decode(answer.body)["error"] == "INVALID_REQUEST"
    assert ("allow" in answer.headers) == (answer.status == 405)


async def test_the_callers_request_id_comes_back_where_it_was_read(port: Port) -> None:
    answer = await port.said(request("GET /health HTTP/1.1", "x-request-id: mine-1", "x-one: 1", "x : 1"))
    assert answer.headers["x-request-id"] == "mine-1"


# ── several on one connection ──


async def test_what_was_asked_before_is_answered_first(port: Port) -> None:
    """Or the refusal would be taken for its answer."""
    async with port.line() as line:
        await line.send(GET + post(f"content-length: {len(LOGIN)}") + GET + b"rubbish \0\r\n\r\n" + GET)
        assert await line.statuses(HEALTH, TOKEN, HEALTH, "") == [200, 401, 200, 405]
        assert await line.ends()


async def test_what_was_asked_before_a_body_broke_is_answered_first(port: Port) -> None:
    async with port.line() as line:
        await line.send(GET + post("transfer-encoding: chunked", body=b"zz\r\n"))
        assert (await line.answer(HEALTH)).status == 200
        assert (await line.answer()).problem == NO_HTTP
        assert await line.ends()


async def test_a_body_is_only_what_its_length_says(port: Port) -> None:
    """Shorter than said: it is waited for. Longer: the rest is another request."""
    async with port.line() as line:
        await line.send(post("content-length: 2", body=b"{}") + GET)
        assert await line.statuses(TOKEN, HEALTH) == [400, 200]
        await line.send(post("content-length: 2", body=b"{}{}"))
        assert (await line.answer(TOKEN)).status == 400
        assert (await line.answer()).problem == (405, "method", "NOT_ALLOWED")


async def test_an_upgrade_is_not_taken(port: Port) -> None:
    """The request is answered as it stands, and the next one on the connection too."""
    for protocols in (("connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABk"),
                      ("connection: Upgrade", "upgrade: websocket", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
                       "sec-websocket-version: 13")):  # fmt: skip
        async with port.line() as line:
            upgrading = request("GET /health HTTP/1.1", *protocols)
            length, chunked = f"content-length: {len(LOGIN)}", b"%x\r\n%s\r\n0\r\n\r\n" % (len(LOGIN), LOGIN)
            for sent in (
                upgrading + GET, upgrading, post(*protocols, length) + GET,
                post(*protocols, "transfer-encoding: chunked", body=chunked), post(*protocols, length, body=LOGIN[:9]), LOGIN[9:],
                GET,
            ):  # fmt: skip
                await line.send(sent)
            asked = (HEALTH, HEALTH, HEALTH, TOKEN, HEALTH, TOKEN, TOKEN, HEALTH)
            assert await line.statuses(*asked) == [200, 200, 200, 401, 200, 401, 401, 200]


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


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"GET /hea", NO_HTTP),
        (GET[:-2], NO_HTTP),
        (post("content-length: 500"), (400, "body", "INVALID")),
        (post("transfer-encoding: chunked", body=b"2\r\n{}\r\n"), (400, "body", "INVALID")),
    ],
)
async def test_what_was_cut_off_is_refused(port: Port, data: bytes, problem: tuple[int, str, str]) -> None:
    async with port.line() as line:
        await line.send(data)
        line.writer.write_eof()
        assert (await line.answer(TOKEN if "body" in problem else "")).problem == problem
        assert await line.ends()


async def test_who_has_said_all_is_answered_all_the_same(port: Port) -> None:
    """A caller may close its side and listen."""
    async with port.line() as line:
        await line.send(GET + GET)
        line.writer.write_eof()
        assert await line.statuses(HEALTH, HEALTH) == [200, 200]
        assert await line.ends()


async def test_who_says_nothing_is_let_go(port: Port) -> None:
    async with port.line(hasty=True) as line:
        assert await line.ends()


@pytest.mark.parametrize(
    ("data", "field"),
    [(b"GET /health HT", "headers"), (GET[:-2], "headers"), (post("content-length: 500"), "body"),
     (post("transfer-encoding: chunked", body=b"2\r\n{}\r\n"), "body")],
)  # fmt: skip
async def test_what_takes_too_long_is_refused(port: Port, data: bytes, field: str) -> None:
    answer = await port.said(data, TOKEN if field == "body" else "", hasty=True)
    assert answer.problem == (400, field, "EXPIRED")
    assert f"{SOON:g} s" in answer.body.decode()


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


async def test_who_goes_on_sending_is_let_go(port: Port) -> None:
    """Once it is refused, nobody listens for long."""
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    async with port.line(hasty=True) as line:
        await line.send(post("transfer-encoding: chunked", body=chunk))
        sent = 0
        with suppress(ConnectionError):
            async with asyncio.timeout(PATIENT):
                while not line.reader.at_eof() and line.reader.exception() is None:
                    await line.send(chunk)
                    sent += 1
                    await asyncio.sleep(0)
        assert sent > 16, "it was told after the limit"


async def test_small_pieces_of_a_good_body_are_taken(port: Port) -> None:
    """One byte a chunk is five bytes of frame a byte, and no reason to refuse."""
    body = LOGIN[:-1] + b" " * 40_000 + b"}"
    chunks = b"".join(b"1\r\n" + body[i : i + 1] + b"\r\n" for i in range(len(body))) + b"0\r\n\r\n"
    async with port.line() as line:
        await line.send(post("transfer-encoding: chunked", body=chunks))
        assert (await line.answer(TOKEN)).status == 401


async def test_a_name_is_needed(port: Port) -> None:
    for data in (
        request("GET /health HTTP/1.1", host=None),
        b"GET /health\r\n\r\n",
        request("GET /health HTTP/1.0", host=None),
    ):
        async with port.line() as line:
            await line.send(data)
            assert (await line.answer(HEALTH)).problem == (400, "host", "NOT_ALLOWED")


async def test_a_whole_address_as_the_path_is_the_path(port: Port) -> None:
    async with port.line() as line:
        await line.send(request(f"GET http://{HOST}/health HTTP/1.1") + request("OPTIONS * HTTP/1.1"))
        assert await line.statuses(HEALTH, "OPTIONS *") == [200, 404]
        await line.send(request("GET http://evil.example/health HTTP/1.1"))
        assert (await line.answer(HEALTH)).problem == (400, "host", "DUPLICATE")


async def test_head_has_no_body(port: Port) -> None:
    async with port.line() as line:
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
