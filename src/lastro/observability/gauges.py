"""Reads the backlog and its age, of all companies. For /metrics."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import asyncpg
import structlog

from lastro import webhooks
from lastro.core.errors import DatabaseAway
from lastro.core.work_queue import NOW
from lastro.due_work import DUE_WORK
from lastro.observability.bank_figures import BankRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.due_work import DueWork

KEPT_SECONDS = 5.0  # however often somebody looks, the database is asked no more often
PATIENCE_SECONDS = 2.0
# A count stops here, so that looking at a long queue does not make it longer; of what waits longest nothing is missed.
MOST = 10_000
MOST_FOREIGN = 1_000  # of a connection: other systems may take any number there
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


def _oldest(rows: str, column: str, order: str = "") -> str:
    """Returns the statement that counts rows. seconds: for how long the oldest has waited."""
    return (
        f"SELECT count(*) AS count, extract(epoch FROM {NOW} - min(since))::float8 AS seconds FROM ("  # noqa: S608
        f"SELECT {column} AS since {rows} ORDER BY {order or column} LIMIT {MOST}) w"
    )


def _nearest(rows: str) -> str:
    """Returns the statement that counts rows. seconds: to the nearest deadline, NULL where nothing waits."""
    return (
        f"SELECT count(*) AS count, extract(epoch FROM min(deadline) - {NOW})::float8 AS seconds FROM ("  # noqa: S608
        f"SELECT deadline {rows} ORDER BY due_at LIMIT {MOST}) w"
    )


IN_REVIEW = _oldest("FROM payouts WHERE status = 'ANALYSIS' AND batch_id IS NULL", "updated_at")
DIFFERENCES = _oldest("FROM statement_items WHERE state = 'OPEN'", "created_at")
# Money that could not be given back, or came back of a payout and fits nothing.
STRANDED = _oldest(
    """FROM (SELECT updated_at AS at FROM refunds WHERE state = 'ERROR' AND origin = 'AUTOMATIC'
    UNION ALL SELECT created_at FROM payout_returns WHERE is_unfit AND decision_id IS NULL) u""", "at",
)  # fmt: skip
# An accepted Pix is asked about, and is none of these.
ANNOUNCED = _oldest("FROM pix_payments WHERE state = 'ACCEPTED' AND ask_at IS NULL", "created_at")
UNMATCHED = _oldest("FROM foreign_payments WHERE state = 'FOUND' AND reason IS NOT NULL", "created_at")
UNANSWERED = _oldest("FROM subscription_cancellations WHERE status = 'PENDING'", "created_at", "ask_at")
UNDECIDED = _nearest(
    "FROM med_objects WHERE due_at IS NOT NULL AND status IN ('OPEN', 'RECEIVED')"
    " AND object_type = 'INFRINGEMENT_NOTIFICATION' AND role = 'RECEIVER'"
)
# Of a request whose money is on its way nothing is due.
UNREIMBURSED = _nearest(
    "FROM med_objects WHERE due_at IS NOT NULL AND status = 'OPEN' AND object_type = 'REFUND_REQUEST'"
    " AND role = 'RECEIVER' AND reason = 'PIX_AUTOMATICO'"
)
UNTAKEN = _oldest(
    "FROM statements WHERE due_at IS NOT NULL AND state = 'TAKING'",
    "(day + 1)::timestamp AT TIME ZONE 'America/Sao_Paulo'", "due_at",
)  # fmt: skip
# One probe of an index for each company, as the numbering itself makes; OFFSET 0 keeps it a probe for each event behind it,
# as a join it would read every number there is.
UNNUMBERED = f"""
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(u.created_at))::float8 AS seconds
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
SELECT count(*) AS count, extract(epoch FROM {NOW} - min(u.created_at))::float8 AS seconds
  FROM company_numbers n LEFT JOIN entry_cursors c ON c.company_id = n.company_id
 CROSS JOIN LATERAL (
   SELECT t.created_at FROM transfers t
    WHERE t.company_id = n.company_id AND t.created_at >= coalesce(c.entered_until, '-infinity')
    ORDER BY t.created_at LIMIT {MOST}) u
"""  # noqa: S608
# Connections of companies to their banks. One that nobody has polled yet counts from when it was declared.
BANKS = f"""
SELECT n.rail, extract(epoch FROM {NOW} - n.created_at)::float8 AS declared_seconds, f.count AS foreign
  FROM connections n
 CROSS JOIN LATERAL (
   SELECT count(*) AS count FROM (
     SELECT FROM foreign_payments o WHERE o.company_id = n.company_id AND o.rail = n.rail AND o.state = 'FOUND'
      LIMIT {MOST_FOREIGN}) o) f
