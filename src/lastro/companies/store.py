"""All SQL of the companies room."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.base.db import Session

_CLIENT = """
SELECT secret_hash, secret_hash_previous, secret_previous_until > machine_now() AS previous_admits,
       revoked_at IS NOT NULL AND revoked_at <= machine_now() AS revoked
  FROM clients WHERE company_id = $1 AND client_id = $2
"""
_KEYS = "SELECT kid, purpose, private_key, certificate FROM signing_keys WHERE retired_at IS NULL ORDER BY created_at"
_ADD_KEY = (
    "INSERT INTO signing_keys (kid, purpose, private_key, certificate, created_at)"
    " VALUES ($1, $2, $3, $4, machine_now()) ON CONFLICT DO NOTHING"
)


async def next_number(session: Session) -> int:
    """A company number that was free when it was looked for."""
    return int(await session.value("SELECT coalesce(max(number), 0) + 1 FROM company_numbers"))


async def number_of(session: Session, company_id: UUID) -> int:
    """The number of the company that the session is set to."""
    return int(await session.value("SELECT number FROM companies WHERE company_id = $1", company_id))


async def company_of_number(session: Session, number: int) -> UUID | None:
    """The company behind the five digits in an id."""
    found: UUID | None = await session.value("SELECT company_id FROM company_numbers WHERE number = $1", number)
    return found


async def client(session: Session, company_id: UUID, client_id: str) -> Record | None:
    """What proves a client: its secrets' hashes, and whether it is revoked."""
    return await session.row(_CLIENT, company_id, client_id)


async def signing_keys(session: Session) -> list[Record]:
    """The institution's keys that are in use, oldest first, their private part sealed."""
    return await session.fetch(_KEYS)


async def add_signing_key(session: Session, kid: str, purpose: str, sealed: bytes, certificate: bytes | None) -> None:
    """Keeps a key; one of that id that another process has kept meanwhile stays."""
    await session.fetch(_ADD_KEY, kid, purpose, sealed, certificate)


async def machine_now(session: Session) -> datetime:
    """Machine time, for a certificate's validity."""
    now: datetime = await session.value("SELECT machine_now()")
    return now
