"""The client for addresses that the operator named."""

import asyncio
import ssl
from pathlib import Path

import pytest

from lastro.http_client import DirectClient, NotThere

from .loopback import JSON, answers, http, read_request, receiver

TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client(most_bytes: int = 1000, idle_seconds: float = 60.0) -> DirectClient:
    return DirectClient(most_bytes, idle_seconds)


async def test_one_connection_serves_one_request_after_the_other() -> None:
    raw = http(b"{}", more="Retry-After: 7\r\nDate: Sat, 28 Nov 2026 12:00:00 GMT\r\n")
    async with receiver(answers(raw)) as at:
        asking = client()
        for _ in range(3):
            told = await asking.ask("PUT", f"http://127.0.0.1:{at.port}/v2/cob/a", JSON, b"{}", None, TLS)
            assert (told.status, told.body, told.is_whole) == (200, b"{}", True)
            assert (told.retry_after, told.date) == ("7", "Sat, 28 Nov 2026 12:00:00 GMT")
        asking.close()
        assert at.connections == 1


async def test_what_is_sent() -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(http())

    async with receiver(behave) as at:
        asking, base = client(), f"http://127.0.0.1:{at.port}"
        await asking.ask("GET", f"{base}/v2/pix", {"Accept": "text/plain"}, None, {"inicio": "10:00", "a": "b c&d"}, TLS)
        await asking.ask("PUT", base, JSON, b"{}", None, TLS)
        asking.close()
    usual = {"host": f"127.0.0.1:{at.port}", "accept-encoding": "identity"}
    assert seen == [
        ("GET /v2/pix?inicio=10:00&a=b+c%26d HTTP/1.1", usual | {"accept": "text/plain"}, b""),
        ("PUT / HTTP/1.1", usual | JSON | {"content-length": "2"}, b"{}"),
    ]


@pytest.mark.parametrize(("method", "is_asked_again"), [("PUT", True), ("GET", True), ("PATCH", False), ("POST", False)])
async def test_a_kept_connection_that_has_ended(method: str, *, is_asked_again: bool) -> None:
    asked = 0

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await read_request(reader)
        asked += 1
        writer.write(http())
        await reader.readuntil(b"\r\n\r\n")  # the second request is read, and the connection ends without an answer

    async with receiver(behave) as at:
        asking, url = client(), f"http://127.0.0.1:{at.port}/"
        assert (await asking.ask(method, url, {}, None, None, TLS)).status == 200
        if is_asked_again:
            assert (await asking.ask(method, url, {}, None, None, TLS)).status == 200
        else:
            with pytest.raises(ConnectionResetError):
                await asking.ask(method, url, {}, None, None, TLS)
        asking.close()
        assert asked == 1 + is_asked_again


async def test_a_new_connection_that_ends_is_not_tried_again() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)

    async with receiver(behave) as at:
        asking = client()
        with pytest.raises(ConnectionResetError):
            await asking.ask("PUT", f"http://127.0.0.1:{at.port}/", JSON, b"{}", None, TLS)
        asking.close()
        assert at.connections == 1


async def test_nobody_listens() -> None:
    async with receiver(answers(http())) as at:
        pass
    with pytest.raises(NotThere) as missed:
        await client().ask("GET", f"http://127.0.0.1:{at.port}/", {}, None, None, TLS)
    assert isinstance(missed.value.__cause__, ConnectionRefusedError)


async def test_the_next_address_of_a_name_is_tried() -> None:
    # Where the machine knows it by two addresses, the first of them is one at which nobody listens.
    async with receiver(answers(http())) as at:
        asking = client()
        assert (await asking.ask("GET", f"http://localhost:{at.port}/", {}, None, None, TLS)).status == 200
        asking.close()


async def test_too_large_an_answer_is_cut_and_told() -> None:
    async with receiver(answers(http(b"x" * 11))) as at:
        asking = client(most_bytes=10)
        told = await asking.ask("GET", f"http://127.0.0.1:{at.port}/", {}, None, None, TLS)
        asking.close()
        assert (told.body, told.is_whole) == (b"x" * 10, False)


async def test_a_certificate_of_another_name_is_not_trusted(server_tls: ssl.SSLContext, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with receiver(answers(http()), server_tls) as at:
        with pytest.raises(NotThere) as refused:
            await client().ask("GET", f"https://127.0.0.1:{at.port}/", {}, None, None, trusting)
        assert isinstance(refused.value.__cause__, ssl.SSLCertVerificationError)


async def test_another_tls_has_a_connection_of_its_own(server_tls: ssl.SSLContext, certificate: Path) -> None:
    def trusting() -> ssl.SSLContext:
        made = ssl.create_default_context(cafile=str(certificate))
        made.check_hostname = False
        return made

    async with receiver(answers(http()), server_tls) as at:
        asking, first, renewed = client(), trusting(), trusting()
        for tls in (first, first, renewed, first):
            told = await asking.ask("GET", f"https://127.0.0.1:{at.port}/", {}, None, None, tls)
            assert told.status == 200
        asking.close()
        assert at.connections == 2


async def test_an_idle_connection_is_let_go() -> None:
    let_go = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(http())
        assert await reader.read() == b""
        let_go.set()

    async with receiver(behave) as at:
        asking = client(idle_seconds=0.05)
        await asking.ask("GET", f"http://127.0.0.1:{at.port}/", {}, None, None, TLS)
        await asyncio.wait_for(let_go.wait(), 10)


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("ftp://127.0.0.1/", {}), ("http:///a", {}), ("http://127.0.0.1/a b", {}), ("http://127.0.0.1/a\r\nX: y", {}),
        ("http://127.0.0.1/", {"X": "y\r\nZ: a"}), ("http://127.0.0.1/", {"X": "y\0"}),
    ],
)  # fmt: skip
async def test_what_is_no_request(url: str, headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"a URL|a header|a target"):
        await client().ask("GET", url, headers, None, None, TLS)
