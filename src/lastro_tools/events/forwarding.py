"""Forwards events to a receiver that the API cannot reach: as a delivery, but tried once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lastro.webhooks import Delivered, judge, sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.core.secrets import Secret
    from lastro.http_client import OutgoingClient
    from lastro_tools.events.following import FeedEvent

AT_ONCE = 8


class Posted(NamedTuple):
    """The result of a post. status 0: no HTTP answer. message: of the receiver, or why there was none."""

    event: FeedEvent
    is_acknowledged: bool
    status: int
    message: str
    duration_ms: int


@dataclass
class Forwarder:
    """Posts events to one URL, concurrently, in order per object.

    now: Unix seconds of the machine. hear: is called with each result, as it comes. reached: is called with each number up
    to which all are posted, rising.
    """

    client: OutgoingClient
    url: str
    secret: Secret
    is_sandbox: bool
    now: Callable[[], float]
    hear: Callable[[Posted], object]
    reached: Callable[[int], object]
    _room: asyncio.Semaphore = field(init=False, default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _last: dict[str, asyncio.Task[None]] = field(init=False, default_factory=dict)
    _under_way: dict[int, asyncio.Task[None]] = field(init=False, default_factory=dict)
    _seen: int = field(init=False, default=0)
    _broken: BaseException | None = field(init=False, default=None)

    async def take(self, event: FeedEvent) -> None:
        """Starts posting an event, once a slot is free. Raises the exceptions of `hear` and `reached`."""
        await self._room.acquire()
        if self._broken is not None:
            raise self._broken
        self._seen = event.sequence
        before = self._last.get(event.reference_id)
        task = asyncio.get_running_loop().create_task(self._through(event, before))
        self._last[event.reference_id] = self._under_way[event.sequence] = task

    def skip(self, event: FeedEvent) -> None:
        """Counts an unwanted event as posted."""
        self._seen = event.sequence
        self._tell()

    async def rest(self) -> None:
        """Waits until all that has begun is posted."""
        if self._under_way:
            await asyncio.wait(list(self._under_way.values()))
        if self._broken is not None:
            raise self._broken

    async def _through(self, event: FeedEvent, before: asyncio.Task[None] | None) -> None:
        """Posts an event after its object's last one, and frees its slot."""
        try:
            if before is not None:
                await asyncio.wait([before])
            self.hear(await self._post(event))
            del self._under_way[event.sequence]
            self._tell()
        except Exception as error:  # noqa: BLE001 raised again where the next event is taken
            self._broken = error
        finally:
            self._under_way.pop(event.sequence, None)
            if self._last.get(event.reference_id) is asyncio.current_task():
                del self._last[event.reference_id]
            self._room.release()

    async def _post(self, event: FeedEvent) -> Posted:
        answer = await self.client.post(self.url, bytes(event.payload), self.headers(event))
        verdict = judge(answer)
        return Posted(event, isinstance(verdict, Delivered), verdict.status_code, verdict.message, answer.duration_ms)

    def headers(self, event: FeedEvent) -> dict[str, str]:
        """Returns the headers of a first attempt (contract.md §7)."""
        return {
            "content-type": "application/json",
            "x-event-id": event.id,
            "x-event-type": event.event,
            "x-event-sequence": str(event.sequence),
            "x-delivery-attempt": "1",
            **sign([self.secret.reveal()], event.id, int(self.now()), bytes(event.payload)),
            **({"x-lastro-environment": "sandbox"} if self.is_sandbox else {}),
        }

    def _tell(self) -> None:
        self.reached(min(self._under_way) - 1 if self._under_way else self._seen)
