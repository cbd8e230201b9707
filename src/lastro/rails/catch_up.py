"""Reads partners' missed movements before an order ends for want of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from lastro.rails.port import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.rails.port import Keep, Stream

# After a read that failed no other is tried for so long: one silent partner does not hold up the orders of all.
_AGAIN_AFTER = timedelta(seconds=15)
_log = structlog.get_logger(__name__)


class CatchUp:
    """Knows up to which instant a partner's stream is in the inbox.

    It reads the stream up to now. streams: by rail, each with the function that stores its movements. All instants are of
    business time, read from the database. A rail without a stream is one that this installation does not speak to:
    nothing can be told by it.
    """

    def __init__(self, streams: Mapping[str, tuple[Stream, Keep]]) -> None:
        self._streams = streams
        self._read_until: dict[str, datetime] = {}
        self._failed_at: dict[str, datetime] = {}
        self._one_reader: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def covers(self, rail: str, at: datetime) -> bool:
        """Tells whether the inbox has everything the partner told until `at`."""
        return rail not in self._streams or (rail in self._read_until and self._read_until[rail] >= at)

    async def read(self, rail: str, at: datetime, now: datetime) -> bool:
        """Reads the stream to its end, and tells whether it covers `at`.

        now: business time, or earlier. Concurrent callers share one read, and all of a moment share its failure.
        """
        async with self._one_reader[rail]:
            if self.covers(rail, at):
                return True
            failed_at = self._failed_at.get(rail)
            if failed_at is not None and abs(now - failed_at) < _AGAIN_AFTER:
                return False
            stream, keep = self._streams[rail]
            try:
                await stream.catch_up(keep)
            except Transient as away:
                _log.warning("stream.unread", rail=rail, reason=away.reason)
                self._failed_at[rail] = now
                return False
            self._failed_at.pop(rail, None)
            self._read_until[rail] = now
            return self.covers(rail, at)
