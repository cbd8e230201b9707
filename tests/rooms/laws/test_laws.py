"""Each law holds of a world in which everything has happened, and each is broken by hand and seen: a law that nothing
breaks proves nothing.
"""

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import ANA, Cast, Seller
from tests.cluster.left_out import OF_COORDINATOR
from tests.conftest import lent
from tests.databases import Database
from tests.laws import breaches, connected, laws
from tests.rooms.laws.breaking import BESIDE, BROKEN
from tests.rooms.laws.world import ROUTES, World

from lastro.accounts import Holder
from lastro.core.money import Money
from lastro.ops.machines import MACHINES
from lastro.standards import calendar

Breached = Callable[[Sequence[UUID]], Awaitable[set[str]]]
SHARE = "SELECT share($1, $2)"
# What waits in the world waits for longer than its tests take, so that none of it is overdue in the middle of them.
PUT_OFF = tuple(
    f"UPDATE {table} SET {column} = {column} + interval '1 day' WHERE {column} IS NOT NULL"
    for table, column in (
        ("outbox", "due_at"), ("inbox", "due_at"), ("deliveries", "due_at"), ("payouts", "ask_at"), ("payouts", "start_at"),
        ("pix_payments", "ask_at"), ("refunds", "ask_at"), ("payout_plans", "due_at"),
        ("subscription_cancellations", "ask_at"), ("payment_attempts", "ask_at"), ("subscription_payments", "ask_at"),
        ("subscription_payments", "due_at"), ("statements", "due_at"),
        ("account_requests", "ask_at"), ("account_requests", "key_due_at"), ("account_requests", "expires_at"),
    )
)  # fmt: skip


class Together(Cast):
    """All its companies' rows are in one place, where the laws are read."""

    place: Database

    async def found(self, name: str, holder: Holder = ANA, company_id: UUID | None = None, **company: Any) -> Seller:
        if self.companies:
            company_id = await self.place.beside(self.companies[0], self.id)
        return await super().found(name, holder, company_id, **company)


