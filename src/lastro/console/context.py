"""The context of an object for a decision: receiver, balance, disputes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from lastro import ledger
from lastro.api_kit.routes import stamp
from lastro.console import company_page, pricing
from lastro.console.lists import value_at
from lastro.core.money import Money
from lastro.payouts import first_to_receiver

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from asyncpg import Record

    from lastro.console.shell import User
    from lastro.core.db import Session

_WAITS = frozenset({"INITIAL", "PENDING", "ANALYSIS"})  # of a payout whose money is held and has not left
_MOST = 20
# The disputes of an order, of a payment without one, or of a payout: by the ids of their transactions.
_DISPUTES = f"""
SELECT m.id, m.object_type, m.status, m.amount_minor, m.blocked_minor, m.deadline FROM med_objects m
 WHERE m.company_id = $1 AND m.end_to_end_id = ANY (ARRAY(
   SELECT p.end_to_end_id FROM pix_payments p WHERE p.company_id = $1 AND $3 = 'RECEIVER' AND (p.order_id = $2 OR p.id = $2)
   UNION ALL
   SELECT o.end_to_end_id FROM payouts o WHERE o.company_id = $1 AND $3 = 'PAYER' AND (o.id = $2 OR o.batch_id = $2)
 )) AND m.role = $3
 ORDER BY m.created_at DESC, m.id DESC LIMIT {_MOST}
"""  # noqa: S608 a number of our own
# The parties of a dispute's money, by the id of its transaction: as it came, or as it left.
_CAME = """
SELECT p.id AS payment_id, p.order_id, payer.name AS payer_name, payer.document_type AS payer_type,
       payer.document_number AS payer_number, payer.bank AS payer_bank, customer.name AS customer_name,
       customer.document_type AS customer_type, customer.document_number AS customer_number
  FROM pix_payments p LEFT JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
  LEFT JOIN parties payer ON payer.company_id = p.company_id AND payer.id = coalesce(p.payer_id, o.payer_id)
  LEFT JOIN parties customer ON customer.company_id = p.company_id AND customer.id = o.customer_id
 WHERE p.company_id = $1 AND p.end_to_end_id = $2 LIMIT 1
"""
_LEFT = """
SELECT coalesce(p.batch_id, p.id) AS payout_id, r.name AS receiver_name, r.document_type AS receiver_type,
       r.document_number AS receiver_number, r.bank AS receiver_bank
  FROM payouts p JOIN parties r ON r.company_id = p.company_id AND r.id = p.receiver_id
 WHERE p.company_id = $1 AND p.end_to_end_id = $2 LIMIT 1
"""
# Whom each order of a page is about: its customer; of one without, who paid it.
CUSTOMERS = """
SELECT o.id, coalesce(c.name, p.name) AS name FROM orders o
  LEFT JOIN parties c ON c.company_id = o.company_id AND c.id = o.customer_id
  LEFT JOIN parties p ON p.company_id = o.company_id AND p.id = o.payer_id
 WHERE o.company_id = $1 AND o.id = ANY ($2::uuid[])
"""
_SIDES = {"orders": "RECEIVER", "payments": "RECEIVER", "payouts": "PAYER"}
_BALANCE = "/order/v2/account/balance"
_OK = 200


async def of_object(kind: str, user: User, own: UUID, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the context of one object, by the names of its facts."""
    if kind == "payouts":
        (payout,) = await of_payouts(user, [answer])
        return {**payout, "disputes": await _disputes(kind, user, own)}
    if kind in _SIDES:
        more = (await of_orders(user, [answer]))[0] if kind == "orders" else {}
        return {**more, "disputes": await _disputes(kind, user, own)}
    if kind == "disputes":
        return await _disputed(user, answer)
    if kind == "accounts":
        return await _balance(user, own)
    return {}


