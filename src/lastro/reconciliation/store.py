"""The SQL of the reconciliation: its own tables, and other rooms' by their `Booked`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.rails.port import KINDS
from lastro.reconciliation.model import DONE, ENDED, WAITS, Day, Item, Open, Ours, Statement, Theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import date, datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.rails.port import Booked
    from lastro.reconciliation.model import Name

_INSTITUTION = "SELECT company_id FROM company_numbers WHERE number = 0"
_BEGUN = """
SELECT c.created_at, business_now() AS now, s.rail, s.day FROM companies c
  LEFT JOIN (SELECT company_id, rail, max(day) AS day FROM statements WHERE company_id = $1 GROUP BY company_id, rail) s
    ON s.company_id = c.company_id
 WHERE c.company_id = $1
"""
_OF_DAY = "SELECT * FROM statements WHERE company_id = $1 AND rail = $2 AND day = $3"
_STORED = """
SELECT line_id FROM statement_lines
 WHERE company_id = $1 AND statement_id = $2 AND edition = $3 AND line_id = ANY ($4::text[])
"""
# A name is a kind and an id, and their indexes go so: without the kinds, every line of the rail would be looked at.
_KINDS = ", ".join(f"'{kind}'" for kind in KINDS)
_NAMED = f"company_id = $1 AND rail = $2 AND kind IN ({_KINDS}) AND network_id = ANY ($3::text[])"
_LINES = f"""
SELECT kind, network_id, line_id, amount_minor, currency, reference FROM statement_lines
 WHERE {_NAMED} AND is_current ORDER BY created_at, id
"""  # noqa: S608 a statement of our own
# Those that are open, and those of this statement that people have accepted: neither is opened once more.
_NOT_ANEW = f"""
SELECT kind, network_id, difference FROM statement_items
 WHERE {_NAMED} AND (state = 'OPEN' OR (state = 'ACCEPTED' AND statement_id = $4))
"""  # noqa: S608 a statement of our own
_RETIRE = """
UPDATE statement_lines SET is_current = false WHERE company_id = $1 AND statement_id = $2 AND edition < $3 AND is_current
"""
_TAKING_SINCE = "SELECT DISTINCT company_id FROM statements WHERE due_at IS NOT NULL AND state = 'TAKING' AND day >= $1"
_DUE_NOW = """
UPDATE statements SET due_at = business_now(), lease_token = NULL, leased_until = NULL
 WHERE company_id = $1 AND due_at IS NOT NULL AND state = 'TAKING' AND day >= $2
"""
_COMPANIES = "SELECT company_id FROM company_numbers ORDER BY number"
_WITH_OPEN = """
SELECT company_id, count(*) FILTER (WHERE difference IN ('UNHEARD', 'UNTOLD')) AS fed, count(*) AS count
  FROM statement_items
 WHERE state = 'OPEN' AND rail = $1 GROUP BY company_id
"""
_OPEN = """
SELECT id, kind, network_id, difference, state, version, line_id FROM statement_items
 WHERE company_id = $1 AND rail = $2 AND state = 'OPEN' AND id > $3 ORDER BY id LIMIT $4
"""
_ITEM = """
SELECT id, kind, network_id, difference, state, version, line_id FROM statement_items WHERE company_id = $1 AND id = $2
"""
# Rows that a statement lacks and no item tells of yet.
_UNTOLD_OF = """
SELECT m.company_id, m.kind, m.network_id FROM ({settled}) m
 WHERE NOT EXISTS (SELECT 1 FROM statement_items i WHERE i.company_id = m.company_id AND i.rail = $1 AND i.kind = m.kind
                      AND i.network_id = m.network_id AND i.difference = 'MISSING' AND i.state IN ('OPEN', 'ACCEPTED'))
 LIMIT $4
"""

# Days whose statements are taken and whole: with what the day before has closed they open, and with what they close the next
# one opens, which has to be there. A line that is missing from a statement shows in the next one alone.
_DAYS_TAKEN = """
SELECT s.day FROM statements s WHERE s.company_id = $1 AND s.rail = $2 AND s.day >= $3 AND s.state = 'TAKEN'
   AND EXISTS (SELECT 1 FROM statements a WHERE a.company_id = s.company_id AND a.rail = s.rail AND a.day = s.day + 1
                  AND a.state = 'TAKEN' AND a.opening_minor = s.closing_minor)
   AND NOT EXISTS (SELECT 1 FROM statements b WHERE b.company_id = s.company_id AND b.rail = s.rail AND b.day = s.day - 1
                      AND b.state = 'TAKEN' AND b.closing_minor <> s.opening_minor)
"""
_LEFT = """
SELECT amount_minor, currency, settled_at FROM statement_lines
 WHERE company_id = $1 AND rail = $2 AND kind = 'OUT' AND network_id = $3 AND is_current ORDER BY settled_at, id
