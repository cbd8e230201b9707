"""The SQL of the engine: events get their numbers, deliveries are found, claimed and finished."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.core.rows import RowMapper
from lastro.core.work_queue import NOW, Queue
from lastro.webhooks.circuit import HELD_AT_MOST, Circuit
from lastro.webhooks.model import Claimed, Destination, WebhookSecrets
from lastro.webhooks.rules import EventStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.webhooks.model import Attempted

# ── numbering ──

# A company whose cursor was never made is found too. One probe of an index for each company: asked for any behind
# the cursor, the server may expect to meet one soon, in any order, and reads all events there are.
_UNNUMBERED = """
SELECT n.company_id FROM company_numbers n LEFT JOIN event_cursors c ON c.company_id = n.company_id
 WHERE (SELECT e.xid FROM events e WHERE e.company_id = n.company_id ORDER BY e.xid DESC LIMIT 1)
       >= coalesce(c.numbered_below_xid, 0)
"""


async def unnumbered(work: Database) -> list[UUID]:
    """Reads the companies that may have events without a number."""
    return [r["company_id"] for r in await work.in_reach(_UNNUMBERED)]


async def number_events(session: Session, company_id: UUID, reach: int) -> tuple[int, bool]:
    """Numbers up to `reach` events, oldest first, and returns their count.

    The count is 0 also when another session is at it. The second value tells whether there are more that wait for an
    older transaction. It sets the session's company.
    """
    said = int(await session.value("SELECT number_events($1, $2)", company_id, reach))
    session.company_id = company_id
    return (said, False) if said >= 0 else (-1 - said, True)


# ── finding and claiming ──

# From each company's first endpoint so many are looked at, and so many more from another place each time: one that has a
# hundred thousand of them open sees all of them looked at by and by, and nobody's look takes longer for it.
WALKED = 2_000
_MOST_DESTINATIONS = 1_000
MOST_OF_A_COMPANY = 250  # of them in one look
_ELSEWHERE = "(SELECT hashtextextended(machine_now()::text, 0))"  # endpoints are hashes, too
_LAST = 2**63 - 1

# No worker has it. Else deliveries under way, which are due until they end, would stand before those that can be sent.
_UNTAKEN = "due_at IS NOT NULL AND (leased_until IS NULL OR leased_until < (SELECT machine_now()))"

# Goes from one destination to the next by the index, so that its cost is that of the destinations with anything open,
# however many deliveries wait behind one of them.
FIRST_UNTAKEN = f"""first AS (
  (SELECT company_id, endpoint, due_at, 1 AS nth FROM deliveries WHERE {_UNTAKEN}
    ORDER BY company_id, endpoint, due_at LIMIT 1)
  UNION ALL
  SELECT n.company_id, n.endpoint, n.due_at, CASE n.company_id WHEN f.company_id THEN f.nth + 1 ELSE 1 END
    FROM first f CROSS JOIN LATERAL (
    SELECT company_id, endpoint, due_at FROM deliveries d
     WHERE {_UNTAKEN} AND (d.company_id, d.endpoint) > (f.company_id,
       CASE f.nth WHEN {WALKED} THEN greatest(f.endpoint, {_ELSEWHERE})
                  WHEN {2 * WALKED} THEN {_LAST} ELSE f.endpoint END)
     ORDER BY company_id, endpoint, due_at LIMIT 1) n)"""  # noqa: S608 names of our own code

# An endpoint whose circuit is not closed is named when it is time for a probe, or when something has waited for too long.
# Companies have turns: each one's longest waiting is named before anybody's second, and no more than it could have slots.
_DESTINATIONS = f"""
WITH RECURSIVE {FIRST_UNTAKEN}
SELECT company_id, endpoint, state, is_probe, turn, due_at FROM (
  SELECT f.company_id, f.endpoint, f.due_at, c.state, c.probe_at <= {NOW} AS is_probe,
         row_number() OVER (PARTITION BY f.company_id ORDER BY f.due_at) AS turn
    FROM first f
    LEFT JOIN webhook_circuits c ON c.company_id = f.company_id AND c.endpoint = f.endpoint AND c.state <> 'CLOSED'
   WHERE f.due_at <= {NOW}
     AND (c.state IS NULL OR c.probe_at <= {NOW}
          OR f.due_at <= {NOW} - interval '{HELD_AT_MOST.total_seconds():.0f} seconds')) named
 WHERE turn <= {MOST_OF_A_COMPANY} ORDER BY turn, due_at LIMIT {_MOST_DESTINATIONS}
