"""Connections: how many there are, whose company they are set to, and which logins are refused."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import born_order, move_of

from lastro import webhooks
from lastro.core.commit import commit
from lastro.core.db import LONGEST_KEPT, MOST_KEPT, PLANNED_ONCE, Database, Dsn
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.write import Write
from lastro.orders import ORDERS
from lastro.worker.entry_posting import Entering
from lastro.worker.upkeep import Upkeep

_COMPANY = "SELECT current_setting('lastro.company', true)"


async def test_no_session_is_lent_to_a_company_it_is_not_set_to(database: Any) -> None:
    """Whatever befell it before: an error, a cancelled statement, a killed server process."""
    pool, random = Database(database.app, size=3), Random(7)
    companies = [UUID(int=n) for n in range(1, 6)]
    wrong: list[str] = []

    async def once(company: UUID, fate: str) -> None:
        async with pool.session(company) as session:
            found = await session.value(_COMPANY)
            if found != str(company):
                wrong.append(found)
            if fate == "error":
                await session.fetch(
                    "SELECT set_config('lastro.company', $1, false), 1 / (length($1) - 36)", str(companies[0])
                )
            elif fate == "slow":
                await session.fetch("SELECT pg_sleep(10)")
            elif fate == "killed":
                await session.fetch("SELECT pg_terminate_backend(pg_backend_pid())")

    async def with_fate() -> None:
        fate = random.choice(["fine"] * 6 + ["error", "slow", "killed"])
        with suppress(asyncpg.PostgresError, DatabaseAway, TimeoutError):
            await asyncio.wait_for(once(random.choice(companies), fate), 0.05 if fate == "slow" else 10)

    await asyncio.gather(*(with_fate() for _ in range(200)))
    assert wrong == []
    await pool.close()


async def test_a_session_goes_from_one_company_to_another(database: Any) -> None:
    pool = Database(database.app, size=1)
    for number in (1, 2, 2, 1):
        async with pool.session(UUID(int=number)) as session:
            assert await session.value("SELECT tenant()") == UUID(int=number)
    await pool.close()


async def test_statements_are_planned_once_but_those_of_a_search(database: Any) -> None:
    """A company that no statistics know is then no reason to go through all its rows; the next statement's plan is itself again."""
    pool, company, plans = (
        Database(database.app, size=1, settings=PLANNED_ONCE),
        UUID(int=1),
        "SELECT current_setting('plan_cache_mode') AS mode",
    )
    async with pool.session(company) as session:
        modes = [(await ask(plans))[0]["mode"] for ask in (session.fetch, session.search, session.search, session.fetch)]
        assert modes == ["force_generic_plan", "force_custom_plan", "force_custom_plan", "force_generic_plan"]
        with pytest.raises(asyncpg.DivisionByZeroError):
            await session.search("SELECT 1 / $1::int", 0)
    async with pool.session(company) as session:
        assert await session.value(plans) == "force_generic_plan"
    await pool.close()


async def test_a_search_says_nothing_where_the_server_chooses_anyway(database: Any) -> None:
    pool = Database(database.app, size=1)
    async with pool.session() as session:
        await session.search("SELECT 1")
        await session.fetch("SELECT 1")
        [row] = await session.fetch(
            "SELECT current_setting('plan_cache_mode') AS mode, count(*) FROM pg_prepared_statements"
        )
        assert (row["mode"], row["count"]) == ("auto", 2)
    await pool.close()


async def test_what_sets_the_company_itself_takes_the_session_that_is_set_to_it(database: Any) -> None:
    """So it sets no other company's session anew; and it spends no statement on setting one."""
    pool, ids = Database(database.app, size=2), (UUID(int=n) for n in count(1)).__next__
    a = ids()
    b, c = await database.beside(a, ids), await database.beside(a, ids)
    async with pool.session(a), pool.session(b):
        pass
    for company, expected in ((a, a), (b, b), (a, a)):
        async with pool.session_for(company) as session:
            assert await session.value("SELECT tenant()") == expected
    async with pool.session_for(c) as session:
        assert await session.value("SELECT tenant()") in (a, b)
    await pool.close()


