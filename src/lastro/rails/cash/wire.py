"""What is said to a network of tills and what it tells, as JSON. Codes are its own, raw.

Nobody at a till says who he is: a payment has no payer. Which company's voucher it was, the reference cannot say: the
inbox finds it.
"""

from __future__ import annotations

import re

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id
from lastro.rails.messages import Instant, Malformed, decoded, instant

CURRENCY = "MXN"
LONGEST_TEXT = 140
_REFERENCE = re.compile(r"[0-9]{1,64}")


class _Payment(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    amount: str
    currency: str
    paid_at: Instant
    settled_at: Instant | None = None
    registered: Registered | None = None


class _Void(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    code: str | None = None
    registered: Registered | None = None


def written(order: port.CollectionOrder) -> bytes:
    """The voucher as it is registered, the same bytes on every send."""
    who = order.payer
    return msgspec.json.encode(
        {
            "amount": str(order.amount), "currency": order.amount.currency, "expiresAt": instant(order.expires_at),
            "orderNumber": order.number, "description": _cut(order.description), "merchant": _cut(order.receiver.name),
            "customer": {
                "name": _cut(who.name), "document": {"type": who.document_type, "number": who.document_number},
            },
        }
    )  # fmt: skip


def _cut(text: str) -> str:
    return text[:LONGEST_TEXT].strip()


def _announced(name: str, raw: bytes) -> port.NetworkMessage:
    return _collected(port.COLLECTION_ANNOUNCED, name, raw)


def _settled(name: str, raw: bytes) -> port.NetworkMessage:
    return _collected(port.COLLECTION_SETTLED, name, raw)


def _collected(kind: str, name: str, raw: bytes) -> port.NetworkMessage:
    payment = decoded(raw, _Payment)
    if (kind == port.COLLECTION_SETTLED) != (payment.settled_at is not None):
        raise Malformed("settledAt")
    if payment.currency != CURRENCY:
        raise Malformed("currency")
    amount = Money.parse(payment.amount, CURRENCY)
    if amount.minor <= 0:
        raise Malformed("amount")
    paid = partner_id(payment.payment_id)
    of = facts_of(payment.registered, CURRENCY)
    told = port.Collected(paid, payment.reference, amount, payment.paid_at, payment.settled_at, of=of)
    return _about(kind, name, payment.reference, port.encode(told))


def _void(name: str, raw: bytes) -> port.NetworkMessage:
    void = decoded(raw, _Void)
    told = port.CollectionVoid(partner_id(void.payment_id), void.reference, void.code, facts_of(void.registered, CURRENCY))
    return _about(port.COLLECTION_VOID, name, void.reference, port.encode(told))


def _about(kind: str, name: str, reference: str, body: bytes) -> port.NetworkMessage:
    if _REFERENCE.fullmatch(reference) is None:
        raise Malformed("reference")
    return port.NetworkMessage(kind, name, reference, body, instrument=reference)


# By the type that a movement names.
READERS = {"ANNOUNCED": _announced, "SETTLED": _settled, "VOID": _void}