"""  # noqa: S608 names of our own code

# OFFSET 0 keeps this a probe for each candidate; as a join it would read every open delivery of the company.
_OPEN_BEFORE = """
SELECT 1 FROM deliveries e WHERE e.company_id = w.company_id AND e.reference_id = w.reference_id AND e.url = w.url
   AND e.sequence < w.sequence AND e.status IN ('PENDING', 'RETRYING') OFFSET 0
"""

LANE = Queue("deliveries", also=f"endpoint = $4 AND due_at <= {NOW} - $5::interval AND NOT EXISTS ({_OPEN_BEFORE})")

_CLAIM = f"""
WITH claimed AS ({LANE.claim_sql})
SELECT c.company_id, c.id, c.reference_id, c.endpoint, c.sequence, c.url, c.type, e.body, c.status, c.attempts,
       c.plan_attempts, c.version, c.lease_token, {NOW} AS claimed_at, k.webhook_secret, k.webhook_secret_previous,
       k.webhook_secret_previous_until
  FROM claimed c JOIN events e ON e.company_id = c.company_id AND e.id = c.id
  JOIN companies k ON k.company_id = c.company_id ORDER BY c.due_at, c.sequence
"""  # noqa: S608

# A delivery behind an event that is due later is due then as well: it is not looked at in vain until then, and "nothing is
# due" means that nothing can be done. The event in front is locked, so that it cannot be resent and settled meanwhile,
# which would leave the deliveries behind it asleep; SKIP LOCKED, since the holder of either row knows better.
_POSTPONE = f"""
UPDATE deliveries d SET due_at = behind.due_at, waits = true FROM (
  SELECT w.id, h.due_at FROM deliveries w JOIN deliveries h
      ON h.company_id = w.company_id AND h.reference_id = w.reference_id AND h.url = w.url AND h.sequence < w.sequence
     AND h.status IN ('PENDING', 'RETRYING') AND h.due_at > {NOW}
   WHERE w.company_id = $1 AND w.endpoint = $2 AND w.due_at <= {NOW}
     AND (w.leased_until IS NULL OR w.leased_until < (SELECT machine_now()))
   LIMIT 5000 FOR NO KEY UPDATE OF w, h SKIP LOCKED) behind
 WHERE d.company_id = $1 AND d.id = behind.id
