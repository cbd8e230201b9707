"""A loop waits for the first of its events."""

import asyncio

import pytest

from lastro.core.concurrency import FirstOf


async def test_it_returns_when_any_is_set() -> None:
    one, other = asyncio.Event(), asyncio.Event()
    with FirstOf(one, other) as first:
        for event in (one, other, one):
            waiting = asyncio.ensure_future(first.wait(None))
            await asyncio.sleep(0)
            assert not waiting.done()
            event.set()
            await waiting
            event.clear()


async def test_one_that_was_set_before_is_not_missed() -> None:
    one, other = asyncio.Event(), asyncio.Event()
    with FirstOf(one, other) as first:
        await first.wait(0)
        other.set()
        await first.wait(None)
        await first.wait(None)


async def test_it_returns_in_time() -> None:
    with FirstOf(asyncio.Event()) as first:
        await first.wait(0)
        await first.wait(0.001)


async def test_the_tasks_are_those_of_the_first_wait() -> None:
    events = [asyncio.Event() for _ in range(3)]
    before = asyncio.all_tasks()
    with FirstOf(*events) as first:
        await first.wait(0.001)
        tasks = asyncio.all_tasks() - before
        for _ in range(5):
            await first.wait(0.001)
        assert asyncio.all_tasks() - before == tasks
        assert len(tasks) == 3
    await asyncio.gather(*tasks, return_exceptions=True)
    assert all(task.cancelled() for task in tasks)


async def test_a_cancelled_wait_is_cancelled() -> None:
    with FirstOf(asyncio.Event()) as first:
        waiting = asyncio.ensure_future(first.wait(None))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
