"""The feed's follower: each event once, in the order of their numbers, over any break of the connection."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from lastro.core.declined import CommandFailed
from lastro_tools.events.service import Away

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from lastro_tools.events.service import Service

FEED = "/order/v1/events"
_LAST_NUMBER = 2**63 - 2
_WAIT_SECONDS = 30
_AT_ONCE = 200


class FeedEvent(msgspec.Struct, rename="camel", frozen=True):
    """An event of the feed. payload: the body of its deliveries, byte for byte."""

    sequence: int
    id: str
    event: str
    reference_id: str
    created_at: str
    payload: msgspec.Raw
    follows: int | None = None


class _Part(msgspec.Struct, rename="camel"):
    has_next: bool
    data: list[msgspec.Raw]
    last_sequence: int = 0


@dataclass
class Feed:
    """The events after a number. after None: from the first event that is kept.

    follows: whether to wait for further events. note: is called with each problem and its end, in sentences.
    """

    service: Service
    after: int | None
    note: Callable[[str], object]
    follows: bool = True
    _tries: int = field(init=False, default=0)

    async def events(self) -> AsyncIterator[tuple[FeedEvent, bytes]]:
        """Yields each event, and the API's own text of it. Declined: the feed no longer has what follows, or has a gap."""
        while True:
            part = await self._patiently()
            for raw in part.data:
                told = msgspec.json.decode(raw, type=FeedEvent)
                if self.after is not None and self.after not in (told.sequence - 1, told.follows):
                    raise CommandFailed(
                        f"The feed goes from {self.after} to {told.sequence}, which must never happen: tell its owner."
                    )
                if told.follows is not None:
                    self.note(f"A backup was put back: the feed goes on with {told.sequence} behind {told.follows}.")
                self.after = told.sequence
                yield told, bytes(raw)
            if not self.follows and not part.has_next:
                return

    async def _patiently(self) -> _Part:
        """Returns the next part, however long the API is away."""
        while True:
            query = {"after": self.after, "limit": _AT_ONCE, "wait": _WAIT_SECONDS if self.follows else None}
            try:
                said = await self.service.once("GET", FEED, query)
            except Away as away:
                self._tries += 1
                if self._tries == 2:  # a single break is not reported
                    self.note(f"The API is away, {away}: it is asked again until it answers.")
                await asyncio.sleep(away.pause(self._tries))
                continue
            if self._tries > 1:
                self.note("The API answers again.")
            self._tries = 0
            return _part(said)


async def last_number(service: Service) -> int | None:
    """Returns the feed's last number; None: there is none yet."""
    return _part(await service.ask("GET", FEED, {"limit": 1})).last_sequence or None


def _part(said: bytes) -> _Part:
    try:
        return msgspec.json.decode(said, type=_Part)
    except msgspec.DecodeError:
        raise CommandFailed("What answers there is no feed of lastro.") from None


@dataclass(frozen=True, slots=True)
class CursorFile:
    """A file that keeps the last number, for a command's next start."""

    path: Path

    def read(self) -> int | None:
        """Reads the number; None: there is no such file yet. Declined: it holds something else."""
        try:
            text = self.path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            text = ""
        if not text.isdigit() or len(text) > 19 or int(text) > _LAST_NUMBER:
            raise CommandFailed(f"{self.path} does not hold the number of an event.")
        return int(text)

    def write(self, number: int) -> None:
        """Replaces the file with another number, whole or not at all. Declined: it cannot be written."""
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            fresh.write_text(f"{number}\n", encoding="ascii")
            os.replace(fresh, self.path)  # noqa: PTH105 the one that is atomic
        except OSError as error:
            raise CommandFailed(f"{self.path} cannot be written: {error.strerror}.") from error
