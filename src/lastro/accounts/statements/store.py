"""All SQL of statements: pages of entries, whole periods, past balances."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lastro.accounts.statements.model import SIDES

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts.statements.model import EntryFilter
    from lastro.api_kit.paging import Page
    from lastro.core.db import Session

_UNION = "\n    UNION ALL"
# A company without entries has a moment that a datetime can hold.
_ENTERED = "greatest((SELECT entered_until FROM entry_cursors WHERE company_id = $1), '0001-01-02Z')"
_OWN = "side, created_at, number, transfer_id, type, reference_id, amount_minor, balance_minor"
# A range of the table's own index for each side: shown and hidden entries are in one order.
_RANGE = """
    (SELECT {columns} FROM entries e{beside}
      WHERE e.company_id = $1 AND e.ledger_account_id = $2 AND e.side = {side}
        AND e.created_at >= $3 AND e.created_at <= $4{also}
      ORDER BY e.created_at {way} LIMIT $5)"""
# Transfers too young to have entries, as entries: of the last seconds, unless the worker is behind.
_TAIL = f"""
    SELECT {_OWN} FROM entry_rows($1, {_ENTERED}, $4::timestamptz + interval '1 microsecond', $2) r
     WHERE r.side IN ({{sides}}) AND r.created_at >= $3 AND r.created_at <= $4"""  # noqa: S608 columns of our own
# A payment's id leads to few objects, and their transfers to their entries: an entry is a moment younger at most.
_NAMED = f"""
    SELECT {", ".join(f"e.{c}" for c in _OWN.split(", "))}
      FROM (SELECT DISTINCT n.reference_id FROM entry_names n WHERE n.company_id = $1 AND n.end_to_end_id = $6 OFFSET 0) n
      JOIN transfers t ON t.company_id = $1 AND t.reference_id = n.reference_id AND t.kind IN ('moved', 'posted')
       AND (t.debit_id = $2 OR t.credit_id = $2)
     CROSS JOIN LATERAL (
       SELECT * FROM entries x WHERE x.company_id = $1 AND x.ledger_account_id = $2
          AND x.side = CASE WHEN t.credit_id = $2 THEN 1 ELSE -1 END AND x.created_at >= t.created_at
          AND x.created_at < t.created_at + interval '10 seconds' AND x.transfer_id = t.id) e
     WHERE e.side IN ({{sides}}) AND e.created_at >= $3 AND e.created_at <= $4"""  # noqa: S608
_NAMED_TAIL = f"""{_TAIL} AND r.reference_id IN (
       SELECT n.reference_id FROM entry_names n WHERE n.company_id = $1 AND n.end_to_end_id = $6)"""  # noqa: S608
# The first transfer of a batch in the period stands for all.
_FIRST = """
       AND (b.id IS NULL OR NOT EXISTS (
            SELECT 1 FROM batch_entries($1, $2, b.batch_id) o WHERE o.created_at < e.created_at AND o.created_at >= $6))"""
_OF_BATCH = """
      LEFT JOIN payouts b ON b.company_id = e.company_id AND b.id = e.reference_id AND b.batch_id IS NOT NULL"""
_SUBJECT = """
  LEFT JOIN LATERAL (
    SELECT * FROM entry_subjects w WHERE w.company_id = $1 AND w.reference_id = u.reference_id LIMIT 1) s ON true
  LEFT JOIN parties p ON p.company_id = $1 AND p.id = s.party_id"""
_SAYS = "s.description, s.order_id, s.end_to_end_id, p.name, p.document_type, p.document_number"
# A file has one id of the payment: the Pix network's, or the STR's number of a TED.
_FILED = _SAYS.replace("s.end_to_end_id", "coalesce(s.end_to_end_id, s.control_number)")
_WHOLE = """
  LEFT JOIN LATERAL (
    SELECT sum(o.amount_minor)::bigint AS amount_minor,
           (array_agg(o.balance_minor ORDER BY o.number DESC))[1] AS balance_minor
      FROM batch_entries($1, $2, s.batch_id) o
     WHERE s.batch_id IS NOT NULL AND u.side = -1 AND o.created_at BETWEEN $6 AND $7) m ON true"""
_CLOSED = "SELECT balance_minor, number FROM last_entry($1, $2, $3)"
_UNTIL = f"SELECT {_ENTERED}"


@cache
def page_sql(operation: str | None, way: str, *, is_named: bool = False, merges: bool = False) -> str:
    """Builds the statement of a page. way: ASC or DESC. is_named: of one endToEndId. merges: a batch's transfers are one."""
    sides, columns = SIDES[operation], ", ".join(f"e.{c}" for c in _OWN.split(", "))
    ranges = [
        _RANGE.format(
            side=side, way=way, columns=columns, beside=_OF_BATCH if merges and side < 0 else "",
            also=_FIRST if merges and side < 0 else "",
        )
        for side in sides
    ]  # fmt: skip
    listed = ", ".join(map(str, sides))
    if is_named:
        parts = [_NAMED.format(sides=listed), _NAMED_TAIL.format(sides=listed)]
    else:
        parts = [*ranges, *([] if merges else [_TAIL.format(sides=listed)])]
    amounts = "u.amount_minor, u.balance_minor"
    if merges:
        amounts = (
            "coalesce(m.amount_minor, u.amount_minor) AS amount_minor,"
            " coalesce(m.balance_minor, u.balance_minor) AS balance_minor,"
            " CASE WHEN m.amount_minor IS NOT NULL THEN s.batch_id END AS batch_id"
        )
    return (
        f"SELECT u.side, u.created_at, u.transfer_id, u.type, {amounts}, {_SAYS}, s.txid, s.control_number,"  # noqa: S608
        f" {_ENTERED} AS entered_until\n"
        f"  FROM (SELECT * FROM ({_UNION.join(parts)}) a ORDER BY created_at {way} LIMIT $5) u"
        f"{_SUBJECT}{_WHOLE if merges else ''}\n ORDER BY u.created_at {way}"
    )


