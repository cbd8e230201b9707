"""What a verb reads behind the door is found by its id: as many rows as it shows, however many its company has.

Row-level security is a reason why it might not be: a comparison that the server does not know to tell nobody anything, such
as one with coalesce(), is made only of rows whose company was compared first, by going through all of them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest
from tests.in_one import in_one_test

from lastro.app.outbox_lines import WAITING
from lastro.core.db import LONGEST_KEPT
from lastro.core.runner import Query
from lastro.core.tenant_session import is_list, through_the_door, together_through_the_door
from lastro.core.work_queue import Queue
from lastro.due_work import DUE_WORK
from lastro.med import store as med
from lastro.orders import store as orders
from lastro.orders.refunds import store as refunds
from lastro.orders.static_codes import store as static_codes
from lastro.orders.store import arrivals, locations
from lastro.payouts import store as payouts
from lastro.plans import LANE as PLANS_LANE
from lastro.rails import handling
from lastro.webhooks.store import events
from lastro.worker.due_poller import DuePoller
from lastro.worker.sweeper import shared

from .many import OURS, Filled
from .test_lists import SWEEPS, Listed, goes_by, plan_of, told_short
from .test_lists import read_whole as any_read_whole
from .tree import SRC

_ID = UUID(int=7)
_NO_WISH = f"'{OURS}', {', '.join(['NULL'] * 11)}"
_GLANCES: Mapping[str, tuple[Query[Any], str]] = {
    "a Pix that came": (arrivals._of("E1", "0001", "1", "T1"), "'E1', ARRAY['pix'], 'PIX', '0001', '1', 'T1', NULL"),
    "an order": (orders.shown_by_id(_ID), f"'{_ID}'"),
    "an order by the client's code": (orders.newest_by_external_id("x"), "'x'"),
    "an order by its location": (locations.shown_by_location("t"), "'t'"),
    "what an order is for, and whether its code is taken": (
        Query(orders.ASKED_FIRST, (None, None, "PIX", "pix", "x"), len), f"'{_ID}', NULL, 'PIX', 'pix', 'x'",
    ),
    "what a Pix order is for, and whether its code is taken": (
        Query(orders.PIX_DESTINATION, (None, None, "PIX", None, "x"), len), f"'{_ID}', NULL, 'PIX', NULL, 'x'",
    ),
    "a refund": (refunds.by_id(_ID), f"'{_ID}'"),
    "a static code": (static_codes.code_by_id(_ID), f"'{_ID}'"),
    "a payout by its id in the network": (payouts.by_network_id_query("x"), "'x'"),
    "a payout and its group": (payouts.whole_query(_ID), f"'{_ID}'"),
    "a dispute": (med.by_id(_ID), f"'{_ID}'"),
    "a dispute's case": (med.case(_ID), f"'{_ID}'"),
    "an event": (events.event_by_id(_ID), f"'{_ID}'"),
}  # fmt: skip
# One row for each company, or a few of each.
_SMALL = {"companies_pkey", "company_fees_pkey"}
_NEWCOMER = "00000000-0000-7000-8000-00000000000f"  # a company with no rows in FILL
_EMPTY = {"history", "account_limits", "connections", "connection_keys"}  # in FILL
_ONE_KEY = {"account_numbers_pkey"}


def read_whole(nodes: list[dict[str, Any]]) -> set[str]:
    return set(any_read_whole(nodes)) - {"company_fees", "partner_states", "bank_lists", *_EMPTY}


def walked(nodes: list[dict[str, Any]]) -> list[str]:
    """Indexes of which more is read than one key names: all that the company has."""
    return [
        f"{n['Index Name']}: {n.get('Index Cond')}"
        for n in nodes
        if "Index Name" in n and n["Index Name"] not in _SMALL | _ONE_KEY and " AND " not in n.get("Index Cond", "")
    ]


@in_one_test("name", _GLANCES, str)
async def test_what_a_verb_reads_is_found_by_its_id(filled: Filled, name: str) -> None:
    query, arguments = _GLANCES[name]
    listed = Listed(through_the_door(query.sql, 1, is_ours=True), f"'{OURS}', {arguments}", "", "")
    for mode in ("force_custom_plan", "force_generic_plan"):
        nodes = await plan_of(filled.app, listed, mode)
        assert any("Index Name" in n for n in nodes)
        assert not walked(nodes), (mode, walked(nodes))
        assert not read_whole(nodes), (mode, read_whole(nodes))


@in_one_test("name", _GLANCES, str)
async def test_what_several_read_together_is_found_by_their_ids(filled: Filled, name: str) -> None:
    query, arguments = _GLANCES[name]
    count = len(query.arguments)
    prepared = await filled.app.prepare(through_the_door(query.sql, count + 1, is_ours=True))
    types = tuple(one.name for one in prepared.get_parameters()[1:])
    values = zip(arguments.split(", "), types, strict=True)
    given = ", ".join(value if is_list(type_) else f"ARRAY[{value}]::{type_}[]" for value, type_ in values)
    listed = Listed(together_through_the_door(query.sql, types, is_ours=True), f"'{OURS}', {given}", "", "")
    nodes = await plan_of(filled.app, listed, "force_generic_plan")
    assert not walked(nodes), walked(nodes)
    assert not read_whole(nodes), read_whole(nodes)


async def test_a_company_that_no_statistics_know_is_taken_for_one_like_the_others(filled: Filled) -> None:
    """Taken for one without rows, it would have what names a row of it looked for among all of them: an index that knows the
    company alone would seem as good as the one that knows the row.
    """
    rows = {}
    for company in (_NEWCOMER, OURS):
        await filled.app.execute(f"SELECT set_config('lastro.company', '{company}', false)")
        for table in ("orders", "parties", "payouts", "deliveries"):
            [scan] = [n for n in await plan_of(filled.app, Listed(f"SELECT * FROM {table}", "", "", ""), "force_generic_plan")
                      if n.get("Relation Name") == table]  # fmt: skip
            rows[company, table] = scan["Plan Rows"]
    assert {table: rows[OURS, table] for _, table in rows} == {table: rows[_NEWCOMER, table] for _, table in rows}
    assert min(rows.values()) > 1000


async def test_what_stands_before_a_payout_is_found_by_its_names(filled: Filled) -> None:
    """Of those like it, the newest few minutes are read, and no more of the account's."""
    nodes = await plan_of(
        filled.app, Listed(f"SELECT * FROM ({payouts._STANDING}) q", _NO_WISH, "", ""), "force_generic_plan"
    )
    assert not walked(nodes)
    assert not read_whole(nodes)