"""  # noqa: S608


async def destinations(work: Database, near: Collection[UUID] | None = None) -> list[Destination]:
    """Reads the endpoints with due deliveries that nobody has claimed.

    They are of each company in turn, the longest waiting first. near: companies, of which none may be missing.
    """
    rows = sorted(await work.in_reach(_DESTINATIONS, near=near), key=lambda r: (r["turn"], r["due_at"]))
    return [
        Destination(r["company_id"], r["endpoint"], Circuit(r["state"] or Circuit.CLOSED), r["is_probe"] is True)
        for r in rows[:_MOST_DESTINATIONS]
    ]


async def claim(session: Session, to: Destination, token: UUID, limit: int) -> list[Claimed]:
    """Leases up to `limit` due deliveries to `token`.

    Each is the first open one of its object and URL. Under a circuit that is not closed, unless this is a probe, only
    those that have waited for as long as one may.
    """
    held = timedelta(0) if to.circuit is Circuit.CLOSED or to.is_probe else HELD_AT_MOST
    rows = await session.fetch(_CLAIM, to.company_id, token, limit, to.endpoint, held)
    return [_claimed(row) for row in rows]


_claimed = RowMapper(
    Claimed,
    columns={"status": "status"},
    parts={
        "status": lambda row: EventStatus(row["status"]),
        "secrets": lambda row: WebhookSecrets(
            row["webhook_secret"], row["webhook_secret_previous"], row["webhook_secret_previous_until"]
        ),
    },
).of


async def postpone(session: Session, to: Destination) -> None:
    """Postpones each delivery behind one of its object due later. It gets the due time of the one ahead."""
    await session.fetch(_POSTPONE, to.company_id, to.endpoint)


# ── finishing ──

# One statement for the attempts of many deliveries: those whose lease was lost hit no row and leave no trace. An event that
# was resent while it was on its way (its version rose) keeps its new plan, unless it has just been acknowledged.
# Deliveries behind a settled event are due at once.
_FINISH = """
WITH said AS (
  SELECT *, status = 'DELIVERED' AS is_acknowledged
    FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::integer[], $7::text[], $8::timestamptz[],
                $9::integer[], $10::interval[], $11::text[])
      AS u(id, token, version, status, status_code, message, requested_at, duration_ms, wait, failure)),
now AS MATERIALIZED (SELECT business_now() AS at),
told AS (
  UPDATE deliveries d
     SET status = CASE WHEN d.version = s.version OR s.is_acknowledged THEN s.status ELSE d.status END,
         due_at = CASE WHEN d.version = s.version OR s.is_acknowledged THEN now.at + s.wait ELSE d.due_at END,
         plan_attempts = d.plan_attempts + CASE WHEN d.version = s.version OR s.is_acknowledged THEN 1 ELSE 0 END,
         attempts = d.attempts + 1, waits = false, updated_at = now.at, version = d.version + 1,
         lease_token = NULL, leased_until = NULL
    FROM said s, now WHERE d.company_id = $1 AND d.id = s.id AND d.lease_token = s.token
  RETURNING d.id, s.token, d.attempts, d.status, d.reference_id, d.url, d.sequence),
woken AS (
  UPDATE deliveries d SET due_at = least(d.due_at, now.at), waits = false FROM now, told t
   CROSS JOIN LATERAL (
     SELECT e.id FROM deliveries e
      WHERE e.company_id = $1 AND e.reference_id = t.reference_id AND e.url = t.url AND e.sequence > t.sequence
        AND e.status IN ('PENDING', 'RETRYING') AND e.id <> ALL ($2::uuid[])
      ORDER BY e.sequence LIMIT 1) behind
   WHERE t.status IN ('DELIVERED', 'FAILED') AND d.company_id = $1 AND d.id = behind.id
     -- One that is due by what is seen here may have been put behind it since.
     AND (d.waits OR (d.due_at <= now.at AND d.lease_token IS NULL))),
kept AS (
  INSERT INTO delivery_attempts (company_id, event_id, number, status_code, message, requested_at, duration_ms, failure)
  SELECT $1, t.id, t.attempts, s.status_code, s.message, s.requested_at, s.duration_ms, s.failure
    FROM told t JOIN said s ON s.id = t.id AND s.token = t.token) -- the attempt that counts, of two of one event
SELECT id, status FROM told
"""


async def finish(session: Session, company_id: UUID, ended: Sequence[Attempted]) -> dict[UUID, EventStatus]:
    """Writes how attempts of one company ended; how those events stand whose attempt counted, that is, held its lease."""
    rows = await session.fetch(
        _FINISH,
        company_id,
        [a.claimed.id for a in ended],
        [a.claimed.lease_token for a in ended],
        [a.claimed.version for a in ended],
        [a.status.value for a in ended],
        [a.status_code for a in ended],
        [a.message for a in ended],
        [a.claimed.claimed_at for a in ended],
        [a.duration_ms for a in ended],
        [a.wait for a in ended],
        [None if a.failure is None else a.failure.value for a in ended],
    )
    return {r["id"]: EventStatus(r["status"]) for r in rows}
