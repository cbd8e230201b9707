"""All SQL of the payouts room."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from lastro.accounts import ACCOUNT_COLUMNS, Account, account_from
from lastro.api_kit.paging import mapped
from lastro.banks import NEWER
from lastro.companies import FEES, fees_from
from lastro.core.money import Money
from lastro.core.runner import Query
from lastro.payouts.duplicates.store import SAME
from lastro.payouts.limits import limits_from
from lastro.payouts.model import (
    DEFAULT_TRANSACTION_MINOR,
    MOST_CHILDREN,
    Payout,
    Setup,
)
from lastro.payouts.receipts import ReceivedReturn
from lastro.rails.port import Receiver

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.payouts.model import Likeness, Limits, PayoutFilter, PayoutWish

# Everything a create needs, in one statement: the company, what it pays, the account, its limits, whether the code is taken,
# and a number for each transfer's id, as many as the amount may be split into.
_GROUND = f"""
WITH account AS (SELECT * FROM accounts WHERE company_id = $1 AND id = $2),
limits AS (SELECT * FROM account_limits WHERE company_id = $1 AND account_id = $2 AND payment_method = $3)
SELECT c.number AS company_number, c.version AS setup_version, f.*, c.refuses_duplicates,
       c.review_above_minor, a.*, l.transaction_minor, l.day_minor, l.night_minor, l.raised_day_minor, l.raised_day_at,
       l.raised_night_minor, l.raised_night_at,
       EXISTS (SELECT 1 FROM payouts p WHERE p.company_id = $1 AND p.external_id = $4) AS is_taken,
       EXISTS (SELECT 1 FROM connection_keys k WHERE k.company_id = $1 AND k.account_id = $2) AS is_at_bank,
       ARRAY(SELECT nextval('network_ids_seq') FROM generate_series(1, least({MOST_CHILDREN},
             ($5::bigint - 1) / coalesce(l.transaction_minor, {DEFAULT_TRANSACTION_MINOR}) + 1))) AS numbers
  FROM companies c CROSS JOIN ({FEES.format(direction="'OUT'", method="$3")}) f
  LEFT JOIN account a ON true LEFT JOIN limits l ON true
 WHERE c.company_id = $1
"""  # noqa: S608 numbers of our own
_SAME = SAME.format(
    account_id="$2", payment_method="$3", amount_minor="$5", likeness="$6", since="(SELECT business_now()) - $7::interval",
    document_number="$8", ispb="$9", account="$10", is_charge="$11::boolean",
)  # fmt: skip
_STANDING = f"""
SELECT g.*, s.id AS same, b.number AS list_number, b.list
  FROM ({_GROUND}) g LEFT JOIN ({_SAME}) s ON true LEFT JOIN ({NEWER.replace("$1", "$12")}) b ON true
"""  # noqa: S608 statements of our own
_REVIEW_LINE = "SELECT review_above_minor, version FROM companies WHERE company_id = $1"
_ASKER = """
SELECT c.number, nextval('network_ids_seq') AS sequence, a.document_number
  FROM accounts a JOIN companies c ON c.company_id = a.company_id WHERE a.company_id = $1 AND a.id = $2
"""
_ACCOUNT = "SELECT 1 FROM accounts WHERE company_id = $1 AND id = $2"
_TAKEN = "SELECT EXISTS (SELECT FROM payouts WHERE company_id = $1 AND external_id = $2)"

_OF_ACCOUNT = ", ".join(f"a.{column}" for column in ACCOUNT_COLUMNS if column != "id")
_LAID_OUT = f"""
p.id, p.status AS payout_status, p.version AS payout_version, p.batch_id, p.sequence, p.children, p.account_id,
p.external_id, p.idempotency_key, p.payment_method, p.rail, p.initiation, p.currency, p.amount_minor, p.fee_minor,
p.returned_minor,
p.description, p.pix_key, p.pix_key_type, p.txid, {{names}}, p.message_id,
p.hold_id, p.fee_hold_id, p.quota_period, p.is_at_night, p.scheduled_on, p.start_at, p.short_of, p.send_until, p.error_code,
p.error_message, p.ask_at, p.paid_at, p.qr, p.created_at AS payout_created_at, p.updated_at AS payout_updated_at,
r.name AS receiver_name, r.document_type AS receiver_document_type, r.document_number AS receiver_document_number,
r.bank AS receiver_bank,
{_OF_ACCOUNT}
"""
_COLUMNS = _LAID_OUT.format(names="p.end_to_end_id, p.control_number, p.str_control_number")
# Of a batch, where it is shown without its transfers, the first one's, by which it is called.
_NAMED = ", ".join(
    f"CASE WHEN p.children = 0 THEN p.{name} ELSE (SELECT k.{name} FROM payouts k"  # noqa: S608 columns of our own
    f" WHERE k.company_id = p.company_id AND k.batch_id = p.id AND k.sequence = 1) END AS {name}"
    for name in ("end_to_end_id", "control_number", "str_control_number")
)
_IN_LIST = _LAID_OUT.format(names=_NAMED)
_FROM = """
  FROM payouts p
  JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
  JOIN accounts a ON a.company_id = p.company_id AND a.id = p.account_id
