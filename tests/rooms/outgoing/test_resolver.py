"""The machine's resolver, which blocks: what hangs in it holds up nobody else."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from lastro.base.outgoing import Failure, OutgoingClient, SystemResolver

from .loopback import JSON, answers, http, receiver

pytestmark = pytest.mark.anyio


class SlowNames:
    """Looks names up as the machine does, but hangs at those that begin with dead."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun = 0
        self._counting = threading.Lock()

    async def hang(self, count: int) -> None:
        """Wait until so many look-ups hang."""
        async with asyncio.timeout(10):
            while self.begun < count:
                await asyncio.sleep(0.005)

    def __call__(self, host: str, port: None, *, type: int) -> list[Any]:  # noqa: A002 - as getaddrinfo has it
        if host.startswith("dead"):
            with self._counting:
                self.begun += 1
            self.let_go.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "no answer")
        return socket.getaddrinfo("127.0.0.1", port, type=type)


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
        waiting = [asyncio.create_task(client.post(f"http://dead{n}.example.com/", b"{}", JSON)) for n in range(50)]
        await names.hang(50)
        answer = await client.post(f"http://alive.example.com:{at.port}/", b"{}", JSON)
        assert answer.status == 200
        assert not any(task.done() for task in waiting)
        names.let_go.set()
        assert {one.failure for one in await asyncio.gather(*waiting)} == {Failure.DNS_FAILURE}


async def test_the_threads_are_bounded_and_given_back() -> None:
    names = SlowNames()
    resolver = SystemResolver(names, at_once=3)
    waiting = [asyncio.create_task(resolver.addresses(f"dead{n}.example.com")) for n in range(9)]
    await names.hang(3)
    for task in waiting:
        task.cancel()
    # Nobody waits for the three any more, and yet their threads do.
    await asyncio.wait(waiting)
    later = [asyncio.create_task(resolver.addresses(f"dead{n}.example.com")) for n in range(9)]
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
