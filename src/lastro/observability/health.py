"""Answers the liveness and readiness probes, which differ.

A process that does not live is to be started again; one that cannot serve, because the database is away or takes no writes,
is to be left alone and given no requests.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.api_kit.http import Response, unexpected
from lastro.core.errors import DatabaseAway
from lastro.core.schema_files import schema_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.core.db import Database

PATIENCE_SECONDS = 2.0
TRIED_EVERY_SECONDS = 1.0  # however often somebody asks, a write is tried no more often
_READY = "SELECT mode, ARRAY(SELECT name FROM migrations WHERE name = ANY ($1)) AS applied FROM clock"
_log = structlog.get_logger(__name__)


@dataclass
class Health:
    """The liveness and readiness probes. database: as the role that serves requests. has_keys: of what it signs with."""

    database: Database
    mode: str
    has_keys: Callable[[], bool]
    patience_seconds: float = PATIENCE_SECONDS
    tried_every_seconds: float = TRIED_EVERY_SECONDS
    _wrote_at: float | None = None  # None: the last write that was tried failed, or none was yet
    _trying: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def live(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /live: 200 as long as the process answers at all. Nothing is checked."""
        return Response(200, b'{"status":"alive"}')

    async def ready(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers GET /health: 200 if it can serve, else 503. It takes two seconds at most."""
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
        """Returns the obstacle to serving, or None. A schema that is ahead of this process serves it too."""
        if not self.has_keys():
            return "signing keys"
        known = migrations()
        async with self.database.session() as session:
            row = await session.row(_READY, list(known))
        if row is None or row["mode"] != self.mode:
            return f"a database for {self.mode}"
        behind = sorted(set(known) - set(row["applied"]))
        if behind:
            return f"the migration {behind[0]}"
        return None if await self._writes() else "a server that takes writes"

    async def _writes(self) -> bool:
        """Tells whether a write works now, or did a moment ago. DatabaseAway: it failed, as for want of room."""
        clock = asyncio.get_running_loop().time
        async with self._trying:
            if self._wrote_at is None or clock() - self._wrote_at >= self.tried_every_seconds:
                self._wrote_at = None
                async with self.database.session() as session:
                    if not await session.value("SELECT can_write()"):
                        return False
                self._wrote_at = clock()
        return True


@cache
def migrations() -> tuple[str, ...]:
    """Returns the names of the migrations that this process knows."""
    return tuple(sorted(file.name for file in (schema_folder() / "migrations").glob("*.sql")))
