"""What a statement says, and what the books, the inbox and the open differences are after it."""

import random
from dataclasses import replace
from typing import Any

import pytest

from lastro.core import work_queue
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.port import NetworkMessage, StatementLine
from lastro.rails.port.statements import KINDS
from lastro.reconciliation import LANE, Accept, store

from .desk import Desk, Paper, line

LINES = "SELECT count(*) FROM statement_lines WHERE company_id = $1 AND is_current"
STATEMENT = "SELECT state FROM statements WHERE company_id = $1"


async def test_a_day_that_both_sides_have_alike_has_nothing_open(desk: Desk) -> None:
    out = await desk.left("out")
    told = [await desk.came("free"), await desk.ordered("order"), out, await desk.came_back("back", out)]
    await desk.take([*told, *await desk.went_back("nobody"), fee(desk)])
    assert await desk.items() == {}
    verdicts = "SELECT array_agg(verdict ORDER BY verdict) FROM statement_lines WHERE company_id = $1"
    assert await desk.value(verdicts, desk.company) == ["COST", *["MATCHED"] * 6]
    assert await desk.value(STATEMENT, desk.company) == "TAKEN"


async def test_what_the_statement_says_first_is_booked_once(desk: Desk) -> None:
    """Never heard of, waiting for its end, told to have failed though it came; a payout's end and its return; a refund's."""
    out, ended = await desk.left("out", settled=None), await desk.left("ended")
    told = [
        await desk.came("unheard", heard=False), await desk.ordered("waits", settled=None),
        await desk.ordered("failed", settled=False), out, ended, await desk.came_back("back", ended, heard=False),
        *await desk.went_back("nobody", heard=False),
    ]  # fmt: skip
    await desk.take(told)
    differ = {told[0].network_id: "UNHEARD", told[5].network_id: "UNHEARD"}
    differ |= {told[n].network_id: "UNTOLD" for n in (1, 2, 3, 7)}
    assert await desk.items() == {name: (difference, "OPEN") for name, difference in differ.items()}
    await desk.on_worked()
    await desk.take([], days=1)
    assert await desk.items() == {name: (difference, "BOOKED") for name, difference in differ.items()}
    assert await desk.value("SELECT status FROM payouts WHERE end_to_end_id = $1", out.network_id) == "PAID"
    booked = (
        "SELECT count(*) FROM transfers WHERE company_id = $1 AND kind IN ('moved', 'posted') AND type = ANY ($2::text[])"
    )
    before = await desk.value(booked, desk.company, ["PIX_IN", "PIX_OUT", "PIX_RETURNED", "PIX_UNFIT", "PIX_RETURN"])
    await desk.again(told)
    await desk.on_worked()
    assert await desk.value(booked, desk.company, ["PIX_IN", "PIX_OUT", "PIX_RETURNED", "PIX_UNFIT", "PIX_RETURN"]) == before
    assert {state for _, state in (await desk.items()).values()} == {"BOOKED"}


async def test_what_differs_is_found_and_a_new_issue_explains_it(desk: Desk) -> None:
    good = {name: await desk.ordered(name) for name in ("twice", "amount", "reference", "missing", "late")}
    failed = await desk.left("failed", settled=False)
    stranger = line(port.OUT, "E12345678200101011200stranger001", 700, desk.at(), NetworkMessage(port.UNKNOWN, "", "x", b""))
    await desk.take(
        [
            good["twice"], replace(good["twice"], line_id="second"), replace(good["amount"], amount=Money(1001, "BRL")),
            replace(good["reference"], reference="OTHER"), failed, stranger,
        ]
    )  # fmt: skip
    found = {"twice": "TWICE", "amount": "AMOUNT", "reference": "REFERENCE", "missing": "MISSING", "late": "MISSING"}
    differ = {good[name].network_id: difference for name, difference in found.items()}
    differ |= {failed.network_id: "CONTRADICTED", stranger.network_id: "UNKNOWN"}
    assert await desk.items() == {name: (difference, "OPEN") for name, difference in differ.items()}
    await desk.take([good["late"]], days=1)
    assert (await desk.items())[good["late"].network_id] == ("MISSING", "EXPLAINED")
    await desk.again([good[name] for name in found if name != "late"])
    assert {state for _, state in (await desk.items()).values()} == {"EXPLAINED"}
    assert await desk.value(LINES, desk.company) == len(found)