"""
# Company by company, as the indexes are.
_CLOSED_WITH = """
SELECT p.closing_minor FROM statements p
 WHERE p.company_id = {company} AND p.rail = {rail} AND p.day = {day} - 1 AND p.state = 'TAKEN'
"""
_RAILS = "SELECT DISTINCT rail FROM statements WHERE day = $1 AND ($2::text IS NULL OR rail = $2)"
_DAY = f"""
SELECT s.*, ({_CLOSED_WITH.format(company="s.company_id", rail="s.rail", day="s.day")}) AS before_minor
  FROM statements s WHERE s.day = $1 AND s.rail = $2
"""  # noqa: S608 a statement of our own
_MATCHED = """
SELECT count(*) AS matched FROM company_numbers n
  JOIN statement_lines l ON l.company_id = n.company_id AND l.statement_id = $1 AND l.edition = $2
 WHERE l.verdict IN ('MATCHED', 'COST')
"""
_ITEMS = """
SELECT n.number, i.* FROM company_numbers n
  JOIN statement_items i ON i.company_id = n.company_id AND i.rail = $1 AND i.day = $2
"""
_OWNER = "SELECT company_id FROM statement_items WHERE id = $1"


async def institution(session: Session) -> UUID | None:
    """Reads the company that owns the statements; None: it is not founded yet."""
    found: UUID | None = await session.value(_INSTITUTION)
    return found


async def begun(session: Session, company_id: UUID) -> tuple[datetime, datetime, dict[str, date]]:
    """Reads the institution's begin, now, and each rail's last day.

    Both times are business time; a rail without a day is left out.
    """
    rows = await session.fetch(_BEGUN, company_id)
    return rows[0]["created_at"], rows[0]["now"], {r["rail"]: r["day"] for r in rows if r["rail"] is not None}


def statement_of(r: Record) -> Statement:
    """Reads a statement as its row says."""
    return Statement(
        r["id"], r["company_id"], r["rail"], r["day"], r["state"], r["edition"], r["place"], r["lines"], r["in_minor"],
        r["out_minor"], r["currency"], r["looks"], r["version"],
    )  # fmt: skip


async def of_day(session: Session, company_id: UUID, rail: str, day: date) -> Statement | None:
    """Reads the statement of a day."""
    row = await session.row(_OF_DAY, company_id, rail, day)
    return None if row is None else statement_of(row)


async def closed_with(session: Session, statement: Statement) -> int | None:
    """Reads the closing of the day before, in the minor unit. None: that day's statement is not taken."""
    sql = _CLOSED_WITH.format(company="$1", rail="$2", day="$3::date")
    found: int | None = await session.value(sql, statement.company_id, statement.rail, statement.day)
    return found


async def stored(session: Session, company_id: UUID, statement: Statement, line_ids: Collection[str]) -> set[str]:
    """Reads which of these lines are stored, of the present edition."""
    rows = await session.fetch(_STORED, company_id, statement.id, statement.edition, list(line_ids))
    return {r["line_id"] for r in rows}


async def lines_of(session: Session, company_id: UUID, rail: str, network_ids: Collection[str]) -> dict[Name, list[Theirs]]:
    """Reads every line that counts today, of any statement, about these ids; the one that came first is the first."""
    found: dict[Name, list[Theirs]] = {}
    for r in await session.fetch(_LINES, company_id, rail, list(network_ids)):
        name = (r["kind"], r["network_id"])
        line = Theirs(name, r["line_id"], Money(r["amount_minor"], r["currency"]), r["reference"])
        found.setdefault(name, []).append(line)
    return found


async def days_taken(session: Session, company_id: UUID, rail: str, since: date) -> frozenset[date]:
    """Reads the days from this one on whose statements are whole. company_id: the institution's."""
    return frozenset(row["day"] for row in await session.fetch(_DAYS_TAKEN, company_id, rail, since))


async def left_under(session: Session, company_id: UUID, rail: str, name: str) -> list[tuple[Money, datetime]]:
    """Reads what statements say to have left under this id: how much, and when."""
    rows = await session.fetch(_LEFT, company_id, rail, name)
    return [(Money(row["amount_minor"], row["currency"]), row["settled_at"]) for row in rows]


async def ours_of(
    session: Session, company_id: UUID, booked: Sequence[Booked], network_ids: Collection[str]
) -> dict[Name, Ours]:
    """Reads the company's rows for these ids."""
    stages = {(b.kind, state): DONE for b in booked for state in b.done}
    stages |= {(b.kind, state): WAITS for b in booked for state in b.waiting}
    found = {}
    for r in await session.fetch("\nUNION ALL ".join(b.known_sql for b in booked), company_id, list(network_ids)):
        kind, state = r["kind"], r["state"]
        stage = stages.get((kind, state), ENDED)
        found[kind, r["network_id"]] = Ours(r["id"], stage, state, r["amount_minor"], r["reference"])
    return found


