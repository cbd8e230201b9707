"""All SQL of the companies room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from lastro.companies.fees import RECEIVER, DatedPlan, FeePlan, Fees, currency_of
from lastro.companies.model import Client, Company, Route
from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.core.runner import Query

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Part, Session

_PROOF = """
SELECT secret_hash, secret_hash_previous, secret_previous_until > machine_now() AS previous_admits, allowed_networks,
       certificates, revoked_at IS NOT NULL AND revoked_at <= machine_now() AS revoked,
       extract(epoch FROM machine_now())::double precision AS read_at
  FROM clients WHERE company_id = $1 AND client_id = $2
"""
_COMPANY = """
SELECT company_id, number, name, default_account_id, customerless_partner, refuses_duplicates, created_at, version,
       review_above_minor, plan_approvals, fee_payer, takes_unauthenticated_cards, routes
  FROM companies WHERE company_id = $1
"""
_FEES = """
SELECT id, direction, payment_method, fixed_minor, variable_basis_points, additional_minor, payer, valid_from, created_at,
       removed_at, version
  FROM company_fees WHERE company_id = $1 ORDER BY direction, payment_method, valid_from, created_at
"""
# All plans of one method in one direction, and the version of all the company's plans together: one row, one index scan.
# To be read by fees_from. $1: the company.
FEES = """
SELECT coalesce(sum(f.version), 0)::bigint AS fees_version,
       array_agg(f.valid_from) FILTER (WHERE w.is_wanted) AS fees_from,
       array_agg(f.fixed_minor) FILTER (WHERE w.is_wanted) AS fees_fixed_minor,
       array_agg(f.variable_basis_points) FILTER (WHERE w.is_wanted) AS fees_basis_points,
       array_agg(f.additional_minor) FILTER (WHERE w.is_wanted) AS fees_additional_minor,
       array_agg(f.payer) FILTER (WHERE w.is_wanted) AS fees_payers
  FROM company_fees f
 CROSS JOIN LATERAL (
   SELECT f.direction = {direction} AND f.payment_method = {method} AND f.removed_at IS NULL AS is_wanted) w
 WHERE f.company_id = $1
"""
_COLUMNS = """client_id, name, permissions, allowed_networks, certificates, requests_per_minute, secret_hash,
  secret_previous_until, revoked_at, tokens_valid_after, created_at, version, machine_now() AS read_at"""
_CLIENT = f"SELECT {_COLUMNS} FROM clients WHERE company_id = $1 AND client_id = $2"  # noqa: S608 columns of our own
_CLIENTS = f"SELECT {_COLUMNS} FROM clients WHERE company_id = $1 ORDER BY created_at, client_id"  # noqa: S608

# The one that signs last: the newest of those whose time has come.
_KEYS = """
SELECT kid, purpose, private_key, certificate, chain FROM signing_keys WHERE retired_at IS NULL OR retired_at > machine_now()
 ORDER BY purpose, coalesce(signs_from <= machine_now(), false), generation
"""
_KEYS_TOLD = """
SELECT kid, purpose, generation, certificate, chain, created_at, signs_from, retired_at, machine_now() AS read_at
  FROM signing_keys
 WHERE purpose IN ('token', 'location') ORDER BY purpose DESC, generation
"""
_ADD_KEY = """
INSERT INTO signing_keys (kid, purpose, generation, private_key, certificate, created_at, signs_from)
VALUES ($1, $2, $3, $4, $5, machine_now(), CASE WHEN $6 THEN machine_now() END) ON CONFLICT DO NOTHING
"""
# Of a key that signs already, readers hold the certificate that they have: theirs must not change under its name.
_CERTIFY_KEY = """
UPDATE signing_keys SET certificate = $2, chain = $3
 WHERE kid = $1 AND purpose = 'location' AND signs_from IS NULL AND retired_at IS NULL RETURNING kid
