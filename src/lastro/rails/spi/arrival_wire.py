"""A Pix that comes in, as the SPI tells of it: pacs.008 asks whether it may, camt.054 says that it has."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Reader, decoded
from lastro.rails.spi import charge_wire, recurrence_wire
from lastro.rails.spi.parties import Document, Payer
from lastro.standards import pix_ids, pix_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

_TXID = re.compile(r"[A-Za-z0-9]{1,35}")
_DYNAMIC_QR = frozenset({"QRDN", "APDN"})  # APDN: contactless
_OUR_LOCATION = re.compile(r"/qr/v2/([0-9A-Za-z]{22})")  # in the text of a code the next field follows it at once


class _Receiver(msgspec.Struct, rename="camel"):
    branch: str
    account: str
    document: Document | str | None = None
    key: str | None = None


class _Pix(msgspec.Struct, rename="camel"):
    end_to_end_id: str
    amount: str
    accepted_at: Instant
    local_instrument: str
    payer: Payer
    receiver: _Receiver
    tx_id: str | None = None
    remittance: str | None = None
    settled_at: Instant | None = None
    recurrence: recurrence_wire.Recurrence | None = None
    purpose: str | None = None
    location: str | None = None
    qr_code: str | None = None


def _ask(name: str, raw: bytes, _: str) -> port.NetworkMessage:
    return _arrival(name, raw, port.PIX_ASK)


def credit(name: str, raw: bytes, _: str) -> port.NetworkMessage:
    """Reads money that is in already."""
    return _arrival(name, raw, port.PIX_SETTLED)


def _arrival(name: str, raw: bytes, kind: str) -> port.NetworkMessage:
    pix = decoded(raw, _Pix)
    if not pix_ids.is_end_to_end_id(pix.end_to_end_id):
        raise Malformed("endToEndId")
    if pix.tx_id is not None and _TXID.fullmatch(pix.tx_id) is None:
        raise Malformed("txId")
    if (kind == port.PIX_SETTLED) != (pix.settled_at is not None):
        raise Malformed("settledAt")
    receiver, charging = pix.receiver, charge_wire.charging(pix.local_instrument, pix.recurrence)
    arrival = port.PixArrival(
        message_id=name,
        end_to_end_id=pix.end_to_end_id,
        txid=pix.tx_id,
        amount=Money.parse(pix.amount, "BRL"),
        accepted_at=pix.accepted_at,
        payer=pix.payer.ported,
        receiver_branch=receiver.branch,
        receiver_account=receiver.account,
        receiver_document=receiver.document.number if isinstance(receiver.document, Document) else receiver.document,
        key=None if receiver.key is None else pix_keys.canonical(receiver.key),
        instrument=pix.local_instrument,
        remittance=pix.remittance,
        settled_at=pix.settled_at,
        authorizing=recurrence_wire.authorizing(pix.recurrence) if charging is None else None,
        charging=charging,
        purpose=pix.purpose,
        location_token=_location_token(pix),
    )
    names = arrival.txid or arrival.location_token
    return port.NetworkMessage(kind, name, pix.end_to_end_id, port.encode(arrival), names, receiver.account)


def _location_token(pix: _Pix) -> str | None:
    """Finds our location's token, for a charge without a txid.

    The payer's bank has forgotten the txid; location, code or free text may hold the token.
    """
    if pix.tx_id is not None or pix.local_instrument not in _DYNAMIC_QR:
        return None
    found = (_OUR_LOCATION.search(text) for text in (pix.location, pix.qr_code, pix.remittance) if text is not None)
    return next((match[1] for match in found if match is not None), None)


READERS: Mapping[str, Reader] = MappingProxyType({"pacs.008": _ask, "camt.054": credit})