"""  # noqa: S608
POLLS = f"""
SELECT rail, extract(epoch FROM {NOW} - until)::float8 AS polled_seconds, cardinality(hints) AS hints, unknown_hints
  FROM rail_cursors WHERE stream = 'pix'
"""  # noqa: S608
ORPHANS = "SELECT rail, orphans_removed, orphans_left FROM rail_cursors WHERE stream = 'charges'"
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


class Waiting(NamedTuple):
    """Rows that wait: the gauge of their number, and that of the oldest one's age or the nearest deadline."""

    sql: str
    gauge: str
    says: str
    seconds_gauge: str
    seconds_say: str
    counts_all: bool = False  # else at most MOST are told


_LEFT = "Time to the nearest deadline, below zero once it is over; +Inf where none waits."
WAITING = {
    "unnumbered": Waiting(
        UNNUMBERED, "lastro_unnumbered_events", "Events that wait for their number.", "lastro_unnumbered_oldest_seconds",
        "For how long the oldest of them has waited.", counts_all=True,
    ),
    "unentered": Waiting(
        UNENTERED, "lastro_unentered_transfers", "Transfers that wait for their entries, at most 10,000 a company.",
        "lastro_unentered_oldest_seconds", "For how long the oldest of them has waited.", counts_all=True,
    ),
    "in_review": Waiting(
        IN_REVIEW, "lastro_payouts_in_review", "Payouts that a person has to decide on, at most 10,000.",
        "lastro_payouts_in_review_oldest_seconds", "For how long the oldest of them has waited.",
    ),
    "differences": Waiting(
        DIFFERENCES, "lastro_statement_differences", "Differences between statements and books, at most 10,000.",
        "lastro_statement_differences_oldest_seconds", "For how long the oldest has been open.",
    ),
    "stranded": Waiting(
        STRANDED, "lastro_stranded_returns", "Money in suspense that waits for people to decide about it, at most 10,000.",
        "lastro_stranded_returns_oldest_seconds", "For how long the oldest has waited.",
    ),
    "announced": Waiting(
        ANNOUNCED, "lastro_announced_payments", "Payments that partners have announced and not ended, at most 10,000.",
        "lastro_announced_payments_oldest_seconds", "For how long the oldest has been announced.",
    ),
    "unmatched": Waiting(
        UNMATCHED, "lastro_unmatched_payments",
        "Payments at banks of companies that have an order's txid and are not what it asked for, at most 10,000.",
        "lastro_unmatched_payments_oldest_seconds", "For how long the oldest has waited for a person.",
    ),
    "unanswered": Waiting(
        UNANSWERED, "lastro_unanswered_cancellations",
        "Cancellations of subscriptions that no payer's bank has answered, at most 10,000.",
        "lastro_unanswered_cancellations_oldest_seconds", "For how long the oldest has been asked for.",
    ),
    "undecided": Waiting(
        UNDECIDED, "lastro_undecided_notices", "Notices of disputes that the institution has not decided, at most 10,000.",
        "lastro_undecided_notices_left_seconds", _LEFT,
    ),
    "unreimbursed": Waiting(
        UNREIMBURSED, "lastro_undecided_reimbursements",
        "Refund requests of Pix Automático that the institution has not decided, at most 10,000.",
        "lastro_undecided_reimbursements_left_seconds", _LEFT,
    ),
    "untaken": Waiting(
        UNTAKEN, "lastro_statements_untaken", "Days of a rail whose statement is not taken.",
        "lastro_statements_untaken_oldest_seconds", "For how long the first such day has been over.",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gauges:
    """The gauges of the whole system.

    due: by lane, how many and how old the oldest is in seconds. undelivered: events by status. waiting: by name, how many
    and how old, or how long until the deadline. clock_offset_seconds: business time minus machine time. depths: what waits,
    by company and endpoint. circuits: of endpoints that do not answer, one for each company. partners: by rail, whether one
    that was ever away is so now. laws: by name, what broke it and when it was read, in seconds since 1970. standbys: whether
    commits wait for one, and how many there are. tried: lane and rail of what was sent or handled in vain, and the age of
    the oldest such message in seconds. banks: of each connection of a company.
    """

    due: dict[str, tuple[int, float]] = field(default_factory=dict)
    undelivered: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, tuple[int, float]] = field(default_factory=dict)
    clock_offset_seconds: float = 0.0
    depths: tuple[webhooks.Depth, ...] = ()
    circuits: tuple[tuple[int, webhooks.Circuit], ...] = ()
    partners: tuple[tuple[str, bool], ...] = ()
    laws: tuple[tuple[str, int, float], ...] = ()
    standbys: tuple[bool, int] = (False, 0)
    tried: tuple[tuple[str, str, float], ...] = ()
    banks: tuple[BankRecord, ...] = ()


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
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await read(self.work)
        except (DatabaseAway, TimeoutError, asyncpg.PostgresError) as away:
            _log.warning("metrics.database_away", cause=type(away).__name__)
            return None


async def read(work: Database) -> Gauges:
    """Reads all gauges: twenty-three short reads. Each reads an index or a few rows."""
    due = _together(await work.everywhere(DUE), "lane")
    depths = tuple(await webhooks.depths(work))
    due["deliveries"] = _can_be_delivered(depths)
    undelivered: Counter[str] = Counter()
    for row in await work.everywhere(UNDELIVERED):
        undelivered[row["status"].lower()] += row["count"]
    tried: dict[tuple[str, str], float] = {}
    for row in await work.everywhere(TRIED):
        at = (row["lane"], row["rail"])
        tried[at] = max(row["oldest"], tried.get(at, row["oldest"]))
    standbys = await work.everywhere(STANDBYS)
    waiting = {name: await _waiting(work, one) for name, one in WAITING.items()}
    circuits = tuple(await webhooks.not_closed(work))
    found = await work.everywhere(BANKS)
    async with work.session() as session:
        return Gauges(
            due,
            undelivered={status: min(MOST, count) for status, count in undelivered.items()},
            waiting=waiting,
            clock_offset_seconds=float(await session.value(OFFSET)),
            depths=depths,
            circuits=circuits,
            partners=tuple((row["rail"], row["is_down"]) for row in await session.fetch(PARTNERS)),
            laws=tuple((row["law"].removeprefix("law_"), row["breaches"], row["at"]) for row in await session.fetch(LAWS)),
            standbys=(all(row["waits"] for row in standbys), min(row["count"] for row in standbys)),
            tried=tuple((lane, rail, oldest) for (lane, rail), oldest in tried.items()),
            banks=await _banks(session, found) if found else (),
        )


def _together(rows: Iterable[Record], name: str) -> dict[str, tuple[int, float]]:
    """Returns by name counts, at most MOST, and the oldest's ages."""
    found: dict[str, tuple[int, float]] = {}
    for row in rows:
        count, oldest = found.get(row[name], (0, -math.inf))
        found[row[name]] = (count + row["count"], max(oldest, -math.inf if row["oldest"] is None else row["oldest"]))
    return {one: (min(MOST, count), oldest if count else 0.0) for one, (count, oldest) in found.items()}


async def _waiting(work: Database, what: Waiting) -> tuple[int, float]:
    """Returns how many rows wait, and the seconds. No deadline is infinitely far away."""
    rows = await work.everywhere(what.sql)
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    count = sum(row["count"] for row in rows)
    if what.seconds_say == _LEFT:
        return min(MOST, count), min(seconds, default=math.inf)
    return count if what.counts_all else min(MOST, count), max(seconds, default=0.0)


async def _banks(session: Session, found: Sequence[Record]) -> tuple[BankRecord, ...]:
    """Adds to connections how they were polled. session: of the installation."""
    polls = {row["rail"]: row for row in await session.fetch(POLLS)}
    orphans = {row["rail"]: row for row in await session.fetch(ORPHANS)}
    return tuple(_bank(row, polls.get(row["rail"]), orphans.get(row["rail"])) for row in found)


def _bank(row: Record, poll: Record | None, orphans: Record | None) -> BankRecord:
    return BankRecord(
        row["rail"],
        row["declared_seconds"] if poll is None else poll["polled_seconds"],
        0 if poll is None else poll["hints"],
        0 if poll is None else poll["unknown_hints"],
        row["foreign"],
        None if orphans is None else orphans["orphans_removed"],
        None if orphans is None else orphans["orphans_left"],
    )


def _can_be_delivered(depths: Iterable[webhooks.Depth]) -> tuple[int, float]:
    """Returns the count of due deliveries, and the oldest one's age. Open circuits' do not count: no worker may do them."""
    free = [d for d in depths if not d.is_held and d.due]
    return min(MOST, sum(d.due for d in free)), max((d.oldest for d in free), default=0.0)
