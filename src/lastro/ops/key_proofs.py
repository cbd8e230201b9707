"""Proves the keys of the keys file: each has the bytes that its id stands for in this database."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import asyncpg

from lastro.core.declined import StartRefused
from lastro.core.secrets import SecretUnreadable
from lastro.ops import key_rotation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from lastro.core.db import Database
    from lastro.core.secrets import KeyRing

TABLE = "sealing_keys"
_PROOFS = "SELECT key_id, proof FROM sealing_keys"
_LEAVE = """
INSERT INTO sealing_keys (key_id, proof, created_at) VALUES ($1, $2, machine_now()) ON CONFLICT (key_id) DO NOTHING
"""


async def prove(database: Database, ring: KeyRing, file: Path) -> None:
    """Opens the sealed fingerprint of each key of a ring; a key that the database has not met leaves its own.

    database: as lastro_app. file: the ring's, named where it is refused. StartRefused: other bytes stand under a known id.
    """
    wrong, unmet = await _tried(database, ring)
    if not wrong and unmet:
        async with database.session() as session:
            for key_id in unmet:
                await session.fetch(_LEAVE, key_id, ring.proof(key_id))
        wrong, _ = await _tried(database, ring)  # another process may have been first, with other bytes
    if wrong:
        raise StartRefused(refusal(wrong, file))


async def disproved(database: Database, ring: KeyRing) -> list[str]:
    """Returns ids of keys that differ between ring and database. Writes nothing."""
    wrong, _ = await _tried(database, ring)
    return wrong


async def _tried(database: Database, ring: KeyRing) -> tuple[list[str], list[str]]:
    """Returns ids of differing keys, and of keys the database lacks.

    A key without a fingerprint (the database is older than fingerprints) is tried on what was sealed under its id.
    """
    async with database.session() as session:
        try:
            proofs = {row["key_id"]: bytes(row["proof"]) for row in await session.fetch(_PROOFS)}
        except asyncpg.UndefinedTableError:
            proofs = {}
    unmet = [key_id for key_id in ring.key_ids if key_id not in proofs]
    wrong = {key_id for key_id in ring.key_ids if key_id in proofs and not ring.proves(key_id, proofs[key_id])}
    return sorted(wrong | await _opening_nothing(database, ring, unmet)), unmet


async def known(database: Database) -> frozenset[str]:
    """Returns all key ids the database has met, dropped keys included."""
    async with database.session() as session:
        return frozenset(row["key_id"] for row in await session.fetch(_PROOFS))


async def _opening_nothing(database: Database, ring: KeyRing, key_ids: Collection[str]) -> set[str]:
    """Returns the keys that fail to open values sealed by them. They are ids."""
    closed: set[str] = set()
    for key_id in key_ids:
        async with aclosing(key_rotation.samples(database, key_id)) as samples:
            async for sample in samples:
                try:
                    sample.opened(ring)
                except SecretUnreadable:
                    closed.add(key_id)
                else:
                    closed.discard(key_id)
                    break
    return closed


def refusal(wrong: Iterable[str], file: Path) -> str:
    """Returns the sentence that asks for the right keys file."""
    return (
        f"The keys file {file} has other bytes under {', '.join(wrong)} than this database was sealed with: put the file in"
        " place that belongs to it."
    )
