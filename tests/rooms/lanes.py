"""The lanes of a worker for one rail, as a test asks for them, and a rail that does as the test says."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.cast import PLACE, Cast

from lastro.app import inbox_handlers
from lastro.app.outbox_lines import HELD_BACK, NEEDS, WAITING
from lastro.core.db import Database
from lastro.orders import Installation
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.sending import Sender
from lastro.rails.status_poller import StatusPoller

_LATER = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1"


@dataclass
class FakeRail:
    """A network that knows what it has taken, and everything where it has_it.

    says: what each sending meets, one after the other; then it is taken.
    """

    says: list[Exception] = field(default_factory=list)
    has_it: bool = False
    taken: list[str] = field(default_factory=list)  # names
    kinds: list[str] = field(default_factory=list)  # of all that was sent

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        del body, company_id
        self.kinds.append(kind)
        if self.says:
            raise self.says.pop(0)
        self.taken.append(network_id)

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """It tells nothing of its own accord."""

    async def close(self) -> None:
        """It has no connections."""

    async def status_of(self, kind: str, network_id: str) -> port.Unknown | port.Pending:
        del kind
        return port.Pending() if self.has_it or network_id in self.taken else port.Unknown()


class Lanes:
    """They do what is due when they are asked to. worked: how each sending ended."""

    def __init__(self, cast: Cast, work: Database, name: str, rail: Any = None, place: Installation = PLACE) -> None:
        self.cast, self.worked = cast, list[tuple[str, str]]()
        self.inbox = Inbox(cast.database, work, cast.chance, place.institution.ispb, name)
        self.rail: Any = rail or (Book(work, self.inbox) if name == port.BOOK else FakeRail())
        self.sender = Sender(
            cast.database, work, cast.runner, cast.chance, name, self.rail,
            lambda w: self.worked.append((w.kind, w.outcome)), HELD_BACK, needs=NEEDS,
        )  # fmt: skip
        self.poller = StatusPoller(cast.database, work, self.inbox, name, self.rail, WAITING.get(name, ()))
        self.handler = Handler(cast.database, work, cast.runner, cast.chance, inbox_handlers.inbox_verbs(place))

    async def later(self, by: timedelta) -> None:
        """Time passes."""
        async with self.cast.database.session() as session:
            await session.fetch(_LATER, by // timedelta(microseconds=1))

    async def send(self) -> None:
        await self.sender.queue.drain()

    async def handle(self) -> None:
        await self.handler.queue.drain()

    async def poll(self) -> bool:
        """Asks about what is due, and handles the answers; whether there was anything to ask."""
        asked = await self.poller.round()
        await self.handle()
        return asked

    async def goes_on(self, by: timedelta = timedelta(minutes=1)) -> None:
        """Time passes; then all that is due is sent, asked about and handled."""
        await self.later(by)
        await self.send()
        await self.poll()

    async def goes_on_to(self, at: datetime) -> None:
        async with self.cast.database.session() as session:
            now = await session.value("SELECT business_now()")
        await self.goes_on(at - now)
