"""The queries of the overview. Each reads a bounded stretch of an index, however much there is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.due_work import HELD_BY_KIND

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.core.db import Session

SAMPLE = 10_000  # of the newest orders, payouts and attempts at most so many say how it goes
COUNTED = 1_000  # waiting rows are counted so far
DELIVERIES = 2_000  # of the newest at most so many say how endpoints do
TRIES = 20  # of each delivery: two plans and more, and what somebody sends again a hundred times weighs no more
SHOWN_ENDPOINTS = 50
LONGEST = timedelta(days=8)  # that hours are remembered for
BUCKETS = (10, 60, 300, 1800, 7200)  # seconds until payment: where one column ends and the next begins
SETTLED_AFTER = timedelta(seconds=5)  # an hour that ended longer ago has all its transfers: none dated in it can still come
_KEPT_COMPANIES = 200
_FIRST_MILLISECOND = 80  # bits behind the time of a UUIDv7

# Money over the border: a debit of a position at a network came in, a credit of it went out.
VOLUME = """
SELECT date_trunc('hour', created_at, 'UTC') AS hour, currency,
       count(*) FILTER (WHERE debit_id = ANY ($4::uuid[])) AS ins,
       count(*) FILTER (WHERE credit_id = ANY ($4::uuid[])) AS outs,
       coalesce(sum(amount_minor) FILTER (WHERE debit_id = ANY ($4::uuid[])), 0)::bigint AS in_minor,
       coalesce(sum(amount_minor) FILTER (WHERE credit_id = ANY ($4::uuid[])), 0)::bigint AS out_minor
  FROM transfers
 WHERE company_id = $1 AND created_at >= $2 AND created_at < $3 AND kind IN ('moved', 'posted')
   AND (debit_id = ANY ($4::uuid[]) OR credit_id = ANY ($4::uuid[]))
 GROUP BY 1, 2
"""
_COLUMNS = ", ".join(
    f"count(*) FILTER (WHERE seconds > {low} AND seconds <= {high}) AS bucket_{n}"
    for n, (low, high) in enumerate(zip((-1, *BUCKETS), (*BUCKETS, 10**12), strict=True))
)
ORDERS = f"""
SELECT count(*) AS asked, min(created_at) AS since,
       count(*) FILTER (WHERE status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')) AS went_well,
       count(*) FILTER (WHERE status IN ('INITIAL', 'PENDING', 'AUTHENTICATING')) AS open,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS half,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS most, {_COLUMNS}
  FROM (SELECT created_at, status,
               CASE WHEN paid_at >= created_at THEN extract(epoch FROM paid_at - created_at)::float8
                    WHEN paid_at IS NOT NULL THEN 0 END AS seconds
          FROM orders
         WHERE company_id = $1 AND created_at >= $2 AND origin <> 'UNASKED' ORDER BY created_at DESC LIMIT {SAMPLE}) o
"""  # noqa: S608
PAYOUTS = f"""
SELECT count(*) AS asked, min(created_at) AS since,
       count(*) FILTER (WHERE status IN ('PAID', 'REFUNDED', 'PARTIAL_REFUNDED')) AS went_well,
       count(*) FILTER (WHERE status IN ('INITIAL', 'PENDING', 'ANALYSIS', 'PARTIALLY_PAID')) AS open,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS half,
       percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds) AS most
  FROM (SELECT created_at, status,
               CASE WHEN paid_at >= created_at THEN extract(epoch FROM paid_at - created_at)::float8
                    WHEN paid_at IS NOT NULL THEN 0 END AS seconds
          FROM payouts
         WHERE company_id = $1 AND created_at >= $2 AND batch_id IS NULL ORDER BY created_at DESC LIMIT {SAMPLE}) p
"""  # noqa: S608
# Ids of events go by time, so the newest of them are the end of the primary key.
ATTEMPTS = f"""
SELECT date_trunc('hour', requested_at, 'UTC') AS hour, count(*) FILTER (WHERE failure IS NULL) AS went_well,
       count(*) FILTER (WHERE failure IS NOT NULL) AS failed, sum(duration_ms)::bigint AS duration_ms
  FROM (SELECT requested_at, failure, duration_ms FROM delivery_attempts
         WHERE company_id = $1 AND event_id >= $2 ORDER BY event_id DESC, number DESC LIMIT {SAMPLE}) a
 GROUP BY 1
"""  # noqa: S608
# The newest deliveries, by endpoint: first the one that gave up most.
ENDPOINTS = f"""
WITH newest AS MATERIALIZED (
  SELECT id, endpoint, substring(url from '^[^/?#]*//[^/?#]*') AS origin, status FROM deliveries
   WHERE company_id = $1 AND id >= $2 ORDER BY id DESC LIMIT {DELIVERIES}),
