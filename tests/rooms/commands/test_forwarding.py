"""Events posted to a receiver here: in order for each object, a few at once, and nothing ends because one is refused."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest
from aiohttp import web

from lastro.http_client import OutgoingClient
from lastro.webhooks.signatures import new_webhook_secret
from lastro_tools.events.following import FeedEvent
from lastro_tools.events.forwarding import AT_ONCE, Forwarder, Posted

SECRET = new_webhook_secret(os.urandom)
DEADLINE_SECONDS = 20.0


class Receiver:
    """Holds each event back until the test lets it go, unless its object may pass."""

    def __init__(self, *passing: str) -> None:
        self.passing = set(passing)
        self.came: list[int] = []
        self.gates: dict[int, asyncio.Event] = {}
        self.moved = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        number = int(request.headers["x-event-sequence"])
        self.came.append(number)
        self.gates[number] = asyncio.Event()
        self.moved.set()
        if msgspec.json.decode(await request.read())["id"] not in self.passing:
            await self.gates[number].wait()
        return web.json_response({"returnCode": "SUCCESS" if number % 2 else "LATER"})


@asynccontextmanager
async def forwarding(receiver: Receiver) -> AsyncIterator[tuple[Forwarder, list[Posted], list[int]]]:
    application = web.Application()
    application.router.add_post("/hooks", receiver.handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    posted: list[Posted] = []
    reached: list[int] = []
    async with OutgoingClient(sandbox=True) as client:
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/hooks"
        yield Forwarder(client, url, SECRET, True, lambda: 1.0, posted.append, reached.append), posted, reached
    await runner.cleanup()


def event(number: int, reference: str) -> FeedEvent:
    payload = msgspec.Raw(msgspec.json.encode({"id": reference}))
    return FeedEvent(number, f"event-{number}", "ORDER-PAYIN.PAID", reference, "2026-01-31T12:00:00.000000Z", payload)


async def until(receiver: Receiver, holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not holds():
            receiver.moved.clear()
            await receiver.moved.wait()


async def until_told(told: list[int], count: int) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while len(told) < count:
            await asyncio.sleep(0.005)


async def within(act: Awaitable[object]) -> None:
    await asyncio.wait_for(act, DEADLINE_SECONDS)


async def test_one_objects_events_come_one_after_the_other_and_hold_up_no_other() -> None:
    receiver = Receiver("quick")
    async with forwarding(receiver) as (forwarder, posted, reached):
        for number, reference in enumerate(["slow", "slow", "quick", "slow", "quick"], start=1):
            await within(forwarder.take(event(number, reference)))
        await until(receiver, lambda: {1, 3, 5} <= set(receiver.came))
        await until_told(reached, 2)
        assert set(receiver.came) == {1, 3, 5}
        for number in (1, 2, 4):
            await until(receiver, lambda number=number: number in receiver.gates)  # type: ignore[misc]
            receiver.gates[number].set()
        await within(forwarder.rest())
    assert [number for number in receiver.came if number in (1, 2, 4)] == [1, 2, 4]
    assert [number for number in receiver.came if number in (3, 5)] == [3, 5]
    assert {(p.event.sequence, p.is_acknowledged) for p in posted} == {(n, n % 2 == 1) for n in range(1, 6)}
    # What is done is told without a hole: the first two that were, 3 and 5, are nothing while 1 is on its way.
    assert reached == [0, 0, 1, 3, 5]


async def test_a_few_are_on_their_way_at_once_and_no_more() -> None:
    receiver = Receiver()
    async with forwarding(receiver) as (forwarder, posted, reached):
        for number in range(1, AT_ONCE + 1):
            await within(forwarder.take(event(number, f"order-{number}")))
        forwarder_takes = asyncio.ensure_future(forwarder.take(event(AT_ONCE + 1, "one more")))
        await until(receiver, lambda: len(receiver.came) == AT_ONCE)
        assert not forwarder_takes.done()
        receiver.gates[3].set()
        await within(forwarder_takes)
        await until(receiver, lambda: AT_ONCE + 1 in receiver.came)
        for gate in receiver.gates.values():
            gate.set()
        await within(forwarder.rest())
    assert len(posted) == AT_ONCE + 1
    assert reached[0] == 0
    assert reached[-1] == AT_ONCE + 1


async def test_what_is_skipped_waits_for_those_before_it() -> None:
    receiver = Receiver()
    async with forwarding(receiver) as (forwarder, _, reached):
        forwarder.skip(event(1, "other"))
        await within(forwarder.take(event(2, "order")))
        forwarder.skip(event(3, "other"))
        assert reached == [1, 1]
        await until(receiver, lambda: 2 in receiver.gates)
        receiver.gates[2].set()
        await within(forwarder.rest())
    assert reached == [1, 1, 3]


async def test_a_terminal_that_is_gone_ends_it() -> None:
    def gone(_: Posted) -> None:
        raise BrokenPipeError

    receiver = Receiver("order")
    async with forwarding(receiver) as (forwarder, _, reached):
        forwarder.hear = gone
        await within(forwarder.take(event(1, "order")))
        with pytest.raises(BrokenPipeError):
            await within(forwarder.rest())
        with pytest.raises(BrokenPipeError):
            await within(forwarder.take(event(2, "order")))
    assert reached == []
