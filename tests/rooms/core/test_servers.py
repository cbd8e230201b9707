"""A database on several servers: the one that takes writes is found, whatever the others do, and left when it no longer does."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import asyncpg
import pytest

from lastro.core.db import Database, Dsn
from lastro.core.errors import DatabaseAway
from lastro.core.servers import Servers

_WRITES = "UPDATE clock SET offset_us = offset_us WHERE false"
Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[int]:
    async with await asyncio.start_server(server, "127.0.0.1", 0) as made:
        yield made.sockets[0].getsockname()[1]


async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A machine that hangs: it takes the connection and says nothing."""
    with suppress(asyncio.CancelledError):
        await _reader.read()
    writer.close()


async def starting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that is not up yet says so, whatever it is asked."""
    await _without_tls(reader, writer)
    told = b"SFATAL\0C57P03\0Mthe database system is starting up\0\0"
    writer.write(b"E" + (len(told) + 4).to_bytes(4, "big") + told)
    await writer.drain()
    writer.close()


def relay(url: str) -> Server:
    """The real server, over TCP."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if "host" in given:
            theirs, ours = await asyncio.open_unix_connection(f"{given['host']}/.s.PGSQL.{given.get('port', '5432')}")
        else:
            theirs, ours = await asyncio.open_connection(parts.hostname, parts.port)
        ours.write(await _without_tls(reader, writer))
        async with asyncio.TaskGroup() as both:
            both.create_task(_copy(reader, ours))
            both.create_task(_copy(theirs, writer))

    return serve


async def _without_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The first bytes of what a client says once it knows that this end has no TLS."""
    asks_for_tls = (80877103).to_bytes(4, "big")
    first = await reader.readexactly(8)
    if first[4:] != asks_for_tls:
        return first
    writer.write(b"N")
    return await reader.readexactly(8)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


@pytest.fixture
async def ports(app_dsn: Dsn) -> AsyncIterator[dict[str, int]]:
    """Of a server that is what each name says."""
    async with AsyncExitStack() as stack:
        gone = stack.enter_context(socket.socket())
        gone.bind(("127.0.0.1", 0))  # bound and not listened on: refused
        yield {
            "gone": gone.getsockname()[1],
            "silent": await stack.enter_async_context(listening(silent)),
            "starting": await stack.enter_async_context(listening(starting)),
            "real": await stack.enter_async_context(listening(relay(app_dsn.url))),
        }


def at(dsn: Dsn, *ports: int) -> str:
    parts = urlsplit(dsn.url)
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"postgresql://{parts.netloc.rpartition('@')[0]}@{hosts}{parts.path}"


def _twice(url: str) -> str:
    """An address that names its server two times."""
    netloc = urlsplit(url).netloc
    return (
        re.sub("host=([^&]+)", r"host=\1,\1", url)
        if "host=" in url
        else url.replace(netloc, f"{netloc},{netloc.rpartition('@')[2]}")
    )


@pytest.mark.parametrize("others", [("gone",), ("starting",), ("silent",), ("gone", "silent", "starting")])
async def test_the_server_that_answers_is_found(app_dsn: Dsn, ports: dict[str, int], others: tuple[str, ...]) -> None:
    servers = Servers(at(app_dsn, *(ports[name] for name in others), ports["real"]))
    for seconds in (1.0, 0.4):  # the second time it is asked first
        connection = await servers.connect({"role": app_dsn.role} if app_dsn.role else {}, seconds)
        assert await connection.fetchval("SELECT 1") == 1
        connection.terminate()


async def test_what_a_server_says_is_told_before_what_none_says(app_dsn: Dsn, ports: dict[str, int]) -> None:
    with pytest.raises(asyncpg.CannotConnectNowError):
        await Servers(at(app_dsn, ports["starting"], ports["gone"])).connect()
    with pytest.raises(OSError, match="refused"):
        await Servers(at(app_dsn, ports["gone"])).connect()
    with pytest.raises(TimeoutError):
        await Servers(at(app_dsn, ports["silent"])).connect(seconds=0.1)


async def test_a_server_that_takes_no_writes_is_passed_by(own_database: Any) -> None:
    admin = await own_database.connect()
    try:
        await admin.execute(f'ALTER DATABASE "{own_database.name}" SET default_transaction_read_only = on')
        with pytest.raises(asyncpg.TargetServerAttributeNotMatched):
            await Servers(own_database.app.url).connect()
        url = own_database.app.url
        reading = await Servers(f"{url}{'&' if '?' in url else '?'}target_session_attrs=any").connect()
        reading.terminate()
        (await Servers(url, reads=True).connect()).terminate()
        with pytest.raises(asyncpg.TargetServerAttributeNotMatched):  # of several the one that takes writes is meant
            await Servers(_twice(url), reads=True).connect()
        with pytest.raises(asyncpg.TargetServerAttributeNotMatched):
            await Servers(f"{url}{'&' if '?' in url else '?'}target_session_attrs=read-write", reads=True).connect()
    finally:
        await admin.execute(f'ALTER DATABASE "{own_database.name}" RESET default_transaction_read_only')
        await admin.close()


async def test_a_session_of_a_former_primary_is_dropped(app_dsn: Dsn) -> None:
    database = Database(app_dsn, size=1)
    try:
        async with database.session() as session:
            await session.fetch("SELECT set_config('default_transaction_read_only', 'on', false)")
            with pytest.raises(DatabaseAway, match="no writes"):
                await session.fetch(_WRITES)
            assert not session.is_usable
        async with database.session() as another:
            await another.fetch(_WRITES)
    finally:
        await database.close()


async def test_a_line_to_a_machine_that_vanished_is_given_up(app_dsn: Dsn, ports: dict[str, int]) -> None:
    connection: Any = await Servers(at(app_dsn, ports["real"])).connect()
    line = connection._transport.get_extra_info("socket")
    said = [
        line.getsockopt(socket.IPPROTO_TCP, name)
        for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    ]
    assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert said == [5, 2, 3, 10_000]
    connection.terminate()
