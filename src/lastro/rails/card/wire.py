"""What is said to the acquirer and what it tells, as JSON. Codes are its own, raw.

What is about a reference that is not of our making is not read.
"""

from __future__ import annotations

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id, returned_amount
from lastro.rails.messages import Instant, Malformed, decoded
from lastro.standards.own_numbers import company_of_own_digits

CURRENCY = "MXN"
LONGEST_TEXT = 140
_LONGEST_CODE, _LONGEST_ID, _LONGEST_URL = 32, 64, 2048
_KNOWN = frozenset({"CHALLENGE", "DECOUPLED", "AUTHENTICATED", "CLOSED"})


class _Authentication(msgspec.Struct, rename="camel"):
    reference: str
    trans_status: str
    challenge_url: str | None = None
    eci: str | None = None
    ds_trans_id: str | None = None
    version: str | None = None
    authentication_value: str | None = None
    registered: Registered | None = None


class _Charge(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    amount: str
    currency: str
    charged_at: Instant
    captured_at: Instant
    registered: Registered | None = None


class _Decline(msgspec.Struct, rename="camel"):
    reference: str
    code: str
    registered: Registered | None = None


class _Return(msgspec.Struct, rename="camel"):
    return_id: str
    payment_id: str
    reference: str
    settled_at: Instant | None = None
    code: str | None = None
    amount: str | None = None


class _ReturnStatus(_Return, rename="camel", kw_only=True):
    status: str


class _Chargeback(msgspec.Struct, rename="camel"):
    chargeback_id: str
    payment_id: str
    reference: str
    amount: str
    currency: str
    taken_at: Instant
    code: str | None = None
    registered: Registered | None = None


class _Status(msgspec.Struct):
    reference: str
    status: str


def written(order: port.CollectionOrder) -> bytes:
    """The payment as it is registered, the same bytes on every send."""
    card, payer = order.card, order.payer
    assert card is not None, "an order by card names its card"
    told = {
        "token": card.token, "amount": str(order.amount), "currency": order.amount.currency,
        "installments": card.installments, "number": order.number, "description": order.description[:LONGEST_TEXT].strip(),
        "skip3ds": card.skip_3ds, "returnUrl": card.return_url, "threeDsToken": card.three_ds_token, "browser": card.browser,
        "payer": {
            "name": payer.name, "document": {"type": payer.document_type, "number": payer.document_number},
            "address": payer.address, "email": card.email, "phone": card.phone, "ip": card.ip,
        },
        "merchant": order.receiver.name,
    }  # fmt: skip
    return msgspec.json.encode({name: value for name, value in told.items() if value is not None})


def charged(order: port.CardAuthorize) -> bytes:
    """The charge as it is ordered, the same bytes on every send."""
    told: dict[str, object] = {"amount": str(order.amount), "currency": order.amount.currency}
    if (found := order.three_ds) is not None:
        three_ds = {
            "transStatus": found.status, "eci": found.eci, "authenticationValue": found.cryptogram,
            "dsTransId": found.ds_transaction_id, "version": found.version,
        }  # fmt: skip
        told["threeDs"] = {name: value for name, value in three_ds.items() if value is not None}
    return msgspec.json.encode(told)


def returned(order: port.ReturnOrder) -> bytes:
    """The return as it is asked for, the same bytes on every send."""
    return msgspec.json.encode({"paymentId": order.end_to_end_id, "amount": str(order.amount), "reason": order.reason})


def charge_status(reference: str, body: bytes) -> port.NetworkMessage | port.Pending | port.Unknown:
    """The acquirer's answer about a charge. Unknown: it was never ordered there, and may be. Malformed where it is none."""
    status = decoded(body, _Status)
    if status.reference != reference:
        raise Malformed("reference")
    if status.status == "CAPTURED":
        return _captured("", body)
    if status.status == "DECLINED":
        return _declined("", body)
    if status.status not in _KNOWN:
        raise Malformed("status")
    return port.Unknown()


def return_status(return_id: str, body: bytes) -> port.ReturnFinal | port.Pending:
    """The acquirer's answer about a return. Malformed where it is none."""
    status = decoded(body, _ReturnStatus)
    if status.return_id != return_id:
        raise Malformed("returnId")
    if status.status == "PENDING":
        return port.Pending()
    if status.status not in {"SETTLED", "REJECTED"}:
        raise Malformed("status")
    return _final(status, settled=status.status == "SETTLED")


def _authenticated(name: str, raw: bytes) -> port.NetworkMessage:
    told = decoded(raw, _Authentication)
    short = (told.trans_status, told.eci, told.version, told.authentication_value)
    is_long = len(told.ds_trans_id or "") > _LONGEST_ID or len(told.challenge_url or "") > _LONGEST_URL
    if is_long or any(len(text or "") > _LONGEST_CODE for text in short):
        raise Malformed("authentication")
    news = port.CardAuthenticated(
        told.reference,
        told.trans_status,
        told.challenge_url,
        told.eci,
        told.ds_trans_id,
        told.version,
        told.authentication_value,
        facts_of(told.registered, CURRENCY),
    )
    return _about(port.CARD_AUTHENTICATED, name, told.reference, port.encode(news))


def _captured(name: str, raw: bytes) -> port.NetworkMessage:
    charge = decoded(raw, _Charge)
    amount = _amount(charge.amount, charge.currency)
    news = port.Collected(
        partner_id(charge.payment_id), charge.reference, amount, charge.charged_at, charge.captured_at,
        of=facts_of(charge.registered, CURRENCY),
    )  # fmt: skip
    return _about(port.COLLECTION_SETTLED, name, charge.reference, port.encode(news))


def _declined(name: str, raw: bytes) -> port.NetworkMessage:
    decline = decoded(raw, _Decline)
    news = port.CollectionRefused(decline.reference, _code(decline.code) or "", facts_of(decline.registered, CURRENCY))
    return _about(port.COLLECTION_REFUSED, name, decline.reference, port.encode(news))


def _charged_back(name: str, raw: bytes) -> port.NetworkMessage:
    told = decoded(raw, _Chargeback)
    amount = _amount(told.amount, told.currency)
    news = port.CardChargeback(
        partner_id(told.chargeback_id), partner_id(told.payment_id), told.reference, amount, told.taken_at, _code(told.code),
        facts_of(told.registered, CURRENCY),
    )  # fmt: skip
    return _about(port.CARD_CHARGEBACK, name, told.reference, port.encode(news))


def _given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=True)


