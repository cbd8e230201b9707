"""What is said to a bank that keeps account numbers for orders, and what it tells, as JSON. Codes are its own, raw.

What is about an account number that is not of our making is not read.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id, returned_amount
from lastro.rails.messages import Instant, Malformed, decoded, instant

if TYPE_CHECKING:
    from lastro.rails.event_stream import Readers
    from lastro.rails.transfers.dialects import Dialect

LONGEST_TEXT = 140


class _Document(msgspec.Struct):
    type: str
    number: str


class _Person(msgspec.Struct):
    name: str
    document: _Document


class _Account(msgspec.Struct):
    """Which account number a message is about; each bank has one of the fields."""

    clabe: str = ""
    account: str = ""


class _Payment(msgspec.Struct, rename="camel"):
    payment_id: str
    amount: str
    currency: str
    paid_at: Instant
    settled_at: Instant
    payer: _Person | None = None
    registered: Registered | None = None


class _Return(msgspec.Struct, rename="camel"):
    return_id: str
    payment_id: str
    settled_at: Instant | None = None
    code: str | None = None
    amount: str | None = None
    currency: str | None = None


class _ReturnStatus(_Return, rename="camel", kw_only=True):
    status: str


def written(order: port.CollectionOrder) -> bytes:
    """The account number as it is registered, the same bytes on every send."""
    assert order.expires_at is not None
    return msgspec.json.encode(
        {
            "amount": str(order.amount), "currency": order.amount.currency,
            "expiresAt": instant(order.expires_at), "number": order.number,
            "description": _cut(order.description), "beneficiary": _person(order.receiver), "payer": _person(order.payer),
        }
    )  # fmt: skip


def returned(order: port.ReturnOrder) -> bytes:
    """The return as it is asked for, the same bytes on every send."""
    return msgspec.json.encode({"paymentId": order.end_to_end_id, "amount": str(order.amount), "reason": order.reason})


def return_status(return_id: str, body: bytes) -> port.ReturnFinal | port.Pending:
    """The bank's answer about a return. Malformed where it is none."""
    status = decoded(body, _ReturnStatus)
    if status.return_id != return_id:
        raise Malformed("returnId")
    if status.status == "PENDING":
        return port.Pending()
    if status.status not in {"SETTLED", "REJECTED"}:
        raise Malformed("status")
    return _final(status, settled=status.status == "SETTLED")


def readers(dialect: Dialect) -> Readers:
    """By the type that a movement names. What comes is there at once: nothing is announced, and nothing becomes void."""
    return {
        "SETTLED": partial(_settled, dialect),
        "RETURNED": partial(_return_ended, dialect, settled=True),
        "RETURN_REJECTED": partial(_return_ended, dialect, settled=False),
    }


def _settled(dialect: Dialect, name: str, raw: bytes) -> port.NetworkMessage:
    payment = decoded(raw, _Payment)
    if payment.currency != dialect.currency:
        raise Malformed("currency")
    amount, who = Money.parse(payment.amount, dialect.currency), payment.payer
    if amount.minor <= 0:
        raise Malformed("amount")
    number = _number(dialect, raw)
    told = port.Collected(
        partner_id(payment.payment_id), number, amount, payment.paid_at, payment.settled_at,
        None if who is None else port.Person(who.name, who.document.type, who.document.number),
        facts_of(payment.registered, dialect.currency),
    )  # fmt: skip
    return port.NetworkMessage(port.COLLECTION_SETTLED, name, number, port.encode(told), instrument=number)


def _return_ended(dialect: Dialect, name: str, raw: bytes, *, settled: bool) -> port.NetworkMessage:
    """Its company is that of the account number, whoever has numbered the return."""
    ended = decoded(raw, _Return)
    final = _final(ended, settled=settled)
    return port.NetworkMessage(
        port.RETURN_FINAL, name, ended.return_id, port.encode(final), instrument=_number(dialect, raw)
    )


def _number(dialect: Dialect, raw: bytes) -> str:
    about = decoded(raw, _Account)
    number: str = getattr(about, dialect.field)
    if not dialect.is_number(number):
        raise Malformed(dialect.field)
    return number


def _final(ended: _Return, *, settled: bool) -> port.ReturnFinal:
    if settled != (ended.settled_at is not None):
        raise Malformed("settledAt")
    code = None if settled else ended.code
    amount = None if ended.currency is None else returned_amount(ended.amount, ended.currency)
    return port.ReturnFinal(ended.return_id, ended.payment_id, settled, code, ended.settled_at, amount)


def _person(person: port.Person) -> dict[str, object]:
    return {
        "name": _cut(person.name),
        "document": {"type": person.document_type, "number": person.document_number},
    }


def _cut(text: str) -> str:
    return text[:LONGEST_TEXT].strip()
