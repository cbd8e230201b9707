"""The page of connections: a company's own accounts at banks, with what is open and until when each was polled."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from lastro.console import company_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.api_kit.http import Response
    from lastro.console.shell import ConnectionSummary, PageRequest, User

HERE: Final = "/console/connections"
COUNTED = 10_000  # open orders, and foreign payments, of a company are counted so far
_MOST = 100
_SOON_DAYS, _URGENT_DAYS = 30, 7  # as `lastro bank certificates` has them
# `pix` is the stream of payments; a connection that no worker has polled yet has no cursor.
CONNECTIONS = f"""
SELECT n.rail, n.is_issuing, c.until FROM connections n LEFT JOIN rail_cursors c ON c.rail = n.rail AND c.stream = 'pix'
 WHERE n.company_id = $1 ORDER BY n.rail LIMIT {_MOST}
"""  # noqa: S608 a number of our own
KEYS = f"""
SELECT k.rail, k.key, a.id AS account_id, a.number FROM connection_keys k
  JOIN accounts a ON a.company_id = k.company_id AND a.id = k.account_id
 WHERE k.company_id = $1 AND k.ended_at IS NULL ORDER BY k.rail, k.key LIMIT {10 * _MOST}
"""  # noqa: S608
OPEN = f"""
SELECT i.rail, count(*) AS count FROM (
  SELECT id FROM orders WHERE company_id = $1 AND status IN ('INITIAL', 'PENDING') LIMIT {COUNTED}) o
  JOIN instruments i ON i.company_id = $1 AND i.order_id = o.id GROUP BY i.rail
"""  # noqa: S608
FOUND = f"""
SELECT f.rail, count(*) AS count FROM (
  SELECT rail FROM foreign_payments WHERE company_id = $1 AND state = 'FOUND' LIMIT {COUNTED}) f GROUP BY f.rail
"""  # noqa: S608


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/connections: the company's bank accounts that are reached by API Pix. Nothing of it is secret."""
    company = company_page.company_of(user)
    async with company_page.session_of(user) as session:
        rows = await session.fetch(CONNECTIONS, company)
        keys = await session.fetch(KEYS, company) if rows else []
        opened, found = [
            {one["rail"]: one["count"] for one in await session.fetch(sql, company)} if rows else {} for sql in (OPEN, FOUND)
        ]
    summaries, now = user.console_context.app_context.connection_summaries(), user.console_context.entrance.machine_now()
    of_rail = defaultdict(list)
    for one in keys:
        of_rail[one["rail"]].append(one)
    shown = [_shown(row, of_rail[row["rail"]], summaries.get(row["rail"]), now) for row in rows]
    is_all = sum(opened.values()) < COUNTED and sum(found.values()) < COUNTED
    return company_page.render(
        user, "connections.html", HERE, connections=shown, opened=opened, found=found, is_all=is_all, counted=COUNTED
    )


def _shown(row: Record, keys: Sequence[Record], summary: ConnectionSummary | None, now: datetime) -> Mapping[str, Any]:
    """Returns a connection for the page. summary: what this process has of it; None: it stands in no file any more."""
    until = None if summary is None else summary.certificate_until
    days = None if until is None else (until - now).days
    return {**dict(row), "keys": keys, "summary": summary, "certificate_until": until, "days": days, "tone": tone(days)}


def tone(days: int | None) -> str:
    """Returns how urgent the end of a certificate is. days: those left, negative once it is over; None: there is none."""
    if days is None:
        return "calm"
    return "bad" if days <= _URGENT_DAYS else "waiting" if days <= _SOON_DAYS else "good"