tried AS (
  SELECT n.endpoint, count(*) FILTER (WHERE a.number = 1) AS begun,
         count(*) FILTER (WHERE a.number = 1 AND a.failure IS NULL) AS at_once,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) AS half_ms,
         percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) AS most_ms,
         (array_agg(a.event_id ORDER BY a.requested_at DESC) FILTER (WHERE a.failure IS NOT NULL))[1] AS failed_event,
         (array_agg(a.failure ORDER BY a.requested_at DESC) FILTER (WHERE a.failure IS NOT NULL))[1] AS failure,
         max(a.requested_at) FILTER (WHERE a.failure IS NOT NULL) AS failed_at
    FROM newest n CROSS JOIN LATERAL (
      SELECT * FROM delivery_attempts WHERE company_id = $1 AND event_id = n.id ORDER BY number LIMIT {TRIES}) a
   GROUP BY 1)
SELECT min(n.origin) AS origin, count(*) AS deliveries, count(*) FILTER (WHERE n.status = 'DELIVERED') AS delivered,
       count(*) FILTER (WHERE n.status IN ('PENDING', 'RETRYING')) AS waiting,
       count(*) FILTER (WHERE n.status = 'FAILED') AS failed, sum(count(*)) OVER ()::bigint AS looked_at,
       coalesce(t.begun, 0) AS begun, coalesce(t.at_once, 0) AS at_once, t.half_ms, t.most_ms, t.failed_event, t.failure,
       t.failed_at
  FROM newest n LEFT JOIN tried t USING (endpoint)
 GROUP BY n.endpoint, t.begun, t.at_once, t.half_ms, t.most_ms, t.failed_event, t.failure, t.failed_at
 ORDER BY failed DESC, waiting DESC, deliveries DESC, origin LIMIT {SHOWN_ENDPOINTS}
"""  # noqa: S608
CIRCUITS = """
SELECT origin, state, opened_at, failure FROM webhook_circuits WHERE company_id = $1 AND state <> 'CLOSED' ORDER BY endpoint
"""
# Rows that wait: their name among the terms, and the page that shows them.
_WAITING = {
    "payouts": "payouts WHERE company_id = $1 AND status = 'ANALYSIS' AND batch_id IS NULL",
    "plans": "payout_plans WHERE company_id = $1 AND status = 'READY'",
    "disputes": "med_objects WHERE company_id = $1 AND status NOT IN ('COMPLETED', 'CANCELLED')"
    " AND (status <> 'ANALYSED' OR object_type = 'RECOVERY_VALUE')",
    "retrying": "deliveries WHERE company_id = $1 AND status = 'RETRYING'",
    "failed": "deliveries WHERE company_id = $1 AND status = 'FAILED'",
    "differences": "statement_items WHERE company_id = $1 AND state = 'OPEN'",
    "held": "(" + " UNION ALL ".join(f"SELECT 1 FROM {one} AND company_id = $1" for one in HELD_BY_KIND.values()) + ") h",  # noqa: S608
}
HELD = f"SELECT count(*) FROM (SELECT 1 FROM {_WAITING['held']} LIMIT {COUNTED}) q"  # noqa: S608
WAITING = "\nUNION ALL ".join(
    f"SELECT '{name}' AS name, count(*) AS count FROM (SELECT 1 FROM {where} LIMIT {COUNTED}) q"  # noqa: S608
    for name, where in _WAITING.items()
)
FIRST_ACCOUNTS = """
SELECT id, full_name FROM accounts WHERE company_id = $1 AND status <> 'CLOSED' ORDER BY created_at LIMIT $2
"""
PAST = """
SELECT d.at, l.id, coalesce(e.balance_minor, 0) AS minor
  FROM unnest($3::timestamptz[]) d(at) CROSS JOIN unnest($2::uuid[]) l(id)
  LEFT JOIN LATERAL last_entry($1, l.id, d.at) e ON true
"""
NOW = "SELECT business_now()"
# Not last - reach: an era that began has left numbers out.
_NUMBER_BEFORE = """
SELECT coalesce(min(sequence) - 1, 0) FROM (
  SELECT sequence FROM event_numbers WHERE company_id = $1 AND sequence <= $2 ORDER BY sequence DESC LIMIT $3) n
"""
NEWEST_NUMBER = "SELECT sequence FROM event_numbers WHERE company_id = $1 ORDER BY sequence DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class Hour:
    """An hour's payments in and out in one currency: counts, and minor units."""

    hour: datetime
    currency: str
    ins: int
    outs: int
    in_minor: int
    out_minor: int


