"""Reads the whole system's backlog and its age from the database. For /metrics."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro import webhooks
from lastro.core.errors import DatabaseAway
from lastro.core.work_queue import NOW
from lastro.due_work import DUE_WORK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.core.db import Database, Session
    from lastro.core.due_work import DueWork

KEPT_SECONDS = 5.0  # however often somebody looks, the database is asked no more often
PATIENCE_SECONDS = 2.0
# A count stops here, so that looking at a long queue does not make it longer; of what waits longest nothing is missed.
MOST = 10_000
_log = structlog.get_logger(__name__)


def _due(work: DueWork) -> str:
    return (
        f"SELECT '{work.gauge}' AS lane, count(*) AS count,"  # noqa: S608 names of our own
        f" extract(epoch FROM {work.before(NOW)} - min(due))::float8 AS oldest FROM ("
        f"SELECT {work.column} AS due FROM {work.table} WHERE {work.is_due()} ORDER BY {work.column} LIMIT {MOST}) d"
    )


# Rows that an era holds back are due all the same: a person has to release them.
DUE = "\nUNION ALL ".join(_due(work) for work in DUE_WORK if work.gauge)
UNDELIVERED = "\nUNION ALL ".join(
    f"SELECT '{status}' AS status, count(*) AS count"  # noqa: S608
    f" FROM (SELECT 1 FROM deliveries WHERE status = '{status}' LIMIT {MOST}) d"
    for status in ("PENDING", "RETRYING", "FAILED")
)
# A message that could not be sent, or handled, is due again within a minute (core.concurrency.pause_after): its age tells of
# the failure. A row that is due later waits for an hour of its own; one that is leased for the first time has not failed.
TRIED = "\nUNION ALL ".join(
    f"SELECT '{lane}' AS lane, rail, extract(epoch FROM {NOW} - min(at))::float8 AS oldest FROM ("  # noqa: S608 names of our own
    f"SELECT rail, {at} AS at, sends > (leased_until IS NOT NULL)::integer AS failed FROM {lane}"
    f" WHERE due_at <= {NOW} + interval '61 seconds' ORDER BY due_at LIMIT {MOST}) t WHERE failed GROUP BY rail"
    for lane, at in (("outbox", "created_at"), ("inbox", "received_at"))
)
# Payouts that wait for a person, not for a worker: their number, and the age of the oldest.
IN_REVIEW = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(since))::float8 AS oldest FROM (
  SELECT updated_at AS since FROM payouts WHERE status = 'ANALYSIS' AND batch_id IS NULL ORDER BY updated_at LIMIT {MOST}) p
"""  # noqa: S608
# Likewise of what the statements of networks and partners say otherwise than the books.
DIFFERENCES = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(created_at))::float8 AS oldest FROM (
  SELECT created_at FROM statement_items WHERE state = 'OPEN' ORDER BY created_at LIMIT {MOST}) i
"""  # noqa: S608
# Money that could not be given back, or came back of a payout and fits nothing, of which people decide what becomes.
STRANDED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(since))::float8 AS oldest FROM (
  SELECT since FROM (
    SELECT updated_at AS since FROM refunds WHERE state = 'ERROR' AND origin = 'AUTOMATIC'
    UNION ALL SELECT created_at FROM payout_returns WHERE is_unfit AND decision_id IS NULL) u
   ORDER BY since LIMIT {MOST}) r
"""  # noqa: S608
# Payments that a partner has announced, and of which it has said neither that the money is in nor that it will not come. An
# accepted Pix is asked about, and is none of these.
ANNOUNCED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(created_at))::float8 AS oldest FROM (
  SELECT created_at FROM pix_payments WHERE state = 'ACCEPTED' AND ask_at IS NULL ORDER BY created_at LIMIT {MOST}) p
