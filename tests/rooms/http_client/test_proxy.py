"""The client behind its owner's proxy: every guarantee of the direct way holds, and nothing goes past the proxy."""

import asyncio
import socket
import ssl
from pathlib import Path

import pytest

from lastro.http_client import Failure, OutgoingClient, Proxy
from lastro.http_client.guard import AddressRefused, Guard

from .loopback import JSON, Behaviour, Names, answers, http, read_request, receiver
from .name_server import Asking, name_server
from .proxy import proxy
from .sockets import connects

PUBLIC, PUBLIC_V6 = "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
NAME = "receiver.example.com"


@pytest.mark.parametrize(("address", "place"), [(PUBLIC, f"{PUBLIC}:8443"), (PUBLIC_V6, f"[{PUBLIC_V6}]:8443")])
async def test_the_proxy_is_told_the_address_and_the_receiver_the_name(
    certificate: Path, server_tls: ssl.SSLContext, address: str, place: str
) -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []
    named: list[str | None] = []
    server_tls.sni_callback = lambda _socket, name, _context: named.append(name)

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            seen.append(await read_request(reader))
            writer.write(http())

    async with (
        receiver(behave, server_tls) as at,
        proxy({place: at.port}) as (tunnels, context),
        OutgoingClient(
            sandbox=False,
            resolver=Names([address]),
            tls=ssl.create_default_context(cafile=str(certificate)),
            proxy=Proxy("127.0.0.1", context.port),
        ) as client,
    ):
        with connects() as begun:
            answer = await client.post(f"https://{NAME}:8443/hook?a=b%2Bc", b"{}", JSON)
            assert (await client.get(f"https://{NAME}:8443/again", {})).status == 200
        assert (answer.status, answer.body, answer.failure) == (200, b'{"returnCode":"SUCCESS"}', None)
        assert tunnels.heads == [f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n"]
        assert begun == [("127.0.0.1", context.port)]
    assert named == [NAME]
    assert [line for line, _, _ in seen] == ["POST /hook?a=b%2Bc HTTP/1.1", "GET /again HTTP/1.1"]
    assert [headers["host"] for _, headers, _ in seen] == [f"{NAME}:8443"] * 2


async def test_plain_http_goes_by_a_tunnel_too() -> None:
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(http())

    async with (
        receiver(behave) as at,
        proxy({f"{PUBLIC}:80": at.port}) as (tunnels, context),
        OutgoingClient(sandbox=True, resolver=Names([PUBLIC]), proxy=Proxy("127.0.0.1", context.port)) as client,
    ):
        assert (await client.post(f"http://{NAME}/hook", b"{}", JSON)).status == 200
        assert tunnels.places == [f"{PUBLIC}:80"]
    ((line, headers, _),) = seen
    assert (line, headers["host"]) == ("POST /hook HTTP/1.1", NAME)


async def test_certificates_are_checked_through_the_tunnel(certificate: Path, server_tls: ssl.SSLContext) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with (
        receiver(answers(http()), server_tls) as at,
        proxy({f"{PUBLIC}:443": at.port}) as (tunnels, context),
        OutgoingClient(
            sandbox=False, resolver=Names([PUBLIC]), tls=trusting, proxy=Proxy("127.0.0.1", context.port)
        ) as client,
    ):
        assert (await client.get("https://other.example.com/", {})).failure == Failure.TLS_FAILURE
        # One address, two names: a connection of one is never used for the other.
        assert (await client.get(f"https://{NAME}/", {})).status == 200
        assert (await client.get("https://other.example.com/", {})).failure == Failure.TLS_FAILURE
        assert tunnels.places == [f"{PUBLIC}:443"] * 3


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["::1"], ["10.0.0.1"], [PUBLIC, "10.0.0.1"], ["169.254.169.254", PUBLIC], ["64:ff9b::a9fe:a9fe"]],
)
async def test_names_are_looked_up_and_checked_here(addresses: list[str]) -> None:
    async with (
        proxy({}) as (tunnels, context),
        OutgoingClient(sandbox=False, resolver=Names(addresses), proxy=Proxy("127.0.0.1", context.port)) as client,
    ):
        with connects() as begun:
            for host in (
                NAME,
                "169.254.169.254",
                "[::1]",
                "127.0.0.1",
                "2130706433",
                "localhost",
                "metadata.google.internal",
            ):
                assert (await client.post(f"https://{host}/", b"{}", JSON)).failure == Failure.ADDRESS_REFUSED, host
        assert (begun, tunnels.heads) == ([], [])


async def test_the_tunnel_itself_is_guarded_if_the_form_ever_lets_something_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lastro.http_client.client.url_problem", lambda _url, **_: None)
    async with (
        proxy({}) as (tunnels, context),
        OutgoingClient(sandbox=False, resolver=Names([PUBLIC]), proxy=Proxy("127.0.0.1", context.port)) as client,
    ):
        with connects() as begun:
            for host in (
                "10.0.0.1",
                "169.254.169.254",
                "127.0.0.1",
                "[::1]",
                "[fd00::1]",
                "[::ffff:10.0.0.1]",
                "[fe80::1%25lo]",
            ):
                for scheme in ("http", "https"):
                    answer = await client.post(f"{scheme}://{host}/", b"{}", JSON)
                    assert (answer.status, answer.failure) == (0, Failure.ADDRESS_REFUSED), host
        assert (begun, tunnels.heads) == ([], [])