@dataclass
class Hours:
    """Hours that are over, by company: transfers are only ever added, so they are counted once in a process's life."""

    over: dict[UUID, tuple[datetime, datetime, tuple[Hour, ...]]] = field(default_factory=dict)

    async def volume(
        self, session: Session, company_id: UUID, positions: Sequence[UUID], since: datetime, now: datetime
    ) -> list[Hour]:
        """Returns each hour with movements, since an hour's beginning. positions: ids of the company's NET accounts."""
        begun = (now - SETTLED_AFTER).replace(minute=0, second=0, microsecond=0)
        first, last, kept = self.over.get(company_id, (since, since, ()))
        if since < first or last > begun:  # asked for longer than before, or the clock was put back
            first, last, kept = since, since, ()
        if begun - last > LONGEST:  # nobody has looked for long
            first, last, kept = since, since, ()
        new = await _hours(session, company_id, positions, last, now)
        first = max(first, min(begun - LONGEST, since))
        kept = (*(one for one in kept if one.hour >= first), *(one for one in new if one.hour < begun))
        self.over.pop(company_id, None)
        self.over[company_id] = (first, max(begun, last), kept)
        while len(self.over) > _KEPT_COMPANIES:
            del self.over[next(iter(self.over))]
        return [one for one in (*kept, *(one for one in new if one.hour >= begun)) if one.hour >= since]


async def _hours(
    session: Session, company_id: UUID, positions: Sequence[UUID], since: datetime, until: datetime
) -> list[Hour]:
    rows = await session.search(VOLUME, company_id, since, until, list(positions))
    return sorted((Hour(**row) for row in rows), key=lambda one: (one.hour, one.currency))


async def orders(session: Session, company_id: UUID, since: datetime) -> Record:
    """Returns figures of the newest orders since then.

    asked, since (the oldest of them), went_well, open, half and most (seconds until half and 95 of 100 were paid), bucket_0
    … bucket_5.
    """
    return (await session.search(ORDERS, company_id, since))[0]


async def payouts(session: Session, company_id: UUID, since: datetime) -> Record:
    """Returns the same of payouts, without the buckets."""
    return (await session.search(PAYOUTS, company_id, since))[0]


async def attempts(session: Session, company_id: UUID, since: datetime) -> list[Record]:
    """Returns hourly figures of the newest delivery attempts.

    Of events made since then: hour, went_well, failed, duration_ms of all.
    """
    return await session.search(ATTEMPTS, company_id, _first_id(since))


async def endpoints(session: Session, company_id: UUID, since: datetime) -> list[Record]:
    """Returns delivery figures of each endpoint.

    Of the company's newest deliveries of events made since then, at most DELIVERIES (looked_at): origin, deliveries, of
    which delivered, waiting and failed; begun, of which at_once by the first attempt; half_ms and most_ms (of 50 and 95 of
    100 attempts), failure, failed_at and failed_event of the last attempt that failed. None: there was none.
    """
    return await session.search(ENDPOINTS, company_id, _first_id(since))


def _first_id(since: datetime) -> UUID:
    """Returns the first id that can have been made at that time."""
    return UUID(int=int(since.timestamp() * 1000) << _FIRST_MILLISECOND)


async def circuits(session: Session, company_id: UUID) -> list[Record]:
    """Returns the open circuits of endpoints: origin, state, opened_at, failure."""
    return await session.fetch(CIRCUITS, company_id)


async def waiting(session: Session, company_id: UUID) -> dict[str, int]:
    """Returns counts of rows that wait for people, or soon will: at most COUNTED of each."""
    return {row["name"]: row["count"] for row in await session.fetch(WAITING, company_id)}


async def held(session: Session, company_id: UUID) -> int:
    """Returns the count of the company's rows held since a restore: at most COUNTED."""
    return int(await session.value(HELD, company_id))


async def first_accounts(session: Session, company_id: UUID, most: int) -> list[Record]:
    """Returns the company's first open accounts: id, full_name."""
    return await session.search(FIRST_ACCOUNTS, company_id, most)


async def past(
    session: Session, company_id: UUID, ledger_ids: Sequence[UUID], moments: Sequence[datetime]
) -> dict[tuple[datetime, UUID], int]:
    """Returns past balances in minor units, as far as entries are made."""
    rows = await session.search(PAST, company_id, list(ledger_ids), list(moments))
    return {(row["at"], row["id"]): row["minor"] for row in rows}


async def business_now(session: Session) -> datetime:
    """Returns the business time."""
    now: datetime = await session.value(NOW)
    return now


async def number_before(session: Session, company_id: UUID, last: int, reach: int) -> int:
    """Returns the number before the newest `reach` events up to `last`. 0 where the feed begins with them."""
    return int(await session.value(_NUMBER_BEFORE, company_id, last, reach))


async def newest_number(session: Session, company_id: UUID) -> int:
    """Returns the number of the company's newest event; 0 where it has none."""
    return int(await session.value(NEWEST_NUMBER, company_id) or 0)