"""  # noqa: S608
# Cancellations of subscriptions that payers' banks were asked for and have not answered: the first to be asked about again.
UNANSWERED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(created_at))::float8 AS oldest FROM (
  SELECT created_at FROM subscription_cancellations WHERE status = 'PENDING' ORDER BY ask_at LIMIT {MOST}) c
"""  # noqa: S608
# Notices of disputes on which the institution has not decided, by when time does something to them: how many, and the
# seconds to the nearest deadline, below zero once it is over. NULL: there is none.
UNDECIDED = f"""
SELECT count(*) AS count, extract(epoch FROM min(deadline) - {NOW})::float8 AS left FROM (
  SELECT deadline FROM med_objects
   WHERE due_at IS NOT NULL AND status IN ('OPEN', 'RECEIVED')
     AND object_type = 'INFRINGEMENT_NOTIFICATION' AND role = 'RECEIVER'
   ORDER BY due_at LIMIT {MOST}) n
"""  # noqa: S608
# Refund requests of Pix Automático that nobody has answered, likewise: of one whose money is on its way nothing is due.
UNREIMBURSED = f"""
SELECT count(*) AS count, extract(epoch FROM min(deadline) - {NOW})::float8 AS left FROM (
  SELECT deadline FROM med_objects
   WHERE due_at IS NOT NULL AND status = 'OPEN' AND object_type = 'REFUND_REQUEST' AND role = 'RECEIVER'
     AND reason = 'PIX_AUTOMATICO'
   ORDER BY due_at LIMIT {MOST}) n
"""  # noqa: S608
# Days that are over and whose statements are not taken, and for how long the first of them has been over.
UNTAKEN = f"""
SELECT count(*) AS count,
       extract(epoch FROM {NOW} - min((day + 1)::timestamp AT TIME ZONE 'America/Sao_Paulo'))::float8 AS oldest FROM (
  SELECT day FROM statements WHERE due_at IS NOT NULL AND state = 'TAKING' ORDER BY due_at LIMIT {MOST}) s
"""  # noqa: S608
# One probe of an index for each company, as the numbering itself makes; OFFSET 0 keeps it a probe for each event behind it,
# as a join it would read every number there is.
UNNUMBERED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(u.created_at))::float8 AS oldest
  FROM company_numbers n LEFT JOIN event_cursors c ON c.company_id = n.company_id
 CROSS JOIN LATERAL (
   SELECT e.created_at FROM events e
    WHERE e.company_id = n.company_id AND e.xid >= coalesce(c.numbered_below_xid, 0)
      AND NOT EXISTS (SELECT 1 FROM event_numbers x WHERE x.company_id = e.company_id AND x.event_id = e.id
                       OFFSET 0)
    ORDER BY e.xid, e.id LIMIT {MOST}) u
"""  # noqa: S608
# Transfers that wait for their entries: one range of an index for each company.
UNENTERED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(u.created_at))::float8 AS oldest
  FROM company_numbers n LEFT JOIN entry_cursors c ON c.company_id = n.company_id
 CROSS JOIN LATERAL (
   SELECT t.created_at FROM transfers t
    WHERE t.company_id = n.company_id AND t.created_at >= coalesce(c.entered_until, '-infinity')
    ORDER BY t.created_at LIMIT {MOST}) u
"""  # noqa: S608
# Each partner that was ever away, and whether it is now.
PARTNERS = "SELECT rail, is_down FROM partner_states"
# Each law that was ever read by a worker, and what was found then.
LAWS = """
SELECT law, breaches, extract(epoch FROM checked_at)::float8 AS at FROM law_checks WHERE checked_at IS NOT NULL ORDER BY law
"""
# Tells whether an answer waits for another server to have the data, and how many servers copy this one; any role may know
# both.
STANDBYS = """
SELECT current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local')
         AS waits, (SELECT count(*) FROM pg_stat_replication) AS count
"""
OFFSET = "SELECT offset_us / 1000000.0::float8 FROM clock"


@dataclass(frozen=True, slots=True)
class Gauges:
    """The gauges of the whole system.

    due: by lane, how many and how old the oldest is in seconds. undelivered: events by status. unnumbered: likewise.

    clock_offset_seconds: business time minus machine time. depths: what waits, by company and endpoint. circuits: of
    endpoints that do not answer, one for each company. in_review: payouts that a person has to decide on, likewise.
    differences: between statements and books, likewise; untaken: days whose statement is not taken. partners: by rail,
    whether one that was ever away is so now. unentered: transfers that wait for their entries. stranded: money in suspense
    that people have to decide about; announced: payments that a partner has announced and not ended; unanswered:
    cancellations that no payer's bank has answered; undecided: notices of disputes, and the seconds to the nearest deadline;
    unreimbursed: refund requests of Pix Automático, likewise. laws: by name, what broke it and when it was read, in seconds
    since 1970. tried: lane and rail of what was sent or handled in vain, and the age of the oldest such message in seconds.
    standbys: whether commits wait for one, and how many there are.
    """

    due: dict[str, tuple[int, float]]
    undelivered: dict[str, int]
    unnumbered: tuple[int, float]
    clock_offset_seconds: float
    depths: tuple[webhooks.Depth, ...] = ()
    circuits: tuple[tuple[int, webhooks.Circuit], ...] = ()
    in_review: tuple[int, float] = (0, 0.0)
    differences: tuple[int, float] = (0, 0.0)
    untaken: tuple[int, float] = (0, 0.0)
    partners: tuple[tuple[str, bool], ...] = ()
    unentered: tuple[int, float] = (0, 0.0)
    stranded: tuple[int, float] = (0, 0.0)
    announced: tuple[int, float] = (0, 0.0)
    unanswered: tuple[int, float] = (0, 0.0)
    undecided: tuple[int, float | None] = (0, None)
    unreimbursed: tuple[int, float | None] = (0, None)
    laws: tuple[tuple[str, int, float], ...] = ()
    standbys: tuple[bool, int] = (False, 0)
    tried: tuple[tuple[str, str, float], ...] = ()