async def test_what_works_at_one_company_sets_it_and_says_so(cast: Cast, ana: Seller, database: Any) -> None:
    """Else the next one who is lent the session for the company it was set to before would work at this one."""
    narrow = Cast.of(database.app, size=1)
    pool, other = narrow.database, (await narrow.dora()).company_id
    upkeep, entering = Upkeep(pool, cast.database), Entering(pool, cast.database)
    for each in (upkeep, entering):
        each.seen("events", ana.company_id)
    for act in (partial(webhooks.number, pool, cast.database, [ana.company_id]), entering.active, upkeep.fold_active):
        async with pool.session(other):
            pass
        await act()
        async with pool.session_for(ana.company_id) as session:
            assert await session.value("SELECT tenant()") == ana.company_id
        async with pool.session(other) as session:
            assert await session.value("SELECT tenant()") == other
    await narrow.close()


async def test_another_company_takes_the_session_that_was_idle_longest(database: Any) -> None:
    """Whose company was lent last is wanted again soonest, and is to find its session as it was."""
    pool, ids = Database(database.app, size=2), (UUID(int=n) for n in count(1)).__next__
    a = ids()
    b, c = await database.beside(a, ids), await database.beside(a, ids)
    async with pool.session(a), pool.session(b):
        pass
    for company in (a, b):  # whatever their order was before
        async with pool.session_for(company):
            pass
    async with pool.session(c):
        pass
    async with pool.session_for(b) as session:
        assert await session.value("SELECT tenant()") == b
    async with pool.session():
        pass
    for company in (b, c):
        async with pool.session_for(company) as session:
            assert await session.value("SELECT tenant()") == company, "what is of no company takes nobody's away"
    await pool.close()


async def test_a_write_of_one_company_leaves_no_session_behind_that_is_another(
    cast: Cast, ana: Seller, database: Any
) -> None:
    narrow = Cast.of(database.app, size=1)
    dora = await narrow.dora()
    for seller in (dora, ana, dora):
        await narrow.credit(seller, 1)
        async with narrow.database.session(seller.company_id) as session:
            assert await session.value("SELECT tenant()") == seller.company_id
            assert {r["company_id"] for r in await session.fetch("SELECT company_id FROM transfers")} == {seller.company_id}
    await narrow.close()


async def test_a_move_sees_its_row_whosever_session_it_is_given(cast: Cast, ana: Seller, database: Any) -> None:
    narrow = Cast.of(database.app, size=1)
    dora, at = await narrow.dora(), datetime.now(UTC)
    orders = {seller.company_id: narrow.id() for seller in (ana, dora)}
    for seller in (ana, dora):
        await commit(narrow.database, Write(seller.company_id, rows=born_order(seller, orders[seller.company_id], at)))
    for seller in (ana, dora):
        move = move_of(ORDERS, orders[seller.company_id], "INITIAL", 1, "reserve", at)
        await commit(narrow.database, Write(seller.company_id, moves=(move,)))
    await narrow.close()


async def test_there_are_no_more_connections_than_allowed(database: Any) -> None:
    pool = Database(database.app, size=2, settings={"application_name": "bounded"})
    watch = await database.connect(database.admin)
    one_at_a_time, most = asyncio.Lock(), 0

    async def use() -> None:
        nonlocal most
        async with pool.session() as session:
            async with one_at_a_time:
                seen = await watch.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bounded'")
            await session.fetch("SELECT pg_sleep(0.01)")
            most = max(most, seen)

    await asyncio.gather(*(use() for _ in range(20)))
    assert most == 2
    await pool.close()
    await watch.close()


async def test_a_connection_that_died_idle_is_replaced(database: Any) -> None:
    pool = Database(database.app, size=1, settings={"application_name": "mortal"})
    async with pool.session() as session:
        await session.fetch("SELECT 1")
    killer = await database.connect(database.admin)
    assert await killer.fetchval(
        "SELECT bool_and(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'mortal'"
    )
    await killer.close()
    while session.is_usable:
        await asyncio.sleep(0.01)
    async with pool.session() as session:
        assert await session.value("SELECT 1") == 1
    await pool.close()


