"""The SQL of lists of deliveries: those a client is shown, and those it has sent again."""

from __future__ import annotations

from functools import cache
from itertools import starmap
from typing import TYPE_CHECKING, Any

from lastro.api_kit.paging import mapped
from lastro.core.rows import RowMapper
from lastro.webhooks.model import Listed, PastAttempt, Resendable, ResendBatch, Undelivered
from lastro.webhooks.rules import EventStatus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.webhooks.model import DeliveryFilter

# The most rows of a URL that are looked at for a type: no index has both. A page then tells how far it has looked.
WALKED = 5_000
WALKED_TO_RESEND = 100_000

_COLUMNS = "id, reference_id, url, type, status, created_at, updated_at, version"
_FILTERS = {
    "event": "type = {}",
    "reference_id": "reference_id = {}",
    "url": "url_hash = hashtextextended({0}, 0) AND url = {0}",
}
# An object has few events: each is a probe, and what else is wanted is looked at on it. OFFSET 0 keeps it so.
_OF_OBJECT = """
(SELECT d.* FROM deliveries d WHERE d.company_id = $1
    AND d.id = ANY (ARRAY(SELECT e.id FROM events e WHERE e.company_id = $1 AND e.reference_id = {})) OFFSET 0) d
"""
# Bodies of what lies below the feed's beginning are forgotten, and cannot be sent again.
_KEPT = " AND sequence >= (SELECT c.forgotten_below FROM event_cursors c WHERE c.company_id = $1)"
_PAGE = """
SELECT d.*, a.messages, a.codes, a.times
  FROM ({rows}) d LEFT JOIN LATERAL (
    SELECT array_agg(message ORDER BY number) AS messages, array_agg(status_code ORDER BY number) AS codes,
           array_agg(requested_at ORDER BY number) AS times
      FROM delivery_attempts t WHERE t.company_id = $1 AND t.event_id = d.id) a ON true
 ORDER BY d.created_at {direction}
"""
_WALK = """
WITH walked AS MATERIALIZED ({rows}),
stop AS (SELECT CASE WHEN count(*) = {most} THEN {last}(created_at) END AS walked_to FROM walked)
SELECT m.*, stop.walked_to FROM stop LEFT JOIN LATERAL (
  SELECT * FROM walked WHERE {matches} ORDER BY created_at {direction} LIMIT $4) m ON true
 ORDER BY m.created_at {direction}
"""


@cache
def page_sql(statuses: tuple[str, ...], filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Returns the SQL of a page; its range and reach are $2 to $4. filters: those given, in the order of $5 and on."""
    direction = "DESC" if is_descending else "ASC"
    return _PAGE.format(rows=_rows(statuses, filters, direction, WALKED), direction=direction)


@cache
def resend_sql(statuses: tuple[str, ...], filters: tuple[str, ...]) -> str:
    """Returns the SQL of deliveries to resend, oldest first, up to $4."""
    return _rows(statuses, filters, "ASC", WALKED_TO_RESEND, _KEPT)


def _rows(statuses: tuple[str, ...], filters: tuple[str, ...], direction: str, most: int, also: str = "") -> str:
    """Returns the SQL of one set of filters.

    Each set has its own statement, so that the planner sees the filters and takes their index.
    """
    places = {name: f"${n}" for n, name in enumerate(filters, start=5)}
    given = {name: _FILTERS[name].format(place) for name, place in places.items()}
    if "url" in given and "event" in given and "reference_id" not in given:
        matches = given.pop("event")
        rows = _ordered(statuses, [*given.values()], also, direction, str(most))
        last = "min" if direction == "DESC" else "max"
        return _WALK.format(rows=rows, most=most, last=last, matches=matches, direction=direction)
    table = _OF_OBJECT.format(places["reference_id"]) if "reference_id" in given else "deliveries"
    rows = _ordered(statuses, [*given.values()], also, direction, "$4", table)
    return f"SELECT r.*, NULL::timestamptz AS walked_to FROM ({rows}) r"  # noqa: S608 statements of our own


def _ordered(
    statuses: tuple[str, ...], given: list[str], also: str, direction: str, limit: str, table: str = "deliveries"
) -> str:
    """Returns the SQL of rows of these statuses in order. An index has one status after the other, so that two are merged.

    Beside a filter a status is said by a subquery: the planner would take a type or URL for more frequent than it is, and
    walk through all of a status by that status's own index.
    """
    wanted = "".join(f" AND {one}" for one in given) + also
    if table != "deliveries":
        words = "', '".join(statuses)
        each = [f"IN ('{words}')"]
    else:
        each = [f"= (SELECT '{s}')" if given else f"= '{s}'" for s in statuses]
    rows = [
        f"SELECT {_COLUMNS} FROM {table} WHERE company_id = $1 AND status {status}{wanted}"  # noqa: S608 ours
        f" AND created_at >= $2 AND created_at <= $3 ORDER BY created_at {direction} LIMIT {limit}"
        for status in each
    ]
    if len(rows) == 1:
        return rows[0]
    merged = " UNION ALL ".join(f"({one})" for one in rows)
    return f"SELECT * FROM ({merged}) u ORDER BY created_at {direction} LIMIT {limit}"  # noqa: S608


async def events_in(session: Session, company_id: UUID, wanted: DeliveryFilter, page: Page) -> Listed:
    """Reads events of the page that are wanted, up to its reach."""
    given = wanted.given
    sql = page_sql(wanted.statuses, tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    events = await mapped([r for r in rows if r["id"] is not None], _undelivered)
    return Listed(events, rows[0]["walked_to"] if rows else None)


async def found(session: Session, company_id: UUID, wanted: DeliveryFilter, most: int) -> ResendBatch:
    """Reads the oldest matching deliveries to resend, up to `most`."""
    given = wanted.given
    sql = resend_sql(wanted.statuses, tuple(given))
    rows = await session.search(sql, company_id, wanted.since, wanted.until, most + 1, *given.values())
    walked_to = rows[0]["walked_to"] if rows else None
    there = [r for r in rows if r["id"] is not None]
    # The next batch begins behind the last that is taken, or behind all that was looked at.
    goes_on = there[most - 1]["created_at"] if len(there) > most else walked_to
    some = tuple(Resendable(r["id"], EventStatus(r["status"]), r["version"], now_url=r["url"]) for r in there[:most])
    return ResendBatch(some, goes_on)


_undelivered = RowMapper(
    Undelivered,
    parts={
        "status": lambda r: EventStatus(r["status"]),
        "history": lambda r: past_attempts(r["messages"], r["codes"], r["times"]),
    },
).of


def past_attempts(
    messages: Sequence[str] | None, codes: Sequence[int] | None, *more: Sequence[Any] | None
) -> tuple[PastAttempt, ...]:
    """Returns the attempts in their columns, oldest first; of an event that has none, the columns are None."""
    columns = (messages or (), codes or (), *(one or () for one in more))
    return tuple(starmap(PastAttempt, zip(*columns, strict=True)))
