"""All SQL of the orders room: how its rows are read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.accounts import account_from
from lastro.api_kit.paging import mapped
from lastro.companies import FEES, FeePlan, Route, fees_from
from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.core.runner import Query
from lastro.orders.cards.model import CardPayment
from lastro.orders.methods import PIX as PIX_METHOD
from lastro.orders.methods import is_in_parts
from lastro.orders.model import Authorized, CompanySetup, Face, Instrument, Order, OrderShown, Party, Payment, PixKey
from lastro.rails.port import CARD_CHARGEBACK, PIX, currency_of

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts import Account
    from lastro.api_kit.paging import Page
    from lastro.core.db import Part, Session
    from lastro.orders.model import OrderFilter

# The rails of partners that are known to be away.
_DOWN = "ARRAY(SELECT rail FROM partner_states WHERE is_down) AS down"
# The credited account: the one that the order names, else that of the key it names, else the company's default, else its
# first active one. The key: the one that the order names, else the account's oldest random one, else its oldest at a
# connection that makes orders now. $5: the rail whose key it has to be, `pix` for our own institution; NULL: any. A
# connection that the order names is asked for its key whatever the row says. One row, always.
# MATERIALIZED, so that the account is found by the chosen id, and not compared with coalesce(), row by row.
_DESTINATION = f"""
WITH setup AS (
  SELECT c.number AS company_number, c.version AS setup_version, c.fee_payer, c.customerless_partner, c.default_account_id,
         c.routes -> $4::text AS route, {_DOWN}, f.*
    FROM companies c CROSS JOIN ({FEES.format(direction="'IN'", method="$4")}) f
   WHERE c.company_id = $1),
held AS NOT MATERIALIZED (
  SELECT id, type, key, account_id, version, created_at, '{PIX}' AS rail FROM pix_keys
   WHERE company_id = $1 AND status = 'ACTIVE' AND coalesce($5, '{PIX}') = '{PIX}'
   UNION ALL
  SELECT id, type, key, account_id, version, created_at, rail FROM connection_keys
   WHERE company_id = $1 AND ended_at IS NULL AND ($5::text IS NULL OR rail = $5)),
named AS (SELECT * FROM held WHERE key = $3 ORDER BY rail = '{PIX}' DESC LIMIT 1),
chosen AS MATERIALIZED (
  SELECT coalesce($2, (SELECT account_id FROM named), (SELECT default_account_id FROM setup),
    (SELECT id FROM accounts WHERE company_id = $1 AND status = 'ACTIVE' ORDER BY created_at LIMIT 1)) AS account_id)
SELECT setup.*, a.*, k.id AS key_id, k.type AS key_type, k.key AS key_text, k.account_id AS key_account_id,
       k.version AS key_version, k.rail AS key_rail
  FROM setup CROSS JOIN chosen
  LEFT JOIN accounts a ON a.company_id = $1 AND a.id = chosen.account_id
  LEFT JOIN LATERAL (
    SELECT * FROM named WHERE $3::text IS NOT NULL
    UNION ALL
    (SELECT * FROM held p WHERE $3::text IS NULL AND p.account_id = a.id AND CASE p.rail WHEN '{PIX}' THEN p.type = 'RANDOM'
         WHEN $5 THEN true ELSE (SELECT is_issuing FROM connections n WHERE n.company_id = $1 AND n.rail = p.rail) END
      ORDER BY p.rail = '{PIX}' DESC, p.created_at LIMIT 1)) k ON true
"""  # noqa: S608 a statement of our own

# A key may leave, by a claim or its holder's deletion, while an order waits: it then leads to somebody else. An order
# without a location of ours has no code, or one that a bank has made.
LEADS_HERE = """(o.status <> 'INITIAL' OR o.location_token IS NULL OR EXISTS (
         SELECT FROM pix_keys k WHERE k.company_id = o.company_id AND k.key = o.pix_key AND k.account_id = o.account_id
            AND k.status = 'ACTIVE'))"""
# paid_txid: of the payment that made it, for money that came unasked; of a charge the order itself has the txid.
ORDER = f"""
SELECT o.*, {LEADS_HERE} AS leads_here, CASE WHEN o.origin = 'UNASKED' THEN (
         SELECT y.txid FROM pix_payments y WHERE y.company_id = o.company_id AND y.order_id = o.id LIMIT 1) END AS paid_txid,
       c.name AS customer_name, c.document_type AS customer_document_type, c.document_number AS customer_document_number,
       p.name AS payer_name, p.document_type AS payer_document_type, p.document_number AS payer_document_number,
       p.bank AS payer_bank, i.rail AS instrument_rail, i.reference, i.code, i.due, i.payable_until, i.details,
       k.id AS card_id, k.state AS card_state, k.version AS card_version, k.skips_3ds, k.flow, k.trans_status,
       k.challenge_url
  FROM orders o
  LEFT JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
  LEFT JOIN card_payments k ON k.company_id = o.company_id AND k.order_id = o.id
  LEFT JOIN parties c ON c.company_id = o.company_id AND c.id = o.customer_id
  LEFT JOIN parties p ON p.company_id = o.company_id AND p.id = o.payer_id
 WHERE o.company_id = $1 AND
