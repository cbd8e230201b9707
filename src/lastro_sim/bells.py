"""Bells: a change rings the bell of its topic and wakes the waiters, without polling."""

import asyncio


class Bells:
    """One bell per topic. A ring wakes all waiters of that moment and is not remembered."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    def ring(self, topic: str) -> None:
        """Wakes all waiters of the topic."""
        for waiter in self._waiting.pop(topic, ()):
            _wake(waiter)

    async def wait(self, topic: str, seconds: float) -> None:
        """Returns at the next ring or the time-out."""
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiting.setdefault(topic, set()).add(waiter)
        alarm = loop.call_later(seconds, _wake, waiter)
        try:
            await waiter
        finally:
            alarm.cancel()
            self._leave(topic, waiter)

    def _leave(self, topic: str, waiter: asyncio.Future[None]) -> None:
        others = self._waiting.get(topic)
        if others is not None:
            others.discard(waiter)
            if not others:
                del self._waiting[topic]


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
