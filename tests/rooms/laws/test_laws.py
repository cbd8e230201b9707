"""Each law holds of a world in which everything has happened, and each is broken by hand and seen: a law that nothing
breaks proves nothing.
"""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.cast import Cast
from tests.laws import breaches, laws
from tests.rooms.laws.breaking import BESIDE, BROKEN
from tests.rooms.laws.world import ROUTES, World

from lastro.base.money import Money
from lastro.doors.wiring import MACHINES

pytestmark = pytest.mark.anyio

SHARE = "SELECT share($1, $2)"
# What waits in the world waits for longer than its tests take, so that none of it is overdue in the middle of them.
PUT_OFF = tuple(
    f"UPDATE {table} SET {column} = {column} + interval '1 day' WHERE {column} IS NOT NULL"
    for table, column in (
        ("outbox", "due_at"), ("inbox", "due_at"), ("deliveries", "due_at"), ("payouts", "ask_at"), ("payouts", "start_at"),
        ("pix_payments", "ask_at"), ("refunds", "ask_at"), ("payout_plans", "due_at"),
        ("subscription_cancellations", "ask_at"), ("payment_attempts", "ask_at"), ("subscription_payments", "ask_at"),
        ("subscription_payments", "due_at"),
    )
)  # fmt: skip


@pytest.fixture(scope="module")
async def world(database: Any) -> AsyncIterator[World]:
    """One for all tests that take back what they change."""
    cast = Cast.of(database.app, size=2)
    made = await World.make(cast)
    admin = await database.connect(database.admin)
    for put_off in PUT_OFF:
        await admin.execute(put_off)
    await admin.close()
    yield made
    await cast.close()


@pytest.fixture
async def owner(database: Any) -> AsyncIterator[Any]:
    """A transaction in which neither row-level security nor a foreign key has power; nothing of it stays."""
    connection = await database.connect(database.for_role("lastro_owner"))
    transaction = connection.transaction()
    await transaction.start()
    for (table,) in await connection.fetch("SELECT relname::text FROM pg_class WHERE relrowsecurity AND relkind = 'r'"):
        await connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for table, key in await connection.fetch(
        "SELECT conrelid::regclass::text, conname::text FROM pg_constraint WHERE contype = 'f'"
        " AND connamespace = 'public'::regnamespace"
    ):
        await connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {key}")
    yield connection
    await transaction.rollback()
    await connection.close()


async def broken(owner: Any, world: World) -> set[str]:
    """The laws that select something of the world's companies, or of all together."""
    each = " UNION ALL ".join(
        f"SELECT '{law}' WHERE EXISTS (SELECT 1 FROM {law} WHERE company_id = ANY ($1) OR company_id IS NULL)"
        for law in BROKEN
    )
    return {law for (law,) in await owner.fetch(each, world.cast.companies)}


async def done(owner: Any, world: World, statement: str) -> None:
    """Breaks something; what changes nothing breaks nothing."""
    ids = {**world.names, "dora": world.dora.company_id}
    changed = await owner.execute(statement.format(**ids), world.ana.company_id)
    assert changed.split()[-1] != "0", statement


async def test_every_law_has_a_way_to_break_it(database: Any) -> None:
    audit = await database.connect(database.audit)
    assert await laws(audit) == sorted(BROKEN)
    await audit.close()


async def test_nothing_in_the_world_falls_due_in_its_time(owner: Any, world: World) -> None:
    await owner.execute("UPDATE clock SET offset_us = offset_us + 3600000000")
    late = await owner.fetch(
        "SELECT place, id FROM law_nothing_is_overdue_at_rest WHERE company_id = ANY ($1)", world.cast.companies
    )
    assert late == []


async def test_a_world_in_which_everything_has_happened_breaks_none(world: World, database: Any) -> None:
    assert await breaches(database.audit, companies=world.cast.companies) == {}
    states = await world.column("SELECT state FROM objects")
    assert set(states) == {
        "INITIAL", "PAID", "CANCELED", "ACCEPTED", "REFUSED", "FAILED", "SETTLED", "RETURNING", "RETURNED", "STRANDED",
        "PENDING", "ERROR", "EXPIRED", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED", "ANALYSIS",
        "VALIDATING", "INVALID", "READY", "APPROVED", "APPLYING", "APPLIED", "PARTIALLY_APPLIED",
        "PENDING_AUTHORIZATION", "REJECTED", "REQUESTED", "SCHEDULED",
    }  # fmt: skip


async def test_nor_one_of_all_companies_together(world: World, owner: Any) -> None:
    assert await broken(owner, world) == set()


@pytest.mark.parametrize("law", BROKEN)
async def test_a_broken_law_is_seen(law: str, world: World, owner: Any) -> None:
    """Each way breaks it; the first breaks it and nothing else that could be left whole."""
    for place, statement in enumerate(BROKEN[law]):
        one = owner.transaction()
        await one.start()
        await done(owner, world, statement)
        found = await broken(owner, world)
        assert law in found, statement
        assert place or found == {law} | BESIDE.get(law, set()), statement
        await one.rollback()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
async def test_every_pair_that_the_table_lacks_is_seen_when_written_by_hand(machine: Any, world: World, owner: Any) -> None:
    """Every state, with every trigger, to every state it could lead to: the database allows what the code allows, no more."""
    states, triggers = ("", *machine.states()), sorted({t for _, t in machine.moves})
    every = [(s, t, to) for s in states for t in triggers for to in states]
    reference = world.cast.id()
    await owner.executemany(
        "INSERT INTO history (company_id, reference_id, version, machine, from_state, trigger, to_state, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, now())",
        [(world.ana.company_id, reference, n, machine.name, s, t, to) for n, (s, t, to) in enumerate(every)],
    )
    rows = await owner.fetch("SELECT version FROM law_every_move_allowed WHERE reference_id = $1", reference)
    unlawful = {every[r["version"]] for r in rows}
    assert set(every) - unlawful == {(s, t, to) for (s, t), to in machine.moves.items()}


async def test_fees_are_counted_as_the_code_counts_them(owner: Any) -> None:
    for minor in (1, 2, 3, 33, 50, 99, 100, 150, 1000, 9_999, 123_457, 999_999_999_999):
        for basis_points in (0, 1, 49, 50, 99, 100, 149, 150, 250, 3333, 5000, 9_999, 10_000):
            counted = await owner.fetchval(SHARE, minor, basis_points)
            assert counted == Money(minor, "BRL").share(basis_points).minor, (minor, basis_points)


async def test_what_every_operation_keeps_is_looked_for(owner: Any) -> None:
    view = await owner.fetchval("SELECT pg_get_viewdef('law_an_answer_has_its_object'::regclass)")
    kept = {operation for operation, route in ROUTES.items() if route.key != "none"}
    assert kept == set(re.findall(r"WHEN '(\w+)'::text", view)), "law_an_answer_has_its_object names each of them"


async def test_no_law_selects_what_people_are_called(owner: Any) -> None:
    """Breaches are printed, kept and sent round."""
    told = await owner.fetch(
        "SELECT attrelid::regclass || '.' || attname AS column FROM pg_attribute JOIN pg_class c ON c.oid = attrelid"
        " WHERE relname LIKE 'law\\_%' AND attname = ANY ($1)",
        ["body", "description", "document_number", "email", "full_name", "phone", "payer", "pix_key", "remittance"],
    )
    assert not told
