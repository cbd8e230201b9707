"""A list of sessions at one place: a server, or a shard of one."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from lastro.core.errors import DatabaseAway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.core.session import Session

_PATIENCE_SECONDS = 5  # for a connection, when all are lent


class Pool:
    """Up to `size` sessions, made by `connect` when first needed.

    lent: the number lent now. waits: how often a caller had to wait for one.
    """

    def __init__(self, connect: Callable[[], Awaitable[Session]], size: int) -> None:
        self.lent = 0
        self.waits = 0
        self._connect = connect
        self._idle: deque[Session] = deque()
        self._free = asyncio.Semaphore(size)
        self._is_closed = False

    @property
    def idle(self) -> int:
        """The number of sessions that nobody has."""
        return len(self._idle)

    async def lend(self, company_id: UUID | None, *, enters: bool = True) -> Session:
        """Lends a session; the caller gives it back. enters: it is set to company_id, where one is given."""
        if self._free.locked():
            self.waits += 1
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._free.acquire()
            except TimeoutError as late:
                raise DatabaseAway("every connection is busy") from late
        else:
            await self._free.acquire()  # free: without what a time-out costs
        self.lent += 1
        session: Session | None = None
        try:
            session = self._take(company_id) or await self._connect()
            session.pool = self
            if enters and company_id is not None:
                await session.set_company(company_id)
        except BaseException:
            self.give_back(session)
            raise
        return session

    def give_back(self, session: Session | None) -> None:
        """Takes a session back; one whose connection is gone is forgotten."""
        if session is not None and session.is_usable:
            if self._is_closed:
                session.terminate()
            else:
                session.idle_since = asyncio.get_running_loop().time()
                self._idle.append(session)
        self.lent -= 1
        self._free.release()

    def _take(self, company_id: UUID | None) -> Session | None:
        while self._idle:
            for session in reversed(self._idle):  # one that is set to this company already saves a round trip
                if session.company_id == company_id:
                    self._idle.remove(session)
                    break
            else:
                # A company that was lent lately is likely to be wanted again soon: another takes what was idle longest.
                session = self._idle.pop() if company_id is None else self._idle.popleft()
            if session.is_usable:
                return session
        return None

    def end_idle(self, before: float) -> None:
        """Ends idle sessions, but for one. before: of the event loop; none is ended that was used since."""
        for session in [one for one in self._idle if one.idle_since < before][: len(self._idle) - 1]:
            self._idle.remove(session)
            session.terminate()

    def end(self) -> None:
        """Ends every idle session, and each lent one as it comes back."""
        self._is_closed = True
        self.close()

    def close(self) -> None:
        """Ends every idle session."""
        while self._idle:
            self._idle.pop().terminate()
