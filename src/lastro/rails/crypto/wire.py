"""What is said to the crypto partner and what it tells, as JSON. Codes are its own, raw.

What is about a reference that is not of our making is not read.
"""

from __future__ import annotations

import re
from datetime import UTC
from decimal import Decimal

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails import port
from lastro.rails.event_stream import Registered, facts_of, partner_id, returned_amount
from lastro.rails.messages import Instant, Malformed, decoded, instant
from lastro.standards.own_numbers import company_of_own_digits

LONGEST_TEXT = 140
_LONGEST_LINK = 2048
# With up to 18 decimals, as most chains divide their assets (ERC-20, decimals()).
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?")
_ASSET = re.compile(r"[A-Z0-9]{2,12}")
# The app's own scheme, or an address; never what a browser runs.
_DEEPLINK = re.compile(r"(?!(?:javascript|data|file|vbscript|blob):)[a-z][a-z0-9+.-]*://[!-~]+")
_UNIVERSAL = re.compile(r"https?://[A-Za-z0-9.:\[\]_-]+(?:[/?#][!-~]*)?")  # no name before the host
_QR_TEXT = re.compile(r"[ -~]{1,512}")


class _Document(msgspec.Struct):
    type: str
    number: str


class _Person(msgspec.Struct):
    name: str
    document: _Document


class _Quote(msgspec.Struct, rename="camel"):
    reference: str
    amount: str
    asset: str
    asset_amount: str
    rate: str
    valid_until: Instant
    deeplink: str
    universal_url: str
    qrcode_data: str


class _Known(msgspec.Struct):
    reference: str
    status: str


class _Payment(msgspec.Struct, rename="camel"):
    payment_id: str
    reference: str
    amount: str
    seen_at: Instant
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


class _ReturnStatus(_Return, rename="camel", kw_only=True):
    status: str


def wished(wish: port.QuoteWish) -> bytes:
    """The rate as it is asked for, the same bytes however often."""
    return msgspec.json.encode(
        {
            "brand": wish.brand, "amount": str(wish.amount), "validUntil": instant(wish.valid_until),
            "description": _cut(wish.description), "receiver": _person(wish.receiver),
        }
    )  # fmt: skip


def quoted(wish: port.QuoteWish, body: bytes) -> port.Quote:
    """The partner's answer to a wish. Malformed: it is none, or it answers another wish."""
    said = decoded(body, _Quote)
    try:
        amount = Money.parse(said.amount, wish.amount.currency)
    except MoneyError as wrong:
        raise Malformed("amount") from wrong
    if (said.reference, amount) != (wish.reference, wish.amount):
        raise Malformed("another quote than was asked for")
    forms = {
        "asset": _ASSET.fullmatch(said.asset), "assetAmount": _is_above_zero(said.asset_amount),
        "rate": _is_above_zero(said.rate), "deeplink": _is_link(_DEEPLINK, said.deeplink),
        "universalUrl": _is_link(_UNIVERSAL, said.universal_url), "qrcodeData": _QR_TEXT.fullmatch(said.qrcode_data),
    }  # fmt: skip
    for name, fits in forms.items():
        if not fits:
            raise Malformed(name)
    # A rate that holds longer than was asked is not shown for longer.
    until = min(said.valid_until.astimezone(UTC), wish.valid_until)
    return port.Quote(
        said.reference, amount, said.asset, said.asset_amount, said.rate, until, said.deeplink, said.universal_url,
        said.qrcode_data,
    )  # fmt: skip


def written(order: port.CollectionOrder) -> bytes:
    """That a quote has its order and may be paid, the same bytes on every send."""
    assert order.expires_at is not None
    return msgspec.json.encode(
        {
            "amount": str(order.amount), "number": order.number, "expiresAt": instant(order.expires_at),
            "payer": _person(order.payer),
        }
    )  # fmt: skip


def has_order(network_id: str, body: bytes) -> bool:
    """Whether a quote that the partner knows has its order. Malformed: it is the answer to something else."""
    known = decoded(body, _Known)
    if known.reference != network_id.removeprefix("close:"):
        raise Malformed("reference")
    return known.status != "QUOTED"


def returned(order: port.ReturnOrder) -> bytes:
    """The return as it is asked for, the same bytes on every send."""
    return msgspec.json.encode({"paymentId": order.end_to_end_id, "amount": str(order.amount), "reason": order.reason})


def return_status(return_id: str, body: bytes) -> port.ReturnFinal | port.Pending:
    """The partner's answer about a return. Malformed where it is none."""
    status = decoded(body, _ReturnStatus)
    if status.return_id != return_id:
        raise Malformed("returnId")
    if status.status == "PENDING":
        return port.Pending()
    if status.status not in {"SETTLED", "REJECTED"}:
        raise Malformed("status")
    return _final(status, settled=status.status == "SETTLED")


def _is_above_zero(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and Decimal(text) > 0


def _is_link(form: re.Pattern[str], text: str) -> bool:
    return len(text) <= _LONGEST_LINK and form.fullmatch(text) is not None


def _person(person: port.Person) -> dict[str, object]:
    return {"name": _cut(person.name), "document": {"type": person.document_type, "number": person.document_number}}


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
    who, amount = payment.payer, Money.parse(payment.amount, "BRL")
    if amount.minor <= 0:
        raise Malformed("amount")
    told = port.Collected(
        partner_id(payment.payment_id), payment.reference, amount, payment.seen_at, payment.settled_at,
        None if who is None else port.Person(who.name, who.document.type, who.document.number),
        facts_of(payment.registered),
    )  # fmt: skip
    return _about(kind, name, payment.reference, port.encode(told))


def _void(name: str, raw: bytes) -> port.NetworkMessage:
    void = decoded(raw, _Void)
    told = port.CollectionVoid(partner_id(void.payment_id), void.reference, void.code, facts_of(void.registered))
    return _about(port.COLLECTION_VOID, name, void.reference, port.encode(told))


def _given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=True)


def _not_given_back(name: str, raw: bytes) -> port.NetworkMessage:
    return _return_ended(name, decoded(raw, _Return), settled=False)


def _return_ended(name: str, ended: _Return, *, settled: bool) -> port.NetworkMessage:
    """Its company is that of the quote, whoever has numbered the return."""
    final = _final(ended, settled=settled)
    return port.NetworkMessage(
        port.RETURN_FINAL, name, ended.return_id, port.encode(final), company_number=_company(ended.reference)
    )


def _about(kind: str, name: str, reference: str, body: bytes) -> port.NetworkMessage:
    return port.NetworkMessage(kind, name, reference, body, company_number=_company(reference))


def _company(reference: str) -> int:
    company = company_of_own_digits(reference)
    if company is None:
        raise Malformed("reference")
    return company


def _final(ended: _Return, *, settled: bool) -> port.ReturnFinal:
    if settled != (ended.settled_at is not None):
        raise Malformed("settledAt")
    code, amount = None if settled else ended.code, returned_amount(ended.amount)
    return port.ReturnFinal(ended.return_id, ended.payment_id, settled, code, ended.settled_at, amount)


# By the type that a movement names.
READERS = {
    "SEEN": _announced, "SETTLED": _settled, "DROPPED": _void, "RETURNED": _given_back, "RETURN_REJECTED": _not_given_back,
}  # fmt: skip