async def not_anew(
    session: Session, company_id: UUID, statement: Statement, network_ids: Collection[str]
) -> set[tuple[Name, str]]:
    """Reads the known differences about these ids. They are open, or accepted of this statement."""
    rows = await session.fetch(_NOT_ANEW, company_id, statement.rail, list(network_ids), statement.id)
    return {((r["kind"], r["network_id"]), r["difference"]) for r in rows}


async def retire(session: Session, company_id: UUID, statement: Statement) -> None:
    """Retires its lines of earlier editions."""
    await session.fetch(_RETIRE, company_id, statement.id, statement.edition)


async def business_now(session: Session) -> datetime:
    """Reads the business time."""
    now: datetime = await session.value("SELECT business_now()")
    return now


async def taking_since(work: Database, first: date) -> list[UUID]:
    """Reads the companies of open statements from this day on."""
    return [r["company_id"] for r in await work.everywhere(_TAKING_SINCE, first)]


async def make_due(session: Session, company_id: UUID, first: date) -> None:
    """Makes open statements from this day on due, and ends their leases."""
    await session.fetch(_DUE_NOW, company_id, first)


async def companies(session: Session) -> list[UUID]:
    """Reads every company."""
    return [r["company_id"] for r in await session.fetch(_COMPANIES)]


async def with_open(work: Database, rail: str) -> dict[UUID, tuple[int, int]]:
    """Reads the companies with open differences at a rail, by id.

    For each: how many of these are on their way into the books, how many there are.
    """
    rows = sorted(await work.everywhere(_WITH_OPEN, rail), key=lambda r: r["company_id"])
    return {r["company_id"]: (r["fed"], r["count"]) for r in rows}


async def open_items(session: Session, company_id: UUID, rail: str, after: UUID, limit: int) -> list[Item]:
    """Reads some open differences at a rail, in order of id."""
    return [_item(r) for r in await session.fetch(_OPEN, company_id, rail, after, limit)]


async def item(session: Session, company_id: UUID, item_id: UUID) -> Item | None:
    """Reads a difference, open or not."""
    row = await session.row(_ITEM, company_id, item_id)
    return None if row is None else _item(row)


async def lacking(
    work: Database, rail: str, booked: Sequence[Booked], bounds: tuple[datetime, datetime], limit: int
) -> dict[UUID, list[Name]]:
    """Reads by company the booked rows that no statement has.

    They were booked between these instants, and are no difference yet. limit: of a company, and of what is read at once
    from one server.
    """
    settled = "\nUNION ALL ".join(b.settled_sql for b in booked if b.at is not None)
    found: dict[UUID, list[Name]] = {}
    for r in await work.everywhere(_UNTOLD_OF.format(settled=settled), rail, *bounds, limit):
        found.setdefault(r["company_id"], []).append((r["kind"], r["network_id"]))
    return found


def _item(r: Record) -> Item:
    name = (r["kind"], r["network_id"])
    return Item(r["id"], name, r["difference"], r["state"], r["version"], r["line_id"])


async def days_of(audit: Database, day: date, rail: str | None, begins: Callable[[int, int, str], object]) -> list[Day]:
    """Reads a day's state at each rail that has its statement.

    audit: as the role that reads every company. begins: told of each rail before its lines are counted, which takes
    long where there are many: its number, how many there are, and its name.
    """
    rails = sorted({r["rail"] for r in await audit.everywhere(_RAILS, day, rail)})
    found: list[Day] = []
    for number, name in enumerate(rails, 1):
        begins(number, len(rails), name)
        items = sorted(await audit.everywhere(_ITEMS, name, day), key=lambda i: (i["number"], i["id"]))
        for r in await audit.everywhere(_DAY, day, name):
            matched = sum(of["matched"] for of in await audit.everywhere(_MATCHED, r["id"], r["edition"]))
            found.append(_day(r, matched, items))
    return found


async def item_company(session: Session, item_id: UUID) -> UUID | None:
    """Reads the company of a difference; None: not the session's."""
    found: UUID | None = await session.value(_OWNER, item_id)
    return found


def _day(r: Record, matched: int, items: Sequence[Record]) -> Day:
    ended = Counter(i["state"] for i in items)
    return Day(
        r["rail"], r["day"], r["state"], r["edition"], r["lines"], Money(r["in_minor"], r["currency"]),
        Money(r["out_minor"], r["currency"]), _money(r["opening_minor"], r["currency"]),
        _money(r["closing_minor"], r["currency"]), matched, ended["BOOKED"], ended["EXPLAINED"],
        ended["ACCEPTED"], tuple(_open(i) for i in items if i["state"] == "OPEN"),
        _money(r["before_minor"], r["currency"]),
    )  # fmt: skip


_open = RowMapper(
    Open, columns={"company": "number", "their_reference": "theirs", "our_reference": "ours", "our_state": "ours_state"}
).of


def _money(minor: int | None, currency: str) -> Money | None:
    return None if minor is None else Money(minor, currency)