"""
_PAYOUT = f"""
SELECT {_COLUMNS}, o.sends, o.due_at IS NULL AS closed, o.lease_token IS NOT NULL AS is_in_hand,
       EXISTS (SELECT 1 FROM transfers t
                WHERE t.company_id = p.company_id AND t.pending_id = p.fee_hold_id) AS fee_is_charged
{_FROM}
  LEFT JOIN outbox o ON o.company_id = p.company_id AND o.id = p.message_id
 WHERE p.company_id = $1 AND
"""  # noqa: S608
_BY_NETWORK_ID = f"{_PAYOUT} (p.end_to_end_id = $2 OR p.control_number = $2)"
# A payout or batch, and below it its children, which have its id as their batch's.
_WHOLE = f"{_PAYOUT} (p.id = $2 OR p.batch_id = $2) ORDER BY p.sequence NULLS FIRST"
_IN_REVIEW = f"""
SELECT {_COLUMNS}, NULL::integer AS sends, true AS closed, false AS is_in_hand, false AS fee_is_charged {_FROM}
 WHERE p.company_id = $1 AND p.status = 'ANALYSIS' AND p.batch_id IS NULL ORDER BY p.updated_at, p.id
"""
_THERE = "SELECT 1 FROM payouts WHERE company_id = $1 AND id = $2 AND batch_id IS NULL"
_RETURNED = "SELECT 1 FROM payout_returns WHERE company_id = $1 AND return_id = $2"
_SET_ASIDE = """
SELECT id, body FROM inbox WHERE company_id = $1 AND subject = $2 AND kind = $3 AND outcome = 'alarmed'
 ORDER BY received_at, id
"""
# More than was left to return lies in suspense, and is nothing that the payout tells.
_RETURNS = """
SELECT return_id, payout_id, amount_minor, settled_at, created_at FROM payout_returns
 WHERE company_id = $1 AND payout_id = ANY($2) AND NOT is_unfit ORDER BY settled_at, id
"""
_RELATED = """
WITH root AS (SELECT coalesce(batch_id, id) AS id FROM payouts WHERE company_id = $1 AND id = $2),
own AS (
  SELECT p.* FROM root JOIN payouts p ON p.company_id = $1 AND p.id = root.id
  UNION ALL
  SELECT p.* FROM root JOIN payouts p ON p.company_id = $1 AND p.batch_id = root.id)
SELECT 'payout' AS kind, id, coalesce(end_to_end_id, control_number) AS network_id, coalesce(sequence, 0) AS place
  FROM own ORDER BY place
"""
_ROOT = """
WITH named AS (
  SELECT id, batch_id FROM payouts WHERE company_id = $1 AND id = $2
  UNION ALL SELECT id, batch_id FROM payouts WHERE company_id = $1 AND end_to_end_id = $3
  UNION ALL SELECT id, batch_id FROM payouts WHERE company_id = $1 AND control_number = $3
  UNION ALL SELECT id, batch_id FROM payouts WHERE company_id = $1 AND external_id = $3
  UNION ALL SELECT p.id, p.batch_id FROM payout_returns r
    JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id WHERE r.company_id = $1 AND r.return_id = $3
  UNION ALL SELECT p.id, p.batch_id FROM payout_returns r
    JOIN payouts p ON p.company_id = r.company_id AND p.id = r.payout_id WHERE r.company_id = $1 AND r.id = $2)
SELECT coalesce(batch_id, id) FROM named LIMIT 1
"""
_FILTERS = {
    "status": "p.status = {}",
    "external_id": "p.external_id = {}",
    "account_id": "p.account_id = {}",
    # A child is found by its own id and shown with its batch.
    "end_to_end_id": "p.id = (SELECT coalesce(k.batch_id, k.id) FROM payouts k"
    " WHERE k.company_id = $1 AND k.end_to_end_id = {})",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """The facts that a create needs. numbers: one for each possible transfer.

    is_at_bank: a connection pays the account, or has: its money is at the company's own bank.
    """

    setup: Setup
    account: Account | None
    limits: Limits
    is_taken: bool
    refuses_duplicates: bool
    numbers: tuple[int, ...]
    is_at_bank: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The facts of a create. same: an equal payout made lately. list: number and text of a newer list of banks."""

    ground: Ground
    same: UUID | None
    list: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """The amount above which payouts are reviewed, None: none is. version: of the company's row."""

    above: Money | None
    version: int


