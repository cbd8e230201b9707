"""A connection, byte by byte: however the bytes are cut, the answers are the same; whatever they are, the answers are in order."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from uvicorn.server import ServerState

from lastro.core.errors import Kind, Refused
from lastro.web.protocol import LARGEST_HEAD, Protocol, speaking

GET = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello"
CHUNKED = b"POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n4\r\nlo!!\r\n0\r\nx-late: 1\r\n\r\n"
_UPGRADE = b"connection: upgrade\r\nupgrade: h2c\r\n"
UPGRADE = GET.replace(b"host", _UPGRADE + b"host")
UPGRADED = POST.replace(b"host", _UPGRADE + b"host")
UPGRADED_CHUNKED = CHUNKED.replace(b"host", _UPGRADE + b"host")
WHOLE = {GET: 0, POST: 5, CHUNKED: 7, UPGRADE: 0, UPGRADED: 5, UPGRADED_CHUNKED: 7}
BROKEN = (
    b"FETCH /x HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nx : 1\r\n\r\n",
    b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nz\r\n",
    b"\0",
)
EARLY = b"POST /early HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"
_ANSWER = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n")


class Wire(asyncio.Transport):
    """The caller's side: what was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.said = bytearray()
        self.closed = self.said_late = False
        self.protocol: Protocol | None = None

    def write(self, data: Any) -> None:
        self.said_late = self.said_late or self.closed
        self.said += data

    def write_eof(self) -> None:
        self.closed = True

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        protocol, self.protocol, self.closed = self.protocol, None, True
        if protocol is not None:
            asyncio.get_running_loop().call_soon(protocol.connection_lost, None)

    def pause_reading(self) -> None:
        """Nothing is sent faster than it is read here."""

    def resume_reading(self) -> None:
        """Nothing is held back."""


async def counting(scope: Any, receive: Any, send: Any) -> None:
    """Answers how long the body was, or at once."""
    assert scope["type"] == "http"
    assert not any(name == b"x-late" for name, _ in scope["headers"])
    size, more = 0, scope["path"] != "/early"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Turns:
    """Instead of an admission: every so manieth request is turned away, in the order they are asked; none is forgotten."""

    def __init__(self, every: int) -> None:
        self.every, self.asked, self.begun = every, 0, 0

    def knock(self, scope: Any) -> Refused | None:
        assert scope["headers"]
        self.asked += 1
        return None if self.asked % self.every else Refused(Kind.UNAVAILABLE, retry_after_seconds=1)

    def begin(self, scope: Any) -> None:
        self.begun += 1

    def arrive(self, turn: None) -> None:
        self.begun -= 1


def connected(wire: Wire, speaks: type[Protocol] = Protocol, app: Any = counting) -> Protocol:
    config = uvicorn.Config(app, http=speaks, ws="none", lifespan="off", log_config=None)
    wire.protocol = protocol = speaks(config, ServerState(), {}, asyncio.get_running_loop())
    protocol.connection_made(wire)
    return protocol


async def told(pieces: Sequence[bytes], speaks: type[Protocol] = Protocol) -> list[tuple[int, bytes]]:
    """Status and body of each answer to what arrives in these pieces, the loop at rest after each."""
    wire = Wire()
    protocol = connected(wire, speaks)
    for piece in pieces:
        if not wire.closed and piece:
            protocol.data_received(piece)
        for _ in range(20):
            await asyncio.sleep(0)
    assert not wire.said_late, "something is said after the end"
    answers, rest = [], bytes(wire.said)
    while rest:
        found = _ANSWER.match(rest)
        assert found, rest
        length = re.search(rb"content-length: (\d+)\r\n", found[2])
        assert length, found[2]
        end = found.end() + int(length[1])
        answers.append((int(found[1]), rest[found.end() : end]))
        rest = rest[end:]
    wire.close()
    await asyncio.sleep(0)
    return answers


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    at = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]


def assert_in_words(answer: tuple[int, bytes]) -> None:
    status, body = answer
    said = msgspec.json.decode(body)
    assert status in (400, 405)
    assert (said["error"], len(said["details"])) == ("INVALID_REQUEST", 1)


