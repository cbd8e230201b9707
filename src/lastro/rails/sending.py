"""Sends outbox messages to networks.

Each send is counted before it begins, and the network is asked about a message before it is sent again. A message that
nobody needs any more when its turn comes is withdrawn: once no copy can be on its way, or where a copy changes nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from lastro.core import trace, work_queue
from lastro.core.concurrency import pause_after
from lastro.core.errors import Stale
from lastro.core.failpoints import failpoint
from lastro.core.queue_worker import QueueWorker
from lastro.core.runner import Act, Done
from lastro.core.write import Finished, Row, Write
from lastro.rails.port import (
    ARRIVES_WITHIN,
    BOOK,
    PAYMENT_SEND,
    RETURN_SEND,
    TED_SEND,
    Closed,
    Permanent,
    Transient,
    Unknown,
)
from lastro.rails.port.needs import over_sql
from lastro.rails.rejected_messages import REFUSED_ENDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.ids import Chance
    from lastro.core.runner import RequestContext, Runner
    from lastro.rails.port import Need, NetworkMessage, Rail

HARD_TIMEOUT_SECONDS = 10.0  # of everything that is asked and sent for one row; less than its lease
_AT_ONCE = 64
_ALARM_AFTER = 6  # sends in vain
HELD_BACK_FOR = timedelta(minutes=5)
_MOMENT_SECONDS = 0.02
_EARLY_FOR = timedelta(seconds=5)
_EXPLAINED_WITHIN = timedelta(seconds=10)  # a refusal whose reason is on its way to us
# An open row waits for the copies of it that may be on their way, or for the reason of the network's refusal.
_COPIES, _REASON = "copies", "reason"
_DOUBTED = frozenset({PAYMENT_SEND, TED_SEND, RETURN_SEND})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RefusedForGood(Act[None]):
    """Settles a row that the network will never take.

    For a row that moves money this is the end, which a verb decides about.
    """

    row: Record
    code: str

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Finishes the row. An order's refusal goes the way of every other message from the network."""
        del known
        row = self.row
        finished = Finished("outbox", row["id"], row["lease_token"], "refused", context.now)
        rows: tuple[Row, ...] = ()
        if (ended := REFUSED_ENDS.get(row["kind"])) is not None:
            rows = (_inbox_row(context, row, ended(bytes(row["body"]), self.code)),)
        return Done(Write(context.company_id, rows=rows, finished=(finished,)), b"")


def _is_doubt(row: Record) -> bool:
    """Tells whether an earlier copy may still be on its way.

    The network does not know that copy yet. Between two tables of ours there is none.
    """
    return row["sends"] > 1 and row["rail"] != BOOK and row["kind"] in _DOUBTED


def _waiting(what: str | None) -> str:
    return "" if what is None else f", waits_for = '{what}'"


def _inbox_row(context: RequestContext, row: Record, told: NetworkMessage) -> Row:
    return Row(
        "inbox",
        {
            "id": context.chance.uuid(context.now),
            "rail": row["rail"],
            "kind": told.kind,
            "network_id": f"refused:{row['id']}",
            "subject": told.subject,
            "body": told.body,
            "received_at": context.now,
            "due_at": context.now,
        },
    )


class HeldBack(Exception):  # noqa: N818 it says what is done with the row
    """The row must not be sent yet, and was not.

    later: the time until the next look. waits_for: the thing that it waits for.
    """

    def __init__(self, later: timedelta, waits_for: str | None = None) -> None:
        super().__init__()
        self.later = later
        self.waits_for = waits_for


class NotNeeded(Exception):  # noqa: N818
    """The reason of the row has ended, and no copy has effect.

    No copy of it can come there any more, or one changes nothing there.
    """


class Unexplained(Transient):
    """The network has refused an order that it may have ended itself. Its word on that is waited for, once."""


@dataclass
class _Sent:
    """Rows of one company that were sent and are settled together. is_all: no other is on its way."""

    settling: asyncio.Task[None]
    rows: list[Record] = field(default_factory=list)
    is_all: asyncio.Event = field(default_factory=asyncio.Event)


