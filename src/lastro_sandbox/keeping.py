"""The supervisor's statements to its database: schema, time, and console sessions."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import asyncpg

from lastro.config.settings import SANDBOX_ISPB
from lastro.ops import migrate as migration
from lastro.standards.pix_ids import is_ispb

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_IN = "SELECT coalesce(jsonb_agg(to_jsonb(s)), '[]')::text FROM people_sessions s WHERE ended_at IS NULL"
# People who signed out since the snapshot stay out, and those signed in stay in: a restore brings back the sandbox's data,
# and not the browsers' sessions. A session counts for one version of its person alone.
_OUT = "DELETE FROM people_sessions"
_STAY = """
INSERT INTO people_sessions SELECT s.* FROM jsonb_populate_recordset(NULL::people_sessions, $1::jsonb) s
  JOIN people p ON p.id = s.person_id AND p.version = s.version
"""
# The clock goes on from where it stood at the snapshot, however long ago that was; a step that was on its way goes on.
_GO_ON = """
UPDATE clock SET offset_us = (extract(epoch FROM $1::timestamptz - machine_now()) * 1000000)::bigint, version = version + 1
 WHERE mode = 'sandbox' RETURNING offset_us
"""


async def migrate(dsn: str) -> list[str]:
    """Migrates a sandbox's database, for the institution that the environment names."""
    asked = os.environ.get("LASTRO_ISPB", SANDBOX_ISPB).strip()
    return await migration.migrate(dsn, ispb=asked if is_ispb(asked) else None)


async def ensure_database(dsn: str, name: str) -> None:
    """Makes a database where there is none of that name. dsn: of another database of the server."""
    connection = await asyncpg.connect(dsn)
    try:
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    finally:
        await connection.close()


async def asked_before_a_stop(dsn: str) -> tuple[datetime, str]:
    """Returns the business time, and the console's sessions for `stay_in`."""
    connection = await asyncpg.connect(dsn)
    try:
        now: datetime = await connection.fetchval("SELECT business_now()")
        return now, await connection.fetchval(_IN)
    finally:
        await connection.close()


async def stay_in(dsn: str, who: str) -> None:
    """Keeps people signed in over a restore, where the snapshot knows them."""
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            await connection.execute(_OUT)
            await connection.execute(_STAY, who)
    finally:
        await connection.close()


async def go_on_from(dsn: str, home: Path, business_now: datetime) -> None:
    """Sets a restored sandbox's clock, here and for the simulated network. The network reads it at its next start."""
    connection = await asyncpg.connect(dsn)
    try:
        offset = await connection.fetchval(_GO_ON, business_now)
    finally:
        await connection.close()
    folder = home / "simulator"
    folder.mkdir(mode=0o700, exist_ok=True)
    fresh = folder / ".offset.new"
    fresh.write_text(json.dumps(offset), encoding="utf-8")
    fresh.replace(folder / "offset")