async def test_one_look_at_all_lanes_goes_by_their_indexes(filled: Filled) -> None:
    """Nothing is due in most of them, and it is looked every second: it reads what is due, never what there is."""
    due_poller = DuePoller(Mock())
    wake = Mock()
    for rail, waiting in WAITING.items():
        due_poller.watch(wake, Queue("outbox", only=f"rail = '{rail}'").first_sql, *(each.first_sql for each in waiting))
    due_poller.watch(wake, handling.LANE.first_sql, PLANS_LANE.first_sql)
    due_poller.watch(wake, *(sql for work in DUE_WORK if work.by == "sweep" for sql in work.sweeps.values()))
    assert max(map(len, due_poller.statements)) <= LONGEST_KEPT, "it would be planned anew each second"
    nodes = [n for sql in due_poller.statements for n in await plan_of(filled.work, Listed(sql, "", "", ""), "auto")]
    assert sum("Index Name" in n for n in nodes) >= 40
    assert not read_whole(nodes), read_whole(nodes)
    unasked = {n["Index Name"] for n in nodes if "Index Name" in n and "Index Cond" not in n}
    assert unasked <= {"account_close_requests_open"}, "of that, all that it has is due"
    assert {n["Plan Rows"] for n in nodes if n["Node Type"] == "Sort"} <= {1}, "the first of many is the first of an index"


async def test_a_sweep_of_very_much_goes_by_the_same_index(filled: Filled) -> None:
    """Some of every company's: what is due is read once, by its order, and no company is looked for by itself."""
    sweeps = {name: sweep for name, sweep in SWEEPS.items() if sweep.arguments}
    assert len(sweeps) >= 10
    for name, sweep in sweeps.items():
        each = replace(sweep, sql=shared(sweep.sql), arguments=f"100000, ARRAY['{_ID}']::uuid[], 2000")
        for mode in ("force_generic_plan", "auto"):
            nodes = await plan_of(filled.work, each, mode)
            assert goes_by(nodes, each), (name, mode, told_short(nodes))
            assert sum(n.get("Relation Name") == each.table for n in nodes) == 1, (name, mode)


@pytest.mark.parametrize("name", ["api_process", "wiring"])
def test_what_serves_all_day_plans_its_statements_once(name: str) -> None:
    """An API and a worker: planned for its values, a statement would be planned for its company, too."""
    text = (SRC / "lastro" / "app" / f"{name}.py").read_text(encoding="utf-8")
    made = [line for line in text.splitlines() if "= Database(" in line]
    assert len(made) == 2
    assert all("settings=PLANNED_ONCE)" in line for line in made)
