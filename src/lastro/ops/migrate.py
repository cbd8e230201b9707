"""Brings a database to the schema of this version: roles first, then every migration that is not applied yet."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import asyncpg

from lastro.core.schema_files import schema_folder
from lastro.core.servers import Servers
from lastro.ops.distribute.spreading import spread_new
from lastro.terminal.progress import silent

if TYPE_CHECKING:
    from pathlib import Path

    from lastro.terminal.progress import Tell

ROLES = ("lastro_owner", "lastro_app", "lastro_work", "lastro_audit")
_LOCK = 7_202_611  # any number: the advisory lock that keeps two migrations of one database apart
_LOOK_SECONDS = 0.1  # the pause between two checks that the other one has ended
_OUTSIDE = "-- Outside a transaction"  # first line of a migration whose statements each stand alone
_INDEX = re.compile(
    r"(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS) (?P<name>[a-z_]+)\b"
)
# A comment, a text or a name in quotes, a function's body, the end of a statement, or what lies between.
_PIECE = re.compile(r"""--[^\n]*|'[^']*'|"[^"]*"|(\$\w*\$).*?\1|;|[^-'"$;]+|.""", re.DOTALL)
_APPLIED = "INSERT INTO migrations VALUES ($1, $2, machine_now())"
_BUSY = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)


@dataclass(frozen=True, slots=True)
class Patience:
    """The lock time-outs and retries of a migration.

    A migration takes its tables while others use them, and statements behind its waiting lock wait too: so each try waits a
    moment only, gives up everything that it has, and lets the others go on before the next. lock_ms: of one try, longer than
    the server's deadlock_timeout (1 s), after which it ends an autovacuum that is in the way. pause_seconds: between two
    tries.
    """

    lock_ms: int = 1500
    tries: int = 120
    pause_seconds: float = 1.0


PATIENCE = Patience()


async def migrate(
    dsn: str, *, mode: str = "sandbox", moves: list[tuple[str, str, str, str]] | None = None, patience: Patience = PATIENCE,
    folder: Path | None = None, progress: Tell = silent, ispb: str | None = None,
) -> list[str]:  # fmt: skip
    """Applies what is missing and returns the names applied.

    dsn: a role that may create roles and objects in this database. mode: 'production' or 'sandbox', written once; a
    database of the other mode is refused. moves: the transition tables of the code, kept in allowed_moves for the laws.
    folder: where the migrations stand, without it those of this version. progress: told of each before it is applied.
    ispb: the institution whose books these are, written once; a database of another one is refused. None: it stays open.
    SystemExit: a migration was changed, the database is of before the baseline, or a table could not be had; the
    migrations before are applied.
    """
    connection = await Servers(dsn).connect()
    try:
        # A session that waits inside the server keeps its snapshot, which the other's CREATE INDEX CONCURRENTLY waits for.
        while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):  # noqa: ASYNC110 nobody tells us
            await asyncio.sleep(_LOOK_SECONDS)
        await _demand_mode(connection, mode)
        await _demand_ispb(connection, ispb)
        await _create_roles(connection)
        applied = await _apply(connection, _files(folder or schema_folder() / "migrations"), patience, progress)
        await _set_mode(connection, mode, ispb)
        await _set_moves(connection, _all_moves() if moves is None else moves)
        return applied
    finally:
        await connection.close()


async def _create_roles(connection: asyncpg.Connection) -> None:
    # Roles belong to the server, not to the database: another migration beside this one may make them first.
    present = {r["rolname"] for r in await connection.fetch("SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)", ROLES)}
    for role in ROLES:
        if role not in present:
            try:
                await connection.execute(f"CREATE ROLE {role} LOGIN")
            except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
                continue
    # The login that migrates must be able to act as each role; a superuser always is.
    if not await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user"):
        for role in ROLES:
            if not await connection.fetchval("SELECT pg_has_role(current_user, $1, 'MEMBER')", role):
                await connection.execute(f"GRANT {role} TO CURRENT_USER")


def _files(folder: Path) -> list[Path]:
    """Its migrations, in the order in which they are applied."""
    return sorted(folder.glob("*.sql"))


async def _apply(connection: asyncpg.Connection, files: list[Path], patience: Patience, progress: Tell) -> list[str]:
    async with connection.transaction():
        await _hand_schema_to_owner(connection)
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations ("
            "name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL)"
        )
        done = {r["name"]: r["sha256"] for r in await connection.fetch("SELECT name, sha256 FROM migrations")}
    if done and files[0].name not in done:
        raise SystemExit(
            f"This database was made before {files[0].name}, by a version that was never released: start afresh."
        )
    applied = []
    for number, file in enumerate(files, 1):
        progress(number, len(files), file.name)
        sql = file.read_text(encoding="utf-8")
        digest = sha256(sql.encode()).hexdigest()
        if file.name in done:
            if done[file.name] != digest:
                raise SystemExit(
                    f"The migration {file.name} is not the one that was applied to this database: start afresh."
                )
            continue
        if sql.startswith(_OUTSIDE):
            await _alone(connection, file.name, sql, digest)
        else:
            await _together(connection, file.name, sql, digest, patience)
        applied.append(file.name)
    return applied