"""  # noqa: S608 a statement of our own
# An order with the holder that its code names.
SHOWN = """
SELECT o.*, a.full_name AS holder_name, a.city AS holder_city
  FROM ({}) o JOIN accounts a ON a.company_id = $1 AND a.id = o.account_id
"""
_BY_ID = SHOWN.format(ORDER + "o.id = $2")
BY_TOKEN = SHOWN.format(ORDER + "o.order_token = $2")
# The newest order that a client made under a code of its own.
_NEWEST = SHOWN.format(ORDER + "o.external_id = $2 AND o.origin = 'TRANSPARENT' ORDER BY o.created_at DESC LIMIT 1")
# The order of this id, else the newest of this code: a code may look like an id.
ID_OR_CODE = """o.id = coalesce(
    (SELECT id FROM orders WHERE company_id = $1 AND id = $2),
    (SELECT id FROM orders WHERE company_id = $1 AND external_id = $3 AND origin = 'TRANSPARENT'
      ORDER BY created_at DESC LIMIT 1))"""
_BY_ID_OR_CODE = SHOWN.format(ORDER + ID_OR_CODE)
# A statement for each set of filters, so that the planner can choose the index: a filter left open with OR needs a scan.
_FILTERS = {
    "status": "o.status = {}",
    "external_id": "o.external_id = {}",
    "account_id": "o.account_id = {}",
    "payment_method": "o.payment_method = {}",
    # The second condition repeats the index's: of a parameter alone the planner does not know that it is not PIX.
    "other_method": f"o.payment_method = {{}} AND o.payment_method <> '{PIX_METHOD}'",
    "static_qrcode_id": "o.static_qrcode_id = {}",
}
_PAYMENT = "SELECT * FROM pix_payments WHERE company_id = $1 AND end_to_end_id = $2 AND numbered_by(rail) = numbered_by($3)"
_RESERVED = "SELECT rail FROM pix_payments WHERE company_id = $1 AND order_id = $2 AND state = 'ACCEPTED'"
_PARTS = "SELECT * FROM pix_payments WHERE company_id = $1 AND order_id = $2 AND state = 'HELD' ORDER BY settled_at, id"
_PARTY = "SELECT id, name, document_type, document_number, bank FROM parties WHERE company_id = $1 AND id = $2"
_NUMBERS = "SELECT nextval('network_ids_seq') FROM generate_series(1, $1)"
# The same where a partner or a bank may be asked before anything is written. is_taken: the code is one of those in
# orders_external_id_key.
_ASKED_FIRST = f"""
SELECT d.*, {{}} AS sequence, EXISTS (
    SELECT 1 FROM orders WHERE company_id = $1 AND external_id = $6 AND origin = 'TRANSPARENT'
       AND status NOT IN ('EXPIRED', 'CANCELED', 'ERROR')) AS is_taken
  FROM ({_DESTINATION}) d
"""  # noqa: S608 a statement of our own
ASKED_FIRST = _ASKED_FIRST.format("nextval('network_ids_seq')")  # with a number for that request
PIX_DESTINATION = _ASKED_FIRST.format("NULL::bigint")
# Without chargebacks: one may wait for the very end that waits here.
_IN_INBOX = f"""
SELECT 1 FROM inbox WHERE company_id = $1 AND txid IN ($2, $4) AND due_at IS NOT NULL
UNION ALL
SELECT 1 FROM inbox WHERE company_id = $1 AND subject = $3 AND due_at IS NOT NULL AND kind <> '{CARD_CHARGEBACK}' LIMIT 1
"""  # noqa: S608 a kind of ours
_GIVEN_BACK = "SELECT 1 FROM pix_payments WHERE company_id = $1 AND txid = $2 AND order_id IS NULL LIMIT 1"


def setup_sql(method: str) -> str:
    """Returns the SELECT of a company's setup. method: the parameter with the method of the fees."""
    fees = FEES.format(direction="'IN'", method=method)
    return f"""
SELECT c.number AS company_number, c.version, c.fee_payer, c.customerless_partner, c.default_account_id,
       c.routes -> {method}::text AS route, {_DOWN}, f.*
  FROM companies c CROSS JOIN ({fees}) f
 WHERE c.company_id = $1
"""  # noqa: S608 a statement of our own


_SETUP = setup_sql("$2")