PLACES = st.lists(st.integers(0, 10_000), max_size=30)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(list(WHOLE)), min_size=1, max_size=6), PLACES)
def test_however_it_is_cut_it_is_answered_alike(requests: list[bytes], places: list[int]) -> None:
    expected = [(200, str(WHOLE[request]).encode()) for request in requests]
    assert asyncio.run(told(cut(b"".join(requests), places))) == expected


@settings(max_examples=150)
@given(st.lists(st.sampled_from(list(WHOLE)), max_size=4), st.sampled_from(BROKEN), st.binary(max_size=20), PLACES)
def test_what_was_whole_before_the_break_is_answered_before_it(
    requests: list[bytes], broken: bytes, rest: bytes, places: list[int]
) -> None:
    answers = asyncio.run(told(cut(b"".join(requests) + broken + rest, places)))
    assert answers[:-1] == [(200, str(WHOLE[request]).encode()) for request in requests]
    assert_in_words(answers[-1])


AWAY = (503, b'{"error":"INTERNAL_ERROR","message":"Unexpected error","details":[]}')


@settings(max_examples=150)
@given(
    st.integers(1, 3),
    st.lists(st.sampled_from(list(WHOLE)), min_size=1, max_size=6),
    st.sampled_from([b"", *BROKEN]),
    PLACES,
)
def test_each_is_turned_away_in_its_turn(every: int, requests: list[bytes], broken: bytes, places: list[int]) -> None:
    """Among others that are served, however all of it is cut, and with a break behind it; its body is dropped."""
    turns = Turns(every)
    answers = asyncio.run(told(cut(b"".join(requests) + broken, places), speaking(turns)))  # type: ignore[arg-type]
    expected = [(200, str(WHOLE[one]).encode()) if n % every else AWAY for n, one in enumerate(requests, 1)]
    assert answers[: len(requests)] == expected
    assert turns.begun == 0
    # A chunk that is broken belongs to a request that had a whole head: it was turned away, or is refused in words.
    for answer in answers[len(requests) :]:
        if answer != AWAY:
            assert_in_words(answer)
    assert len(answers) == len(requests) + bool(broken)


class Named(Turns):
    """Turns those away whose path says so."""

    def __init__(self) -> None:
        super().__init__(1)

    def knock(self, scope: Any) -> Refused | None:
        refused = super().knock(scope)
        return refused if (b"x-away", b"1") in scope["headers"] else None


GONE = GET.replace(b"host", b"x-away: 1\r\nhost")
SLOW = GET.replace(b"/a", b"/slow")


@pytest.mark.parametrize("third", [GET, GONE])
async def test_who_is_begun_behind_one_that_is_turned_away_is_answered_in_its_turn(third: bytes) -> None:
    """All three arrive at once, and the second takes its time."""
    may_go = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/slow":
            await may_go.wait()
        await counting(scope, receive, send)

    wire = Wire()
    protocol = connected(wire, speaking(Named()), app)  # type: ignore[arg-type]
    protocol.data_received(GONE + SLOW + third)
    for _ in range(20):
        await asyncio.sleep(0)
    assert [int(found[1]) for found in _ANSWER.finditer(wire.said)] == [503]
    may_go.set()
    for _ in range(20):
        await asyncio.sleep(0)
    assert [int(found[1]) for found in _ANSWER.finditer(wire.said)] == [503, 200, 200 if third is GET else 503]
    wire.close()
    await asyncio.sleep(0)


@pytest.mark.parametrize("following", [GET, GET.replace(b"host", b"y: " + b"1" * 3000 + b"\r\nhost")])
async def test_nothing_is_begun_on_a_connection_that_a_refusal_has_ended(following: bytes) -> None:
    """A caller of HTTP/1.0 is told once: whatever came behind it, in the same piece that is read or in the next, would never be answered."""
    begun = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])
        await counting(scope, receive, send)

    wire = Wire()
    old = GONE.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"host", b"connection: keep-alive\r\nhost")
    connected(wire, speaking(Named()), app).data_received(old + following)  # type: ignore[arg-type]
    for _ in range(20):
        await asyncio.sleep(0)
    assert (begun, wire.closed) == ([], True)
    assert [int(found[1]) for found in _ANSWER.finditer(wire.said)] == [503]


