"""Handles inbox messages, each once, a payment's in order of arrival."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog

from lastro.core import work_queue
from lastro.core.concurrency import pause_after
from lastro.core.errors import DatabaseAway, NotYet, Refused, Stale
from lastro.core.queue_worker import QueueWorker
from lastro.core.rows import RowMapper
from lastro.core.runner import Act, Done
from lastro.rails import port
from lastro.rails.inbox import HOLDS_UP
from lastro.rails.port import Claimed, InboxRow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.ids import Chance
    from lastro.core.runner import RequestContext, Runner, Verb
    from lastro.rails.port import InboxVerb

# The question comes before its end: a message waits while an earlier one about the same subject is open.
LANE = work_queue.Queue(
    "inbox",
    recalls=False,
    also="NOT EXISTS (SELECT 1 FROM inbox e WHERE e.company_id = $1 AND e.subject = w.subject AND e.due_at IS NOT NULL"  # noqa: S608 kinds of ours
    f" AND {HOLDS_UP.format(w='w')} AND (e.received_at, e.id) < (w.received_at, w.id))",
)
_AT_ONCE = 32  # messages; those of one company share statements (docs/decisions/group-commit.md)
_ALARM_AFTER = 5  # times a message was taken in hand in vain
# Times a message had to wait for something else, which is two hours and more, or lost to others, a quarter of an hour.
_WAITS_LONG = 120
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class SetAside(Act[None]):
    """Settles a message that moves nothing."""

    claimed: Claimed
    outcome: str

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Finishes the row alone."""
        del known
        return self.claimed.done(self.outcome, context)


class Handler:
    """The handler of the inbox.

    verbs: by the kind of a message, the verb that it calls for. on_worked: gets the result of each.
    """

    def __init__(
        self, database: Database, work: Database, runner: Runner, chance: Chance, verbs: Mapping[str, InboxVerb],
        on_worked: work_queue.OnWorked = work_queue.ignore_worked,
    ) -> None:  # fmt: skip
        self._database = database
        self._runner = runner
        self._verbs = verbs
        self._on_worked = on_worked
        self.queue = QueueWorker(LANE, database, work, chance, self._row, at_once=_AT_ONCE)

    async def _row(self, record: Record) -> None:
        row = _inbox_row(record)
        clock = asyncio.get_running_loop().time
        begun = clock()
        ended: tuple[str, tuple[UUID | str, ...]] = ("broke", ())
        try:
            ended = await self._handle(row)
        except DatabaseAway:
            raise  # the lease runs out and the message is taken again
        except Stale:
            # Others moved the same rows each time it was decided, or took the message over; then nothing is released.
            _tell_if_long(row)
            await work_queue.release(self._database, LANE, record, timedelta(milliseconds=100 * row.sends))
            ended = ("overtaken", ())
        except NotYet as early:
            # Its predecessor is under way; the wait for it is no fault.
            _tell_if_long(row)
            pause = timedelta(seconds=max(early.seconds, pause_after(row.sends)))
            await work_queue.release(self._database, LANE, record, pause)
            ended = ("early", ())
        except Exception:  # noqa: BLE001 one bad message must not stop the others
            _log.exception("inbox.not_handled", network_id=row.network_id, kind=row.kind, sends=row.sends)
            if row.sends >= _ALARM_AFTER:
                _log.critical("inbox.stuck", network_id=row.network_id, subject=row.subject, sends=row.sends)
            await work_queue.release(self._database, LANE, record, timedelta(seconds=pause_after(row.sends)))
        self._on_worked(
            work_queue.Worked(
                "inbox", row.kind, ended[0], clock() - begun, row.company_id, ended[1], row.claimed.row_id, row.network_id,
                row.sends,
            )
        )  # fmt: skip

    async def _handle(self, row: InboxRow) -> tuple[str, tuple[UUID | str, ...]]:
        """Handles a row; returns its outcome, and the objects made or moved."""
        make = self._verbs.get(row.kind)
        if make is None or row.kind in (port.UNKNOWN, port.REFUSED, port.ORDER_DOUBTED):
            _log.critical("inbox.look_at_this", network_id=row.network_id, kind=row.kind, company_id=str(row.company_id))
        if make is None:
            return await self._set_aside(row, "ignored")
        verb: Verb[Any] = make(row)
        outcome = await self._runner.act(row.company_id, verb)
        if isinstance(outcome, Refused) and outcome.write is None:
            _log.warning("inbox.refused", network_id=row.network_id, kind=row.kind, reason=str(outcome.problems))
        settled = _settled(outcome, row)
        if settled is None or outcome.write is None:
            return await self._set_aside(row, "ignored")
        if settled == port.ALARMED:
            _log.critical("inbox.contradicts", network_id=row.network_id, kind=row.kind, subject=row.subject)
        return settled, outcome.write.objects

    async def _set_aside(self, row: InboxRow, outcome: str) -> tuple[str, tuple[UUID | str, ...]]:
        await self._runner.act(row.company_id, SetAside(row.claimed, outcome))
        return outcome, ()


def _tell_if_long(row: InboxRow) -> None:
    """Alarms people of a row that has often waited or lost.

    It waited for something else, or lost a conflict to somebody else.
    """
    if row.sends % _WAITS_LONG == 0:
        _log.critical("inbox.waits", network_id=row.network_id, kind=row.kind, subject=row.subject, sends=row.sends)


def _settled(outcome: Done | Refused, row: InboxRow) -> str | None:
    """Returns the outcome that the write gave the row; None: it was not finished."""
    finished = () if outcome.write is None else outcome.write.finished
    return next((f.outcome for f in finished if f.id == row.claimed.row_id), None)


_inbox_row = RowMapper(
    InboxRow,
    parts={
        "claimed": lambda record: Claimed(record["id"], record["lease_token"]),
        "body": lambda record: bytes(record["body"]),
    },
).of