"""
_GENERATIONS = """
SELECT coalesce(max(generation), 0) AS newest, count(*) FILTER (WHERE signs_from IS NULL AND retired_at IS NULL) AS standby,
       machine_now() - max(signs_from) AS signs_for
  FROM signing_keys WHERE purpose = $1
"""
# The generation that was seen when this was decided is in the key: of many processes that rotate together, one does.
_ROTATE = """
WITH made AS (
  INSERT INTO signing_keys (kid, purpose, generation, private_key, certificate, created_at)
  VALUES ($1, $2, $3, $4, $5, machine_now()) ON CONFLICT DO NOTHING RETURNING purpose, generation),
begun AS (
  UPDATE signing_keys k SET signs_from = machine_now() FROM made
   WHERE k.purpose = made.purpose AND k.generation = made.generation - 1 RETURNING k.kid),
retired AS (
  UPDATE signing_keys k SET retired_at = machine_now() + $6::interval FROM made
   WHERE k.purpose = made.purpose AND k.generation < made.generation - 1
     AND (k.retired_at IS NULL OR k.retired_at > machine_now() + $6::interval) RETURNING k.kid)
SELECT begun.kid, (SELECT count(*) FROM retired) AS retired FROM begun
"""


@dataclass(frozen=True, slots=True)
class Generations:
    """The generations of one purpose's keys.

    newest: the newest key. standby: the number that wait to sign. signs_for: the present one's time of signing.
    """

    newest: int
    standby: int
    signs_for: timedelta


_NEXT_NUMBER = """
SELECT greatest(coalesce(max(number), 0) + 1, (SELECT max(company_numbers_from) FROM eras)) FROM company_numbers
"""


async def next_number(session: Session) -> int:
    """Reads a free company number that no era before gave out. It was free when it was looked for."""
    return int(await session.value(_NEXT_NUMBER))


async def number_of(session: Session, company_id: UUID) -> int:
    """Reads the number of the company that the session is set to."""
    return int(await session.value("SELECT number FROM companies WHERE company_id = $1", company_id))


async def numbers(session: Session) -> list[tuple[int, UUID]]:
    """Reads every company's number and id, lowest number first."""
    found = await session.fetch("SELECT number, company_id FROM company_numbers ORDER BY number")
    return [(row["number"], row["company_id"]) for row in found]


async def company_of_number(session: Session, number: int) -> UUID | None:
    """Reads the company behind the five digits in an id."""
    found: UUID | None = await session.value("SELECT company_id FROM company_numbers WHERE number = $1", number)
    return found


async def company(session: Session, company_id: UUID) -> Company | None:
    """Reads the company that the session is set to."""
    row = await session.row(_COMPANY, company_id)
    return None if row is None else _company(row)


def _company(row: Record) -> Company:
    """Reads a Company from a row of _COMPANY."""
    return replace(Company(*row), routes=msgspec.json.decode(row["routes"], type=dict[str, Route]))


async def fee_plans(session: Session, company_id: UUID) -> list[DatedPlan]:
    """Reads all fee plans ever entered. They are by direction and method, in the order in which they begin."""
    return [_plan(row) for row in await session.fetch(_FEES, company_id)]


def fee_plans_query() -> Query[list[DatedPlan]]:
    """Returns the query of fee_plans, for the request's one round trip."""

    def known(rows: list[Record]) -> list[DatedPlan]:
        # Rows beside the context's come in no promised order.
        return sorted(map(_plan, rows), key=lambda p: (p.direction, p.method, p.valid_from, p.created_at))

    return Query(_FEES, (), known)


def _plan(row: Record) -> DatedPlan:
    currency = currency_of(row["payment_method"])
    plan = FeePlan(
        Money(row["fixed_minor"], currency), row["variable_basis_points"], Money(row["additional_minor"], currency),
        row["payer"] or RECEIVER,
    )  # fmt: skip
    return DatedPlan(
        row["id"], row["direction"], row["payment_method"], plan, row["valid_from"], row["created_at"], row["removed_at"],
        row["version"],
    )  # fmt: skip


