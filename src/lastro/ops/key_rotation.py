"""Lists sealed values by key, and reseals them under another key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.secrets import SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.secrets import KeyRing


@dataclass(frozen=True)
class SealedColumn:
    """A column of sealed values.

    sealed_as: the column that is authenticated with them, which is another one where a value has moved. key: what tells its
    rows apart, and its SQL type. prefix: before the key in the row's name that is authenticated. only: a further condition.
    made_in: the file that seals. most: values that are read at once, since some are large.
    """

    table: str
    column: str
    key: str
    key_type: str
    made_in: str
    sealed_as: str = ""
    prefix: str = ""
    only: str = "true"
    has_company: bool = True
    most: int = 500


PLACES = (
    SealedColumn("companies", "webhook_secret", "company_id", "uuid", "companies/actions/companies.py"),
    SealedColumn(
        "companies", "webhook_secret_previous", "company_id", "uuid", "webhooks/actions/rotate.py",
        sealed_as="webhook_secret",
    ),
    SealedColumn("signing_keys", "private_key", "kid", "text", "companies/signing.py", has_company=False),
    SealedColumn("people", "totp_secret", "id", "uuid", "people/actions/administering.py", has_company=False),
    SealedColumn("account_documents", "sealed", "id", "uuid", "accounts/opening/store.py", most=4),
    SealedColumn("med_documents", "sealed", "id", "uuid", "med/store.py", most=4),
    SealedColumn(
        "answers", "body", "key", "text", "webhooks/actions/rotate.py",
        prefix="rotate_webhook_secret ", only="operation = 'rotate_webhook_secret'",
    ),
)  # fmt: skip

_COUNT = """
SELECT convert_from(substr({column}, 2, get_byte(substr({column}, 1, 1), 0)), 'UTF8') AS key_id, count(*) AS held
  FROM {table} WHERE {whose} AND {only} AND {column} IS NOT NULL GROUP BY 1
"""
_NEXT = """
SELECT {key}::text AS row_key, {column} AS value FROM {table}
 WHERE {whose} AND {only} AND {column} IS NOT NULL AND ($2::text IS NULL OR {key} > $2::text::{key_type})
   AND substr({column}, 1, length($3::bytea)) <> $3::bytea ORDER BY {key} LIMIT $4
"""
_SAMPLE = """
SELECT {key}::text AS row_key, {column} AS value FROM {table}
 WHERE {whose} AND {only} AND substr({column}, 1, length($2::bytea)) = $2 LIMIT 1
"""
# Only where it is still the value that was opened: a secret that was rotated meanwhile is under the current key already.
_PUT = """
UPDATE {table} SET {column} = $4 WHERE {whose} AND {only} AND {key} = $2::text::{key_type} AND {column} = $3 RETURNING 1
"""
# A code is derived from the key it was begun with and kept nowhere, so it cannot be moved to another; it holds for minutes.
_CODES = """
SELECT sealed_by AS key_id, count(*) AS held FROM pix_key_validations WHERE company_id = $1 AND status = 'PENDING' GROUP BY 1
"""
CODES = "pix_key_validations.sealed_by"


@dataclass(frozen=True)
class Held:
    """The number of values of a column under a key."""

    key_id: str
    place: str
    count: int


@dataclass(frozen=True)
class Sample:
    """One value that a key has sealed."""

    place: SealedColumn
    company_id: UUID | None
    row_key: str
    value: bytes

    def opened(self, ring: KeyRing) -> bytes:
        """Returns the value in clear. SecretUnreadable: none of the ring's keys sealed it."""
        column, row = self.place.sealed_as or self.place.column, f"{self.place.prefix}{self.row_key}"
        return ring.open(self.value, table=self.place.table, column=column, company_id=self.company_id, row_id=row)


async def samples(database: Database, key_id: str) -> AsyncGenerator[Sample, None]:
    """Yields one value of each column that is sealed by a key. A column without any is left out. database: as lastro_app."""
    begins = bytes([len(key_id)]) + key_id.encode()
    for company_id in await _owners(database):
        async with database.session(company_id) as session:
            for place in _places(company_id):
                for row in await session.fetch(_sql(_SAMPLE, place), company_id, begins):
                    yield Sample(place, company_id, row["row_key"], row["value"])


async def held(database: Database) -> list[Held]:
    """Returns the counts of values that each key seals, of all companies. database: as lastro_app."""
    counted: dict[tuple[str, str], int] = {}
    for company_id in await _owners(database):
        asked = [(f"{place.table}.{place.column}", _sql(_COUNT, place)) for place in _places(company_id)]
        async with database.session(company_id) as session:
            for name, sql in asked if company_id is None else [*asked, (CODES, _CODES)]:
                for row in await session.fetch(sql, company_id):
                    at = (row["key_id"], name)
                    counted[at] = counted.get(at, 0) + row["held"]
    return [Held(key_id, place, count) for (key_id, place), count in sorted(counted.items())]


async def reseal(database: Database, ring: KeyRing, step: int) -> tuple[int, int]:
    """Reseals values of other keys under the ring's current one.

    It goes row by row, so that it may be cut off anywhere. step: how many rows are read at once. Returns how many were
    sealed, and how many could not be opened.
    """
    done = unreadable = 0
    current = bytes([len(ring.current)]) + ring.current.encode()
    for company_id in await _owners(database):
        async with database.session(company_id) as session:
            for place in _places(company_id):
                last: str | None = None
                while rows := await session.fetch(_sql(_NEXT, place), company_id, last, current, min(step, place.most)):
                    for row in rows:
                        last = row["row_key"]
                        try:
                            fresh = _sealed_anew(ring, place, company_id, row["row_key"], row["value"])
                        except SecretUnreadable:
                            unreadable += 1
                            continue
                        done += len(await session.fetch(_sql(_PUT, place), company_id, last, row["value"], fresh))
    return done, unreadable


def _sealed_anew(ring: KeyRing, place: SealedColumn, company_id: UUID | None, row_key: str, value: bytes) -> bytes:
    column, row = place.sealed_as or place.column, f"{place.prefix}{row_key}"
    plain = Sample(place, company_id, row_key, value).opened(ring)
    return ring.seal(plain, table=place.table, column=column, company_id=company_id, row_id=row)


async def _owners(database: Database) -> list[UUID | None]:
    """Returns None, for the platform's own values, and every company."""
    async with database.session() as session:
        rows = await session.fetch("SELECT company_id FROM company_numbers ORDER BY number")
    return [None, *(row["company_id"] for row in rows)]


def _places(company_id: UUID | None) -> tuple[SealedColumn, ...]:
    """Returns the sealed columns of a company, or of the platform."""
    return tuple(place for place in PLACES if place.has_company == (company_id is not None))


def _sql(text: str, place: SealedColumn) -> str:
    whose = "company_id = $1" if place.has_company else "$1::uuid IS NULL"
    return text.format(
        table=place.table, column=place.column, key=place.key, key_type=place.key_type, only=place.only, whose=whose
    )
