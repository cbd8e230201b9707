"""All SQL of the subscriptions room: how its rows are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.accounts import accounts_of
from lastro.api_kit.paging import mapped
from lastro.core.money import Money
from lastro.core.rows import RowMapper
from lastro.orders import LEADS_HERE
from lastro.subscriptions.model import (
    TYPES,
    AuthorizingPayer,
    Cancellation,
    FirstCharge,
    NamedParty,
    Passed,
    Subscription,
    SubscriptionShown,
    SubscriptionTerms,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.subscriptions.model import SubscriptionFilter

_SUBSCRIPTION = f"""
SELECT s.*, d.name AS debtor_name, d.document_type AS debtor_document_type, d.document_number AS debtor_document_number,
       n.document_number AS named_document_number,
       p.name AS payer_name, p.document_type AS payer_document_type, p.document_number AS payer_document_number,
       p.bank AS payer_bank,
       o.amount_minor AS order_minor, o.expires_at AS order_expires_at, o.txid AS order_txid,
       o.location_token AS order_location_token, {LEADS_HERE} AS order_leads_here
  FROM subscriptions s
  JOIN parties d ON d.company_id = s.company_id AND d.id = s.debtor_id
  LEFT JOIN parties n ON n.company_id = s.company_id AND n.id = s.named_payer_id
  LEFT JOIN parties p ON p.company_id = s.company_id AND p.id = s.payer_id
  LEFT JOIN orders o ON o.company_id = s.company_id AND o.id = s.order_id
 WHERE s.company_id = $1 AND
"""  # noqa: S608 a statement of our own
_CANCELLATION = """
SELECT c.*, coalesce(p.document_type, a.document_type) AS document_type,
       coalesce(p.document_number, a.document_number) AS document_number
  FROM subscription_cancellations c
  JOIN subscriptions s ON s.company_id = c.company_id AND s.id = c.subscription_id
  JOIN accounts a ON a.company_id = c.company_id AND a.id = s.account_id
  LEFT JOIN parties p ON p.company_id = c.company_id AND p.id = c.requested_by_id
 WHERE c.company_id = $1 AND
"""
_CANCELLATIONS = _CANCELLATION + "c.subscription_id = $2 ORDER BY c.created_at, c.id"
_WAITING = _CANCELLATION + "c.subscription_id = $2 AND c.status = 'PENDING'"
_ASKED_FOR = _CANCELLATION + "c.message_id = $2"
_OF_RECURRENCE = "SELECT id FROM subscriptions WHERE company_id = $1 AND provider_id = $2"
_HISTORY = """
SELECT reference_id, to_state, created_at FROM history
 WHERE company_id = $1 AND reference_id = ANY ($2::uuid[]) AND from_state <> to_state ORDER BY version
"""
_RELATED = """
SELECT 'subscription' AS kind, id, provider_id AS network_id, NULL::text AS tried, NULL::date AS day
  FROM subscriptions WHERE company_id = $1 AND id = $2
UNION ALL SELECT 'cancellation', id, NULL, NULL, NULL FROM subscription_cancellations
 WHERE company_id = $1 AND subscription_id = $2
UNION ALL SELECT 'order', order_id, NULL, NULL, NULL FROM subscriptions
 WHERE company_id = $1 AND id = $2 AND order_id IS NOT NULL
UNION ALL SELECT 'scheduledPayment', id, NULL, NULL, NULL FROM subscription_payments
 WHERE company_id = $1 AND subscription_id = $2
UNION ALL SELECT 'chargeAttempt', a.id, NULL, a.kind, a.collects_on FROM subscription_payments p
  JOIN payment_attempts a ON a.company_id = p.company_id AND a.payment_id = p.id
 WHERE p.company_id = $1 AND p.subscription_id = $2
"""
_ROOT = """
SELECT id, order_id FROM subscriptions WHERE company_id = $1 AND id = $2
UNION ALL SELECT s.id, s.order_id FROM subscription_cancellations c
  JOIN subscriptions s ON s.company_id = c.company_id AND s.id = c.subscription_id WHERE c.company_id = $1 AND c.id = $2
UNION ALL SELECT s.id, s.order_id FROM subscription_payments p
  JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id WHERE p.company_id = $1 AND p.id = $2
UNION ALL SELECT s.id, s.order_id FROM payment_attempts a
  JOIN subscription_payments p ON p.company_id = a.company_id AND p.id = a.payment_id
  JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id WHERE a.company_id = $1 AND a.id = $2
 LIMIT 1