async def test_what_people_settled_outside_is_accepted_and_not_opened_again(desk: Desk) -> None:
    good = await desk.ordered("order")
    wrong = replace(good, amount=Money(1, "BRL"))
    await desk.take([wrong])
    item = await desk.value("SELECT id FROM statement_items WHERE company_id = $1", desk.company)
    said = await desk.cast.act(desk.company, Accept(item, "bia", "credit note 7"))
    assert (said["state"], said["networkId"]) == ("ACCEPTED", good.network_id)
    kept = "SELECT reason FROM history WHERE reference_id = $1 AND trigger = 'accept'"
    assert await desk.value(kept, item) == "by bia: credit note 7"
    assert isinstance(await desk.cast.runner.act(desk.company, Accept(item, "bia", "once more")), Refused)
    assert isinstance(await desk.cast.runner.act(desk.company, Accept(desk.cast.id(), "bia", "none")), Refused)
    await desk.again([wrong])
    assert await desk.items() == {good.network_id: ("AMOUNT", "ACCEPTED")}


async def test_a_statement_is_taken_page_by_page_and_goes_on_where_it_broke(desk: Desk) -> None:
    told = [await desk.came(f"n{n}") for n in range(7)]
    desk.paper.page, desk.paper.breaks_at = 3, "3"
    await desk.take(told)
    assert (await desk.value(STATEMENT, desk.company), await desk.value(LINES, desk.company)) == ("TAKING", 3)
    await soon(desk)
    assert (await desk.value(STATEMENT, desk.company), await desk.value(LINES, desk.company)) == ("TAKEN", 7)
    assert desk.paper.asked == [None, "3", "3", "6"]
    assert await desk.items() == {}


async def test_a_torn_statement_is_asked_for_again_from_its_first_page(desk: Desk) -> None:
    told = [await desk.came(f"n{n}") for n in range(4)]
    desk.paper.page, desk.paper.said = 3, 5
    await desk.take(told)
    assert await desk.value(STATEMENT, desk.company) == "TAKING"
    desk.paper.said = None
    await soon(desk)
    assert (await desk.value(STATEMENT, desk.company), await desk.value(LINES, desk.company)) == ("TAKEN", 4)
    assert desk.paper.asked == [None, "3", None, "3"]


async def test_a_statement_that_is_not_issued_yet_waits(desk: Desk) -> None:
    await desk.begin()
    await desk.turn()
    assert await desk.value(STATEMENT, desk.company) == "TAKING"
    assert await desk.value(
        "SELECT due_at > business_now() + interval '9 minutes' FROM statements WHERE company_id = $1", desk.company
    )


async def test_two_workers_take_a_statement_once(desk: Desk) -> None:
    told = [await desk.came("one"), await desk.came("two", heard=False)]
    desk.paper.lines[desk.day] = told
    await desk.begin()
    late = desk.reconciler(Paper(dict(desk.paper.lines)))
    (row,) = await claimed(desk)
    await desk.value(
        "UPDATE statements SET leased_until = machine_now() - interval '1 second' WHERE company_id = $1", desk.company
    )
    await desk.turn()
    await late.row(row)
    assert await desk.value(LINES, desk.company) == 2
    assert await desk.value("SELECT count(*) FROM inbox WHERE network_id LIKE 'statement:%'") == 1
    assert await desk.value(STATEMENT, desk.company) == "TAKEN"


_MANY_LINES = """
INSERT INTO statement_lines (company_id, id, statement_id, edition, line_id, rail, day, kind, network_id, amount_minor, currency,
                             settled_at, verdict, created_at)
SELECT $1, gen_random_uuid(), $1, 1, n::text, 'pix', '2001-01-01', 'IN', 'E' || n, 1, 'BRL', '2001-01-01', 'MATCHED', '2001-01-01'
  FROM generate_series(1, 20000) n
"""
_MANY_ITEMS = """
INSERT INTO statement_items (company_id, id, statement_id, rail, day, kind, network_id, difference, state, line_id, currency,
                             created_at, updated_at)
SELECT $1, gen_random_uuid(), $1, 'pix', '2001-01-01', 'IN', 'E' || n, 'UNKNOWN', 'EXPLAINED', 'l', 'BRL', '2001-01-01', '2001-01-01'
  FROM generate_series(1, 20000) n
"""


