"""The JSON to and from partners that collect. Codes are their own, raw.

Messages about a reference that is not of our making are not read.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id, returned_amount
from lastro.rails.messages import Instant, Malformed, decoded, instant

if TYPE_CHECKING:
    from lastro.rails.collecting.partner import Partner
    from lastro.rails.event_stream import Readers

LONGEST_TEXT = 140
LONGEST_ADDRESS = 400
LONGEST_CODE = 64


class _Document(msgspec.Struct):
    type: str
    number: str


class _Person(msgspec.Struct):
    name: str
    document: _Document


class _Payment(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    amount: str
    currency: str
    paid_at: Instant
    settled_at: Instant | None = None
    payer: _Person | None = None
    registered: Registered | None = None


class _Void(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    code: str | None = None
    registered: Registered | None = None


class _Return(msgspec.Struct, rename="camel"):
    return_id: str
    payment_id: str
    reference: str
    settled_at: Instant | None = None
    code: str | None = None
    amount: str | None = None
    currency: str | None = None
    status: str | None = None


def written(partner: Partner, order: port.CollectionOrder) -> bytes:
    """Returns the registration of an instrument, always the same bytes."""
    said = {
        "amount": str(order.amount), "currency": order.amount.currency,
        "expiresAt": None if order.expires_at is None else instant(order.expires_at), "number": order.number,
        "description": cut(order.description), "beneficiary": person(order.receiver), "payer": person(order.payer),
        **partner.details(order),
    }  # fmt: skip
    return msgspec.json.encode({name: value for name, value in said.items() if value is not None})


def returned(order: port.ReturnOrder) -> bytes:
    """Returns the order of a return, the same bytes on every send."""
    return msgspec.json.encode({"paymentId": order.end_to_end_id, "amount": str(order.amount), "reason": order.reason})


def person(person: port.Person, *, with_address: bool = False) -> dict[str, Any]:
    """Returns a person in the sizes of the protocol's fields."""
    address = cut(person.address or "", LONGEST_ADDRESS) if with_address else ""
    document = {"type": person.document_type, "number": person.document_number}
    return {"name": cut(person.name), "document": document, **({"address": address} if address else {})}


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """Returns the text as long as a field takes it."""
    return text[:longest].strip()


def return_status(partner: Partner, return_id: str, body: bytes) -> port.NetworkMessage | port.Pending:
    """Returns the partner's answer about a return. Malformed where it is none."""
    status = decoded(body, _Return)
    if status.return_id != return_id:
        raise Malformed("returnId")
    if status.status == "PENDING":
        return port.Pending()
    if status.status not in {"SETTLED", "REJECTED"}:
        raise Malformed("status")
    final = _final(partner, status, settled=status.status == "SETTLED")
    return port.NetworkMessage(port.RETURN_FINAL, "", return_id, port.encode(final))


def readers(partner: Partner) -> Readers:
    """Returns the readers of a partner's movements, by the movement's type."""
    found = {"SETTLED": partial(collected, partner, kind=port.COLLECTION_SETTLED)}
    if partner.announces:
        found |= {"ANNOUNCED": partial(collected, partner, kind=port.COLLECTION_ANNOUNCED), "VOID": partial(_void, partner)}
    if partner.gives_back:
        found["RETURNED"] = partial(_return_ended, partner, settled=True)
        found["RETURN_REJECTED"] = partial(_return_ended, partner, settled=False)
    return found | {kind: partial(read, partner) for kind, read in partner.more.items()}


def collected(partner: Partner, name: str, raw: bytes, *, kind: str) -> port.NetworkMessage:
    """Reads a payment of an instrument."""
    payment = decoded(raw, _Payment)
    if (kind == port.COLLECTION_SETTLED) != (payment.settled_at is not None):
        raise Malformed("settledAt")
    who = payment.payer
    told = port.Collected(
        partner_id(payment.payment_id), payment.reference, amount_of(partner, payment.amount, payment.currency),
        payment.paid_at, payment.settled_at,
        None if who is None else port.Person(who.name, who.document.type, who.document.number),
        facts_of(payment.registered, partner.currency),
    )  # fmt: skip
    return partner.message(kind, name, payment.reference, port.encode(told))


def amount_of(partner: Partner, text: str, currency: str) -> Money:
    """Returns an amount above zero in the partner's currency. Malformed, MoneyError: it is none."""
    amount = Money.parse(text, partner.currency)
    if currency != partner.currency or amount.minor <= 0:
        raise Malformed("amount")
    return amount


def code(code: str | None) -> str | None:
    """Returns the partner's word for a reason. Malformed: it is too long for one."""
    if len(code or "") > LONGEST_CODE:
        raise Malformed("code")
    return code


def _void(partner: Partner, name: str, raw: bytes) -> port.NetworkMessage:
    void = decoded(raw, _Void)
    of = facts_of(void.registered, partner.currency)
    told = port.CollectionVoid(partner_id(void.payment_id), void.reference, code(void.code), of)
    return partner.message(port.COLLECTION_VOID, name, void.reference, port.encode(told))


def _return_ended(partner: Partner, name: str, raw: bytes, *, settled: bool) -> port.NetworkMessage:
    """Reads the end of a return. Its company is that of the instrument, no matter who has numbered the return."""
    ended = decoded(raw, _Return)
    final = _final(partner, ended, settled=settled)
    return partner.message(port.RETURN_FINAL, name, ended.reference, port.encode(final), ended.return_id)


def _final(partner: Partner, ended: _Return, *, settled: bool) -> port.ReturnFinal:
    if settled != (ended.settled_at is not None):
        raise Malformed("settledAt")
    amount = returned_amount(ended.amount, ended.currency or partner.currency)
    why = None if settled else code(ended.code)
    return port.ReturnFinal(ended.return_id, ended.payment_id, settled, why, ended.settled_at, amount)