@dataclass(frozen=True, slots=True)
class KeyLookUp:
    """The account that looks a key up. company_number, sequence: of the look-up's id. document: the holder's CPF or CNPJ."""

    company_number: int
    sequence: int
    document: str


async def ground(
    session: Session, company_id: UUID, account_id: UUID, method: str, external_id: str, amount_minor: int
) -> Ground:
    """Reads the facts of a create, in one round trip."""
    row = await session.row(_GROUND, company_id, account_id, method, external_id, amount_minor)
    assert row is not None, "who asks is of a company"
    return _ground(row, method)


def _ground(row: Record, method: str) -> Ground:
    above = _reais(row["review_above_minor"])
    setup = Setup(row["company_number"], row["setup_version"], row["fees_version"], fees_from(row, method), above)
    account = None if row["id"] is None else account_from(row)
    return Ground(
        setup, account, limits_from(row, method), row["is_taken"], row["refuses_duplicates"], tuple(row["numbers"]),
        row["is_at_bank"],
    )  # fmt: skip


async def review_line(session: Session, company_id: UUID) -> ReviewLine:
    """Reads the amount above which the company's payouts are reviewed."""
    row = await session.row(_REVIEW_LINE, company_id)
    assert row is not None, "who has payouts is a company"
    return ReviewLine(_reais(row["review_above_minor"]), row["version"])


def _reais(minor: int | None) -> Money | None:
    return None if minor is None else Money(minor, "BRL")


def standing_query(wish: PayoutWish, like: Likeness | None, within: timedelta, list_number: int) -> Query[Standing]:
    """Queries the facts of a create, in the request's one round trip.

    like: the likeness of an equal payout, None: not known yet; within: the age of one at most. list_number: of the list of
    banks that is known.
    """
    looked_for = (None,) * 4 if like is None else (like.document, like.ispb, like.account, like.is_charge)
    number = None if like is None else like.number
    arguments = (
        wish.account_id, wish.method, wish.external_id, wish.amount.minor, number, within, *looked_for, list_number,
    )  # fmt: skip

    def known(rows: list[Record]) -> Standing:
        (row,) = rows
        return Standing(
            _ground(row, wish.method), row["same"], None if row["list"] is None else (row["list_number"], row["list"])
        )

    return Query(_STANDING, arguments, known)


async def has_account(session: Session, company_id: UUID, account_id: UUID) -> bool:
    """Tells whether the account is the company's."""
    return await session.value(_ACCOUNT, company_id, account_id) is not None


async def is_taken(session: Session, company_id: UUID, external_id: str) -> bool:
    """Tells whether a payout of the company has this code."""
    return bool(await session.value(_TAKEN, company_id, external_id))


async def requester(session: Session, company_id: UUID, account_id: UUID) -> KeyLookUp | None:
    """In whose name the directory is asked for an account."""
    row = await session.row(_ASKER, company_id, account_id)
    return None if row is None else KeyLookUp(row["number"], row["sequence"], row["document_number"])


def by_network_id_query(name: str) -> Query[Payout | None]:
    """Queries the transfer with this endToEndId or control number. It is read with the request's first statement."""
    return Query(_BY_NETWORK_ID, (name,), lambda rows: payout_from(rows[0]) if rows else None)


async def by_network_id(session: Session, company_id: UUID, name: str) -> Payout | None:
    """Reads the transfer with this endToEndId or control number."""
    row = await session.row(_BY_NETWORK_ID, company_id, name)
    return None if row is None else payout_from(row)


async def whole(session: Session, company_id: UUID, payout_id: UUID) -> list[Payout]:
    """Reads a payout and its children, in order. Nothing for an unknown payout, or a child."""
    rows = await session.fetch(_WHOLE, company_id, payout_id)
    found = [payout_from(row) for row in rows]
    return found if found and found[0].batch_id is None else []


def whole_query(payout_id: UUID) -> Query[list[Payout]]:
    """Queries a payout and its children, in the request's one round trip."""

    def known(rows: list[Record]) -> list[Payout]:
        found = sorted((payout_from(row) for row in rows), key=lambda p: p.sequence or 0)
        return found if found and found[0].batch_id is None else []

    return Query(_WHOLE, (payout_id,), known)


async def has_return(session: Session, company_id: UUID, return_id: str) -> bool:
    """Tells whether this return is booked already."""
    return await session.value(_RETURNED, company_id, return_id) is not None


