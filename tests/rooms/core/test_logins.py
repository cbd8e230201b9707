"""Logins that serve: none of them can become the owner of the books; one that is not let in ends the start."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest
from structlog.testing import capture_logs

from lastro.config.settings import Settings, read
from lastro.core.db import Database, Dsn
from lastro.core.declined import StartRefused
from lastro.core.errors import LoginRefused
from lastro.core.servers import refusal, with_login
from lastro.ops.migrate import migrate
from lastro.ops.start_checks import admit


@asynccontextmanager
async def login_of(database: Any, *grants: str) -> AsyncIterator[str]:
    """The address of a login that is a member of these roles, which is gone afterwards."""
    admin, name = await database.connect(), f"login_{os.urandom(6).hex()}"
    await admin.execute(f"CREATE ROLE {name} LOGIN")
    for role in grants:
        await admin.execute(f"GRANT {role} TO {name}")
    try:
        yield with_login(database.admin.url, name)
    finally:
        await admin.execute(f"DROP ROLE {name}")
        await admin.close()


async def start(settings: Settings, app: Dsn, work: Dsn) -> None:
    databases = Database(app), Database(work)
    try:
        await asyncio.wait_for(admit(*databases, settings, None, asyncio.Event()), 20)
    finally:
        for one in databases:
            await one.close()


@pytest.fixture
async def production(empty_database: Any) -> Settings:
    if empty_database.is_external:
        pytest.skip("its logins are not ours to make")
    await migrate(empty_database.admin.url, mode="production")
    return replace(read({}), mode="production", database_login="role")


async def test_a_login_that_can_become_the_owner_serves_nobody(production: Settings, empty_database: Any) -> None:
    async with login_of(empty_database, "lastro_owner", "lastro_app", "lastro_work") as url:
        taken_on = Dsn(url, "lastro_app"), Dsn(url, "lastro_work")
        with pytest.raises(StartRefused, match=r"can become lastro_owner.*LASTRO_DATABASE_LOGIN=switch"):
            await start(production, *taken_on)
        # Who says so goes without that border, and is told at each start; this server is refused for another reason.
        with capture_logs() as lines, pytest.raises(StartRefused, match="fsync is off"):
            await start(replace(production, database_login="switch"), *taken_on)
    assert [line["log_level"] for line in lines if line["event"] == "database.login_mighty"] == ["warning"]


async def test_a_login_that_may_make_roles_serves_nobody(production: Settings, empty_database: Any) -> None:
    async with login_of(empty_database, "lastro_app") as url:
        admin = await empty_database.connect()
        await admin.execute(f"ALTER ROLE {url.partition('//')[2].partition('@')[0]} CREATEROLE")
        await admin.close()
        with pytest.raises(StartRefused, match="can become lastro_owner"):
            await start(production, Dsn(url, "lastro_app"), empty_database.work)


@pytest.mark.parametrize("role", ["app", "work", "audit"])
async def test_a_session_that_serves_cannot_become_the_owner(own_database: Any, role: str) -> None:
    if own_database.is_external:
        pytest.skip("its one login takes the roles on")
    connection = await own_database.connect(getattr(own_database, role))
    try:
        for become in ("SET ROLE lastro_owner", "SET SESSION AUTHORIZATION lastro_owner", "SET ROLE postgres"):
            with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError)):
                await connection.execute(become)
        await connection.execute("RESET ROLE")
        assert await connection.fetchval("SELECT current_user") == f"lastro_{role}"
    finally:
        await connection.close()


async def test_another_institutions_books_are_left_alone(empty_database: Any) -> None:
    await migrate(empty_database.admin.url, ispb="12345678")
    ours = replace(read({}), ispb="12345678")
    await start(ours, empty_database.app, empty_database.work)
    told = "keeps the books of the institution 12345678 and LASTRO_ISPB says 87654321"
    with pytest.raises(StartRefused, match=told):
        await start(replace(ours, ispb="87654321"), empty_database.app, empty_database.work)
    with pytest.raises(SystemExit, match=told):
        await migrate(empty_database.admin.url, ispb="87654321")


async def test_a_login_or_database_that_is_not_there_ends_the_start(own_database: Any) -> None:
    nobody = Dsn(with_login(own_database.admin.url, "nobody-known"))
    with pytest.raises(StartRefused, match=r"does not let this login in: .*nobody-known"):
        await start(read({}), nobody, nobody)
    elsewhere = Dsn(own_database.app.url.replace(quote(own_database.name), "not-there"), own_database.app.role)
    with pytest.raises(StartRefused, match='does not let this login in: database "not-there" does not exist'):
        await start(read({}), elsewhere, elsewhere)


async def test_an_address_that_the_driver_cannot_use_is_told_without_it(own_database: Any) -> None:
    wrong = Dsn(f"{own_database.app.url}{'&' if '?' in own_database.app.url else '?'}sslmode=hush")
    database = Database(wrong)
    with pytest.raises(LoginRefused) as refused:
        await database.lend(None)
    assert "hush" not in str(refused.value)
    assert refused.value.__suppress_context__
    with pytest.raises(StartRefused, match="has a part that cannot be used"):
        await start(read({}), wrong, wrong)


def test_a_wrong_password_is_no_outage() -> None:
    said = refusal(asyncpg.InvalidPasswordError('password authentication failed for user "lastro_app"'))
    assert said == 'The database does not let this login in: password authentication failed for user "lastro_app"'
    assert refusal(ConnectionRefusedError("no")) is None
    assert refusal(asyncpg.CannotConnectNowError("the database system is starting up")) is None
