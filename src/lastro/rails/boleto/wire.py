"""What is said to the collecting bank and what it tells, as JSON. Codes are its own, raw.

What is about a nosso número that is not of our making is not read.
"""

from __future__ import annotations

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id, returned_amount
from lastro.rails.messages import Instant, Malformed, decoded
from lastro.standards.boleto_numbers import company_of_our_number

LONGEST_TEXT = 140
LONGEST_ADDRESS = 400


class _Document(msgspec.Struct):
    type: str
    number: str


class _Person(msgspec.Struct):
    name: str
    document: _Document


class _Payment(msgspec.Struct, rename="camel"):
    payment_id: str
    nosso_numero: str
    amount: str
    paid_at: Instant
    settled_at: Instant | None = None
    payer: _Person | None = None
    registered: Registered | None = None


class _Void(msgspec.Struct, rename="camel"):
    payment_id: str
    nosso_numero: str
    code: str | None = None
    registered: Registered | None = None


class _Return(msgspec.Struct, rename="camel"):
    return_id: str
    payment_id: str
    nosso_numero: str
    settled_at: Instant | None = None
    code: str | None = None
    amount: str | None = None


class _ReturnStatus(_Return, rename="camel", kw_only=True):
    status: str


def written(order: port.CollectionOrder) -> bytes:
    """The slip as it is registered, the same bytes on every send."""
    assert order.due is not None
    assert order.payable_until is not None
    return msgspec.json.encode(
        {
            "barcode": order.code, "amount": str(order.amount), "dueDate": order.due.isoformat(),
            "payableUntil": order.payable_until.isoformat(), "number": order.number,
            "description": _cut(order.description, LONGEST_TEXT), "beneficiary": _person(order.receiver),
            "payer": _person(order.payer),
        }
    )  # fmt: skip


def returned(order: port.ReturnOrder) -> bytes:
    """The return as it is asked for, the same bytes on every send."""
    return msgspec.json.encode({"paymentId": order.end_to_end_id, "amount": str(order.amount), "reason": order.reason})


def _person(person: port.Person) -> dict[str, object]:
    """Somebody on a slip, in the sizes of the bank's fields."""
    address = _cut(person.address or "", LONGEST_ADDRESS)
    return {
        "name": _cut(person.name, LONGEST_TEXT),
        "document": {"type": person.document_type, "number": person.document_number},
        **({"address": address} if address else {}),
    }


def _cut(text: str, longest: int) -> str:
    return text[:longest].strip()


def _announced(name: str, raw: bytes) -> port.NetworkMessage:
    return _collected(port.COLLECTION_ANNOUNCED, name, raw)


def _settled(name: str, raw: bytes) -> port.NetworkMessage:
    return _collected(port.COLLECTION_SETTLED, name, raw)


def _collected(kind: str, name: str, raw: bytes) -> port.NetworkMessage:
    payment = decoded(raw, _Payment)
    if (kind == port.COLLECTION_SETTLED) != (payment.settled_at is not None):
        raise Malformed("settledAt")
    who, amount = payment.payer, Money.parse(payment.amount, "BRL")
    if amount.minor <= 0:
        raise Malformed("amount")
    told = port.Collected(
        partner_id(payment.payment_id), payment.nosso_numero, amount, payment.paid_at, payment.settled_at,
        None if who is None else port.Person(who.name, who.document.type, who.document.number),
        facts_of(payment.registered),
    )  # fmt: skip
    return _about(kind, name, payment.nosso_numero, port.encode(told))


def _void(name: str, raw: bytes) -> port.NetworkMessage:
    void = decoded(raw, _Void)
    told = port.CollectionVoid(partner_id(void.payment_id), void.nosso_numero, void.code, facts_of(void.registered))
    return _about(port.COLLECTION_VOID, name, void.nosso_numero, port.encode(told))


def _given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=True)


def _not_given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=False)


def _return_ended(name: str, ended: _Return, *, settled: bool) -> port.NetworkMessage:
    """Its company is that of the slip, whoever has numbered the return."""
    company = _company(ended.nosso_numero)
    final = _final(ended, settled=settled)
    return port.NetworkMessage(port.RETURN_FINAL, name, ended.return_id, port.encode(final), company_number=company)


def _about(kind: str, name: str, nosso_numero: str, body: bytes) -> port.NetworkMessage:
    return port.NetworkMessage(kind, name, nosso_numero, body, company_number=_company(nosso_numero))


def _company(nosso_numero: str) -> int:
    company = company_of_our_number(nosso_numero)
    if company is None:
        raise Malformed("nossoNumero")
    return company


def _final(ended: _Return, *, settled: bool) -> port.ReturnFinal:
    if settled != (ended.settled_at is not None):
        raise Malformed("settledAt")
    code, amount = None if settled else ended.code, returned_amount(ended.amount)
    return port.ReturnFinal(ended.return_id, ended.payment_id, settled, code, ended.settled_at, amount)


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


# By the type that a movement names.
READERS = {
    "ANNOUNCED": _announced, "SETTLED": _settled, "VOID": _void, "RETURNED": _given_back, "RETURN_REJECTED": _not_given_back,
}  # fmt: skip
