"""All SQL of the opening of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from lastro.accounts.opening.model import DocumentPage, NamedPerson, Request
from lastro.core.rows import RowMapper

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database, Session
    from lastro.core.secrets import KeyRing

_PERSON = "p.name, p.document_type, p.document_number, p.email, p.phone, p.birth_date, p.address"
_COLUMNS = f"""r.id, r.status, r.version, r.external_id, r.holder_type, r.trade_name, r.alias, r.representative_ids,
  r.missing, r.reproved_code, r.reproved_description, r.reproved_fields, r.expires_at, r.submissions, r.analysis_reference,
  r.account_id, r.key_due_at IS NOT NULL AS is_keyless, r.created_at, r.updated_at, {_PERSON}"""
_FROM = "FROM account_requests r JOIN parties p ON p.company_id = r.company_id AND p.id = r.party_id"
_BY_ID = f"SELECT {_COLUMNS} {_FROM} WHERE r.company_id = $1 AND r.id = $2"
_NEWEST = f"""
SELECT {_COLUMNS} {_FROM} WHERE r.company_id = $1 AND ($2::text IS NULL OR r.status = $2) ORDER BY r.created_at DESC LIMIT $3
"""
_PEOPLE = f"SELECT p.id, {_PERSON} FROM parties p WHERE p.company_id = $1 AND p.id = ANY ($2::uuid[])"  # noqa: S608
_PAGES = """
SELECT id, version, slot, page, content_type, size, digest, kept_digest, created_at FROM account_documents
 WHERE company_id = $1 AND request_id = $2 AND replaced_at IS NULL ORDER BY slot, page
"""
_LAST_PAGE = """
SELECT coalesce(max(page), 0) FROM account_documents WHERE company_id = $1 AND request_id = $2 AND slot = $3
"""
_SEALED = "SELECT sealed FROM account_documents WHERE company_id = $1 AND id = $2"
_NUMBER = "SELECT number FROM companies WHERE company_id = $1"
_RELATED = """
SELECT 'accountRequest' AS kind, r.id, left(r.analysis_reference, 38) || n AS network_id FROM account_requests r
  LEFT JOIN generate_series(1, r.submissions) n ON true WHERE r.company_id = $1 AND r.id = $2 ORDER BY n
"""
_KEYLESS = "SELECT account_id, version FROM account_requests WHERE company_id = $1 AND id = $2 AND key_due_at IS NOT NULL"


async def request_by_id(session: Session, company_id: UUID, request_id: UUID) -> Request | None:
    """Reads a request of the company."""
    row = await session.row(_BY_ID, company_id, request_id)
    return None if row is None else _request(row)


async def related(session: Session, company_id: UUID, request_id: UUID) -> list[Record]:
    """Reads the records of a request's timeline; none for an unknown request.

    kind (accountRequest), id, network_id: the reference of a submission; a row for each of them.
    """
    return await session.fetch(_RELATED, company_id, request_id)


async def requests_of(session: Session, company_id: UUID, status: str | None, most: int) -> list[Request]:
    """Reads the company's newest requests, at most `most`. status None: of any."""
    return [_request(row) for row in await session.fetch(_NEWEST, company_id, status, most)]


async def people(session: Session, company_id: UUID, ids: Sequence[UUID]) -> list[NamedPerson]:
    """Reads the parties, in the order of their ids."""
    rows = {row["id"]: _person(row) for row in await session.fetch(_PEOPLE, company_id, list(ids))} if ids else {}
    return [rows[one] for one in ids]


async def pages(session: Session, company_id: UUID, request_id: UUID) -> list[DocumentPage]:
    """Reads the pages in the request's slots, in order within each slot."""
    return [DocumentPage(**row) for row in await session.fetch(_PAGES, company_id, request_id)]


async def last_page(session: Session, company_id: UUID, request_id: UUID, slot: str) -> int:
    """Reads the newest page's number in the slot, replaced pages included; 0: none."""
    return int(await session.value(_LAST_PAGE, company_id, request_id, slot))


async def company_number(session: Session, company_id: UUID) -> int:
    """Reads the company's number."""
    return int(await session.value(_NUMBER, company_id))


async def keyless(session: Session, company_id: UUID, request_id: UUID) -> tuple[UUID, int] | None:
    """Reads the account that waits for its key, and the request's version. None: it waits no more."""
    row = await session.row(_KEYLESS, company_id, request_id)
    return None if row is None else (row["account_id"], row["version"])


class SealedDocuments:
    """The documents, as a partner's adapter fetches them."""

    def __init__(self, database: Database, key_ring: KeyRing) -> None:
        self._database = database
        self._key_ring = key_ring

    async def content(self, company_id: UUID, document_id: UUID) -> bytes | None:
        """Reads the bytes of a page; None: they were erased. SecretUnreadable: our keys do not open it."""
        async with self._database.session(company_id) as session:
            sealed: bytes | None = await session.value(_SEALED, company_id, document_id)
        return None if sealed is None else unsealed(self._key_ring, bytes(sealed), company_id, document_id)


def sealed(key_ring: KeyRing, content: bytes, company_id: UUID, document_id: UUID) -> bytes:
    """Encrypts a page's bytes for the database (security.md: AES-256-GCM, the key's id before the value)."""
    return key_ring.seal(content, table="account_documents", column="sealed", company_id=company_id, row_id=document_id)


def unsealed(key_ring: KeyRing, value: bytes, company_id: UUID, document_id: UUID) -> bytes:
    """Decrypts a stored page. SecretUnreadable: of another page, changed, or of a key that is not in the ring."""
    return key_ring.open(value, table="account_documents", column="sealed", company_id=company_id, row_id=document_id)


def _person(row: Record) -> NamedPerson:
    address = None if row["address"] is None else msgspec.json.decode(row["address"])
    return NamedPerson(
        row["name"], row["document_type"] or "", row["document_number"] or "", row["email"] or "", row["phone"] or "",
        row["birth_date"], address,
    )  # fmt: skip


_request = RowMapper(Request, parts={"holder": _person}).of
