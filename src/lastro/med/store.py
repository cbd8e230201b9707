"""All SQL of disputes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.core.runner import Query
from lastro.med.model import Case, Changed, Document, MedObject
from lastro.rails.port import MedHop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asyncpg import Record

    from lastro.core.db import Session
    from lastro.core.secrets import KeyRing
    from lastro.med.model import DisputeFilter
    from lastro.rails.port import MedNews

_BY_ID = "SELECT * FROM med_objects WHERE company_id = $1 AND id = $2"
_RECOVERY_OF = """
SELECT id FROM med_objects WHERE company_id = $1 AND end_to_end_id = $2 AND object_type = 'RECOVERY_VALUE'
"""
# The history has a reason for a client's own cancellation, and none for the directory's message about it.
_GIVEN_UP = """
SELECT 1 FROM history WHERE company_id = $1 AND reference_id = $2 AND to_state = 'CANCELLED' AND reason IS NOT NULL LIMIT 1
"""
_RECEIVED_SIDE = "SELECT id FROM med_objects WHERE company_id = $1 AND directory_id = $2"
_BY_REFUND = "SELECT * FROM med_objects WHERE company_id = $1 AND refund_id = $2"
_BY_LATER_REFUND = "SELECT * FROM med_objects WHERE company_id = $1 AND later_refund_id = $2"
# Requests that watch an account, those that have done so for longest first; and those of one transaction's recovery that
# watch, or may begin to.
_WATCHING = """
SELECT id FROM med_objects
 WHERE company_id = $1 AND account_id = ANY ($2::uuid[]) AND lacking_minor > 0 AND later_refund_id IS NULL
 ORDER BY watched_since, id LIMIT $3
"""
_WATCHING_FOR = """
SELECT * FROM med_objects
 WHERE company_id = $1 AND recovery_id = $2 AND end_to_end_id = $3 AND object_type = 'REFUND_REQUEST' AND role = 'RECEIVER'
   AND (status = 'OPEN' OR due_at IS NOT NULL OR lacking_minor > 0 OR watched_since IS NOT NULL AND blocked_minor > 0)
 ORDER BY created_at, id
"""
_IS_GIVEN_UP = """
SELECT 1 FROM med_objects
 WHERE company_id = $1 AND recovery_id = $2 AND end_to_end_id = $3 AND object_type = 'INFRINGEMENT_NOTIFICATION'
   AND role = 'RECEIVER' AND status = 'CANCELLED' LIMIT 1
"""
# The notices that block for a request already: of its recovery, about the same transaction.
_BLOCKING = """
SELECT * FROM med_objects
 WHERE company_id = $1 AND recovery_id = $2 AND end_to_end_id = $3 AND object_type = 'INFRINGEMENT_NOTIFICATION'
   AND blocked_minor > 0
 ORDER BY created_at, id
"""
# The amount that others block of the same transaction; a return on its way is not left of it anyhow.
_ELSEWHERE = """
SELECT coalesce(sum(blocked_minor), 0)::bigint FROM med_objects
 WHERE company_id = $1 AND end_to_end_id = $2 AND id <> $3 AND role = 'RECEIVER' AND later_refund_id IS NULL
   AND (refund_id IS NULL OR watched_since IS NOT NULL)
"""
_IS_DISPUTED = """
SELECT 1 FROM med_objects
 WHERE company_id = $1 AND end_to_end_id = $2 AND role = 'RECEIVER'
   AND (status IN ('OPEN', 'RECEIVED') OR blocked_minor > 0) LIMIT 1
"""
# A row where the directory has canceled an object that we did not know.
_WAS_CANCELED = """
SELECT 1 FROM inbox
 WHERE company_id = $1 AND subject = $2 AND kind = 'med.news' AND outcome = 'alarmed'
   AND as_json(body) ->> 'reference_id' = $3::uuid::text AND as_json(body) ->> 'status' = 'CANCELLED' LIMIT 1
"""
_DOCUMENT = """
SELECT d.id, d.number, d.content_type, d.size, d.digest, d.created_at, d.sealed FROM med_documents d
 WHERE d.company_id = $1 AND d.id = $2 AND ($3::uuid IS NULL OR d.object_id = $3) AND d.sealed IS NOT NULL
"""
# An object, how it came to its status, what else is of its recovery, and documents of its defense, told apart by `kind`.
_CASE = """
WITH own AS (SELECT * FROM med_objects WHERE company_id = $1 AND id = $2)
SELECT 'own' AS kind, o.*, NULL::text AS from_state, NULL::text AS to_state, NULL::timestamptz AS moved_at,
       0::bigint AS place, NULL::integer AS size, NULL::bytea AS digest FROM own o
UNION ALL
SELECT 'document', o.*, d.content_type, d.id::text, d.created_at, d.number, d.size, d.digest FROM own o
  JOIN med_documents d ON d.company_id = $1 AND d.object_id = o.id AND d.sealed IS NOT NULL