def fees_from(row: Record | Part, method: str, payer: str = RECEIVER) -> Fees:
    """Reads the fees of a row that has the columns of FEES. payer: the bearer where no plan names one."""
    currency = currency_of(method)
    begun = [
        (since, FeePlan(Money(fixed, currency), basis_points, Money(additional, currency), plan_payer or RECEIVER))
        for since, fixed, basis_points, additional, plan_payer in zip(
            row["fees_from"] or (), row["fees_fixed_minor"] or (), row["fees_basis_points"] or (),
            row["fees_additional_minor"] or (), row["fees_payers"] or (), strict=True,
        )
    ]  # fmt: skip
    return Fees(currency, payer, tuple(sorted(begun, key=lambda one: one[0])))


async def proof(session: Session, company_id: UUID, client_id: str) -> Record | None:
    """Reads a client's proofs: secret hashes, allowed networks, and revocation."""
    return await session.row(_PROOF, company_id, client_id)


async def client(session: Session, company_id: UUID, client_id: str) -> Client | None:
    """Reads a client as it is now."""
    row = await session.row(_CLIENT, company_id, client_id)
    return None if row is None else _client(row)


async def clients(session: Session, company_id: UUID) -> list[Client]:
    """Reads the company's clients, oldest first, revoked ones too."""
    return [_client(row) for row in await session.fetch(_CLIENTS, company_id)]


_client = RowMapper(
    Client, columns={"id": "client_id", "previous_until": "secret_previous_until", "networks": "allowed_networks"}
).of


async def signing_keys(session: Session) -> list[Record]:
    """Reads the published keys, in each purpose the signing one last. Their private part is sealed."""
    return await session.fetch(_KEYS)


async def signing_keys_told(session: Session) -> list[Record]:
    """Reads the public facts of all token and location keys ever made."""
    return await session.fetch(_KEYS_TOLD)


async def generations(session: Session, purpose: str) -> Generations:
    """Reads the generations of a purpose's keys."""
    row = await session.row(_GENERATIONS, purpose)
    assert row is not None
    return Generations(row["newest"], row["standby"], row["signs_for"] or timedelta(0))


async def add_signing_key(
    session: Session, kid: str, purpose: str, generation: int, sealed: bytes, certificate: bytes | None, *, signs: bool
) -> None:
    """Stores a key, unless another process has stored that generation meanwhile."""
    await session.fetch(_ADD_KEY, kid, purpose, generation, sealed, certificate, signs)


async def location_key(session: Session, kid: str) -> Record | None:
    """Reads a location key, its private part sealed, and `waits`: not yet signing."""
    return await session.row(
        "SELECT private_key, signs_from IS NULL AND retired_at IS NULL AS waits FROM signing_keys"
        " WHERE kid = $1 AND purpose = 'location'",
        kid,
    )


async def certify_key(session: Session, kid: str, chain: tuple[bytes, ...]) -> bool:
    """Replaces a waiting key's certificate by an authority's chain; False: none waits.

    The first of the chain is the key's.
    """
    return await session.row(_CERTIFY_KEY, kid, chain[0], list(chain[1:])) is not None


async def rotate(
    session: Session, kid: str, purpose: str, generation: int, sealed: bytes, certificate: bytes | None, stays: timedelta
) -> str | None:
    """Adds this generation; the one before it begins to sign, those before that one are published for `stays` more.

    The id of the key that signs now, or None where another process has made this generation.
    """
    row = await session.row(_ROTATE, kid, purpose, generation, sealed, certificate, stays)
    return None if row is None else str(row["kid"])


async def business_now(session: Session) -> datetime:
    """Reads the business time."""
    now: datetime = await session.value("SELECT business_now()")
    return now


async def machine_now(session: Session) -> datetime:
    """Reads the machine time, for a certificate's validity."""
    now: datetime = await session.value("SELECT machine_now()")
    return now
