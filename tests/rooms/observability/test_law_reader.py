"""The laws are read one after the other, by one worker at a time, and what was found is there to be watched."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.cast import Cast, Seller
from tests.laws import laws

from lastro.core.db import Database
from lastro.core.errors import DatabaseAway
from lastro.observability.gauges import Watch
from lastro.observability.metrics import Metrics
from lastro.worker.laws import LawReader

ALWAYS = (0, 24)
ONE = "law_the_chart_is_whole"
ALL_BUT_ONE = (
    f"INSERT INTO law_checks SELECT relname, now() FROM pg_class WHERE relname LIKE 'law\\_%' AND relname <> '{ONE}'",
)
READING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FROM law_a_long_one%' AND pid <> pg_backend_pid()"
LOCK = "SELECT pg_advisory_lock(hashtext('lastro'), hashtext('laws'))"


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app, size=2)
    yield made
    await made.close()


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


def reader(own_database: Any, cast: Cast, hours: tuple[int, int] = ALWAYS) -> LawReader:
    return LawReader(own_database.audit, cast.database, hours, asyncio.Event())


async def read(cast: Cast) -> dict[str, int | None]:
    async with cast.database.session() as session:
        return {r["law"]: r["breaches"] for r in await session.fetch("SELECT law, breaches FROM law_checks")}


async def changed(own_database: Any, *statements: str) -> None:
    owner = await own_database.connect(own_database.admin)
    for statement in statements:
        await owner.execute(statement)
    await owner.close()


async def on_each_server(own_database: Any, *statements: str) -> None:
    for owner in await own_database.connect_everywhere():
        if own_database.others:
            await owner.execute("SET citus.enable_ddl_propagation = off")
        for statement in statements:
            await owner.execute(statement)
        await owner.close()


async def test_all_are_read_once_and_a_breach_is_seen(own_database: Any, cast: Cast, ana: Seller) -> None:
    broken = "law_books_are_for_nobody"
    await on_each_server(
        own_database,
        f"CREATE VIEW {broken} WITH (security_invoker = true) AS SELECT company_id FROM company_numbers",
        f"GRANT SELECT ON {broken} TO lastro_app, lastro_audit",
        "CREATE VIEW law_nobody_may_read WITH (security_invoker = true) AS SELECT 1 AS company_id",
    )
    shards = len(await cast.database.everywhere("SELECT 1"))  # each has the numbers of all companies
    reads = reader(own_database, cast)
    assert await reads.round()
    found = await read(cast)
    audit = await own_database.connect(own_database.audit)
    assert set(found) == {name for name in await laws(audit.fetch) if not name.endswith("_at_rest")}
    await audit.close()
    assert {law: count for law, count in found.items() if count != 0} == {broken: shards, "law_nobody_may_read": None}
    assert await reads.round() is False, "none is due again before the next night"
    work = Database(own_database.work, size=1)
    metrics = Metrics()
    metrics.watch = Watch(work)
    text = (await metrics.text()).decode()
    await work.close()
    assert f'lastro_law_breaches{{law="books_are_for_nobody"}} {shards}.0' in text
    assert 'lastro_law_breaches{law="the_chart_is_whole"} 0.0' in text
    assert 'lastro_law_checked_at_seconds{law="the_chart_is_whole"} 1.' in text
    assert "nobody_may_read" not in text, "what was never read says nothing"


async def test_each_is_due_again_the_next_night(own_database: Any, cast: Cast) -> None:
    reads = reader(own_database, cast)
    assert await reads.round()
    await changed(own_database, "UPDATE law_checks SET tried_at = tried_at - interval '19 hours', breaches = 7")
    await changed(own_database, f"UPDATE law_checks SET tried_at = tried_at - interval '1 hour' WHERE law = '{ONE}'")
    assert await reads.round()
    assert {law for law, breaches in (await read(cast)).items() if breaches == 0} == {ONE}


async def test_what_cannot_be_read_any_more_says_what_it_said(own_database: Any, cast: Cast) -> None:
    await changed(own_database, *ALL_BUT_ONE)
    await on_each_server(
        own_database,
        "DO $$ DECLARE law regclass; BEGIN"
        f" FOR law IN SELECT oid FROM pg_class WHERE relname = '{ONE}' LOOP"
        " EXECUTE format('REVOKE SELECT ON %s FROM lastro_audit', law); END LOOP; END $$",
    )
    await changed(own_database, f"INSERT INTO law_checks VALUES ('{ONE}', now() - interval '1 day', '2026-01-01Z', 3)")
    assert await reader(own_database, cast).round()
    async with cast.database.session() as session:
        row = await session.row(
            "SELECT breaches, checked_at, tried_at > now() - interval '1 hour' AS is_tried FROM law_checks WHERE law = $1",
            ONE,
        )
    assert row is not None
    assert (row["breaches"], row["checked_at"].year, row["is_tried"]) == (3, 2026, True)
    assert row["checked_at"].month == 1


async def test_one_reads_at_a_time(own_database: Any, cast: Cast) -> None:
    other = await own_database.connect(own_database.audit)
    await other.execute(LOCK)
    await changed(own_database, *ALL_BUT_ONE)
    reads = reader(own_database, cast)
    assert await reads.round() is False
    assert ONE not in await read(cast)
    await other.close()
    while not await reads.round():  # a moment passes before the server has let it go
        await asyncio.sleep(0.01)


async def test_only_at_its_hours(own_database: Any, cast: Cast) -> None:
    async with cast.database.session() as session:
        hour = await session.value("SELECT extract(hour FROM machine_now() AT TIME ZONE 'America/Sao_Paulo')::integer")
    assert await reader(own_database, cast, ((hour + 2) % 24, (hour + 2) % 24 + 1)).round() is False
    assert await read(cast) == {}


async def test_who_stops_leaves_the_law_that_is_being_read(own_database: Any, cast: Cast) -> None:
    await on_each_server(
        own_database,
        "CREATE VIEW law_a_long_one WITH (security_invoker = true) AS SELECT 1 AS company_id FROM pg_sleep(60)",
        "GRANT SELECT ON law_a_long_one TO lastro_app, lastro_audit",
    )
    await changed(
        own_database,
        "INSERT INTO law_checks SELECT relname, now() FROM pg_class WHERE relname LIKE 'law\\_%' AND relname <> 'law_a_long_one'",
    )
    stop = asyncio.Event()
    reads = LawReader(own_database.audit, cast.database, ALWAYS, stop)
    reading = asyncio.ensure_future(reads.round())
    watchers = await own_database.connect_everywhere()
    watcher = watchers[0]
    while not any([await one.fetchval(READING) for one in watchers]):
        await asyncio.sleep(0.01)
    stop.set()
    assert await asyncio.wait_for(reading, 10) is False
    assert (await read(cast)).get("law_a_long_one") is None
    due = "SELECT tried_at < machine_now() - interval '20 hours' FROM law_checks WHERE law = 'law_a_long_one'"
    assert await watcher.fetchval(due) is not False, "the next worker reads it the same night"
    for one in watchers:
        await one.close()


@pytest.mark.parametrize(
    "ending",
    [
        "BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END",  # the disk is full
        "BEGIN RAISE EXCEPTION 'shut down' USING ERRCODE = '57P01'; END",  # the session is ended
    ],
)
async def test_a_law_that_exhausts_the_server_keeps_no_other_from_its_turn(
    own_database: Any, cast: Cast, ending: str
) -> None:
    await changed(own_database, *ALL_BUT_ONE)
    await on_each_server(
        own_database,
        f"CREATE FUNCTION exhausts() RETURNS boolean LANGUAGE plpgsql AS $$ {ending} $$",
        "CREATE VIEW law_a_hungry_one WITH (security_invoker = true) AS SELECT 1 AS company_id WHERE exhausts()",
        "GRANT SELECT ON law_a_hungry_one TO lastro_app, lastro_audit",
    )
    reads = reader(own_database, cast)
    with capture_logs() as lines, pytest.raises(DatabaseAway):
        await reads.round()
    assert [(line["event"], line["kind"], line["cause"]) for line in lines] == [
        ("law.unread", "law_a_hungry_one", "DatabaseAway")
    ]
    while not await reads.round():  # a moment passes before the server has let the lock go
        await asyncio.sleep(0.01)
    found = await read(cast)
    assert (found["law_a_hungry_one"], found[ONE]) == (None, 0)