"""
_ROOT_BY_NAME = """
SELECT id, order_id FROM subscriptions WHERE company_id = $1 AND provider_id = $2
UNION ALL SELECT id, order_id FROM subscriptions WHERE company_id = $1 AND external_id = $2
 LIMIT 1
"""
_NUMBERS = "SELECT nextval('network_ids_seq') FROM generate_series(1, $1)"
# A statement for each set of filters, so that it says what it wants and the planner can choose the index: one that leaves a
# filter open with OR would have to walk.
_FILTERS = {
    "status": "s.status = {}",
    "external_id": "s.external_id = {}",
    "account_id": "s.account_id = {}",
    "starts_on": "s.starts_on = {}",
    "ends_on": "s.ends_on = {}",
}


@dataclass(frozen=True, slots=True)
class Past:
    """The history of a subscription, oldest first. It has the statuses it took, its cancellations, and theirs."""

    statuses: tuple[Passed, ...]
    cancellations: tuple[Cancellation, ...] = ()
    of_cancellations: Mapping[UUID, tuple[Passed, ...]] = field(default_factory=dict)


async def shown_by_id(session: Session, company_id: UUID, subscription_id: UUID) -> SubscriptionShown | None:
    """Reads one subscription as shown to its client."""
    return await _one(session, company_id, "s.id = $2", subscription_id)


async def shown_by_location(session: Session, company_id: UUID, token: str) -> SubscriptionShown | None:
    """The subscription whose recurrence has this location."""
    return await _one(session, company_id, "s.location_token = $2", token)


async def _one(session: Session, company_id: UUID, condition: str, value: UUID | str) -> SubscriptionShown | None:
    row = await session.row(_SUBSCRIPTION + condition, company_id, value)
    return None if row is None else (await _with_accounts(session, company_id, [row]))[0]


async def id_of_recurrence(session: Session, company_id: UUID, recurrence_id: str) -> UUID | None:
    """The subscription that the network knows by this idRec."""
    found: UUID | None = await session.value(_OF_RECURRENCE, company_id, recurrence_id)
    return found


async def waiting_cancellation(session: Session, company_id: UUID, subscription_id: UUID) -> Cancellation | None:
    """The cancellation that the payer's bank has not answered yet; there is one at most."""
    row = await session.row(_WAITING, company_id, subscription_id)
    return None if row is None else _cancellation(row)


async def cancellation_asked(session: Session, company_id: UUID, message_id: str) -> Cancellation | None:
    """Returns the cancellation asked of the payer's bank under this message id."""
    row = await session.row(_ASKED_FOR, company_id, message_id)
    return None if row is None else _cancellation(row)


async def past_of(session: Session, company_id: UUID, subscription_id: UUID) -> Past:
    """Reads the history of a subscription."""
    cancellations = tuple(map(_cancellation, await session.fetch(_CANCELLATIONS, company_id, subscription_id)))
    ids = [subscription_id, *(one.id for one in cancellations)]
    found: dict[UUID, list[Passed]] = {one: [] for one in ids}
    for row in await session.fetch(_HISTORY, company_id, ids):
        found[row["reference_id"]].append(Passed(row["to_state"], row["created_at"]))
    passed = {one: tuple(statuses) for one, statuses in found.items()}
    return Past(passed[subscription_id], cancellations, passed)


@cache
def page_sql(filters: tuple[str, ...], *, is_descending: bool) -> str:
    """The statement of a page. filters: those that are given, in the order of their arguments after the page's four."""
    wanted = "".join(" AND " + _FILTERS[name].format(f"${n}") for n, name in enumerate(filters, start=5))
    direction = "DESC" if is_descending else "ASC"
    return _SUBSCRIPTION + f"s.created_at >= $2 AND s.created_at <= $3{wanted} ORDER BY s.created_at {direction} LIMIT $4"


async def subscriptions_in(
    session: Session, company_id: UUID, wanted: SubscriptionFilter, page: Page
) -> list[SubscriptionShown]:
    """The company's subscriptions of the page, up to its reach."""
    given = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    sql = page_sql(tuple(given), is_descending=page.is_descending)
    rows = await session.search(sql, company_id, page.since, page.until, page.reach, *given.values())
    return await _with_accounts(session, company_id, rows)


