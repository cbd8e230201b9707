"""Waiting without polling: a change rings a topic's bell and wakes its waiters."""

import asyncio
from collections import defaultdict


class Bells:
    """One bell per topic. A ring wakes all waiters of that moment and is not remembered."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def ring(self, topic: str) -> None:
        """Wakes all waiters of the topic."""
        for future in self._waiting.pop(topic, set()):
            if not future.done():
                future.set_result(None)

    async def wait(self, topic: str, seconds: float) -> None:
        """Returns at the next ring or the time-out."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[topic].add(future)
        try:
            await asyncio.wait_for(future, max(seconds, 0.0))
        except TimeoutError:
            pass
        finally:
            self._forget(topic, future)

    def _forget(self, topic: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(topic)
        if waiting is not None:
            waiting.discard(future)
            if not waiting:
                del self._waiting[topic]
