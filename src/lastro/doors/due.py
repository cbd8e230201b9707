"""What falls due by itself: a room says how such rows are found and which verb each calls for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from lastro.base import lanes, trace
from lastro.base.errors import DatabaseAway, Refused, Stale
from lastro.base.together import pause_after, together

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from lastro.base.db import Database
    from lastro.base.run import Runner, Verb

_ROWS = 200
_AT_ONCE = 4
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Due:
    """One sweep.

    find_sql: run by lastro_work, gives company_id and id of at most $1 due rows, the longest due first. verb: what is done
    with one of them; what is no longer due when it is read must write nothing.
    """

    name: str
    find_sql: str
    verb: Callable[[UUID], Verb[Any]]


class Sweep:
    """A due lane at work. Rows in vain are left alone for a while, each time longer, so that they stand in nobody's way."""

    def __init__(self, due: Due, work: Database, runner: Runner, hear: lanes.Hear = lanes.unheard) -> None:
        self._hear = hear
        self._due = due
        self._work = work
        self._runner = runner
        self._in_vain: dict[tuple[UUID, UUID], tuple[int, float]] = {}  # how often, and until when it is left alone

    async def round(self) -> bool:
        """Acts on what is due; whether anything was written. DatabaseAway: try again later."""
        now = asyncio.get_running_loop().time()
        async with self._work.session() as session:
            rows = await session.fetch(self._due.find_sql, _ROWS + len(self._in_vain))
        found = [(row["company_id"], row["id"]) for row in rows]
        self._forget(set(found))
        ready = [one for one in found if self._in_vain.get(one, (0, now))[1] <= now]
        return any(await together(ready, self._act, _AT_ONCE))

    async def _act(self, one: tuple[UUID, UUID]) -> bool:
        company_id, row_id = one
        trace.take_up(str(row_id), company_id)
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            outcome = await self._runner.act(company_id, self._due.verb(row_id))
        except DatabaseAway:
            raise
        except Stale:
            return True  # overtaken, so something moved: look again
        except Exception:  # noqa: BLE001 one bad row must not stop the others
            _log.exception("due.failed", lane=self._due.name, id=str(row_id))
            return self._vain(one)
        if isinstance(outcome, Refused) or outcome.write is None or outcome.write.is_empty:
            return self._vain(one)
        self._in_vain.pop(one, None)
        self._hear(lanes.Worked("due", self._due.name, "done", clock() - begun, company_id, outcome.write.objects, row_id))
        return True

    def _vain(self, one: tuple[UUID, UUID]) -> bool:
        times = self._in_vain.get(one, (0, 0.0))[0] + 1
        self._in_vain[one] = (times, asyncio.get_running_loop().time() + pause_after(times))
        return False

    def _forget(self, found: set[tuple[UUID, UUID]]) -> None:
        """Rows that are no longer due need not be remembered; one that is only behind others is tried anew in its turn."""
        for one in [one for one in self._in_vain if one not in found]:
            del self._in_vain[one]