@pytest.mark.parametrize(
    ("sql", "table", "many"),
    [(store._LINES, "statement_lines", _MANY_LINES), (store._NOT_ANEW, "statement_items", _MANY_ITEMS)],
)
async def test_lines_are_found_by_their_names(desk: Desk, database: Any, sql: str, table: str, many: str) -> None:
    """And not by a look at all of the rail's, of which there are more every day."""
    values = {"$1": f"'{desk.company}'", "$2": "'pix'", "$3": "'{E1,E2}'", "$4": f"'{desk.company}'"}
    for name, value in values.items():
        sql = sql.replace(name, value)
    admin = await database.connect()
    transaction = admin.transaction()
    await transaction.start()
    try:
        await admin.execute(many, desk.company)
        await admin.execute(f"ANALYZE {table}")
        plan = "\n".join(row[0] for row in await admin.fetch(f"EXPLAIN {sql}"))
    finally:
        await transaction.rollback()
        await admin.close()
    (bounds,) = [line for line in plan.splitlines() if "Index Cond" in line]
    assert "kind = ANY" in bounds, plan
    assert "network_id = ANY" in bounds, plan


@pytest.mark.parametrize("rail", ["ted", "boleto"])
async def test_each_rail_is_asked_for_what_of_ours_it_has(desk: Desk, rail: str) -> None:
    stranger = [line(kind, f"none-{kind}", 100, desk.at(), NetworkMessage(port.UNKNOWN, "", "x", b"")) for kind in KINDS[:4]]
    await desk.take(stranger, rail=rail)
    assert await desk.items() == {one.network_id: ("UNKNOWN", "OPEN") for one in stranger}
    await desk.again([], rail=rail)
    assert {state for _, state in (await desk.items()).values()} == {"EXPLAINED"}


@pytest.mark.parametrize("seed", [8])
async def test_whatever_a_statement_has_wrong_ends_at_nothing_unexplained(desk: Desk, seed: int) -> None:
    """Mixed movements with mistakes of either side: all found by their kind, all closed by what is heard and issued anew."""
    chance = random.Random(seed)
    told: list[StatementLine] = []
    good: list[StatementLine] = []
    late: list[StatementLine] = []
    expected: dict[str, str] = {}
    for n in range(150):
        one, heard = await movement(desk, f"m{n}", chance)
        mistake = chance.choice(("missing", "twice", "amount", "late", "none", "none")) if heard is None else "none"
        if heard is not None:
            expected[one.network_id] = heard
        elif mistake != "none":
            expected[one.network_id] = {"twice": "TWICE", "amount": "AMOUNT"}.get(mistake, "MISSING")
        told += mistaken(one, mistake)
        (late if mistake == "late" else good).append(one)
    await desk.take(told)
    assert {name: difference for name, (difference, _) in (await desk.items()).items()} == expected
    assert set(expected.values()) == {"MISSING", "TWICE", "AMOUNT", "UNHEARD", "UNTOLD"}
    await desk.on_worked()
    await desk.take(late, days=1)
    await desk.again(good)
    assert "OPEN" not in {state for _, state in (await desk.items()).values()}


async def movement(desk: Desk, name: str, chance: random.Random) -> tuple[StatementLine, str | None]:
    """A line, and how it differs by what we were not told."""
    kind = chance.choice(("came", "ordered", "left"))
    heard = chance.random() > 0.25
    if kind == "came":
        return await desk.came(name, heard=heard, cents=chance.randrange(1, 9999)), None if heard else "UNHEARD"
    make = desk.ordered if kind == "ordered" else desk.left
    return await make(name, settled=True if heard else None), None if heard else "UNTOLD"


def mistaken(one: StatementLine, mistake: str) -> list[StatementLine]:
    return {
        "missing": [], "late": [], "twice": [one, replace(one, line_id=f"{one.line_id}-2")],
        "amount": [replace(one, amount=one.amount + Money(1, "BRL"))], "none": [one],
    }[mistake]  # fmt: skip


def fee(desk: Desk) -> StatementLine:
    return line(port.FEE, "tariff", 35, desk.at(), NetworkMessage(port.UNKNOWN, "", "x", b""))


async def soon(desk: Desk) -> None:
    """The pause after a failure is over."""
    await desk.value("UPDATE statements SET due_at = business_now() WHERE company_id = $1 RETURNING 1", desk.company)
    await desk.turn()


async def claimed(desk: Desk) -> list[Any]:
    return await work_queue.claim(desk.cast.database, LANE, desk.company, desk.cast.id(), 10)