def _not_given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=False)


def _return_ended(name: str, ended: _Return, *, settled: bool) -> port.NetworkMessage:
    """Its company is that of the payment, whoever has numbered the return."""
    final = _final(ended, settled=settled)
    company = _company(ended.reference)
    return port.NetworkMessage(port.RETURN_FINAL, name, ended.return_id, port.encode(final), company_number=company)


def _final(ended: _Return, *, settled: bool) -> port.ReturnFinal:
    if settled != (ended.settled_at is not None):
        raise Malformed("settledAt")
    code, amount = None if settled else _code(ended.code), returned_amount(ended.amount, CURRENCY)
    return port.ReturnFinal(ended.return_id, ended.payment_id, settled, code, ended.settled_at, amount)


def _code(code: str | None) -> str | None:
    if len(code or "") > _LONGEST_CODE:
        raise Malformed("code")
    return code


def _amount(text: str, currency: str) -> Money:
    amount = Money.parse(text, CURRENCY)
    if currency != CURRENCY or amount.minor <= 0:
        raise Malformed("amount")
    return amount


def _about(kind: str, name: str, reference: str, body: bytes) -> port.NetworkMessage:
    return port.NetworkMessage(kind, name, reference, body, company_number=_company(reference))


def _company(reference: str) -> int:
    company = company_of_own_digits(reference)
    if company is None:
        raise Malformed("reference")
    return company


# By the type that a movement names.
READERS = {
    "AUTHENTICATION": _authenticated, "CAPTURED": _captured, "DECLINED": _declined, "CHARGEBACK": _charged_back,
    "RETURNED": _given_back, "RETURN_REJECTED": _not_given_back,
}  # fmt: skip
