"""Reports, exports and erases a person's data in one company.

It is erased unless a law keeps it. A person is found by the document. people_held of the schema decides the reasons to keep
something, and erase_people erases.
"""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.terminal.progress import silent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.terminal.progress import Tell

# From a person to what names it no index leads: it would cost every order, and few ask. One look reads the company's tables.
_PEOPLE = (
    "SELECT id FROM parties WHERE company_id = $1 AND document_number = ANY ($2::text[]) AND erased_at IS NULL ORDER BY id"
)
_HELD = """
SELECT h.*, coalesce(h.ground IS NOT NULL AND (h.until > business_now()) IS NOT FALSE, false) AS is_kept
  FROM people_held($1, $2::uuid[], $3) h ORDER BY h.created_at, h.object_id, h.role
"""
_ACCOUNTS = """
SELECT a.id, a.status, a.created_at, c.updated_at AS closed_at,
       (date_trunc('year', c.updated_at AT TIME ZONE 'America/Sao_Paulo') + make_interval(years => $3 + 1))
         AT TIME ZONE 'America/Sao_Paulo' AS until
  FROM accounts a
  LEFT JOIN account_close_requests c ON c.company_id = a.company_id AND c.account_id = a.id AND c.status = 'COMPLETED'
 WHERE a.company_id = $1 AND a.document_number = ANY ($2::text[]) ORDER BY a.created_at
"""
_KEYS = """
SELECT id, account_id, status, created_at FROM pix_keys
 WHERE company_id = $1 AND account_id = ANY ($2::uuid[]) ORDER BY created_at
"""
_ERASE = "SELECT erased, kept FROM erase_people($1, $2, $3::uuid[], $4, $5, $6, $7)"
# Further objects of events: the accounts' claims and settlements, the subscriptions' charges.
_FURTHER = """
SELECT id FROM key_claims WHERE company_id = $1 AND account_id = ANY ($2::uuid[])
UNION ALL SELECT id FROM settlements WHERE company_id = $1 AND account_id = ANY ($2::uuid[])
UNION ALL SELECT id FROM subscription_payments WHERE company_id = $1 AND subscription_id = ANY ($3::uuid[])
"""
_TOLD = "SELECT {what} AS told FROM {table} x WHERE x.company_id = $1 AND x.{of} = ANY ($2::uuid[]) ORDER BY x.id"
_EVENT = """
jsonb_build_object('id', x.id, 'event', x.type, 'referenceId', x.reference_id, 'createdAt', x.created_at,
                   'payload', as_json(x.body))
"""
_DEFENDED = "(SELECT * FROM med_objects WHERE defense IS NOT NULL)"
_DEFENDING = """
(SELECT d.*, m.account_id FROM med_documents d JOIN med_objects m ON m.company_id = d.company_id AND m.id = d.object_id)
"""
# The export, by kind: the shown parts of a row, its table, and the column that leads from the person to it.
_WHOLE = {
    "people": ("to_jsonb(x) - 'company_id'", "parties", "id"),
    "accounts": ("to_jsonb(x) - ARRAY['company_id', 'full_name_folded', 'email_folded']", "accounts", "id"),
    "keys": ("to_jsonb(x) - 'company_id'", "pix_keys", "account_id"),
    "proofsOfKeys": ("to_jsonb(x) - ARRAY['company_id', 'sealed_by', 'request_id']", "pix_key_validations", "account_id"),
    "claimsOfKeys": ("to_jsonb(x) - ARRAY['company_id', 'ask_at', 'asked']", "key_claims", "account_id"),
    "closings": ("to_jsonb(x) - 'company_id'", "account_close_requests", "account_id"),
    "requests": ("to_jsonb(x) - 'company_id'", "account_requests", "id"),
    "events": (_EVENT, "events", "reference_id"),
    "uploads": ("to_jsonb(x) - ARRAY['company_id', 'sealed']", "account_documents", "request_id"),
    "defenses": (
        "jsonb_build_object('id', x.id, 'defense', x.defense, 'defendedAt', x.defended_at)",
        _DEFENDED,
        "account_id",
    ),
    "defenseDocuments": ("to_jsonb(x) - ARRAY['company_id', 'sealed', 'account_id']", _DEFENDING, "account_id"),
}


# Under these an event names somebody, who need not be the one who asks: an order may be paid by another than was asked.
_NAMED = ("payer", "receiver", "customer", "debtor")
# A shorter number may be a part of any number.
_TELLING = 5


def plain(document: str) -> str:
    """Returns a document without punctuation, in capitals. CPF and CNPJ are stored so."""
    return re.sub(r"[\s./-]", "", document).upper()


def tells(document: str, text: str) -> bool:
    """Tells whether a text holds the document."""
    return len(plain(document)) >= _TELLING and plain(document) in plain(text)


def _forms(document: str) -> list[str]:
    """Returns the forms in which the document may be stored.

    An order keeps a document of other kinds with the punctuation that it came with.
    """
    return sorted({document.strip().upper(), plain(document)})


