"""Repairs what a crash has left of a Write in two parts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lastro.core.db import Database
from lastro.core.declined import CommandFailed
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.unowned_rows import WAIT_SECONDS, Unowned, UnownedRows

if TYPE_CHECKING:
    from lastro.core.db import Dsn

_A_MOMENT = 1.0  # more, so that no clock's last digit makes it too short


async def repair(app: Dsn, audit: Dsn) -> list[Unowned]:
    """Takes away what two looks have seen; returns it. CommandFailed: the database does not answer."""
    database, reader = Database(app, size=1), Database(audit, size=1, settings={"statement_timeout": "0"})
    rows = UnownedRows(database, reader, asyncio.get_running_loop().time)
    try:
        await rows.look()
        if not rows.has_seen:
            return []
        await asyncio.sleep(WAIT_SECONDS + _A_MOMENT)
        return await rows.look()
    except (DatabaseAway, Stale) as away:
        raise CommandFailed(f"The database does not answer: {away}.") from away
    finally:
        await database.close()
        await reader.close()