async def destination(
    session: Session, company_id: UUID, account_id: UUID | None, key: str | None, method: str = "PIX",
    rail: str | None = PIX,
) -> tuple[CompanySetup, Account | None, PixKey | None]:  # fmt: skip
    """Reads the company's setup, the order's account and its key. method: of the setup's fees.

    rail: whose key it has to be, a connection's or our own institution's; None: any.
    """
    row = await session.row(_DESTINATION, company_id, account_id, key, method, rail)
    assert row is not None, "a client's company exists"
    return destination_from(row, method)


def destination_from(row: Record, method: str) -> tuple[CompanySetup, Account | None, PixKey | None]:
    """Maps a row of _DESTINATION, ASKED_FIRST or PIX_DESTINATION, as `destination` does."""
    setup = setup_from(row, method, "setup_version")
    account = None if row["id"] is None else account_from(row)
    pix_key = None
    if row["key_id"] is not None:
        pix_key = PixKey(
            row["key_id"], row["key_type"], row["key_text"], row["key_account_id"], row["key_version"], row["key_rail"]
        )
    return setup, account, pix_key


async def order_by_id(session: Session, company_id: UUID, order_id: UUID) -> Order | None:
    """Reads one order with its customer and payer."""
    row = await session.row(ORDER + "o.id = $2", company_id, order_id)
    return None if row is None else order_from(row)


def shown_by_id(order_id: UUID) -> Query[OrderShown | None]:
    """Returns the query of an order: with customer, payer, and the holder that its code names."""
    return Query(_BY_ID, (order_id,), lambda rows: shown_from(rows[0]) if rows else None)


def newest_by_external_id(external_id: str) -> Query[OrderShown | None]:
    """Returns the query of the newest order under a client's code. Its rows are those of `shown_by_id`."""
    return Query(_NEWEST, (external_id,), lambda rows: shown_from(rows[0]) if rows else None)


def shown_by_id_or_code(order_id: UUID | None, code: str) -> Query[OrderShown | None]:
    """Returns the query of an order by its id or its code. order_id None: the text is no id."""
    return Query(_BY_ID_OR_CODE, (order_id, code), lambda rows: shown_from(rows[0]) if rows else None)


def shown_from(row: Record) -> OrderShown:
    """Maps a row of SHOWN."""
    return OrderShown(order_from(row), row["holder_name"], row["holder_city"])


async def order_by_txid(session: Session, company_id: UUID, txid: str) -> Order | None:
    """Reads the order that a charge's txid names."""
    row = await session.row(ORDER + "o.txid = $2", company_id, txid)
    return None if row is None else order_from(row)


async def order_by_reference(session: Session, company_id: UUID, rail: str, reference: str) -> Order | None:
    """Reads the order whose instrument a partner knows by this reference."""
    row = await session.row(ORDER + "i.rail = $2 AND i.reference = $3", company_id, rail, reference)
    return None if row is None else order_from(row)


async def order_by_token(session: Session, company_id: UUID, token: str) -> Order | None:
    """Reads the order of a page's token."""
    row = await session.row(ORDER + "o.order_token = $2", company_id, token)
    return None if row is None else order_from(row)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """Returns the SELECT of a page. filters: the given ones, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    direction = "DESC" if is_descending else "ASC"
    return ORDER + f"o.created_at >= $2 AND o.created_at <= $3{wanted} ORDER BY o.created_at {direction} LIMIT $4"


def _given(wanted: OrderFilter) -> dict[str, Any]:
    """Returns the values of the given filters, by name."""
    method = "payment_method" if wanted.payment_method == PIX_METHOD else "other_method"
    named = {
        "status": wanted.status, "external_id": wanted.external_id, "account_id": wanted.account_id,
        method: wanted.payment_method, "static_qrcode_id": wanted.static_qrcode_id,
    }  # fmt: skip
    return {name: value for name, value in named.items() if value is not None}


async def orders_in(session: Session, company_id: UUID, wanted: OrderFilter, page: Page) -> list[Order]:
    """Reads the page's orders of the company, up to its reach."""
    given = _given(wanted)
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await mapped(rows, order_from)


async def reservation(session: Session, company_id: UUID, order_id: UUID) -> str | None:
    """Reads the rail of an order's accepted payment without final answer."""
    value: str | None = await session.value(_RESERVED, company_id, order_id)
    return value


async def parts(session: Session, company_id: UUID, order: Order) -> tuple[Payment, ...]:
    """Reads the waiting parts of an order, oldest first."""
    if order.state != "PENDING" or not is_in_parts(order):
        return ()
    return tuple(payment_from(row) for row in await session.fetch(_PARTS, company_id, order.id))


