"""Reads the rows for an arriving Pix in the tenant session's statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import ACCOUNT_COLUMNS, account_from
from lastro.core.db import Part
from lastro.core.runner import Query
from lastro.orders import store
from lastro.orders.methods import PIX as PIX_METHOD
from lastro.rails.port import BOOK, PIX

if TYPE_CHECKING:
    from asyncpg import Record

    from lastro.accounts import Account
    from lastro.orders.actions.order_owner import OrderOwner
    from lastro.orders.model import CompanySetup, Order, Party, Payment, StaticCode
    from lastro.rails.port import PixArrival

PAYMENT_COLUMNS = (
    "id", "state", "version", "end_to_end_id", "order_id", "account_id", "amount_minor", "rail", "payer_id", "code",
    "accepted_at", "pix_key", "remittance", "txid", "settled_at", "authorizes", "maximum_minor", "payer_ibge_code",
    "purpose",
)  # fmt: skip
_PARTY_COLUMNS = ("id", "name", "document_type", "document_number", "bank")
SETUP_COLUMNS = (
    "company_number", "version", "fee_payer", "customerless_partner", "default_account_id", "route", "down", "fees_version",
    "fees_from", "fees_fixed_minor", "fees_basis_points", "fees_additional_minor", "fees_payers",
)  # fmt: skip


def named(table: str, columns: tuple[str, ...]) -> str:
    """Returns the columns, each named behind its table's name."""
    return ", ".join(f"{table}.{column} AS {table}_{column}" for column in columns)


# A known payment has its own order and account, whatever this message names. $2: the endToEndId, $3: the rails it may have
# come by, $4: PIX, $5 and $6: branch and number it was sent to, $7: its txid, $8: the token of its location, where the txid
# was forgotten. CASE, although coalesce() would be shorter: behind row-level security a coalesce() is compared with every
# row.
_BEARS = f"""
SELECT o.*, held.end_to_end_id AS reserved_by, {named("pix", PAYMENT_COLUMNS)},
       {named("receiver", ACCOUNT_COLUMNS)}, {named("sender", _PARTY_COLUMNS)}, {named("terms", SETUP_COLUMNS)}
  FROM ({store.setup_sql("$4")}) terms
  LEFT JOIN LATERAL (
    SELECT * FROM pix_payments WHERE company_id = $1 AND end_to_end_id = $2 AND rail = ANY ($3::text[]) LIMIT 1) pix ON true
  LEFT JOIN LATERAL (
    SELECT * FROM accounts a
     WHERE a.company_id = $1 AND a.id = CASE WHEN pix.id IS NOT NULL THEN pix.account_id
             ELSE (SELECT n.account_id FROM account_numbers n WHERE n.company_id = $1 AND n.number = $6) END
       AND (pix.id IS NOT NULL OR a.branch = $5) LIMIT 1) receiver ON true
  LEFT JOIN LATERAL (
    {store.ORDER} o.id = CASE WHEN pix.id IS NOT NULL THEN pix.order_id
      WHEN $8::text IS NOT NULL THEN (SELECT t.id FROM orders t WHERE t.company_id = $1 AND t.location_token = $8)
      ELSE (SELECT t.id FROM orders t WHERE t.company_id = $1 AND t.txid = $7) END LIMIT 1) o ON true
  LEFT JOIN LATERAL (
    SELECT r.end_to_end_id FROM pix_payments r
     WHERE r.company_id = $1 AND r.order_id = o.id AND r.state = 'ACCEPTED' AND pix.id IS NULL LIMIT 1) held ON true
  LEFT JOIN LATERAL (SELECT * FROM parties y WHERE y.company_id = $1 AND y.id = pix.payer_id LIMIT 1) sender ON true
"""  # noqa: S608 a statement of our own


@dataclass(frozen=True, slots=True)
class ArrivalContext:
    """Everything that bears on a Pix that came."""

    payment: Payment | None
    account: Account | None
    order: Order | None
    reserved_by: str | None  # the endToEndId that reserves the order, where this one is new
    payer: Party | None
    setup: CompanySetup
    number: int | None = None  # for a return's id, read only where money may have to go back
    printed: StaticCode | None = None  # the one that the txid names, if it is of the account
    tied: OrderOwner | None = None  # the owner of the order, where it has one


def of_arrival(arrival: PixArrival) -> Query[ArrivalContext]:
    """Returns the query for a Pix: by its id, else by its names. The network asks about it, or tells of it."""
    names = (arrival.txid, arrival.location_token)
    return _of(arrival.end_to_end_id, arrival.receiver_branch, arrival.receiver_account, *names)


def of_payment(end_to_end_id: str) -> Query[ArrivalContext]:
    """Returns the query for a Pix that ends, by its id alone."""
    return _of(end_to_end_id, None, None, None)


def _of(
    end_to_end_id: str, branch: str | None, number: str | None, txid: str | None, token: str | None = None
) -> Query[ArrivalContext]:
    arguments = (end_to_end_id, [PIX, BOOK], PIX_METHOD, branch, number, txid, token)
    return Query(_BEARS, arguments, lambda rows: _known(rows[0]))


def _known(row: Record) -> ArrivalContext:
    account, payer = Part(row, "receiver_"), Part(row, "sender_")
    return ArrivalContext(
        payment=None if row["pix_id"] is None else store.payment_from(Part(row, "pix_")),
        account=None if account["id"] is None else account_from(account),
        order=None if row["id"] is None else store.order_from(row),
        reserved_by=row["reserved_by"],
        payer=None if payer["id"] is None else store.party_from(payer),
        setup=store.setup_from(Part(row, "terms_"), PIX_METHOD),
    )
