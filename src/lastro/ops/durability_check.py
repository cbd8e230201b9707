"""Checks that the database keeps commits, and logs no personal data.

In production lastro does not start on a database that may lose a commit. It only warns of a server log that may hold
people's data, since that loses nobody's money.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from lastro.core.declined import StartRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from asyncpg import Record

    from lastro.core.db import Database

_READ = """
SELECT current_user::text AS role, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes, current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('synchronous_standby_names') AS synchronous_standby_names
"""
# The possible loss, and the cure. synchronous_commit differs by role and database, the others are the server's.
_OFF = {
    "fsync": "fsync is off: a power failure may lose or damage everything. Set fsync = on in postgresql.conf and restart.",
    "full_page_writes": "full_page_writes is off: a power failure may damage pages that were being written. "
    "Set full_page_writes = on in postgresql.conf and reload.",
    "synchronous_commit": "synchronous_commit is off for {role}: a crash loses payments that were answered already. "
    "Set it to on, where it was turned off: ALTER ROLE, ALTER DATABASE or postgresql.conf.",
}
# A named standby must have all acknowledged commits before it takes over.
_ONLY_HERE = (
    "synchronous_commit is {synchronous_commit} for {role} though synchronous_standby_names is set: a standby that "
    "takes over may lack payments that were answered already. Set synchronous_commit to on."
)
_WAITS_FOR_NO_DISK = ("local", "remote_write")
_READ_LOG = """
SELECT current_setting('log_error_verbosity') AS log_error_verbosity,
       current_setting('log_min_error_statement') AS log_min_error_statement,
       current_setting('log_parameter_max_length') AS log_parameter_max_length,
       current_setting('log_statement') AS log_statement,
       current_setting('log_min_duration_statement') AS log_min_duration_statement
"""
# The detail of an error is the row that a constraint refused, and a statement that failed may have been typed by hand.
_QUIET = {"log_error_verbosity": "terse", "log_min_error_statement": "panic"}
_PARAMETERS = "log_parameter_max_length"  # of what is sent beside a statement, wherever statements are logged
_log = structlog.get_logger(__name__)


async def demand_durable(*databases: Database) -> None:
    """Demands databases that keep commits.

    StartRefused: a line for each problem. databases: one a role; roles may differ.
    """
    found: dict[str, None] = {}
    for database in databases:
        found |= dict.fromkeys(await losses(database))
    if found:
        raise StartRefused("\n".join(found))


def undurable(settings: Mapping[str, str]) -> list[str]:
    """Returns the durability problems of a session. settings: role, and those that _READ asks for, as they are shown."""
    found = [sentence.format(role=settings["role"]) for name, sentence in _OFF.items() if settings[name] == "off"]
    if settings["synchronous_standby_names"] and settings["synchronous_commit"] in _WAITS_FOR_NO_DISK:
        found.append(_ONLY_HERE.format(**settings))
    return found


async def warn_of_its_log(database: Database) -> None:
    """Says in our log what lets names and documents into the server's. database: as lastro_app."""
    if told := await leaks(database):
        _log.warning("database.log_tells", reason=", ".join(told))


async def losses(database: Database) -> list[str]:
    """Returns the durability problems of each server, as this role has them; a sentence and its cure each."""
    rows = await _of_each_server(database, _READ)
    return list(dict.fromkeys(line for row in rows for line in undurable(dict(row))))


async def leaks(database: Database) -> list[str]:
    """Returns the settings that let row values into a server's log."""
    rows = await _of_each_server(database, _READ_LOG)
    return list(dict.fromkeys(line for row in rows for line in talkative(dict(row))))


async def _of_each_server(database: Database, sql: str) -> list[Record]:
    """Reads settings of each server, with or without companies."""
    async with database.session() as session:
        here = await session.fetch(sql)
    return [*here, *await database.everywhere(sql)]


def talkative(settings: Mapping[str, str]) -> list[str]:
    """Returns the settings that let row values into the server's log. settings: those of _READ_LOG, as shown."""
    wrong = [name for name, quiet in _QUIET.items() if settings[name] != quiet]
    logs_statements = settings["log_statement"] in ("mod", "all") or settings["log_min_duration_statement"] != "-1"
    if logs_statements and settings[_PARAMETERS] != "0":
        wrong.append(_PARAMETERS)
    return [f"{name} is {settings[name]}" for name in wrong]