UNION ALL
SELECT 'history', o.*, h.from_state, h.to_state, h.created_at, h.version, NULL, NULL FROM own o
  JOIN history h ON h.company_id = $1 AND h.reference_id = o.id AND h.from_state <> h.to_state
UNION ALL
SELECT 'related', r.*, NULL, NULL, NULL, row_number() OVER (ORDER BY r.created_at, r.id), NULL, NULL FROM own o
  JOIN med_objects r ON r.company_id = $1 AND r.id <> o.id
   AND (r.recovery_id = CASE WHEN o.recovery_id IS NULL THEN o.id ELSE o.recovery_id END OR r.id = o.recovery_id)
 ORDER BY kind DESC, place
"""
_FILTERS = {
    "account_id": "account_id = {}",
    "role": "role = {}",
    "only_pending": "{} AND status NOT IN ('COMPLETED', 'CANCELLED')"
    " AND (status <> 'ANALYSED' OR object_type = 'RECOVERY_VALUE')",
}
_RELATED = """
SELECT 'med' AS kind, m.id, NULL::text AS network_id FROM med_objects o
  JOIN med_objects m ON m.company_id = $1
   AND (m.id = o.id OR m.id = o.recovery_id
        OR m.recovery_id = CASE WHEN o.recovery_id IS NULL THEN o.id ELSE o.recovery_id END)
 WHERE o.company_id = $1 AND o.id = $2
UNION ALL
SELECT 'refund', r.id, r.return_id FROM med_objects o
  JOIN refunds r ON r.company_id = $1 AND r.id = o.refund_id
 WHERE o.company_id = $1 AND o.id = $2
"""
_PATH = msgspec.json.Decoder(tuple[MedHop, ...])


def by_id(object_id: UUID) -> Query[MedObject | None]:
    """An object by the directory's id."""
    return Query(_BY_ID, (object_id,), lambda rows: object_from(rows[0]) if rows else None)


async def found(session: Session, company_id: UUID, object_id: UUID) -> MedObject | None:
    """An object by the directory's id."""
    row = await session.row(_BY_ID, company_id, object_id)
    return None if row is None else object_from(row)


async def whole(session: Session, company_id: UUID, object_id: UUID) -> Case | None:
    """Reads an object with its history and its recovery's other objects."""
    return _case(await session.fetch(_CASE, company_id, object_id))


async def document(
    session: Session, company_id: UUID, document_id: UUID, object_id: UUID | None
) -> tuple[Document, bytes] | None:
    """A document of a defense, and its sealed bytes. object_id: of its notice; None: of any."""
    row = await session.row(_DOCUMENT, company_id, document_id, object_id)
    if row is None:
        return None
    values = (row[name] for name in ("id", "number", "content_type", "size", "digest", "created_at"))
    return Document(*values), bytes(row["sealed"])


def sealed(key_ring: KeyRing, content: bytes, company_id: UUID, document_id: UUID) -> bytes:
    """A document's bytes as they are stored (security.md: AES-256-GCM, the key's id before the value)."""
    return key_ring.seal(content, table="med_documents", column="sealed", company_id=company_id, row_id=document_id)


def unsealed(key_ring: KeyRing, value: bytes, company_id: UUID, document_id: UUID) -> bytes:
    """The bytes of a stored document. SecretUnreadable: of another one, changed, or of a key that is not in the ring."""
    return key_ring.open(value, table="med_documents", column="sealed", company_id=company_id, row_id=document_id)


async def recovery_of(session: Session, company_id: UUID, end_to_end_id: str) -> Case | None:
    """The one recovery of a transaction."""
    object_id = await session.value(_RECOVERY_OF, company_id, end_to_end_id)
    return None if object_id is None else await whole(session, company_id, object_id)


async def was_given_up_here(session: Session, company_id: UUID, object_id: UUID) -> bool:
    """Tells whether our client was told that the recovery is canceled."""
    return await session.value(_GIVEN_UP, company_id, object_id) is not None


async def by_refund(session: Session, company_id: UUID, refund_id: UUID) -> MedObject | None:
    """Returns the request of a return. The return answers it, or gives back later credits for it."""
    row = await session.row(_BY_REFUND, company_id, refund_id)
    if row is None:
        row = await session.row(_BY_LATER_REFUND, company_id, refund_id)
    return None if row is None else object_from(row)


async def watching(session: Session, company_id: UUID, accounts: Sequence[UUID], most: int) -> list[UUID]:
    """Reads the requests that watch these accounts and can block their credits."""
    return [row["id"] for row in await session.fetch(_WATCHING, company_id, list(accounts), most)]


