"""The circuit breaker: notices that an endpoint is silent or answers again.

Each process counts the failures; the state is a row that all of them share, so that one of them makes a probe, and a
process that starts knows what the others know. Nothing is written for a delivery that changes nothing.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING

import structlog

from lastro.webhooks import store
from lastro.webhooks.circuit import TRIPS_AT, Circuit, Turn, pause_after, turned
from lastro.webhooks.slots import remember

if TYPE_CHECKING:
    from datetime import timedelta
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.webhooks.model import Claimed, Destination, Probe
    from lastro.webhooks.slots import Key

_log = structlog.get_logger()
_ORIGIN = re.compile(r"[^/?#]*//[^/?#]*")  # as the schema has it for deliveries.endpoint


@lru_cache(maxsize=8192)
def origin_of(url: str) -> str:
    """Returns scheme, host and port of an accepted URL, in small letters."""
    found = _ORIGIN.match(url)
    return found[0].lower() if found else ""


@lru_cache(maxsize=8192)
def place_of(url: str) -> str:
    """Returns the host of an accepted URL, with its port if named."""
    return origin_of(url).partition("//")[2]


class Breaker:
    """The circuits of this process's deliveries."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._unanswered: OrderedDict[Key, set[UUID]] = OrderedDict()  # events without an answer since the last answer
        self._looks = 0
        # By this process, which may still have requests on their way: the look at which it was written, None: not yet.
        self._opened: OrderedDict[Key, int | None] = OrderedDict()

    def look(self) -> None:
        """Marks the start of a new look at due deliveries.

        Circuits that `holds` is asked about afterwards were read in it.
        """
        self._looks += 1

    def holds(self, to: Destination) -> bool:
        """Tells whether a circuit was read before this process opened it."""
        if to.circuit is not Circuit.CLOSED or to.key not in self._opened:
            return False
        written_at = self._opened[to.key]
        if written_at is not None and self._looks > written_at:
            del self._opened[to.key]  # another process's probe was answered
            return False
        return True

    async def take_probe(self, to: Destination) -> Probe | None:
        """Takes the right to probe the endpoint; None: another worker has it."""
        async with self._database.session(to.company_id) as session:
            probe = await store.take_probe(session, to, turned(to.circuit, Turn.PROBE))
        if probe is not None:
            _log.info("webhooks.circuit_probed", company_id=to.company_id, count=probe.failed_probes)
        return probe

    async def let_be(self, to: Destination, probe: Probe, pause: timedelta) -> None:
        """Puts the next probe off: there was nothing to send."""
        async with self._database.session(to.company_id) as session:
            await store.open_again(session, to, probe, turned(Circuit.HALF_OPEN, Turn.NOTHING), pause, None)

    async def answered(self, to: Destination, one: Claimed) -> None:
        """Notes that an attempt got an answer, of any kind."""
        if self._unanswered:
            self._unanswered.pop(to.key, None)
        if to.circuit is Circuit.CLOSED and to.key not in self._opened:
            return
        self._opened.pop(to.key, None)
        async with self._database.session(to.company_id) as session:
            closed = await store.close(session, to, turned(Circuit.HALF_OPEN, Turn.ANSWER))
        if closed:
            _log.info("webhooks.circuit_closed", company_id=to.company_id, endpoint=place_of(one.url), id=one.id)

    async def unanswered(self, to: Destination, one: Claimed, failure: str, probe: Probe | None) -> None:
        """Notes that an attempt got no answer. probe: the attempt was one."""
        if probe is not None:
            await self._failed(to, one, failure, probe)
        elif to.circuit is Circuit.CLOSED and to.key not in self._opened:
            events = self._unanswered.get(to.key, set())
            events.add(one.id)
            remember(self._unanswered, to.key, events)
            if len(events) >= TRIPS_AT:
                await self._trip(to, one, failure)

    async def _trip(self, to: Destination, one: Claimed, failure: str) -> None:
        del self._unanswered[to.key]
        remember(self._opened, to.key, None)
        try:
            async with self._database.session(to.company_id) as session:
                state = turned(Circuit.CLOSED, Turn.TRIP)
                is_new = await store.trip(session, to, origin_of(one.url), state, failure, pause_after(0))
        except BaseException:
            self._opened.pop(to.key, None)  # not written: the next events in a row try again
            raise
        if to.key in self._opened:  # no answer came meanwhile
            self._opened[to.key] = self._looks
        if is_new:
            _log.warning(
                "webhooks.circuit_opened", company_id=to.company_id, endpoint=place_of(one.url), failure=failure, id=one.id
            )

    async def _failed(self, to: Destination, one: Claimed, failure: str, probe: Probe) -> None:
        tried = probe.failed_probes + 1
        state = turned(Circuit.HALF_OPEN, Turn.SILENCE)
        async with self._database.session(to.company_id) as session:
            is_ours = await store.open_again(session, to, probe, state, pause_after(tried), failure)
        if is_ours:
            _log.info(
                "webhooks.circuit_stays_open", company_id=to.company_id, endpoint=place_of(one.url), failure=failure,
                count=tried, id=one.id,
            )  # fmt: skip
