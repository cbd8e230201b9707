"""States are data: the tables of the code, those of the database and the drawn ones are the same."""

import importlib
import re
from typing import Any

from lastro.app import diagrams
from lastro.core.machine import Machine
from lastro.ops.machines import MACHINES

from .test_schema import asked
from .tree import PRODUCT, SRC


def machines_of_the_code() -> dict[str, Machine]:
    """Every transition table there is, whether anybody lists it or not."""
    found: dict[str, Machine] = {}
    for m in PRODUCT:
        if m.path.stem != "states" and "states" not in m.path.parts:
            continue
        name = ".".join(m.path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
        found |= {one.name: one for one in vars(importlib.import_module(name)).values() if isinstance(one, Machine)}
    return found


async def test_the_database_allows_the_moves_of_the_code_and_no_others(database: Any) -> None:
    rows = {tuple(r) for r in await asked(database, "SELECT machine, from_state, trigger, to_state FROM allowed_moves")}
    assert rows == {move for machine in MACHINES for move in machine.rows()}


async def test_every_machine_is_drawn_and_every_one_with_a_history_is_a_law(database: Any) -> None:
    found = machines_of_the_code()
    assert found.keys() >= {"orders", "pix_payments", "refunds", "deliveries"}
    assert found.keys() == {machine.name for machine in diagrams.DRAWN}
    kept = {
        r[0]
        for r in await asked(database, "SELECT DISTINCT machine FROM objects UNION SELECT DISTINCT machine FROM history")
    }
    assert kept <= {machine.name for machine in MACHINES}
    objects = (await asked(database, "SELECT pg_get_viewdef('objects'::regclass)"))[0][0]
    for machine in MACHINES:
        assert re.search(rf"\b{machine.name}\b", objects), f"the view objects lacks {machine.name}"


async def test_every_state_of_the_code_is_a_state_of_the_table(database: Any) -> None:
    for machine in machines_of_the_code().values():
        checks = await asked(
            database,
            f"SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '{machine.name}'::regclass AND contype = 'c'",
        )
        allowed = [
            set(re.findall(r"'(\w+)'", r[0])) for r in checks if re.match(rf"CHECK \(\(?{machine.state_column} = ANY", r[0])
        ]
        assert len(allowed) == 1, machine.name
        assert set(machine.states()) <= allowed[0], machine.name


def test_every_state_can_be_reached_and_every_birth_is_a_birth() -> None:
    for machine in machines_of_the_code().values():
        born = {after for (before, _), after in machine.moves.items() if not before}
        reached = set(born)
        for _ in machine.moves:
            reached |= {after for (before, _), after in machine.moves.items() if before in reached}
        assert born, machine.name
        assert reached == set(machine.states()), machine.name


def test_what_is_over_stays_so() -> None:
    """Said here once more: the database, the laws and the diagrams follow the tables, and would follow a mistake."""
    machines = machines_of_the_code()
    ways = {name: {(s, t) for s, t in machine.moves if s} for name, machine in machines.items()}
    over = {"orders": "EXPIRED CANCELED ERROR REFUNDED", "payouts": "CANCELED", "key_claims": "COMPLETED CANCELLED",
            "refunds": "PAID CREDITED PAID_OUT", "pix_payments": "SETTLED RETURNED CREDITED PAID_OUT"}  # fmt: skip
    for name, ends in over.items():
        assert not {state for state, _ in ways[name]} & set(ends.split()), name
    paid = {(state, trigger) for state, trigger in ways["orders"] if state in ("PAID", "PARTIAL_REFUNDED")}
    assert {trigger for _, trigger in paid} == {"refund part", "refund rest"}
    assert {state for state, trigger in ways["key_claims"] if trigger == "complete"} == {"CONFIRMED"}


def test_every_move_stands_on_its_page() -> None:
    drawn = diagrams.pages()
    for machine in machines_of_the_code().values():
        lines = drawn[f"{machine.name}.md"].splitlines()
        for (before, trigger), after in machine.moves.items():
            assert f"  {before or '[*]'} --> {after}: {trigger}" in lines
            assert f"| {before or '(not there)'} | {trigger} | {after} |" in lines


def test_every_move_is_said_in_portuguese() -> None:
    drawn = diagrams.pages()
    for machine in diagrams.DRAWN:
        rows = re.findall(
            r"^\| (?:`(\w+)`: (.+)|\(.+\)) \| `(.+)`: (.+) \| `(\w+)`: (.+) \|$",
            drawn[f"{machine.name}.pt.md"],
            re.MULTILINE,
        )
        assert [(before, trigger, after) for before, _, trigger, _, after, _ in rows] == [
            (before or "", trigger, after) for (before, trigger), after in machine.moves.items()
        ]
        unsaid = [row for row in rows if row[2] == row[3] or row[4] == row[5] or (row[0] and row[0] == row[1])]
        assert not unsaid, machine.name
