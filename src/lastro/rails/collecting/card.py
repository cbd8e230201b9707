"""The messages that only the acquirer of cards has. Those of all partners that collect are in `wire`."""

from __future__ import annotations

from typing import Any

import msgspec

from lastro.rails import port
from lastro.rails.collecting import wire
from lastro.rails.collecting.partner import Partner
from lastro.rails.event_stream import Registered, facts_of, partner_id
from lastro.rails.messages import Instant, Malformed, decoded
from lastro.standards.own_numbers import company_of_own_digits

_LONGEST_WORD, _LONGEST_ID, _LONGEST_URL = 32, 64, 2048
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


class _Decline(msgspec.Struct, rename="camel"):
    reference: str
    code: str
    registered: Registered | None = None


class _Chargeback(msgspec.Struct, rename="camel"):
    chargeback_id: str
    payment_id: str
    reference: str
    amount: str
    currency: str
    taken_at: Instant
    code: str | None = None
    registered: Registered | None = None


class _ChargeStatus(msgspec.Struct):
    reference: str
    status: str


def _details(order: port.CollectionOrder) -> dict[str, Any]:
    card, payer = order.card, order.payer
    assert card is not None, "an order by card names its card"
    return {
        "token": card.token, "installments": card.installments, "skip3ds": card.skip_3ds, "returnUrl": card.return_url,
        "threeDsToken": card.three_ds_token, "browser": card.browser,
        "payer": {
            **wire.person(payer), "address": payer.address, "email": card.email, "phone": card.phone, "ip": card.ip,
        },
    }  # fmt: skip


def charged(order: port.CardAuthorize) -> bytes:
    """Returns the order of a charge, the same bytes on every send."""
    told: dict[str, object] = {"amount": str(order.amount), "currency": order.amount.currency}
    if (found := order.three_ds) is not None:
        three_ds = {
            "transStatus": found.status, "eci": found.eci, "authenticationValue": found.cryptogram,
            "dsTransId": found.ds_transaction_id, "version": found.version,
        }  # fmt: skip
        told["threeDs"] = {name: value for name, value in three_ds.items() if value is not None}
    return msgspec.json.encode(told)


def charge_status(reference: str, body: bytes) -> port.NetworkMessage | port.Pending | port.Unknown:
    """Returns the acquirer's answer about a charge.

    Unknown: it was never ordered there, and may be. Malformed where it is none.
    """
    status = decoded(body, _ChargeStatus)
    if status.reference != reference:
        raise Malformed("reference")
    if status.status == "CAPTURED":
        return wire.collected(CARD, "", body, kind=port.COLLECTION_SETTLED)
    if status.status == "DECLINED":
        return _declined(CARD, "", body)
    if status.status not in _KNOWN:
        raise Malformed("status")
    return port.Unknown()


def _authenticated(partner: Partner, name: str, raw: bytes) -> port.NetworkMessage:
    told = decoded(raw, _Authentication)
    short = (told.trans_status, told.eci, told.version, told.authentication_value)
    is_long = len(told.ds_trans_id or "") > _LONGEST_ID or len(told.challenge_url or "") > _LONGEST_URL
    if is_long or any(len(text or "") > _LONGEST_WORD for text in short):
        raise Malformed("authentication")
    news = port.CardAuthenticated(
        told.reference, told.trans_status, told.challenge_url, told.eci, told.ds_trans_id, told.version,
        told.authentication_value, facts_of(told.registered, partner.currency),
    )  # fmt: skip
    return partner.message(port.CARD_AUTHENTICATED, name, told.reference, port.encode(news))


def _declined(partner: Partner, name: str, raw: bytes) -> port.NetworkMessage:
    decline = decoded(raw, _Decline)
    of = facts_of(decline.registered, partner.currency)
    news = port.CollectionRefused(decline.reference, wire.code(decline.code) or "", of)
    return partner.message(port.COLLECTION_REFUSED, name, decline.reference, port.encode(news))


def _charged_back(partner: Partner, name: str, raw: bytes) -> port.NetworkMessage:
    told = decoded(raw, _Chargeback)
    news = port.CardChargeback(
        partner_id(told.chargeback_id), partner_id(told.payment_id), told.reference,
        wire.amount_of(partner, told.amount, told.currency), told.taken_at, wire.code(told.code),
        facts_of(told.registered, partner.currency),
    )  # fmt: skip
    return partner.message(port.CARD_CHARGEBACK, name, told.reference, port.encode(news))


CARD = Partner(
    rail=port.CARD,
    company_of=company_of_own_digits,
    details=_details,
    announces=False,
    charges=True,
    more={"AUTHENTICATION": _authenticated, "DECLINED": _declined, "CHARGEBACK": _charged_back},
)
