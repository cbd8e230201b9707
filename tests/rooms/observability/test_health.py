"""Whether a process lives and whether it can serve: each reason why it cannot, and how soon it says so."""

import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.read_only import read_only

from lastro.api_kit.http import Response
from lastro.core.db import Database, Dsn
from lastro.observability.health import Health, migrations

NOWHERE = Dsn("postgresql://nobody@127.0.0.1:1/nothing")


@pytest.fixture
async def pool(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.app, size=1)
    yield made
    await made.close()


async def ready(health: Health) -> Response:
    return await health.ready({}, b"", {})  # type: ignore[typeddict-item]


def not_ready(answer: Response) -> bool:
    body = {"error": "INTERNAL_ERROR", "message": "Not available now, try again later", "details": []}
    assert (answer.status, answer.headers) == (503, ((b"retry-after", b"1"),))
    return bool(msgspec.json.decode(answer.body) == body)


async def test_who_can_serve_says_so(pool: Database) -> None:
    answer = await ready(Health(pool, "sandbox", lambda: True))
    assert (answer.status, answer.body) == (200, b'{"status":"ready"}')


async def test_a_database_of_the_other_mode_cannot_serve(pool: Database) -> None:
    health = Health(pool, "production", lambda: True)
    assert not_ready(await ready(health))
    assert await health.missing() == "a database for production"


async def test_who_has_no_keys_cannot_serve(pool: Database) -> None:
    assert not_ready(await ready(Health(pool, "sandbox", lambda: False)))


async def test_a_schema_that_is_behind_cannot_serve_and_one_ahead_can(pool: Database, own_database: Any) -> None:
    health, newest = Health(pool, "sandbox", lambda: True), migrations()[-1]
    admin = await own_database.connect()
    await admin.execute("SET ROLE lastro_owner")
    await admin.execute("INSERT INTO migrations VALUES ('9999_of_tomorrow.sql', 'x', machine_now())")
    assert (await ready(health)).status == 200
    await admin.execute("DELETE FROM migrations WHERE name = $1", newest)
    assert not_ready(await ready(health))
    assert await health.missing() == f"the migration {newest}"
    await admin.close()


async def test_without_a_database_it_lives_and_cannot_serve() -> None:
    health = Health(Database(NOWHERE), "sandbox", lambda: True)
    assert not_ready(await ready(health))
    answer = await health.live({}, b"", {})  # type: ignore[typeddict-item]
    assert (answer.status, answer.body) == (200, b'{"status":"alive"}')


async def test_a_database_that_is_busy_is_not_waited_for(pool: Database) -> None:
    health = Health(pool, "sandbox", lambda: True, patience_seconds=0.05)
    async with pool.session():
        begun = time.monotonic()
        assert not_ready(await ready(health))
        assert time.monotonic() - begun < 2
    assert (await ready(Health(pool, "sandbox", lambda: True))).status == 200


async def test_a_server_that_takes_no_writes_cannot_serve(own_database: Any) -> None:
    async with read_only(own_database):
        only_reads = Database(own_database.app, size=1)
        health = Health(only_reads, "sandbox", lambda: True)
        assert not_ready(await ready(health))
        await only_reads.close()


@pytest.mark.parametrize("code", ["53100", "58030"])
async def test_a_server_whose_writes_fail_cannot_serve_and_can_when_they_do_not(
    pool: Database, own_database: Any, code: str
) -> None:
    """A full disk, and one that is broken: reads go on."""
    health = Health(pool, "sandbox", lambda: True, tried_every_seconds=0)
    admin = await own_database.connect()
    await admin.execute("SET ROLE lastro_owner")
    await admin.execute("ALTER FUNCTION can_write RENAME TO could_write")
    await admin.execute(
        "CREATE FUNCTION can_write() RETURNS boolean LANGUAGE plpgsql AS"
        f" $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END$$"
    )
    assert not_ready(await ready(health))
    await admin.execute("DROP FUNCTION can_write()")
    await admin.execute("ALTER FUNCTION could_write RENAME TO can_write")
    await admin.close()
    assert (await ready(health)).status == 200


async def test_a_write_is_tried_no_more_often_however_often_it_is_asked(own_database: Any) -> None:
    """Anybody may ask /health: it must not make a server flush its log a thousand times a second."""
    admin = await own_database.connect()
    await admin.execute("SET ROLE lastro_owner")
    await admin.execute("CREATE SEQUENCE tried; ALTER FUNCTION can_write RENAME TO could_write")
    await admin.execute(
        "CREATE FUNCTION can_write() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS"
        " $$BEGIN PERFORM nextval('tried'); RETURN could_write(); END$$"
    )
    pool = Database(own_database.app, size=1)
    health = Health(pool, "sandbox", lambda: True, tried_every_seconds=3600)
    for _ in range(20):
        assert (await ready(health)).status == 200
    assert await admin.fetchrow("SELECT last_value, is_called FROM tried") == (1, True)
    await pool.close()
    await admin.close()