async def test_an_answer_that_is_another_one_the_second_time() -> None:
    async with (
        name_server({NAME: [[f"0 A {PUBLIC}"], ["0 A 169.254.169.254"]]}) as names,
        proxy({}) as (tunnels, context),
        OutgoingClient(
            sandbox=False, resolver=Asking(names), pin_seconds=0, proxy=Proxy("127.0.0.1", context.port)
        ) as client,
    ):
        first, second = [await client.post(f"https://{NAME}/", b"{}", JSON) for _ in range(2)]
        assert (first.failure, second.failure) == (Failure.CONNECTION_REFUSED, Failure.ADDRESS_REFUSED)
        assert tunnels.places == [f"{PUBLIC}:443"]


async def test_loopback_is_this_machine_and_not_the_proxys() -> None:
    async with (
        receiver(answers(http())) as own,
        receiver(answers(http())) as free,
        proxy({}) as (tunnels, context),
        OutgoingClient(
            sandbox=True,
            own_ports=frozenset({own.port}),
            resolver=Names(["127.0.0.1"]),
            proxy=Proxy("127.0.0.1", context.port),
        ) as client,
    ):
        for host in ("127.0.0.1", "localhost", NAME):
            assert (await client.post(f"http://{host}:{free.port}/", b"{}", JSON)).status == 200
            assert (await client.post(f"http://{host}:{own.port}/", b"{}", JSON)).failure == Failure.ADDRESS_REFUSED
        assert (tunnels.heads, own.connections) == ([], 0)


def says(raw: bytes, *, then_wait: bool = False) -> Behaviour:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        await writer.drain()
        if then_wait:
            await reader.read()

    return behave


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200",
        b"HTTP/1.1 403 Forbidden\r\n\r\n",
        b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
        b"HTTP/1.1 301 There\r\nLocation: http://127.0.0.1/\r\n\r\n",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
        b"\0" * 100_000,
    ],
)
async def test_a_proxy_that_does_not_connect(raw: bytes) -> None:
    async with (
        receiver(says(raw)) as context,
        OutgoingClient(sandbox=True, resolver=Names([PUBLIC]), proxy=Proxy("127.0.0.1", context.port)) as client,
    ):
        for url in (f"https://{NAME}/", f"http://{NAME}/"):
            answer = await client.post(url, b"{}", JSON)
            assert (answer.status, answer.body, answer.failure) == (0, b"", Failure.CONNECTION_REFUSED)
        assert context.connections == 2


async def test_a_proxy_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused for as long as the test lasts
        for host in ("127.0.0.1", "localhost", "a..b"):
            proxied = Proxy(host, taken.getsockname()[1])
            async with OutgoingClient(sandbox=False, resolver=Names([PUBLIC]), proxy=proxied) as client:
                answer = await client.get(f"https://{NAME}/", {})
            assert (answer.status, answer.failure) == (0, Failure.CONNECTION_REFUSED)


@pytest.mark.parametrize("raw", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
async def test_a_proxy_that_waits_is_inside_the_time_out_and_let_go(raw: bytes) -> None:
    let_go = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await says(raw, then_wait=True)(reader, writer)
        let_go.set()

    async with (
        receiver(behave) as context,
        OutgoingClient(
            sandbox=False, resolver=Names([PUBLIC]), timeout_seconds=0.2, proxy=Proxy("127.0.0.1", context.port)
        ) as client,
    ):
        answer = await client.get(f"https://{NAME}/", {})
        assert (answer.status, answer.failure) == (0, Failure.TIMEOUT)
        assert 150 <= answer.duration_ms < 3000
        await asyncio.wait_for(let_go.wait(), 5)


async def test_variables_of_the_environment_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "*")
    async with (
        receiver(answers(http())) as other,
        proxy({}) as (tunnels, context),
        OutgoingClient(sandbox=True, resolver=Names([PUBLIC]), proxy=Proxy("localhost", context.port)) as client,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{other.port}")
        for scheme in ("http", "https"):
            assert (await client.get(f"{scheme}://{NAME}/", {})).failure == Failure.CONNECTION_REFUSED
        assert (tunnels.places, other.connections) == ([f"{PUBLIC}:80", f"{PUBLIC}:443"], 0)


def test_no_socket_of_ours_goes_past_the_proxy() -> None:
    # Held by the guard itself, for the day on which the library no longer asks for a tunnel first.
    guard = Guard(Names([PUBLIC]), frozenset(), sandbox=True, by_tunnel=True)
    for family, address in ((socket.AF_INET, PUBLIC), (socket.AF_INET6, PUBLIC_V6)):
        with pytest.raises(AddressRefused):
            guard.socket((family, socket.SOCK_STREAM, 0, "", (address, 443)))
    guard.socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 443))).close()
