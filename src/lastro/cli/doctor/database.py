"""Checks the database: its logins and rights, its schema, its clock, what it keeps, and who works with it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import asyncpg

from lastro.cli.doctor.model import failed, passed
from lastro.cli.doctor.rights import AGAIN, RIGHTS
from lastro.config.settings import PRODUCTION
from lastro.core.declined import StartRefused
from lastro.core.errors import DatabaseAway, LoginRefused
from lastro.core.notify import OF_A_WORKER
from lastro.observability.health import migrations
from lastro.ops import durability_check, key_proofs, rollback_check
from lastro.ops.keys_file import key_ring_of
from lastro.ops.start_checks import demand_ours

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from lastro.cli.doctor.model import Finding
    from lastro.config.settings import Settings
    from lastro.core.db import Database

_SECONDS = 5.0  # of one question
_MOST_APART = 2.0  # seconds between two clocks
_QUIET_SECONDS = 3 * rollback_check.EVERY_SECONDS
_APPLIED = "SELECT name FROM migrations"
_CLOCK = "SELECT extract(epoch FROM machine_now())::float8 AS at, current_setting('server_version') AS version"
_BEAT = "SELECT extract(epoch FROM machine_now() - at)::float8 FROM beats WHERE server IS NOT NULL"
# Sessions of another login show nobody their name: with one login for all roles nothing is known.
_WORKERS = """
SELECT count(*) FILTER (WHERE application_name = $1) AS named,
       count(*) FILTER (WHERE pid = pg_backend_pid() AND application_name IS NOT NULL) > 0 AS is_seen
  FROM pg_stat_activity WHERE datname = current_database()
"""
_MIGRATE = "lastro migrate, as the login that migrates"


async def of_logins(settings: Settings, databases: dict[str, Database]) -> AsyncIterator[Finding]:
    """Yields a finding for each role: whether it is let in, and may do no more than it needs."""
    away: dict[str, list[str]] = {}  # one server that is away is one fault
    for role, database in databases.items():
        try:
            async with asyncio.timeout(_SECONDS):
                yield await _login(settings, role, database)
        except LoginRefused as refused:
            yield failed("login", f"{role}: {refused}", f"ALTER ROLE {role} PASSWORD '…', and the same in PGPASSFILE")
        except (DatabaseAway, TimeoutError, asyncpg.PostgresError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            away.setdefault(said, []).append(role)
    for said, roles in away.items():
        do = "does" if len(roles) == 1 else "do"
        told = f"{', '.join(roles)} {do} not reach the database: {said}"
        yield failed("login", told, "start PostgreSQL, or mend LASTRO_DATABASE_URL")


async def _login(settings: Settings, role: str, database: Database) -> Finding:
    async with database.session() as session:
        here = await session.value("SELECT current_user::text")
    if here != role:
        return failed(
            "login", f"the address of {role} lets in as {here}", f"name {role} in that address, or no login at all"
        )
    try:
        await database.refuse_superuser(login_too=settings.mode == PRODUCTION)
    except PermissionError:
        return failed("login", f"{role} passes by row-level security", f"ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS")
    above = await database.login_above() if settings.mode == PRODUCTION and settings.database_login == "role" else None
    if above is not None:
        return failed("login", f"{above} can become lastro_owner", f"let {role} log in itself: LASTRO_DATABASE_LOGIN=role")
    return passed("login", f"{role} is let in, and may do no more than it needs")


async def of_schema(settings: Settings, app: Database) -> AsyncIterator[Finding]:
    """Yields whether schema and rights are this version's. Mode and institution must be ours."""
    try:
        await demand_ours(app, settings)
    except StartRefused as refused:
        yield failed(
            "schema", str(refused), _MIGRATE if "migrate" in str(refused) else "mend LASTRO_DATABASE_URL or the settings"
        )
        return
    async with app.session() as session:
        applied = {row["name"] for row in await session.fetch(_APPLIED)}
        wrong = [row["says"] for row in await session.fetch(RIGHTS)]
    known = set(migrations())
    if behind := sorted(known - applied):
        yield failed("schema", f"it lacks {', '.join(behind)}", _MIGRATE)
    elif ahead := sorted(applied - known):
        yield failed("schema", f"it has {', '.join(ahead)} of a newer version", "install that version on this machine, too")
    else:
        yield passed("schema", f"{len(applied)} migrations, mode {settings.mode}")
    for says in wrong:
        yield failed("rights", says, AGAIN)
    if not wrong:
        yield passed("rights", "each role has what the schema gives it")


async def of_server(settings: Settings, app: Database, work: Database, clock: Callable[[], float]) -> AsyncIterator[Finding]:
    """Yields whether the server is fit: it keeps commits and secrets, has our time, takes writes. clock: of this machine."""
    if settings.mode == PRODUCTION:
        kept = [line for one in (app, work) for line in await durability_check.losses(one)]
        for line in dict.fromkeys(kept):
            says, _, cure = line.partition(". ")
            yield failed("durable", says, cure.rstrip("."))
        if not kept:
            yield passed("durable", "the server keeps what it commits")
        for told in await durability_check.leaks(app):
            yield failed("server log", f"{told}: it may name people", "docs/operations.md#database says what to set")
    async with app.session() as session:
        await session.value("SELECT 1")  # opens the connection, which is no part of the time
        before = clock()
        row = await session.row(_CLOCK)
        apart = abs(row["at"] - (before + clock()) / 2) if row is not None else 0.0
        is_writable = await session.value("SELECT can_write()")
    if apart > _MOST_APART:
        yield failed(
            "clock", f"the database's is {apart:.1f} s from this machine's", "keep both by NTP: timedatectl set-ntp true"
        )
    else:
        yield passed("clock", f"the database's and this machine's agree, {datetime.fromtimestamp(before, UTC):%H:%M:%S} UTC")
    if not is_writable:
        yield failed(
            "writes", "the server takes none", "name the primary in LASTRO_DATABASE_URL; see that its disk has room"
        )


async def of_keys(settings: Settings, app: Database) -> AsyncIterator[Finding]:
    """Yields the keys whose bytes are another database's."""
    try:
        wrong = await key_proofs.disproved(app, key_ring_of(settings))
    except StartRefused:
        return  # the files have it
    if wrong:
        yield failed(
            "keys", key_proofs.refusal(wrong, settings.keys_file).partition(":")[0], "put its own keys file in place"
        )
    else:
        yield passed("keys", "they are those that sealed this database")


async def of_work(app: Database) -> AsyncIterator[Finding]:
    """Yields whether a process writes heartbeats, and whether a worker listens."""
    async with app.session() as session:
        age = await session.value(_BEAT)
        workers = await session.row(_WORKERS, OF_A_WORKER)
    start = "systemctl start lastro-api lastro-worker"
    if age is None or age > _QUIET_SECONDS:
        since = "since this era began" if age is None else f"for {age:.0f} s"
        yield failed("processes", f"none of lastro's has written a heartbeat {since}", start)
    else:
        yield passed("processes", f"the last heartbeat is {age:.0f} s old")
    if workers is not None and workers["is_seen"]:
        if workers["named"]:
            yield passed("worker", f"{workers['named']} at work")
        else:
            yield failed(
                "worker", "none works: nothing is sent, nothing that came is booked", start.replace(" lastro-api", "")
            )