async def _together(connection: asyncpg.Connection, name: str, sql: str, digest: str, patience: Patience) -> None:
    """Applies a migration in one transaction. It retries while another session has a table that it needs."""
    for n in range(patience.tries):
        try:
            async with connection.transaction():
                await connection.execute("SET LOCAL ROLE lastro_owner")
                await connection.execute(f"SET LOCAL lock_timeout = {patience.lock_ms:d}")
                for statement in statements(sql):  # the engine refuses some that stand in one text with others
                    await connection.execute(statement)
                await spread_new(connection)
                await connection.execute(_APPLIED, name, digest)
        except _BUSY:
            if n + 1 < patience.tries:
                await asyncio.sleep(patience.pause_seconds)
        else:
            return
    raise SystemExit(
        f"The migration {name} could not have its tables in {patience.tries} tries: somebody holds them. Nothing of it is"
        " applied. Look for long transactions in pg_stat_activity, and run lastro migrate again."
    )


async def _alone(connection: asyncpg.Connection, name: str, sql: str, digest: str) -> None:
    """Indexes that are made or dropped while everybody goes on writing. Cut off anywhere, it may be begun anew."""
    await connection.execute("SET ROLE lastro_owner")
    try:
        for statement in statements(sql):
            found = _INDEX.match(statement)
            if found is None:
                raise SystemExit(f"The migration {name} may make and drop indexes alone: {statement.splitlines()[0]}")
            # A run that was cut off left an index behind that is kept up and never used.
            if await connection.fetchval(
                "SELECT NOT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", found["name"]
            ):
                await connection.execute(f"DROP INDEX CONCURRENTLY {found['name']}")
            await connection.execute(statement)
        await connection.execute(_APPLIED, name, digest)
    finally:
        await connection.execute("RESET ROLE")


def statements(sql: str) -> list[str]:
    """Returns the statements of a migration: without comments between words, each without its semicolon."""
    found = [""]
    for piece in _PIECE.finditer(sql):
        if piece[0] == ";":
            found.append("")
        elif not piece[0].startswith("--"):
            found[-1] += piece[0]
    return [one.strip() for one in found if one.strip()]


async def _hand_schema_to_owner(connection: asyncpg.Connection) -> None:
    owner = await connection.fetchval("SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'public'")
    if owner != "lastro_owner":
        await connection.execute("GRANT CREATE, USAGE ON SCHEMA public TO lastro_owner")
        await connection.execute("ALTER SCHEMA public OWNER TO lastro_owner")
        await connection.execute("GRANT CREATE, USAGE ON SCHEMA public TO CURRENT_USER")


async def _demand_mode(connection: asyncpg.Connection, mode: str) -> None:
    """Demands that a database is of this mode."""
    if await connection.fetchval("SELECT to_regclass('public.clock')") is None:
        return
    present = await connection.fetchval("SELECT mode FROM clock")
    if present not in (None, mode):
        raise SystemExit(f"This database is for {present}; lastro was started for {mode}. Point it at another database.")


async def _demand_ispb(connection: asyncpg.Connection, ispb: str | None) -> None:
    """Demands that a database is of this institution."""
    is_there = await connection.fetchval(
        "SELECT true FROM pg_attribute WHERE attrelid = to_regclass('public.clock') AND attname = 'ispb'"
    )
    present = await connection.fetchval("SELECT ispb FROM clock") if is_there else None
    if present is not None and ispb is not None and present != ispb:
        raise SystemExit(other_institution(present, ispb))


def other_institution(present: str, given: str) -> str:
    """Returns the sentence for a database of another institution."""
    return (
        f"This database keeps the books of the institution {present} and LASTRO_ISPB says {given}: what networks know under"
        " the one must not be told under the other."
    )


async def _set_mode(connection: asyncpg.Connection, mode: str, ispb: str | None) -> None:
    async with connection.transaction():
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute("INSERT INTO clock (mode) VALUES ($1) ON CONFLICT DO NOTHING", mode)
        if ispb is not None:
            await connection.execute("UPDATE clock SET ispb = $1 WHERE ispb IS NULL", ispb)


async def _set_moves(connection: asyncpg.Connection, moves: list[tuple[str, str, str, str]]) -> None:
    async with connection.transaction():
        await connection.execute("SET LOCAL ROLE lastro_owner")
        await connection.execute("DELETE FROM allowed_moves")  # a move that the code has dropped is no longer lawful
        await connection.executemany(
            "INSERT INTO allowed_moves (machine, from_state, trigger, to_state) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT DO NOTHING",
            moves,
        )


def _all_moves() -> list[tuple[str, str, str, str]]:
    from lastro.ops.machines import MACHINES  # noqa: PLC0415 the schema can be applied before any room is imported

    return [move for machine in MACHINES for move in machine.rows()]