async def test_a_value_that_its_type_cannot_hold_is_a_mistake_and_no_outage(database: Any) -> None:
    pool = Database(database.app, size=1)
    async with pool.session(UUID(int=1)) as session:
        for value in ("seven", 2**70):
            with pytest.raises(asyncpg.DataError):
                await session.fetch("SELECT $1::bigint", value)
        assert await session.value("SELECT $1::bigint", 7) == 7
        assert await session.value("SELECT tenant()") == UUID(int=1)
    await pool.close()


async def test_a_database_that_is_not_there_is_away() -> None:
    pool = Database(Dsn("postgresql://lastro_app@127.0.0.1:1/nowhere"))
    with pytest.raises(DatabaseAway):
        async with pool.session():
            pass


@pytest.mark.parametrize(
    ("code", "error"), [("53100", DatabaseAway), ("53200", DatabaseAway), ("53000", DatabaseAway), ("40P01", Stale)]
)
async def test_a_server_that_cannot_just_now_is_asked_again(own_database: Any, code: str, error: type[Exception]) -> None:
    """A full disk, no memory, a deadlock: it refuses now, and takes the same later. The connection is as good as before."""
    admin = await own_database.connect()
    await admin.execute(
        "CREATE FUNCTION not_now() RETURNS int LANGUAGE plpgsql AS"
        f" $$BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END$$"
    )
    await admin.close()
    pool = Database(own_database.app, size=1)
    async with pool.session(UUID(int=1)) as session:
        with pytest.raises(error, match="not now"):
            await session.fetch("SELECT not_now()")
        assert (session.is_usable, session.company_id) == (True, None)
        assert await session.value("SELECT 7") == 7
    await pool.close()


async def test_a_login_over_which_row_security_has_no_power_is_refused(database: Any) -> None:
    app, admin = Database(database.app, size=1), Database(database.admin, size=1)
    await app.refuse_superuser()
    async with admin.session() as session:
        is_mighty = await session.value("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if is_mighty:
        with pytest.raises(PermissionError):
            await admin.refuse_superuser()
    await app.close()
    await admin.close()


async def test_a_schema_that_changes_costs_nobody_a_connection(database: Any) -> None:
    """Each connection has its statements prepared; whoever asks is answered by the schema of now, at once."""
    owner = await database.connect()
    pool = Database(database.app, size=1)
    try:
        await owner.execute("CREATE TABLE changing AS SELECT 1 AS a")
        await owner.execute("GRANT SELECT ON changing TO lastro_app")
        async with pool.session() as session:
            for number in range(1, 4):
                pid, found = await session.value("SELECT pg_backend_pid()"), await session.row("SELECT * FROM changing")
                assert found is not None
                assert len(found) == number
                await owner.execute(f"ALTER TABLE changing ADD COLUMN b{number} int")
            assert await session.value("SELECT pg_backend_pid()") == pid
            assert session.is_usable
    finally:
        await pool.close()
        await owner.execute("DROP TABLE IF EXISTS changing")
        await owner.close()


async def test_a_session_keeps_no_more_statements_than_it_may(database: Any) -> None:
    """What is asked again and again stays prepared; what is asked otherwise each time does not fill the server's memory."""
    pool, often, kept = (
        Database(database.app, size=1),
        "SELECT 'often'",
        "SELECT count(*), sum(length(statement)) FROM pg_prepared_statements",
    )
    async with pool.session() as session:
        for n in range(2 * MOST_KEPT // LONGEST_KEPT):
            await session.fetch(f"SELECT {n} /* {'x' * (LONGEST_KEPT - 20)} */")
            await session.fetch(f"SELECT {n} /* {'x' * LONGEST_KEPT} */")
            await session.fetch(often)
        count, characters = (await session.fetch(kept))[0]
        named = await session.value("SELECT name FROM pg_prepared_statements WHERE statement = $1", often)
    assert count > MOST_KEPT // LONGEST_KEPT / 2
    assert characters < MOST_KEPT + 3 * LONGEST_KEPT
    assert int(named.removeprefix("lastro_")) <= 4, "it was prepared once"
    await pool.close()
