"""Waiting without polling: a change rings a topic's bell and wakes its waiters."""

import asyncio
from contextlib import suppress
from weakref import WeakValueDictionary


class Bells:
    """One bell per topic. A ring wakes all waiters of that moment and is not remembered."""

    def __init__(self) -> None:
        self._waiting: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()  # kept by those who wait

    def ring(self, topic: str) -> None:
        """Wakes all waiters of the topic."""
        bell = self._waiting.pop(topic, None)
        if bell is not None:
            bell.set()

    async def wait(self, topic: str, seconds: float) -> None:
        """Returns at the next ring or the time-out."""
        bell = self._waiting.setdefault(topic, asyncio.Event())
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # unlike wait_for, it makes no task
                await bell.wait()