@dataclass
class Watch:
    """Reads gauges across companies. work: as the role that sees ids and due times. last: the last gauges read."""

    work: Database
    kept_seconds: float = KEPT_SECONDS
    last: Gauges | None = None
    _looked_at: float | None = None
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def look(self) -> Gauges | None:
        """Returns gauges of the last five seconds, or new ones. None: the database does not answer."""
        clock = asyncio.get_running_loop().time
        async with self._looking:
            if self._looked_at is None or clock() - self._looked_at >= self.kept_seconds:
                self.last = await self._ask()
                self._looked_at = clock()
        return self.last

    async def _ask(self) -> Gauges | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self.work.session() as session:
                return await read(session)
        except (DatabaseAway, TimeoutError, asyncpg.PostgresError) as away:
            _log.warning("metrics.database_away", cause=type(away).__name__)
            return None


async def read(session: Session) -> Gauges:
    """Reads all gauges: nineteen short reads. Each reads an index or a few rows."""
    due = {r["lane"]: (r["count"], r["oldest"] or 0.0) for r in await session.fetch(DUE)}
    depths = tuple(await webhooks.depths(session))
    due["deliveries"] = _can_be_delivered(depths)
    undelivered = {r["status"].lower(): r["count"] for r in await session.fetch(UNDELIVERED)}
    offset = await session.value(OFFSET)
    circuits = tuple(await webhooks.not_closed(session))
    waiting = [await _waiting(session, sql) for sql in (UNNUMBERED, IN_REVIEW, DIFFERENCES, UNTAKEN)]
    unnumbered, in_review, differences, untaken = waiting
    partners = tuple((row["rail"], row["is_down"]) for row in await session.fetch(PARTNERS))
    laws = tuple((row["law"].removeprefix("law_"), row["breaches"], row["at"]) for row in await session.fetch(LAWS))
    tried = tuple((row["lane"], row["rail"], row["oldest"]) for row in await session.fetch(TRIED))
    standbys = await session.row(STANDBYS)
    assert standbys is not None, "settings have a row"
    unentered, stranded, announced, unanswered = [
        await _waiting(session, sql) for sql in (UNENTERED, STRANDED, ANNOUNCED, UNANSWERED)
    ]
    undecided, unreimbursed = [await _to_decide(session, sql) for sql in (UNDECIDED, UNREIMBURSED)]
    return Gauges(
        due, undelivered, unnumbered, float(offset), depths, circuits, in_review, differences, untaken, partners, unentered,
        stranded, announced, unanswered, undecided, unreimbursed, laws, (standbys["waits"], standbys["count"]), tried,
    )  # fmt: skip


async def _waiting(session: Session, sql: str) -> tuple[int, float]:
    """Returns how many rows wait, and the oldest one's age in seconds."""
    row = await session.row(sql)
    assert row is not None, "a count has a row"
    return row["count"], row["oldest"] or 0.0


async def _to_decide(session: Session, sql: str) -> tuple[int, float | None]:
    """Returns how many wait for a decision, and the nearest deadline's seconds."""
    row = await session.row(sql)
    assert row is not None, "a count has a row"
    return row["count"], row["left"]


def _can_be_delivered(depths: Iterable[webhooks.Depth]) -> tuple[int, float]:
    """Returns the count of due deliveries, and the oldest one's age. Open circuits' do not count: no worker may do them."""
    free = [d for d in depths if not d.is_held and d.due]
    return min(MOST, sum(d.due for d in free)), max((d.oldest for d in free), default=0.0)
