"""What falls due is declared once, and whatever the schema keeps a due time for is declared."""

import re
from unittest.mock import Mock

import pytest
from tests.databases import Database

from lastro.app import scheduled_jobs
from lastro.app.outbox_lines import WAITING, waiting_of
from lastro.due_work import DUE_WORK
from lastro.orders import Installation

from .tree import ROOT

# Each first by a time, of which no worker has anything to do.
FOR_PEOPLE = {
    "payouts_to_review", "refunds_stranded", "payout_returns_unfit", "statement_items_open",
    "pix_payments_announced", "foreign_payments_to_decide",
}  # fmt: skip
# Until when its holder may say something: with the deadline part of the object's due_at.
PARTS = {("med_objects", "defense_due_at")}
# Of what a law does not say that it is late: a partner may take hours, and an era is told of when the company asks.
MAY_BE_LATE = {"statements", "event_eras"}
_BY_TIME = """
SELECT t.relname::text AS table, a.attname::text AS column, i.relname::text AS index
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
 WHERE t.relnamespace = 'public'::regnamespace AND x.indpred IS NOT NULL AND a.atttypid = 'timestamptz'::regtype
"""
_COLUMNS = """
SELECT table_name::text, column_name::text FROM information_schema.columns c JOIN information_schema.tables t USING (table_name)
 WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND column_name ~ '(^|_)(due|ask)_at$'
"""


async def test_whatever_has_a_due_time_is_declared(database: Database) -> None:
    admin = await database.connect()
    indexes = {tuple(row) for row in await admin.fetch(_BY_TIME)}
    columns = {tuple(row) for row in await admin.fetch(_COLUMNS)}
    law = await admin.fetchval("SELECT pg_get_viewdef('law_nothing_is_overdue_at_rest'::regclass)")
    await admin.close()
    declared = {(work.table, work.column, work.index) for work in DUE_WORK}
    timed = {one for one in declared if one[0] != "event_eras"}
    assert timed == {one for one in indexes if one[2] not in FOR_PEOPLE}
    assert columns - PARTS <= {one[:2] for one in declared}
    assert {work.table for work in DUE_WORK} - set(re.findall(r"FROM \(*(\w+)", law)) == MAY_BE_LATE


def test_each_is_done_by_somebody_and_by_nobody_twice() -> None:
    place = Mock(spec=Installation, institution=Mock())
    sweeps = [due.name for due in scheduled_jobs.dues_of(place, Mock(), Mock(), Mock())]
    assert len({work.name for work in DUE_WORK}) == len(DUE_WORK)
    assert len(set(sweeps)) == len(sweeps)
    asked = {waiting.due for rail in (*WAITING, "bank1") for waiting in waiting_of(rail)}
    assert asked == {work for work in DUE_WORK if work.by == "question"}
    assert {work.table for work in DUE_WORK if work.by == "queue"} == {
        "outbox", "inbox", "deliveries", "payout_plans", "statements",
    }  # fmt: skip


@pytest.mark.parametrize("page", ["operations.md", "operations.pt.md"])
def test_an_operator_reads_of_every_lane(page: str) -> None:
    (row,) = re.findall(r"^\| `lastro_due`.*$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert {work.gauge for work in DUE_WORK if work.gauge} | {"deliveries"} <= set(re.findall(r"`([a-z ]+)`", row))