class Sender:
    """The sender of one rail's outbox; a silent rail takes no other's room.

    on_worked: gets the result of each sending. held_back: says of an outbox row that it must not be sent yet. early: says
    that the row's object has not been told yet, and is about to be. whose: the object that a row belongs to, where that is
    another than the one that it names. needs: by kind, how long a waiting row is needed. moment: how long a sent row
    stays under its lease while more of its company are on their way, so that one statement settles them.
    """

    def __init__(
        self, database: Database, work: Database, runner: Runner, chance: Chance, name: str, rail: Rail,
        on_worked: work_queue.OnWorked = work_queue.ignore_worked, held_back: str = "false", early: str = "false",
        moment: float = _MOMENT_SECONDS, whose: str | None = None, needs: Mapping[str, Need] | None = None,
    ) -> None:  # fmt: skip
        self._database = database
        self._runner = runner
        self._rail = rail
        self._on_worked = on_worked
        self._moment = moment
        self._needs = needs or {}
        self._in_hand: Counter[UUID] = Counter()  # rows by company
        self._sent: dict[UUID, _Sent] = {}
        says = {"is_held_back": held_back, "is_early": early, "is_over": over_sql(self._needs)}
        shown = ", ".join((*(f"{sql} AS {name}" for name, sql in says.items()), f"{whose or 'reference_id'} AS whose"))
        self._lane = work_queue.Queue("outbox", only=f"rail = '{name}'", shown=shown)
        self.queue = QueueWorker(self._lane, database, work, chance, self._counted, at_once=_AT_ONCE)

    async def _counted(self, row: Record) -> None:
        company_id = row["company_id"]
        self._in_hand[company_id] += 1
        try:
            await self._row(row)
        finally:
            self._in_hand[company_id] -= 1
            if not self._in_hand[company_id]:
                del self._in_hand[company_id]
            self._look(company_id)

    async def _row(self, row: Record) -> None:
        """Sends one row and settles it, or puts it off."""
        trace.about(row["whose"])
        clock = asyncio.get_running_loop().time
        begun, outcome = clock(), "sent"
        try:
            async with asyncio.timeout(HARD_TIMEOUT_SECONDS):
                await self._tell(row)
        except NotNeeded:
            outcome = "withdrawn"
            _log.info("outbox.withdrawn", network_id=row["network_id"], kind=row["kind"], sends=row["sends"] - 1)
            await work_queue.finish(self._database, self._lane, row["company_id"], [row["id"]], row["lease_token"], outcome)
        except HeldBack as held:
            outcome = "held_back"
            _log.info("outbox.held_back", network_id=row["network_id"], kind=row["kind"], reason=held.waits_for)
            await work_queue.put_off(self._database, self._lane, row, held.later, _waiting(held.waits_for))
        except Closed as closed:
            outcome = "held_back"
            _log.info("outbox.held_back", network_id=row["network_id"], kind=row["kind"], reason=closed.reason)
            await work_queue.put_off(self._database, self._lane, row, timedelta(seconds=closed.seconds))
        except Permanent as refused:
            outcome = "refused"
            _log.error(
                "outbox.refused", network_id=row["network_id"], kind=row["kind"], code=refused.code, reason=refused.reason
            )
            with suppress(Stale):  # another worker has taken it over
                await self._runner.act(row["company_id"], RefusedForGood(row, refused.code))
        except Exception as error:  # noqa: BLE001 whatever it was, the row is sent again until the network has spoken
            outcome = "not_sent"
            await self._give_back(row, error)
        else:
            failpoint("outbox.sent")
            await self._settle(row)
        self._on_worked(
            work_queue.Worked(
                "outbox", row["kind"], outcome, clock() - begun, row["company_id"], (row["reference_id"],), row["id"],
                row["network_id"], row["sends"],
            )
        )  # fmt: skip

    async def _settle(self, row: Record) -> None:
        """Settles a sent row, in one statement with its company's others.

        The others are under way and sent within a moment.
        """
        company_id = row["company_id"]
        sent = self._sent.get(company_id)
        if sent is None:
            sent = self._sent[company_id] = _Sent(asyncio.create_task(self._settle_all(company_id)))
        sent.rows.append(row)
        self._look(company_id)
        await asyncio.shield(sent.settling)

    def _look(self, company_id: UUID) -> None:
        """Ends the wait for more rows, once none is on its way."""
        sent = self._sent.get(company_id)
        if sent is not None and len(sent.rows) >= self._in_hand[company_id]:
            sent.is_all.set()

    async def _settle_all(self, company_id: UUID) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._moment):
                await self._sent[company_id].is_all.wait()
        rows = self._sent.pop(company_id).rows
        claims: dict[UUID, list[UUID]] = {}
        for row in rows:
            claims.setdefault(row["lease_token"], []).append(row["id"])
        for token, ids in claims.items():
            await work_queue.finish(self._database, self._lane, company_id, ids, token, "sent")

    async def _give_back(self, row: Record, error: Exception) -> None:
        silent = isinstance(error, Transient | TimeoutError)
        _log.warning(
            "outbox.not_sent",
            network_id=row["network_id"],
            kind=row["kind"],
            reason=str(error) or "no answer",
            exc_info=None if silent else error,
        )
        if row["sends"] >= _ALARM_AFTER:
            _log.critical("outbox.stuck", network_id=row["network_id"], sends=row["sends"])
        # Counted apart: none of these copies may still arrive.
        is_answered = isinstance(error, Transient) and not error.is_on_its_way
        also = ", answered = answered + 1" if is_answered else ""
        asked = error.pause_seconds if isinstance(error, Transient) else 0.0
        later = timedelta(seconds=max(pause_after(row["sends"]), asked))
        if isinstance(error, Unexplained):
            later, also = max(later, _EXPLAINED_WITHIN), also + _waiting(_REASON)
        await work_queue.release(self._database, self._lane, row, later, also)

    async def _tell(self, row: Record) -> None:
        """Sends a row, unless the network has it already."""
        if row["is_held_back"]:
            raise HeldBack(HELD_BACK_FOR)
        if row["is_over"]:
            await self._end(row)
            return
        if row["is_early"]:
            raise HeldBack(_EARLY_FOR)
        is_order = row["kind"] in REFUSED_ENDS
        if is_order and row["sends"] > 1 and await self._has(row):
            return
        try:
            await self._rail.send(row["kind"], row["network_id"], bytes(row["body"]), row["company_id"])
        except Permanent as refused:
            # A refused message is no refused order if an earlier copy of it arrived, which the network need not know yet:
            # of what moves our money a copy's refusal is a doubt, until its room gives it up.
            if is_order and await self._has(row):
                return
            if _is_doubt(row):
                text = f"a later copy was refused: {refused.code}: {refused.reason}"
                raise Transient(text, is_on_its_way=False) from refused
            if is_order and not self._asks(row) and row["waits_for"] != _REASON:
                raise Unexplained(f"refused: {refused.code}: {refused.reason}", is_on_its_way=False) from refused
            raise

    def _asks(self, row: Record) -> bool:
        need = self._needs.get(row["kind"])
        return need is None or need.asks

    async def _end(self, row: Record) -> None:
        """Returns where the network has what nobody needs any more. HeldBack: a copy of it may still come there.

        NotNeeded: none can, since nobody has tried to send it, each copy was answered, or the last had time to arrive.
        """
        copies = row["sends"] - 1
        if not copies or not self._asks(row):
            raise NotNeeded
        if await self._has(row):
            return
        if copies > row["answered"] and row["waits_for"] != _COPIES:
            raise HeldBack(ARRIVES_WITHIN, _COPIES)
        raise NotNeeded

    async def _has(self, row: Record) -> bool:
        return not isinstance(await self._rail.status_of(row["kind"], row["network_id"]), Unknown)
