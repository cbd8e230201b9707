"""The payer's bank's client for locations, against servers that behave and misbehave."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from lastro_sim.bank.fetching import Answer, Fetcher

from .stage import Sim

GOOD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"
MOST = 1000


@dataclass
class Server:
    """Answers each request with the next of its answers. An empty one ends the connection, and so does one cut short."""

    answers: list[bytes]
    asked: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while line := await reader.readline():
            self.asked.append(line.decode().split(" ")[1])
            while (await reader.readline()).strip():
                pass
            answer = self.answers.pop(0)
            writer.write(answer.removesuffix(b"END"))
            if answer.endswith(b"END"):
                break
        writer.close()

    async def fetch(self, fetcher: Fetcher, path: str = "/a") -> Answer:
        return await fetcher.get(f"http://127.0.0.1:{self.port}{path}", MOST, 10.0)


@asynccontextmanager
async def serving(answers: Sequence[bytes]) -> AsyncIterator[tuple[Server, Fetcher]]:
    server, fetcher = Server(list(answers)), Fetcher()
    listening = await asyncio.start_server(server.meet, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    yield server, fetcher
    fetcher.close()
    listening.close()


async def test_a_connection_is_kept() -> None:
    async with serving([GOOD, GOOD]) as (server, fetcher):
        assert await server.fetch(fetcher) == await server.fetch(fetcher) == Answer(200, b"hi")
        assert server.connections == 1


async def test_a_kept_connection_that_ended_is_replaced() -> None:
    async with serving([GOOD, b"END", GOOD]) as (server, fetcher):
        assert await server.fetch(fetcher) == await server.fetch(fetcher, "/b") == Answer(200, b"hi")
        assert (server.asked, server.connections) == (["/a", "/b", "/b"], 2)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the endEND", Answer(200, b"until the end")),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", Answer(200, b"hi")),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + GOOD, Answer(200, b"hi")),
        (b"HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n", Answer(302, b"")),
    ],
)
async def test_what_is_read(sent: bytes, read: Answer) -> None:
    async with serving([sent]) as (server, fetcher):
        assert await server.fetch(fetcher) == read


@pytest.mark.parametrize("sent", [b"END", b"220 mail\r\nEND", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhiEND"])
async def test_what_is_no_answer(sent: bytes) -> None:
    async with serving([sent]) as (server, fetcher):
        with pytest.raises(ConnectionError):
            await server.fetch(fetcher)


async def test_no_more_is_read_than_is_wanted() -> None:
    async with serving([b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n" + b"x" * 8000, GOOD]) as (server, fetcher):
        assert len((await server.fetch(fetcher)).body) > MOST
        assert await server.fetch(fetcher) == Answer(200, b"hi")
        assert server.connections == 2


async def test_silence_ends() -> None:
    async with serving([b""]) as (server, fetcher):
        with pytest.raises(TimeoutError):
            await fetcher.get(f"http://127.0.0.1:{server.port}/a", MOST, 0.01)


async def test_a_path_cannot_end_the_request_line() -> None:
    async with serving([GOOD]) as (server, fetcher):
        await server.fetch(fetcher, "/a b/é?c d=%20")
        assert server.asked == ["/a%20b/%C3%A9?c%20d=%20"]


async def test_an_answer_is_one_piece(sim: Sim) -> None:
    port = sim.network.settings.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n" % port)
    assert (await reader.read(65_536)).endswith(b'{"status":"ok"}')
    writer.close()