@cache
def file_sql() -> str:
    """Builds the statement of a file's next entries, oldest first. Only final entries are in a file."""
    columns = ", ".join(f"e.{c}" for c in _OWN.split(", "))
    ranges = _UNION.join(_RANGE.format(side=side, way="ASC", columns=columns, beside="", also="") for side in SIDES[None])
    return (
        f"SELECT u.side, u.created_at, u.transfer_id, u.type, u.amount_minor, u.balance_minor, {_FILED}\n"  # noqa: S608
        f"  FROM (SELECT * FROM ({ranges}) a ORDER BY created_at LIMIT $5) u{_SUBJECT}\n ORDER BY u.created_at"
    )


async def entries_in(session: Session, company_id: UUID, ledger_id: UUID, wanted: EntryFilter, page: Page) -> list[Record]:
    """Reads the entries of a page, up to its reach. Each carries the moment up to which all is entered."""
    sql = page_sql(
        wanted.operation, "DESC" if page.is_descending else "ASC", is_named=wanted.end_to_end_id is not None,
        merges=wanted.merges,
    )  # fmt: skip
    more: tuple[object, ...] = ()
    if wanted.merges:
        more = (wanted.period.since, wanted.period.until)
    elif wanted.end_to_end_id is not None:
        more = (wanted.end_to_end_id,)
    return await session.search(sql, company_id, ledger_id, page.since, page.until, page.reach, *more)


async def entries_after(
    session: Session, company_id: UUID, ledger_id: UUID, since: datetime, until: datetime, most: int
) -> list[Record]:
    """Reads the first entries of a period, both ends inclusive."""
    return await session.search(file_sql(), company_id, ledger_id, since, until, most)


async def balance_by(session: Session, company_id: UUID, ledger_id: UUID, at: datetime) -> tuple[int, int]:
    """Reads an account's balance and number of entries, at a moment. Minor units, available and held together."""
    row = await session.row(_CLOSED, company_id, ledger_id, at)
    return (0, 0) if row is None else (row["balance_minor"], row["number"])


async def entered_until(session: Session, company_id: UUID) -> datetime:
    """Reads the moment up to which the company's entries are final: all are there, and none older can come."""
    found: datetime = await session.value(_UNTIL, company_id)
    return found