async def found(
    database: Database, company_id: UUID, document: str, years: int, progress: Tell = silent
) -> list[dict[str, Any]]:
    """Returns the person's data, one row for each object and role.

    A row has the reason that it stays (ground) and until when; None: nothing keeps it. document: with punctuation or
    without. years: how long operations and ended relations are kept, from the year after. progress: told of each query
    before it runs.
    """
    async with _patient(database, company_id) as session:
        progress(1, 3, "who it is")
        people = await _people(session, company_id, document)
        progress(2, 3, "what there is, and why it stays")
        rows = [
            {
                "thing": row["thing"], "role": row["role"], "id": row["object_id"], "status": row["status"],
                "createdAt": row["created_at"], "ground": row["ground"] if row["is_kept"] else None, "until": row["until"],
            }
            for row in await session.fetch(_HELD, company_id, people, years)
        ]  # fmt: skip
        progress(3, 3, "accounts and their keys")
        accounts = await session.fetch(_ACCOUNTS, company_id, _forms(document), years)
        keys = await session.fetch(_KEYS, company_id, [account["id"] for account in accounts])
    until = {account["id"]: account["until"] for account in accounts}
    for thing, of in (("account", accounts), ("pixKey", keys)):
        rows += [
            {
                "thing": thing, "role": "holder", "id": row["id"], "status": row["status"], "createdAt": row["created_at"],
                "ground": "RELATION", "until": until[row["id"] if thing == "account" else row["account_id"]],
            }
            for row in of
        ]  # fmt: skip
    return rows


async def exported(
    database: Database, company_id: UUID, document: str, years: int, progress: Tell = silent
) -> dict[str, Any]:
    """Returns all stored data of the person, by kind.

    It is as stored; of uploads their descriptions, of events no other person. progress: told of each kind before it is read.
    """
    whole = len(_WHOLE) + 1
    async with _patient(database, company_id) as session:
        progress(1, whole, "what there is")
        people = await _people(session, company_id, document)
        held = await session.fetch(_HELD, company_id, people, years)
        accounts = [row["id"] for row in await session.fetch(_ACCOUNTS, company_id, _forms(document), years)]
        things = sorted({row["object_id"] for row in held})
        further = [row["id"] for row in await session.fetch(_FURTHER, company_id, accounts, things)]
        asked = {
            "people": people,
            "accounts": accounts,
            "keys": accounts,
            "proofsOfKeys": accounts,
            "claimsOfKeys": accounts,
            "closings": accounts,
            "requests": things,
            "events": things + accounts + further,
            "uploads": things,
            "defenses": accounts,
            "defenseDocuments": accounts,
        }
        told: dict[str, Any] = {}
        for number, (kind, ids) in enumerate(asked.items(), 2):
            progress(number, whole, kind)
            what, table, of = _WHOLE[kind]
            rows = await session.fetch(_TOLD.format(what=what, table=table, of=of), company_id, ids)
            told[kind] = [msgspec.json.decode(row["told"]) for row in rows]
    names = {person["name"] for person in told["people"]}
    told["events"] = [_own(event, _forms(document), names) for event in told["events"]]
    told["things"] = [
        {
            "thing": row["thing"], "role": row["role"], "id": row["object_id"], "status": row["status"],
            "createdAt": row["created_at"],
        }
        for row in held
    ]  # fmt: skip
    return told


async def erase(
    database: Database, company_id: UUID, document: str, years: int, *, erasure_id: UUID, by: str, reference: str
) -> tuple[dict[str, int], dict[str, int]]:
    """Erases what no law keeps, all or nothing, and records it.

    Returns the rows erased of each kind, and those that stay.
    """
    async with _patient(database, company_id) as session:
        people = await _people(session, company_id, document)
        # Lines of plans are found by it: the document of who is to be paid, or the key.
        text = plain(document) if len(plain(document)) >= _TELLING else None
        row = await session.row(_ERASE, company_id, erasure_id, people, text, years, by, reference)
        assert row is not None
    return msgspec.json.decode(row["erased"]), msgspec.json.decode(row["kept"])


def _own(told: Any, documents: list[str], names: set[str]) -> Any:
    """Removes other people from an event's body."""
    if isinstance(told, list):
        return [_own(one, documents, names) for one in told]
    if not isinstance(told, dict):
        return told
    return {
        name: _own(value, documents, names)
        for name, value in told.items()
        if name not in _NAMED or not isinstance(value, dict) or _is_of(value, documents, names)
    }


def _is_of(who: dict[str, Any], documents: list[str], names: set[str]) -> bool:
    """Tells whether it is this person. The name decides if no document is shown, as with a document that is not Brazil's."""
    document = who.get("document")
    number = str((document.get("number") if isinstance(document, dict) else document) or "")
    return number in documents if number.strip("0") else who.get("name") in names


async def _people(session: Session, company_id: UUID, document: str) -> list[UUID]:
    return [row["id"] for row in await session.fetch(_PEOPLE, company_id, _forms(document))]


@asynccontextmanager
async def _patient(database: Database, company_id: UUID) -> AsyncIterator[Session]:
    """Yields a session without a statement time-out, to read whole tables."""
    async with database.session(company_id) as session:
        await session.fetch("SELECT set_config('statement_timeout', '0', false)")
        try:
            yield session
        finally:
            if session.is_usable:
                await session.fetch("SELECT set_config('statement_timeout', '30s', false)")
