"""The contents of a QR code, as the payer's bank reads them."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import msgspec

from lastro.standards import brcode, documents, payload, pix_keys
from lastro_sim import amounts
from lastro_sim.clock import EPOCH, printed
from lastro_sim.directory import entries
from lastro_sim.forms import Form
from lastro_sim.network import Network

from . import recurrences
from .location import Locations, UnreadableError
from .recurrences import Recurrence

LONGEST_QR = 512
ENDED = {
    "CONCLUIDA": "ALREADY_PAID",
    "REMOVIDA_PELO_USUARIO_RECEBEDOR": "CHARGE_REMOVED",
    "REMOVIDA_PELO_PSP": "CHARGE_REMOVED",
}


@dataclass(frozen=True)
class Reading:
    """A code that was read.

    `problem` is the reason why the bank would not pay it, or let nobody authorize it. kind: STATIC, DYNAMIC, RECURRENCE that
    is only authorized (journey 2), COMPOSITE that is authorized by paying (3).
    """

    kind: str
    key: str | None = None
    receiver_name: str | None = None
    amount: int | None = None
    open_amount: bool = False
    tx_id: str | None = None
    description: str | None = None
    expires_at: int | None = None
    status: str | None = None
    problem: str | None = None
    recurrence: Recurrence | None = None

    @property
    def instrument(self) -> str:
        """The network's name for this way to pay."""
        return "QRES" if self.kind == "STATIC" else "QRDN"


def decode(form: Form) -> brcode.BrCode:
    """Decodes the code of a request. Broken structure or check digits make the request malformed."""
    if isinstance(given := form.given("qrcodeData"), str):
        form.data["qrcodeData"] = given.strip()  # characters pasted with it
    text = form.text("qrcodeData", LONGEST_QR)
    form.check()
    try:
        return brcode.decode(text)
    except brcode.BrCodeError as error:
        form.refuse("qrcodeData", "INVALID", str(error)[:200])
        form.check()
        raise


async def read(network: Network, locations: Locations, text: str, code: brcode.BrCode) -> Reading:
    """Reads a code with its location, if any, and its directory entry."""
    kind = _kind(code)
    charge, recurrence = None, None
    try:
        if kind in {"RECURRENCE", "COMPOSITE"}:
            recurrence = recurrences.of(await locations.recurrence(code.recurrence_location or ""))
        if code.location is not None:
            charge = await locations.charge(code.location)
    except UnreadableError as error:
        return Reading(kind, receiver_name=code.merchant_name, problem=error.problem, recurrence=recurrence)
    if recurrence is not None:
        recurrences.remember(network, text, recurrence)
    if charge is not None:
        reading = _dynamic(network, kind, code, charge)
    elif recurrence is not None:
        reading = Reading(kind, receiver_name=recurrence.receiver_name, description=recurrence.description)
    else:
        reading = _static(code)
    if kind != "RECURRENCE":
        reading = _with_key_checked(network, reading)
    if recurrence is not None:
        reading = _with_recurrence_checked(network, reading, recurrence)
    if reading.key is not None or recurrence is not None:
        with network.store.sharing():
            network.store.put("reading", qrcode_data=text, body=msgspec.json.encode(reading).decode())
    return reading


def remembered(network: Network, text: str) -> Reading | None:
    """Returns the last good reading of a code, for forced payments."""
    row = network.store.row("SELECT body FROM reading WHERE qrcode_data = ?", text)
    return None if row is None else msgspec.json.decode(row["body"], type=Reading)


def shown(network: Network, reading: Reading) -> dict[str, Any]:
    """Returns a reading as the act answers it, without unknown fields."""
    found: dict[str, Any] = {
        "kind": reading.kind,
        "amount": None if reading.amount is None else amounts.printed(reading.amount),
        "openAmount": reading.open_amount,
        "receiver": _receiver(network, reading),
        "description": reading.description,
        "txId": reading.tx_id,
        "expiresAt": None if reading.expires_at is None else printed(reading.expires_at),
        "status": reading.status,
        "problem": reading.problem,
        "recurrence": None,
    }
    if reading.recurrence is not None:
        found["recurrence"] = recurrences.shown(network, reading.recurrence, paid_at_once=reading.kind == "COMPOSITE")
    return {name: value for name, value in found.items() if value is not None}


def _kind(code: brcode.BrCode) -> str:
    """Returns the kind of a code.

    A printed key with an offer to authorize besides (journey 4) is read as the key alone: a payer may leave the offer.
    """
    if code.key is not None:
        return "STATIC"
    if code.location is None:
        return "RECURRENCE"
    return "DYNAMIC" if code.recurrence_location is None else "COMPOSITE"


def _static(code: brcode.BrCode) -> Reading:
    amount = amounts.from_message(code.amount) if code.amount else None
    problem = "WITHDRAWAL" if code.facilitator is not None else "AMOUNT_INVALID" if amount == 0 else None
    return Reading(
        "STATIC",
        key=pix_keys.canonical(code.key or ""),
        receiver_name=code.merchant_name,
        amount=amount or None,
        open_amount=amount is None,
        tx_id=code.label,
        description=code.description,
        problem=problem,
    )


def _dynamic(network: Network, kind: str, code: brcode.BrCode, charge: payload.ChargePayload) -> Reading:
    ends = charge.created_at + timedelta(seconds=charge.expiration)
    expires_at = (ends - EPOCH) // timedelta(microseconds=1)
    problem = ENDED.get(charge.status)
    if problem is None and expires_at < network.clock.business():
        problem = "EXPIRED"
    return Reading(
        kind,
        key=pix_keys.canonical(charge.key),
        receiver_name=code.merchant_name,
        amount=amounts.from_message(charge.amount) or None,
        open_amount=charge.open_amount,
        tx_id=charge.txid,
        description=charge.payer_request,
        expires_at=expires_at,
        status=charge.status,
        problem=problem,
    )


def _with_key_checked(network: Network, reading: Reading) -> Reading:
    """Sets the receiver's name, or the problem, from the directory entry."""
    entry = entries.find(network, reading.key or "")
    if entry is None:
        return replace(reading, problem=reading.problem or "KEY_NOT_FOUND")
    if entry["status"] == "BLOCKED":
        return replace(reading, problem=reading.problem or "KEY_BLOCKED")
    return replace(reading, receiver_name=entry["owner_name"])


def _with_recurrence_checked(network: Network, reading: Reading, recurrence: Recurrence) -> Reading:
    """Adds the recurrence; its receiver must also receive this payment."""
    entry = entries.find(network, reading.key) if reading.key else None
    problem = reading.problem or recurrences.problem(network, recurrence)
    if entry is not None and (entry["owner_number"], entry["ispb"]) != (recurrence.receiver_document, recurrence.receiver):
        problem = problem or "RECEIVER_DIFFERS"
    return replace(reading, problem=problem, recurrence=recurrence)


def _receiver(network: Network, reading: Reading) -> dict[str, Any] | None:
    if reading.kind == "RECURRENCE" and reading.recurrence is not None:
        return recurrences.receiver(network, reading.recurrence)
    entry = entries.find(network, reading.key) if reading.key else None
    if entry is None:
        return None if reading.receiver_name is None else {"name": reading.receiver_name}
    return {
        "name": entry["owner_name"],
        "document": {"type": entry["owner_type"], "number": documents.mask(entry["owner_number"])},
        "bank": {"ispb": entry["ispb"], "name": entries.bank_name(network, entry["ispb"])},
        "key": entry["key"],
    }
