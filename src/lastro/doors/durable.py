"""Whether the database keeps what it says is committed; in production lastro does not start on one that may forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.doors.declined import StartRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.base.db import Database

_READ = """
SELECT current_user::text AS role, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes, current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('synchronous_standby_names') AS synchronous_standby_names
"""
# What is lost, and what to do. synchronous_commit differs by role and database, the others are the server's.
_OFF = {
    "fsync": "fsync is off: a power failure may lose or damage everything. Set fsync = on in postgresql.conf and restart.",
    "full_page_writes": "full_page_writes is off: a power failure may damage pages that were being written. "
    "Set full_page_writes = on in postgresql.conf and reload.",
    "synchronous_commit": "synchronous_commit is off for {role}: a crash loses payments that were answered already. "
    "Set it to on, where it was turned off: ALTER ROLE, ALTER DATABASE or postgresql.conf.",
}
# Where a standby is named, it must have what is answered before it takes over.
_ONLY_HERE = (
    "synchronous_commit is {synchronous_commit} for {role} though synchronous_standby_names is set: a standby that "
    "takes over may lack payments that were answered already. Set synchronous_commit to on."
)
_WAITS_FOR_NO_DISK = ("local", "remote_write")


async def demand_durable(*databases: Database) -> None:
    """StartRefused: what a server forgets, one sentence a line. databases: one for each role, since roles may differ."""
    found: dict[str, None] = {}
    for database in databases:
        async with database.session() as session:
            row = await session.row(_READ)
        assert row is not None
        found |= dict.fromkeys(undurable(dict(row)))
    if found:
        raise StartRefused("\n".join(found))


def undurable(settings: Mapping[str, str]) -> list[str]:
    """What is wrong with a session's settings. settings: role, and those that _READ asks for, as they are shown."""
    found = [sentence.format(role=settings["role"]) for name, sentence in _OFF.items() if settings[name] == "off"]
    if settings["synchronous_standby_names"] and settings["synchronous_commit"] in _WAITS_FOR_NO_DISK:
        found.append(_ONLY_HERE.format(**settings))
    return found