async def is_in_inbox(session: Session, company_id: UUID, order: Order) -> bool:
    """Tells whether the inbox has an unhandled message for this order. It is about the order's charge or its instrument."""
    reference = None if order.instrument is None else order.instrument.reference
    return await session.row(_IN_INBOX, company_id, order.txid, reference, order.location_token) is not None


async def is_given_back(session: Session, company_id: UUID, order: Order) -> bool:
    """Tells whether money for an order's txid paid nothing and went back."""
    return await session.row(_GIVEN_BACK, company_id, order.txid) is not None


async def payment_by_end_to_end_id(
    session: Session, company_id: UUID, end_to_end_id: str, rail: str = PIX
) -> Payment | None:
    """Reads a Pix by endToEndId, or a partner's payment by its id. rail: the Pix's or the partner's.

    A Pix has the same id if a network has carried it or we have. One at a connection has it at any other connection too.
    """
    row = await session.row(_PAYMENT, company_id, end_to_end_id, rail)
    return None if row is None else payment_from(row)


async def next_network_number(session: Session) -> int:
    """Takes a number, used once, for an id at a network."""
    return int(await session.value("SELECT nextval('network_ids_seq')"))


async def network_numbers(session: Session, count: int) -> list[int]:
    """Takes so many of these numbers, each used once."""
    return [row[0] for row in await session.fetch(_NUMBERS, count)]


async def company_setup(session: Session, company_id: UUID, method: str = "PIX") -> CompanySetup:
    """Reads a company's fees of a method and its network number."""
    row = await session.row(_SETUP, company_id, method)
    assert row is not None, "who has an inbox is a company"
    return setup_from(row, method)


async def party(session: Session, company_id: UUID, party_id: UUID) -> Party | None:
    """Reads a person by id."""
    row = await session.row(_PARTY, company_id, party_id)
    return None if row is None else party_from(row)


def party_from(row: Record | Part) -> Party:
    """Maps a row of a party."""
    bank = None if row["bank"] is None else msgspec.json.decode(row["bank"])
    return Party(row["id"], row["name"], row["document_type"], row["document_number"], bank)


def setup_from(row: Record | Part, method: str, version: str = "version") -> CompanySetup:
    """Maps a row of setup_sql. version: the column that has its version."""
    fees = fees_from(row, method, row["fee_payer"])
    return CompanySetup(
        row["company_number"], row[version], row["fees_version"], fees, row["customerless_partner"],
        row["default_account_id"], None if row["route"] is None else msgspec.json.decode(row["route"], type=Route),
        tuple(row["down"]),
    )  # fmt: skip


def _authorized(row: Record | Part) -> Authorized | None:
    if row["authorizes"] is None:
        return None
    return Authorized(row["authorizes"], _money(row["maximum_minor"], "BRL"), row["payer_ibge_code"])


def _fees(row: Record) -> FeePlan:
    return FeePlan(
        Money(row["fee_fixed_minor"], row["currency"]),
        row["fee_variable_basis_points"],
        Money(row["fee_additional_minor"], row["currency"]),
        row["fee_payer"],
    )


def _card(row: Record) -> CardPayment | None:
    if row["card_id"] is None:
        return None
    return CardPayment(
        row["card_id"], row["card_state"], row["card_version"], row["skips_3ds"], row["flow"], row["trans_status"],
        row["challenge_url"],
    )  # fmt: skip


def _instrument(row: Record) -> Instrument | None:
    if row["instrument_rail"] is None:
        return None
    details = None if row["details"] is None else msgspec.json.decode(row["details"], type=dict[str, str])
    face = None if row["code"] is None else Face(row["code"], row["due"], row["payable_until"])
    return Instrument(row["instrument_rail"], row["reference"], face, details)


def _money(minor: int | None, currency: str) -> Money | None:
    return None if minor is None else Money(minor, currency)


def _party(party_id: UUID | None, row: Record, prefix: str) -> Party | None:
    if party_id is None:
        return None
    bank: dict[str, Any] | None = None
    if prefix == "payer" and row["payer_bank"] is not None:
        bank = msgspec.json.decode(row["payer_bank"])
    return Party(party_id, row[f"{prefix}_name"], row[f"{prefix}_document_type"], row[f"{prefix}_document_number"], bank)


payment_from = RowMapper(
    Payment,
    columns={"state": "state"},
    parts={
        "amount": lambda row: Money(row["amount_minor"], currency_of(row["rail"])),
        "authorized": _authorized,
        "gives_back": lambda row: row["purpose"] is not None,
    },
).of


order_from = RowMapper(
    Order,
    parts={
        "fees": _fees,
        "refunded": lambda row: _money(row["refunded_minor"] or None, row["currency"]),
        "customer": lambda row: _party(row["customer_id"], row, "customer"),
        "payer": lambda row: _party(row["payer_id"], row, "payer"),
        "instrument": _instrument,
        "card": _card,
    },
).of
