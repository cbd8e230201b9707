"""The SQL of circuits: endpoints that do not answer, and how much waits for each endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.work_queue import NOW
from lastro.webhooks.circuit import PROBE_LASTS, Circuit
from lastro.webhooks.model import Depth, Probe, Troubled

if TYPE_CHECKING:
    from datetime import timedelta
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.webhooks.model import Destination

# ── moves ──

# Of several workers that find out at the same time one opens it.
_TRIP = """
INSERT INTO webhook_circuits AS c (company_id, endpoint, origin, state, opened_at, failure, probe_at)
SELECT $1, $2, $3, $4, now.at, $5, now.at + $6 FROM (SELECT business_now() AS at OFFSET 0) now
ON CONFLICT (company_id, endpoint) DO UPDATE
   SET state = $4, opened_at = excluded.opened_at, failure = $5, failed_probes = 0, probe_at = excluded.probe_at,
       version = c.version + 1
 WHERE c.state = 'CLOSED' RETURNING 1
"""

# One probe at a time: until it has ended, or is lost, no other worker finds the circuit due.
_PROBE = f"""
UPDATE webhook_circuits SET state = $3, probe_at = business_now() + $4, version = version + 1
 WHERE company_id = $1 AND endpoint = $2 AND state <> 'CLOSED' AND probe_at <= {NOW}
RETURNING version, failed_probes
"""  # noqa: S608 names of our own code
_OPEN_AGAIN = """
UPDATE webhook_circuits
   SET state = $4, probe_at = business_now() + $5, failed_probes = failed_probes + $6, failure = coalesce($7, failure),
       version = version + 1
 WHERE company_id = $1 AND endpoint = $2 AND version = $3 AND state = 'HALF_OPEN' RETURNING 1
"""
_CLOSE = """
UPDATE webhook_circuits SET state = $3, probe_at = NULL, failed_probes = 0, version = version + 1
 WHERE company_id = $1 AND endpoint = $2 AND state <> 'CLOSED' RETURNING 1
"""


async def trip(session: Session, to: Destination, origin: str, state: Circuit, failure: str, pause: timedelta) -> bool:
    """Opens a closed circuit; False: it was open already. origin: what the endpoint stands for."""
    args = (to.company_id, to.endpoint, origin, state.value, failure, pause)
    return await session.value(_TRIP, *args) is not None


async def take_probe(session: Session, to: Destination, state: Circuit) -> Probe | None:
    """Takes the circuit's probe; None: another worker has it, or it closed."""
    row = await session.row(_PROBE, to.company_id, to.endpoint, state.value, PROBE_LASTS)
    return None if row is None else Probe(**row)


async def open_again(
    session: Session, to: Destination, probe: Probe, state: Circuit, pause: timedelta, failure: str | None
) -> bool:
    """Ends a probe: in vain, or, with no failure, without having been sent. False: it was taken for lost."""
    args = (to.company_id, to.endpoint, probe.version, state.value, pause, 0 if failure is None else 1, failure)
    return await session.value(_OPEN_AGAIN, *args) is not None


async def close(session: Session, to: Destination, state: Circuit) -> bool:
    """Closes a circuit; False: it was closed already."""
    return await session.value(_CLOSE, to.company_id, to.endpoint, state.value) is not None


# ── reading ──

_TROUBLED = """
SELECT origin, state, opened_at, failure, probe_at FROM webhook_circuits
 WHERE company_id = $1 AND state <> 'CLOSED' ORDER BY opened_at, origin LIMIT 100
"""


async def troubled(session: Session, company_id: UUID) -> tuple[Troubled, ...]:
    """Reads the company's endpoints whose circuits are not closed. The first to open is first; a hundred at most."""
    rows = await session.fetch(_TROUBLED, company_id)
    return tuple(Troubled(**{**r, "state": Circuit(r["state"])}) for r in rows)


# From one destination to the next by the index of what is open, then up to so many rows of each: what was delivered is not
# looked at, and a long queue is not counted to its end.
COUNTED = 10_000
_COUNTED_LONG, _LONG, _COUNTED_SHORT = COUNTED, 100, 100
_MOST_ENDPOINTS = 1000
DEPTHS = f"""
WITH RECURSIVE first AS (
  (SELECT company_id, endpoint, due_at FROM deliveries WHERE due_at IS NOT NULL
    ORDER BY company_id, endpoint, due_at LIMIT 1)
  UNION ALL
  SELECT n.company_id, n.endpoint, n.due_at FROM first f CROSS JOIN LATERAL (
    SELECT company_id, endpoint, due_at FROM deliveries d
     WHERE d.due_at IS NOT NULL AND (d.company_id, d.endpoint) > (f.company_id, f.endpoint)
     ORDER BY company_id, endpoint, due_at LIMIT 1) n),
ranked AS MATERIALIZED (
  SELECT company_id, endpoint, due_at, row_number() OVER (ORDER BY due_at) AS place FROM first
   ORDER BY due_at LIMIT {_MOST_ENDPOINTS})
SELECT s.endpoint, n.open, n.due, extract(epoch FROM {NOW} - s.due_at)::float8 AS oldest,
       EXISTS (SELECT 1 FROM webhook_circuits c WHERE c.company_id = s.company_id AND c.endpoint = s.endpoint
                  AND c.state <> 'CLOSED' AND c.probe_at > {NOW}) AS is_held
  FROM ranked s CROSS JOIN LATERAL (
    SELECT count(*) AS open, count(*) FILTER (WHERE o.due_at <= {NOW}) AS due FROM (
      SELECT d.due_at FROM deliveries d
       WHERE d.company_id = s.company_id AND d.endpoint = s.endpoint AND d.due_at IS NOT NULL
       ORDER BY d.due_at LIMIT CASE WHEN s.place <= {_LONG} THEN {_COUNTED_LONG} ELSE {_COUNTED_SHORT} END) o) n
"""  # noqa: S608
_NOT_CLOSED = f"SELECT endpoint, state FROM webhook_circuits WHERE state <> 'CLOSED' LIMIT {_MOST_ENDPOINTS}"  # noqa: S608


async def depths(work: Database) -> list[Depth]:
    """Reads the queue of each endpoint of each company. It reads the thousand that have waited longest."""
    found = [Depth(**r) for r in await work.everywhere(DEPTHS)]
    return sorted(found, key=lambda depth: depth.oldest, reverse=True)[:_MOST_ENDPOINTS]


async def not_closed(work: Database) -> list[tuple[int, Circuit]]:
    """Reads endpoints with circuits that are not closed. One for each company; a thousand at most."""
    rows = await work.everywhere(_NOT_CLOSED)
    return [(r["endpoint"], Circuit(r["state"])) for r in rows[:_MOST_ENDPOINTS]]
