"""Which addresses the client connects to, whatever names and URLs say."""

import socket
from collections.abc import Sequence

import pytest

from lastro.http_client import Failure, Outcome, OutgoingClient

from .loopback import CLOSE, JSON, Names, answers, http, receiver


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "unknown"), OSError("no network")])
async def test_a_name_nobody_knows(error: OSError) -> None:
    class Nobody:
        async def addresses(self, _: str) -> Sequence[str]:
            raise error

    async with OutgoingClient(sandbox=False, resolver=Nobody()) as client:
        assert (await client.get("https://unknown.example.com/", {})).failure == Failure.DNS_FAILURE


async def test_a_name_without_an_address() -> None:
    async with OutgoingClient(sandbox=False, resolver=Names([])) as client:
        assert (await client.get("https://empty.example.com/", {})).failure == Failure.DNS_FAILURE


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        ["8.8.8.8", "10.0.0.1"],
        ["10.0.0.1", "8.8.8.8"],
        ["8.8.8.8", "8.8.4.4", "::ffff:169.254.169.254"],
        ["fe80::1%eth0"],
        ["64:ff9b::7f00:1"],
        ["0.0.0.0"],
        ["not an address"],
    ],
)
async def test_one_bad_address_refuses_the_name(addresses: list[str]) -> None:
    async with OutgoingClient(sandbox=False, resolver=Names(addresses)) as client:
        answer = await client.post("https://receiver.example.com/", b"{}", JSON)
    assert (answer.status, answer.failure) == (0, Failure.ADDRESS_REFUSED)


@pytest.mark.parametrize("sandbox", [False, True])
@pytest.mark.parametrize(
    "url", ["https://10.0.0.1/", "https://[fe80::1]/", "https://2130706433/", "nonsense", "", "https://a.local/"]
)
async def test_a_url_of_bad_form_is_not_asked(url: str, sandbox: bool) -> None:
    async with OutgoingClient(sandbox=sandbox, resolver=Names(["8.8.8.8"])) as client:
        assert await client.get(url, {}) == Outcome(0, b"", Failure.ADDRESS_REFUSED, 0)


async def test_loopback_and_http_are_refused_outside_of_the_sandbox() -> None:
    async with receiver(answers(http())) as at, OutgoingClient(sandbox=False, resolver=Names(["127.0.0.1"])) as client:
        for url in ("http://127.0.0.1", "https://127.0.0.1", "https://localhost", "https://receiver.example.com"):
            assert (await client.post(f"{url}:{at.port}/", b"{}", JSON)).failure == Failure.ADDRESS_REFUSED
        assert at.connections == 0


async def test_the_socket_itself_is_guarded_if_the_form_ever_lets_something_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lastro.http_client.client.url_problem", lambda _url, **_: None)
    async with receiver(answers(http())) as at, OutgoingClient(sandbox=False) as client:
        for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f.1"):
            answer = await client.post(f"http://{host}:{at.port}/", b"{}", JSON)
            assert (answer.status, answer.failure) == (0, Failure.ADDRESS_REFUSED), host
        assert at.connections == 0


async def test_our_own_ports_are_closed_by_number_and_by_name() -> None:
    async with receiver(answers(http())) as own, receiver(answers(http())) as free:
        names = Names(["127.0.0.1"])
        async with OutgoingClient(sandbox=True, own_ports=frozenset({own.port}), resolver=names) as client:
            for host in ("127.0.0.1", "localhost", "inside.example.com", "127.0.0.2", "[::ffff:127.0.0.1]"):
                answer = await client.post(f"http://{host}:{own.port}/", b"{}", JSON)
                assert answer.failure == Failure.ADDRESS_REFUSED, host
            assert own.connections == 0
            assert (await client.post(f"http://localhost:{free.port}/", b"{}", JSON)).status == 200


async def test_an_address_that_changes_after_the_check_is_never_asked_for_again() -> None:
    # The name is honest when it is looked at and points elsewhere right after.
    async with receiver(answers(http(more=CLOSE), then_close=True)) as at:
        names = Names(["127.0.0.1"], ["10.0.0.1"])
        async with OutgoingClient(sandbox=True, resolver=names, pin_seconds=0) as client:
            url = f"http://turning.example.com:{at.port}/"
            first, second = await client.post(url, b"{}", JSON), await client.post(url, b"{}", JSON)
        assert names.asked == ["turning.example.com"] * 2
        assert (first.status, first.failure) == (200, None)
        assert (second.status, second.failure) == (0, Failure.ADDRESS_REFUSED)
        assert at.connections == 1


async def test_one_lookup_serves_the_connection_and_the_ones_right_after() -> None:
    async with receiver(answers(http(more=CLOSE), then_close=True)) as at:
        names = Names(["127.0.0.1", "::1"], ["10.0.0.1"])
        async with OutgoingClient(sandbox=True, resolver=names) as client:
            for _ in range(3):
                assert (await client.post(f"http://pinned.example.com:{at.port}/", b"{}", JSON)).status == 200
        assert (names.asked, at.connections) == (["pinned.example.com"], 3)


async def test_a_refusal_is_not_remembered() -> None:
    async with receiver(answers(http())) as at:
        names = Names(["10.0.0.1"], ["127.0.0.1"])
        async with OutgoingClient(sandbox=True, resolver=names) as client:
            url = f"http://moved.example.com:{at.port}/"
            assert (await client.get(url, {})).failure == Failure.ADDRESS_REFUSED
            assert (await client.get(url, {})).status == 200