async def test_a_connection_rests_once_the_body_of_a_refused_request_is_whole() -> None:
    """The timer of its rest has come meanwhile, and found it busy."""
    wire, loop = Wire(), asyncio.get_running_loop()
    protocol = connected(wire, speaking(Named()))  # type: ignore[arg-type]
    protocol.timeout_keep_alive = 0.02  # type: ignore[assignment]
    protocol.data_received(GET)
    head, body = POST.replace(b"host", b"x-away: 1\r\nhost").split(b"hello")[0], b"hello"
    while not wire.said:
        await asyncio.sleep(0)
    protocol.data_received(head)
    async with asyncio.timeout(5):
        while protocol.timeout_keep_alive_task is not None:
            await asyncio.sleep(0.001)
        asked = loop.time()
        protocol.data_received(body)
        while not wire.closed:
            await asyncio.sleep(0.001)
    assert loop.time() - asked < protocol.linger_seconds


async def test_a_body_that_breaks_behind_a_refusal_ends_the_connection() -> None:
    """It was answered, and what follows cannot be told apart from it any more."""
    wire = Wire()
    protocol = connected(wire, speaking(Turns(1)))  # type: ignore[arg-type]
    protocol.data_received(CHUNKED[: CHUNKED.index(b"3\r\n")])
    assert wire.said.startswith(b"HTTP/1.1 503 ")
    said = len(wire.said)
    protocol.data_received(b"z\r\n")
    assert (wire.closed, len(wire.said)) == (True, said)
    await asyncio.sleep(0)


async def test_a_connection_rests_so_long_from_its_last_answer_on() -> None:
    """One timer for all its requests: what is asked meanwhile is not cut off, and the end comes all the same."""
    wire, loop = Wire(), asyncio.get_running_loop()
    protocol = connected(wire)
    protocol.timeout_keep_alive = seconds = 0.05  # type: ignore[assignment]
    begun = last = loop.time()
    async with asyncio.timeout(5):
        while not wire.closed:
            if last + seconds / 10 <= loop.time() < begun + 3 * seconds:
                last = loop.time()
                protocol.data_received(GET)
                while not wire.said:
                    await asyncio.sleep(0)
                wire.said.clear()
            await asyncio.sleep(0.001)
    assert loop.time() - last >= seconds - 0.001


PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([*WHOLE, *BROKEN, EARLY, EARLY + b"z\r\n"]),
    st.sampled_from([b"\r\n", b"\r\n\r\n", b"GET ", b" HTTP/1.1\r\n", b"host: x\r\n", b"content-length: 3\r\n", b"0\r\n\r\n", b"transfer-encoding: chunked\r\n", _UPGRADE]),
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=20))
def test_whatever_comes_is_answered_in_order_or_not_at_all(pieces: list[bytes]) -> None:
    """Nothing fails, nothing is said twice, and after a refusal nothing more."""
    answers = asyncio.run(told(pieces))
    assert all(status == 200 for status, _ in answers[:-1])
    if answers and answers[-1][0] != 200:
        assert_in_words(answers[-1])


@settings(max_examples=30)
@given(PLACES)
def test_a_head_is_too_large_from_the_same_byte_on(places: list[int]) -> None:
    """What counts is the path and each header with its colon, blank and end of line, however it is cut."""
    longest = LARGEST_HEAD - len("/a") - len("host: x\r\n") - len("y: \r\n")
    for size, status in ((longest, 200), (longest + 1, 400)):
        head = GET.replace(b"\r\n\r\n", b"\r\ny: " + b"1" * size + b"\r\n\r\n")
        answers = asyncio.run(told(cut(head, [place * 7 for place in places])))
        assert [answered for answered, _ in answers] == [status]
