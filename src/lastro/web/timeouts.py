"""How long a connection is waited for: for a head, for the next request, for answers to be taken, for an end to be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

SLOWEST_HEAD_SECONDS = 15.0
UNTAKEN_SECONDS = 60.0  # so long a caller may leave more of an answer untaken than a connection holds
LINGER_SECONDS = 2.0  # how long what nobody will read is taken from a caller, so that it can read what it was told


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's, with an end to each wait. head_seconds: of a request line and its headers, from the first byte."""

    head_seconds = SLOWEST_HEAD_SECONDS
    linger_seconds = LINGER_SECONDS
    untaken_seconds = UNTAKEN_SECONDS

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._late: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None
        self._resting_since = 0.0

    def too_late(self) -> None:
        """What was waited for did not come."""
        self.transport.close()
        self._let_go()

    def is_resting(self) -> bool:
        """Whether whatever was begun here is answered."""
        return not self.pipeline and (self.cycle is None or self.cycle.response_complete)

    # ── what comes late ──

    def _within(self, seconds: float) -> None:
        self._in_time()
        self._late = self.loop.call_later(seconds, self.too_late)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    # ── what is not asked ──

    def _rest(self) -> None:
        """Nothing is asked for now. One timer stays for all the requests of a connection: one for each would cost more."""
        self._resting_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_in(self.timeout_keep_alive)

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more was asked in time, unless there was."""
        self.timeout_keep_alive_task = None
        if not self.is_resting():
            return  # it rests again when that is answered, and whole
        left = self._resting_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._look_in(left)
        else:
            super().timeout_keep_alive_handler()
            self._let_go()

    def _look_in(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    # ── what is not taken ──

    def pause_writing(self) -> None:
        """More is written than is taken: not for ever."""
        super().pause_writing()
        self._untaken = self.loop.call_later(self.untaken_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It is taken again."""
        self._is_taken()
        super().resume_writing()

    def _let_go(self) -> None:
        """A connection is closed once all that was written is taken; whoever takes nothing is not waited for long."""
        self._is_taken()
        self._untaken = self.loop.call_later(self.linger_seconds, self.transport.abort)

    def _is_taken(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None