@pytest.fixture(scope="module")
def apart(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database in which nothing is held to anything once a test has broken a law there."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def world(apart: Database) -> AsyncIterator[World]:
    """One for all tests, which take back what they change."""
    cast = Together.of(apart.app, size=2)
    cast.place = apart
    made = await World.make(cast)
    admin = await connected(apart.admin)
    for put_off in PUT_OFF:
        await admin.execute(put_off)
    await admin.close()
    yield made
    await cast.close()


@pytest.fixture(scope="module")
async def mighty(apart: Database, world: World) -> AsyncIterator[Any]:
    """A connection for which neither row-level security nor a foreign key has power, and which plans each law but once."""
    if apart.others:
        connection = await apart.connect_beside(world.ana.company_id, apart.admin)
        await connection.execute("SET plan_cache_mode = force_generic_plan; SET session_replication_role = replica")
        yield connection
        await connection.close()
        return
    connection = await apart.connect(apart.for_role("lastro_owner"))
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    tables = await connection.fetch("SELECT relname::text FROM pg_class WHERE relrowsecurity AND relkind = 'r'")
    keys = await connection.fetch(
        "SELECT conrelid::regclass::text, conname::text FROM pg_constraint WHERE contype = 'f'"
        " AND connamespace = 'public'::regnamespace"
    )
    await connection.execute(
        "".join(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;" for (table,) in tables)
        + "".join(f"ALTER TABLE {table} DROP CONSTRAINT {key};" for table, key in keys)
    )
    yield connection
    await connection.close()


@pytest.fixture
async def owner(mighty: Any) -> AsyncIterator[Any]:
    """A transaction of which nothing stays."""
    transaction = mighty.transaction()
    await transaction.start()
    yield mighty
    await transaction.rollback()


@pytest.fixture(scope="module")
async def breached(mighty: Any, apart: Database) -> Breached:
    """Reads which of all laws select something of these companies, or of all together."""
    elsewhere = set(OF_COORDINATOR) if apart.others else set()
    each = " UNION ALL ".join(_selects(law) for law in BROKEN if law not in elsewhere)
    prepared = await mighty.prepare(each)  # longer than what its connection keeps by itself

    async def read(companies: Sequence[UUID]) -> set[str]:
        return {law for (law,) in await prepared.fetch(companies)}

    return read


def _selects(law: str) -> str:
    return f"SELECT '{law}' WHERE EXISTS (SELECT 1 FROM {law} WHERE company_id = ANY ($1) OR company_id IS NULL)"


async def done(owner: Any, world: World, statement: str) -> None:
    """Breaks something; what changes nothing breaks nothing."""
    ids = {**world.names, "dora": world.dora.company_id}
    changed = await owner.execute(statement.format(**ids), world.ana.company_id)
    assert changed.split()[-1] != "0", statement


async def test_every_law_has_a_way_to_break_it(database: Any) -> None:
    audit = await database.connect(database.audit)
    assert await laws(audit.fetch) == sorted(BROKEN)
    await audit.close()


async def test_nothing_in_the_world_falls_due_in_its_time(owner: Any, world: World) -> None:
    await owner.execute("UPDATE clock SET offset_us = offset_us + 3600000000")
    late = await owner.fetch(
        "SELECT place, id FROM law_nothing_is_overdue_at_rest WHERE company_id = ANY ($1)", world.cast.companies
    )
    assert late == []


async def test_a_world_in_which_everything_has_happened_breaks_none(
    world: World, apart: Database, owner: Any, breached: Breached
) -> None:
    assert await breaches(apart.audit, companies=world.cast.companies) == {}
    assert await breached(world.cast.companies) == set(), "nor one of all companies together"
    states = await world.column("SELECT state FROM objects")
    assert set(states) == {
        "INITIAL", "PAID", "CANCELED", "ACCEPTED", "REFUSED", "FAILED", "HELD", "SETTLED", "RETURNING", "RETURNED", "STRANDED",
        "CREDITED", "PAID_OUT",
        "PENDING", "ERROR", "EXPIRED", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED", "ANALYSIS",
        "VALIDATING", "INVALID", "READY", "APPROVED", "APPLYING", "APPLIED", "PARTIALLY_APPLIED",
        "PENDING_AUTHORIZATION", "PENDING_DOCUMENTS", "REPROVED", "REJECTED", "REQUESTED", "SCHEDULED",
        "FOUND", "CLAIMED", "CAPTURED", "TAKING", "TAKEN", "OPEN", "EXPLAINED", "BOOKED", "ACTIVE", "CLOSED", "COMPLETED", "DELETED", "RECEIVED", "ANALYSED", "CONFIRMED",
        "WAITING_RESOLUTION", "CANCELLED",
    }  # fmt: skip


@pytest.mark.parametrize("law", BROKEN)
async def test_a_broken_law_is_seen(law: str, world: World, owner: Any, breached: Breached, apart: Database) -> None:
    """Each way breaks it; the first breaks it and nothing else that could be left whole."""
    elsewhere = set(OF_COORDINATOR) if apart.others else set()
    for place, statement in enumerate(BROKEN[law]):
        one = owner.transaction()
        await one.start()
        await done(owner, world, statement)
        if place:
            assert await owner.fetch(_selects(law), world.cast.companies), statement
        else:
            assert await breached(world.cast.companies) == {law} | BESIDE.get(law, set()) - elsewhere, statement
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


async def test_the_database_has_the_calendar_of_the_code(owner: Any) -> None:
    days = [date(2020, 1, 1) + timedelta(days=n) for n in range(366 * 8)]
    days += [day for year in range(2003, 2100) for day in sorted(calendar.holidays(year))]
    found = await owner.fetch("SELECT d, is_business_day(d) AS open FROM unnest($1::date[]) d", days)
    assert [row["d"] for row in found if row["open"] != calendar.is_business_day(row["d"])] == []
    feasts = [day for day in days if day.year < 2032 and day in calendar.holidays(day.year)]
    found = await owner.fetch("SELECT d, next_business_day(d) AS next FROM unnest($1::date[]) d", feasts)
    assert [row["d"] for row in found if row["next"] != calendar.next_business_day(row["d"])] == []


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
