"""The machine's resolver, which blocks: what hangs in it holds up nobody else."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from lastro.http_client import Failure, Outcome, OutgoingClient, SystemResolver

from .loopback import CLOSE, JSON, answers, http, receiver


class SlowNames:
    """Looks names up as the machine does, but hangs at those that begin with dead."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun = 0
        self.asked: list[str] = []
        self._counting = threading.Lock()

    async def hang(self, count: int) -> None:
        """Wait until so many look-ups hang."""
        async with asyncio.timeout(10):
            while self.begun < count:
                await asyncio.sleep(0.005)

    def __call__(self, host: str, port: None, *, type: int) -> list[Any]:  # noqa: A002 - as getaddrinfo has it
        self.asked.append(host)
        if host.startswith("dead"):
            with self._counting:
                self.begun += 1
            self.let_go.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return socket.getaddrinfo("127.0.0.1", port, type=type)


async def let_go(names: SlowNames, waiting: list[asyncio.Task[Outcome]]) -> None:
    for task in waiting:
        task.cancel()
    names.let_go.set()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_what_the_machine_knows() -> None:
    assert "127.0.0.1" in await SystemResolver().addresses("localhost")
    with pytest.raises(OSError, match="label"):  # Python itself raises a UnicodeError
        await SystemResolver().addresses(f"{'a' * 64}.example.com")


async def test_dead_name_servers_hold_up_nobody_else() -> None:
    # The loop's own threads are four with uvloop: as many dead names would stop every other lookup.
    names = SlowNames()
    async with (
        receiver(answers(http())) as at,
        OutgoingClient(sandbox=True, timeout_seconds=5, resolver=SystemResolver(names)) as client,
    ):
        waiting = [asyncio.create_task(client.post(f"http://dead.example{n}.com/", b"{}", JSON)) for n in range(40)]
        await names.hang(40)
        answer = await client.post(f"http://alive.example.com:{at.port}/", b"{}", JSON)
        assert answer.status == 200
        assert not any(task.done() for task in waiting)
        names.let_go.set()
        assert {one.failure for one in await asyncio.gather(*waiting)} == {Failure.DNS_FAILURE}


async def test_the_dead_names_of_one_domain_leave_places_for_others() -> None:
    names = SlowNames()
    async with (
        receiver(answers(http())) as at,
        OutgoingClient(sandbox=True, timeout_seconds=5, resolver=SystemResolver(names)) as client,
    ):
        waiting = [asyncio.create_task(client.post(f"http://dead{n}.example.net/", b"{}", JSON)) for n in range(300)]
        await names.hang(9)
        answer = await client.post(f"http://alive.example.com:{at.port}/", b"{}", JSON)
        assert (answer.status, answer.failure) == (200, None)
        assert names.begun < 16
        await let_go(names, waiting)


async def test_dead_names_of_many_domains_leave_places_for_names_that_are_known() -> None:
    # Anybody may name hundreds of domains whose servers are silent; none of them need be his.
    names = SlowNames()
    async with (
        receiver(answers(http(more=CLOSE), then_close=True)) as at,
        OutgoingClient(sandbox=True, timeout_seconds=5, resolver=SystemResolver(names), pin_seconds=0) as client,
    ):
        url = f"http://alive.example.com:{at.port}/"
        assert (await client.post(url, b"{}", JSON)).status == 200
        waiting = [asyncio.create_task(client.post(f"http://dead.example{n}.com/", b"{}", JSON)) for n in range(300)]
        await names.hang(48)
        for one in (url, url, f"http://127.0.0.1:{at.port}/"):
            answer = await client.post(one, b"{}", JSON)
            assert (answer.status, answer.failure) == (200, None)
        assert names.asked.count("alive.example.com") == 3  # and an address needs no look-up
        assert names.begun == 48
        await let_go(names, waiting)


async def test_what_nobody_waits_for_any_more_is_not_looked_up() -> None:
    names = SlowNames()
    resolver = SystemResolver(names, at_once=1)
    async with (
        receiver(answers(http())) as at,
        OutgoingClient(sandbox=True, timeout_seconds=0.2, resolver=resolver) as hasty,
        OutgoingClient(sandbox=True, timeout_seconds=5, resolver=resolver) as client,
    ):
        given_up = await asyncio.gather(*(hasty.post(f"http://dead.example{n}.com/", b"{}", JSON) for n in range(9)))
        assert {one.failure for one in given_up} == {Failure.TIMEOUT}
        names.let_go.set()
        assert (await client.post(f"http://alive.example.com:{at.port}/", b"{}", JSON)).status == 200
    assert names.asked == ["dead.example0.com", "alive.example.com"]


async def test_the_threads_are_bounded_and_given_back() -> None:
    names = SlowNames()
    resolver = SystemResolver(names, at_once=3)
    waiting = [asyncio.create_task(resolver.addresses(f"dead.example{n}.com")) for n in range(9)]
    await names.hang(3)
    for task in waiting:
        task.cancel()
    # Nobody waits for the three any more, and yet their threads do.
    await asyncio.wait(waiting)
    later = [asyncio.create_task(resolver.addresses(f"dead.example{n}.com")) for n in range(9)]
    last = asyncio.create_task(resolver.addresses("alive.example.com"))
    for _ in range(99):
        await asyncio.sleep(0)
    assert (names.begun, last.done()) == (3, False)
    names.let_go.set()
    assert await asyncio.wait_for(last, 10) == ["127.0.0.1"]
    assert all(isinstance(one, OSError) for one in await asyncio.gather(*later, return_exceptions=True))


def test_a_process_ends_without_waiting_for_names() -> None:
    names = SlowNames()

    async def leave() -> None:
        async with OutgoingClient(sandbox=True, timeout_seconds=0.1, resolver=SystemResolver(names)) as client:
            assert (await client.post("http://dead.example.com/", b"{}", JSON)).failure == Failure.TIMEOUT

    asyncio.run(leave())
    (thread,) = [one for one in threading.enumerate() if one.name == "look-up"]
    assert thread.daemon
    names.let_go.set()
    thread.join(10)
    assert not thread.is_alive()