async def of_list(name: str, user: User, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Returns a list's rows with what the console knows beside them."""
    if name == "payouts":
        return await of_payouts(user, rows)
    return await of_orders(user, rows) if name == "orders" else rows


async def of_orders(user: User, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns orders with fee and customer's name; of an order without a customer, its payer's."""
    async with company_page.session_of(user) as session:
        found = await session.fetch(CUSTOMERS, company_page.company_of(user), [UUID(row["id"]) for row in rows])
    names = {str(row["id"]): row["name"] for row in found}
    fees = [pricing.fee_of(row) for row in rows]
    return [
        {**row, "customer": names.get(row["id"]), "fee": fee.wire() if fee.minor else None}
        for row, fee in zip(rows, fees, strict=True)
    ]


async def of_payouts(user: User, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns payouts with fee, later account balance, and mark of first payments.

    A payout's amount is held from its beginning, so that the account's available balance now is its balance afterwards.
    """
    company = company_page.company_of(user)
    async with company_page.session_of(user) as session:
        firsts = await first_to_receiver(session, company, [UUID(row["id"]) for row in rows])
        available = await _available(session, company, [row for row in rows if row["status"] in _WAITS])
    return [
        {
            **row, "fee": row.get("fee", "0.00"), "receiver": {**row["receiver"], "isFirst": UUID(row["id"]) in firsts},
            "balanceAfter": available.get((row["accountId"], row["currency"])) if row["status"] in _WAITS else None,
        }
        for row in rows
    ]  # fmt: skip


async def _available(
    session: Session, company_id: UUID, rows: Iterable[Mapping[str, Any]]
) -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    accounts: dict[str, set[UUID]] = {}
    for row in rows:
        accounts.setdefault(row["currency"], set()).add(UUID(row["accountId"]))
    for currency, ids in accounts.items():
        balances = await ledger.balances_of(session, company_id, sorted(ids), currency)
        found |= {(str(one.account_id), currency): one.available.wire() for one in balances}
    return found


async def _disputes(kind: str, user: User, own: UUID) -> list[dict[str, Any]]:
    async with company_page.session_of(user) as session:
        rows = await session.fetch(_DISPUTES, company_page.company_of(user), own, _SIDES[kind])
    return [
        {
            "referenceId": str(row["id"]), "objectType": row["object_type"], "status": row["status"],
            "amount": Money(row["amount_minor"], "BRL").wire(), "blockedAmount": Money(row["blocked_minor"], "BRL").wire(),
            "deadline": stamp(row["deadline"]),
        }
        for row in rows
    ]  # fmt: skip


async def _disputed(user: User, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a dispute's order or payout, its parties and the account's holder."""
    company, came = company_page.company_of(user), answer.get("role") == "RECEIVER"
    async with company_page.session_of(user) as session:
        row = await session.row(_CAME if came else _LEFT, company, answer.get("endToEndId"))
    found: dict[str, Any] = {"holder": await _holder(user, answer)}
    if row is None:
        return found
    if not came:
        return {**found, "payoutId": str(row["payout_id"]), "receiver": _party(row, "receiver")}
    order = None if row["order_id"] is None else str(row["order_id"])
    return {
        **found, "orderId": order, "paymentId": str(row["payment_id"]) if order is None else None,
        "payer": _party(row, "payer"), "customer": _party(row, "customer"),
    }  # fmt: skip


async def _holder(user: User, answer: Mapping[str, Any]) -> str:
    status, account = await user.call("GET", f"/order/v1/banking/accounts/{answer.get('accountId')}")
    return str(value_at(account, "fullName") or "") if status == _OK else ""


def _party(row: Record, name: str) -> dict[str, Any] | None:
    """Returns a row's person in the shape of answers; None where there is none."""
    if row[f"{name}_name"] is None:
        return None
    document = None
    if row[f"{name}_number"] is not None:
        document = {"type": row[f"{name}_type"] or "", "number": row[f"{name}_number"]}
    bank = row.get(f"{name}_bank")
    return {"name": row[f"{name}_name"], "document": document, "bank": None if bank is None else msgspec.json.decode(bank)}


async def _balance(user: User, own: UUID) -> dict[str, Any]:
    """Returns an account's balance in reais."""
    status, answer = await user.call("GET", _BALANCE, {"accountId": str(own), "currency": "BRL"})
    return {name: answer[name] for name in ("available", "held", "blocked")} if status == _OK else {}