async def related(session: Session, company_id: UUID, subscription_id: UUID) -> list[Record]:
    """Reads a subscription's records for its timeline; no row where there is none.

    They are its cancellations, the order of its first charge, whose timeline is part of it, and its payments. kind
    (subscription, cancellation, order, scheduledPayment, chargeAttempt), id, network_id (in the network's messages), tried
    and day (of an attempt: its kind and day). The subscription is the first.
    """
    return await session.fetch(_RELATED, company_id, subscription_id)


async def root_of(session: Session, company_id: UUID, reference_id: UUID | None, name: str | None) -> Record | None:
    """Finds a subscription (id) and its first charge (order_id) by any id.

    reference_id: of a subscription, a cancellation, a scheduled payment or an attempt at one. name: in place of it, an idRec
    or the externalId of a subscription.
    """
    found = None if reference_id is None else await session.row(_ROOT, company_id, reference_id)
    return found or (None if name is None else await session.row(_ROOT_BY_NAME, company_id, name))


async def network_numbers(session: Session, count: int) -> list[int]:
    """Numbers that are used once, for ids that a network will know."""
    return [row[0] for row in await session.fetch(_NUMBERS, count)]


async def _with_accounts(session: Session, company_id: UUID, rows: Sequence[Record]) -> list[SubscriptionShown]:
    wanted: Iterable[UUID] = {row["account_id"] for row in rows}
    accounts = {one.id: one for one in await accounts_of(session, company_id, wanted)}

    def shown(row: Record) -> SubscriptionShown:
        return SubscriptionShown(
            subscription_from(row), accounts[row["account_id"]], row["location_token"], _first_charge(row)
        )

    return await mapped(rows, shown)


def subscription_from(row: Record) -> Subscription:
    """A Subscription from a row of _SUBSCRIPTION."""
    currency = row["currency"]
    terms = SubscriptionTerms(
        frequency=row["frequency"], starts_on=row["starts_on"], ends_on=row["ends_on"],
        fixed=_money(row["fixed_minor"], currency), floor=_money(row["floor_minor"], currency),
        charges_after_due=row["charges_after_due"], adjusts=row["adjusts"], is_automatic=row["auto_schedule"],
    )  # fmt: skip
    return Subscription(
        id=row["id"], state=row["status"], version=row["version"], type=row["type"], provider_id=row["provider_id"],
        external_id=row["external_id"], account_id=row["account_id"], terms=terms,
        debtor=NamedParty(row["debtor_name"], row["debtor_document_type"], row["debtor_document_number"]),
        description=row["description"], webhook_url=row["webhook_url"], created_at=row["created_at"],
        updated_at=row["updated_at"],
        only_payer=row["named_document_number"] if row["type"] == TYPES[1] else None, payer=_payer(row),
        maximum=_money(row["maximum_minor"], currency), accepted_at=row["accepted_at"], order_id=row["order_id"],
        order_expires_at=row["order_expires_at"], lapses_at=row["lapses_at"], covered=row["covered"],
        debtor_id=row["debtor_id"], rail=row["rail"], bank_code=row["bank_code"],
    )  # fmt: skip


def _payer(row: Record) -> AuthorizingPayer | None:
    if row["payer_id"] is None:
        return None
    person = NamedParty(row["payer_name"] or None, row["payer_document_type"], row["payer_document_number"])
    bank: dict[str, Any] = {} if row["payer_bank"] is None else msgspec.json.decode(row["payer_bank"])
    return AuthorizingPayer(person, bank.get("ispb"), bank.get("account"), bank.get("branch"), row["payer_ibge_code"])


def _first_charge(row: Record) -> FirstCharge | None:
    if row["refused_minor"] is not None:
        return FirstCharge(
            None, Money(row["refused_minor"], row["currency"]), row["refused_expires_at"], row["refused_txid"],
            row["refused_location_token"],
        )  # fmt: skip
    if row["order_id"] is None:
        return None
    return FirstCharge(
        row["order_id"], Money(row["order_minor"], row["currency"]), row["order_expires_at"], row["order_txid"],
        row["order_location_token"], row["order_leads_here"],
    )  # fmt: skip


_cancellation = RowMapper(
    Cancellation, parts={"requested_by": lambda row: NamedParty(None, row["document_type"], row["document_number"])}
).of


def _money(minor: int | None, currency: str) -> Money | None:
    return None if minor is None else Money(minor, currency)