async def set_aside(session: Session, company_id: UUID, subject: str, kind: str) -> list[tuple[UUID, bytes]]:
    """Reads a payout's alarmed messages of this kind: id and body, oldest first."""
    return [(row["id"], bytes(row["body"])) for row in await session.fetch(_SET_ASIDE, company_id, subject, kind)]


async def returns_of(session: Session, company_id: UUID, payout_ids: Sequence[UUID]) -> tuple[ReceivedReturn, ...]:
    """Reads the booked returns of these payouts, oldest first."""
    rows = await session.fetch(_RETURNS, company_id, payout_ids)
    return tuple(
        ReceivedReturn(
            row["return_id"], row["payout_id"], Money(row["amount_minor"], "BRL"), row["settled_at"], row["created_at"]
        )
        for row in rows
    )


async def related(session: Session, company_id: UUID, payout_id: UUID) -> list[Record]:
    """Reads the records of a payout's or a whole batch's timeline.

    By the id of any transfer of a batch, too; no row for an unknown payout. kind (payout), id, network_id (endToEndId or
    control number; None of a batch), place (0, of a transfer its number).
    """
    return await session.fetch(_RELATED, company_id, payout_id)


async def root_of(session: Session, company_id: UUID, reference_id: UUID | None, name: str | None) -> UUID | None:
    """Reads the payout or batch to whose timeline an object belongs.

    reference_id: of a payout, batch, transfer of one, or our own id of a return. name: in place of it, its endToEndId,
    control number or externalId, or the network's id of a return.
    """
    found: UUID | None = await session.value(_ROOT, company_id, reference_id, name)
    return found


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Builds the statement of a page. filters: those given, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    return (
        f"SELECT {_IN_LIST}, NULL::integer AS sends, true AS closed, false AS is_in_hand, false AS fee_is_charged {_FROM}"
        f" WHERE p.company_id = $1 AND p.batch_id IS NULL AND p.created_at >= $2 AND p.created_at <= $3{wanted}"
        f" ORDER BY p.created_at {'DESC' if is_descending else 'ASC'} LIMIT $4"
    )


async def payouts_in(session: Session, company_id: UUID, wanted: PayoutFilter, page: Page) -> list[Payout]:
    """Reads a page of the company's payouts, up to its reach. Batches come without their children."""
    given = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, payout_from)


async def is_there(session: Session, company_id: UUID, payout_id: UUID) -> bool:
    """Tells whether the company has this payout or batch; transfers do not count."""
    return await session.value(_THERE, company_id, payout_id) is not None


async def in_review(session: Session, company_id: UUID) -> list[Payout]:
    """Reads the company's payouts in review, longest waiting first. Batches come without their children."""
    return [payout_from(row) for row in await session.fetch(_IN_REVIEW, company_id)]


def payout_from(row: Record) -> Payout:
    """Maps a row to a Payout."""
    currency = row["currency"]
    bank = msgspec.json.decode(row["receiver_bank"])
    receiver = Receiver(
        row["receiver_name"], row["receiver_document_type"], row["receiver_document_number"], bank["ispb"], bank["branch"],
        bank["account"], bank["accountType"],
    )  # fmt: skip
    return Payout(
        id=row["id"], state=row["payout_status"], version=row["payout_version"], batch_id=row["batch_id"],
        sequence=row["sequence"], children=row["children"], account_id=row["account_id"], external_id=row["external_id"],
        idempotency_key=row["idempotency_key"], method=row["payment_method"], rail=row["rail"],
        initiation=row["initiation"], amount=Money(row["amount_minor"], currency), fee=Money(row["fee_minor"], currency),
        returned=Money(row["returned_minor"], currency), description=row["description"], receiver=receiver,
        bank_name=bank.get("name"), bank_code=bank.get("code"), key=row["pix_key"], key_type=row["pix_key_type"],
        txid=row["txid"], end_to_end_id=row["end_to_end_id"], control_number=row["control_number"],
        str_control_number=row["str_control_number"], message_id=row["message_id"], hold_id=row["hold_id"],
        fee_hold_id=row["fee_hold_id"], quota_period=row["quota_period"], is_at_night=row["is_at_night"],
        scheduled_on=row["scheduled_on"], start_at=row["start_at"], send_until=row["send_until"],
        error_code=row["error_code"], error_message=row["error_message"], ask_at=row["ask_at"], paid_at=row["paid_at"],
        created_at=row["payout_created_at"], updated_at=row["payout_updated_at"],
        account=account_from(row, row["account_id"]), qr=row["qr"], sends=row["sends"], closed=row["closed"],
        is_in_hand=row["is_in_hand"], fee_is_charged=row["fee_is_charged"], short_of=row["short_of"],
    )  # fmt: skip