async def watching_for(session: Session, company_id: UUID, news: MedNews) -> tuple[MedObject, ...]:
    """Reads a recovery's requests that watch for one transaction. They watch, block later credits, or may do so."""
    if news.recovery_id is None:
        return ()
    rows = await session.fetch(_WATCHING_FOR, company_id, news.recovery_id, news.end_to_end_id)
    return tuple(object_from(row) for row in rows)


async def is_given_up(session: Session, company_id: UUID, request: MedObject) -> bool:
    """Tells whether the notice of a request was canceled. A request without a recovery has none."""
    if request.recovery_id is None:
        return False
    return await session.row(_IS_GIVEN_UP, company_id, request.recovery_id, request.end_to_end_id) is not None


async def blocking(session: Session, company_id: UUID, news: MedNews) -> tuple[MedObject, ...]:
    """The agreed notices whose blocked money a request takes over."""
    if news.recovery_id is None:
        return ()
    rows = await session.fetch(_BLOCKING, company_id, news.recovery_id, news.end_to_end_id)
    return tuple(object_from(row) for row in rows)


async def blocked_elsewhere(session: Session, company_id: UUID, end_to_end_id: str, object_id: UUID) -> Money:
    """Returns the amount of a received Pix that other objects block."""
    return Money(await session.value(_ELSEWHERE, company_id, end_to_end_id, object_id), "BRL")


async def was_canceled(session: Session, company_id: UUID, news: MedNews) -> bool:
    """Tells whether an object's end was told before this, its beginning."""
    return await session.row(_WAS_CANCELED, company_id, news.end_to_end_id, news.reference_id) is not None


async def is_disputed(session: Session, company_id: UUID, end_to_end_id: str) -> bool:
    """Tells whether a received Pix is contested. The dispute has not ended, or still blocks money of it."""
    return await session.row(_IS_DISPUTED, company_id, end_to_end_id) is not None


def case(object_id: UUID) -> Query[Case | None]:
    """Returns the query of an object, its history and its recovery."""
    return Query(_CASE, (object_id,), _case)


@cache
def page_sql(filters: tuple[str, ...]) -> str:
    """Returns the SQL of a page, newest first, with the total. filters: in the order of their arguments."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=4))
    return (
        "WITH page AS (SELECT * FROM med_objects WHERE company_id = $1"  # noqa: S608 our own columns
        f"{wanted} ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3)"
        f" SELECT (SELECT count(*) FROM med_objects WHERE company_id = $1{wanted}) AS total, p.*"
        " FROM (SELECT 1) one LEFT JOIN page p ON true ORDER BY p.created_at DESC, p.id DESC"
    )


async def objects_in(
    session: Session, company_id: UUID, wanted: DisputeFilter, limit: int, offset: int
) -> tuple[int, list[MedObject]]:
    """Reads the number of objects and one page, newest first."""
    given: dict[str, Any] = {"account_id": wanted.account_id, "role": wanted.role}
    given = {name: value for name, value in given.items() if value is not None}
    if wanted.only_pending:
        given["only_pending"] = True
    rows = await session.search(page_sql(tuple(given)), company_id, limit, offset, *given.values())
    return rows[0]["total"], [object_from(row) for row in rows if row["id"] is not None]


async def related(session: Session, company_id: UUID, object_id: UUID) -> list[Record]:
    """Reads the records of the timeline: the recovery's other objects, and the return."""
    rows: list[Record] = await session.fetch(_RELATED, company_id, object_id)
    return rows


async def received_side(session: Session, company_id: UUID, directory_id: UUID) -> UUID | None:
    """Returns the receiver's side of an object by its directory id. Accounts here are on both sides."""
    found: UUID | None = await session.value(_RECEIVED_SIDE, company_id, directory_id)
    return found


async def is_there(session: Session, company_id: UUID, object_id: UUID) -> bool:
    """Tells whether the company has such an object."""
    return await session.row(_BY_ID, company_id, object_id) is not None


def packed(path: Sequence[MedHop]) -> bytes | None:
    """A path as its column keeps it."""
    return msgspec.json.encode(path) if path else None


object_from = RowMapper(
    MedObject,
    columns={"documents": "defense_documents"},
    currency="BRL",
    parts={"path": lambda row: () if row["path"] is None else _PATH.decode(row["path"])},
).of


def _case(rows: list[Record]) -> Case | None:
    own = [object_from(row) for row in rows if row["kind"] == "own"]
    if not own:
        return None
    history = tuple(
        Changed(row["to_state"], row["from_state"] or None, row["moved_at"]) for row in rows if row["kind"] == "history"
    )
    documents = tuple(
        Document(UUID(row["to_state"]), row["place"], row["from_state"], row["size"], row["digest"], row["moved_at"])
        for row in rows if row["kind"] == "document"
    )  # fmt: skip
    return Case(own[0], history, tuple(object_from(row) for row in rows if row["kind"] == "related"), documents)
