"""Whether this process lives, and whether it can serve: two questions that must not be confused.

A process that does not live is to be started again; one that cannot serve, because the database is away, is to be left
alone and given no requests.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.base.errors import DatabaseAway
from lastro.doors.http import Response, unexpected
from lastro.doors.migrate import schema_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.base.db import Database

PATIENCE_SECONDS = 2.0
_READY = "SELECT mode, ARRAY(SELECT name FROM migrations WHERE name = ANY ($1)) AS applied FROM clock"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Health:
    """database: as the role requests are served by. mode: this process's. has_keys: whether what it signs with is there."""

    database: Database
    mode: str
    has_keys: Callable[[], bool]
    patience_seconds: float = PATIENCE_SECONDS

    async def live(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /live: 200 as long as the process answers at all; nothing is looked at."""
        return Response(200, b'{"status":"alive"}')

    async def ready(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /health: 200 when a request can be served, else 503, within two seconds."""
        try:
            async with asyncio.timeout(self.patience_seconds):
                missing = await self.missing()
        except (DatabaseAway, TimeoutError, asyncpg.PostgresError) as away:
            missing = f"the database: {type(away).__name__}"
        if missing is None:
            return Response(200, b'{"status":"ready"}')
        _log.warning("health.not_ready", reason=missing)
        return unexpected(503)

    async def missing(self) -> str | None:
        """What stands in the way of serving; None: nothing does. A schema that is ahead of this process serves it too."""
        if not self.has_keys():
            return "signing keys"
        known = migrations()
        async with self.database.session() as session:
            row = await session.row(_READY, list(known))
        if row is None or row["mode"] != self.mode:
            return f"a database for {self.mode}"
        behind = sorted(set(known) - set(row["applied"]))
        return f"the migration {behind[0]}" if behind else None


@cache
def migrations() -> tuple[str, ...]:
    """The names of the migrations that this process knows."""
    return tuple(sorted(file.name for file in (schema_folder() / "migrations").glob("*.sql")))
