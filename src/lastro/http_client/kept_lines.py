"""Keeps connections that can be used again, for a short while."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from lastro.http_client.connection import Connection

P = TypeVar("P")


class KeptLines(Generic[P]):
    """The idle connections by their place, and every connection that is open. idle_seconds: how long one is kept."""

    def __init__(self, idle_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._kept: defaultdict[P, list[tuple[Connection, float]]] = defaultdict(list)
        self._lines: set[Connection] = set()
        self._tidying: asyncio.TimerHandle | None = None

    def opened(self, line: Connection) -> Connection:
        """Notes a new connection, and returns it."""
        self._lines.add(line)
        return line

    def take(self, place: P) -> Connection | None:
        """Returns the last used idle connection."""
        lines = self._kept.get(place)
        earliest = asyncio.get_running_loop().time() - self._idle_seconds
        while lines:
            line, since = lines.pop()
            if since > earliest and line.may_be_kept:
                return line
            self.drop(line)
        return None

    def keep(self, place: P, line: Connection) -> None:
        """Takes back a line whose answer has come."""
        if not line.may_be_kept:
            self.drop(line)
            return
        loop = asyncio.get_running_loop()
        self._kept[place].append((line, loop.time()))
        if self._tidying is None:
            self._tidying = loop.call_later(self._idle_seconds, self._tidy)

    def drop(self, line: Connection) -> None:
        """Lets a line go at once."""
        self._lines.discard(line)
        line.hang_up()

    def _tidy(self) -> None:
        """Closes connections that were idle for long."""
        loop = asyncio.get_running_loop()
        earliest = loop.time() - self._idle_seconds
        for place, lines in list(self._kept.items()):
            for line, since in lines:
                if since <= earliest or not line.may_be_kept:
                    self._lines.discard(line)
                    line.close()
            lines[:] = [one for one in lines if one[0] in self._lines]
            if not lines:
                del self._kept[place]
        self._tidying = loop.call_later(self._idle_seconds / 4, self._tidy) if self._kept else None

    def close(self) -> None:
        """Ends every connection."""
        if self._tidying is not None:
            self._tidying.cancel()
            self._tidying = None
        for line in self._lines:
            line.hang_up()
        self._lines.clear()
        self._kept.clear()
