"""Payments by the payer's bank: its checks, the network, the outcome."""

import asyncio
import sqlite3
from dataclasses import dataclass, replace
from typing import Any

from lastro.standards import pix_ids, pix_keys
from lastro_sim import faults, logs, scenarios
from lastro_sim.clock import moment
from lastro_sim.directory import entries
from lastro_sim.network import Network
from lastro_sim.settings import LASTRO_ISPB, PAYER_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi import authorizations, payments, payouts
from lastro_sim.spi.authorizations import Consent

from .payers import PhoneOwner

PAYERS_COMPANY_NUMBER = 0
WORDS = {"ACCC": "SETTLED", "RJCT": "REJECTED", "PENDING": "PENDING"}


@dataclass(frozen=True)
class PaymentWish:
    """A payment as the payer wants it.

    location, qr_code: of the dynamic QR code that he pays, and its text. purpose: as in pacs.008.
    """

    payer: PhoneOwner
    amount: int
    instrument: str
    receiver: dict[str, Any]
    tx_id: str | None = None
    remittance: str | None = None
    consent: Consent | None = None
    purpose: str = "IPAY"
    location: str | None = None
    qr_code: str | None = None


def new_end_to_end_id(network: Network, ispb: str = PAYER_BANK_ISPB) -> str:
    """Returns a new endToEndId from the counter that all banks here share."""
    at = moment(network.clock.business())
    return pix_ids.end_to_end_id(ispb, at, PAYERS_COMPANY_NUMBER, network.store.next_number("end-to-end"))


def refused(network: Network, code: str) -> dict[str, Any]:
    """Returns the bank's own refusal, which the network never sees."""
    return {"endToEndId": new_end_to_end_id(network), "status": "REJECTED", "code": code}


def receiver_of(entry: sqlite3.Row) -> dict[str, Any]:
    """Returns the receiver's side of a pacs.008, from the directory entry."""
    return {
        "name": entry["owner_name"],
        "document": {"type": entry["owner_type"], "number": entry["owner_number"]},
        "ispb": entry["ispb"],
        "branch": entry["branch"],
        "account": entry["account"],
        "accountType": entry["account_type"],
        "key": entry["key"],
    }


def receiver_by_account(branch: str, account: str) -> dict[str, Any]:
    """Returns the receiver's fields for a typed branch and account of lastro."""
    return {"ispb": LASTRO_ISPB, "branch": branch, "account": account, "accountType": "TRAN"}


async def pay_key(network: Network, key: str, wish_without_receiver: PaymentWish) -> dict[str, Any]:
    """Pays to the owner of a key."""
    entry = entries.find(network, pix_keys.canonical(key))
    if entry is None:
        return refused(network, "KEY_NOT_FOUND")
    if entry["status"] == "BLOCKED":
        return refused(network, "KEY_BLOCKED")
    return await pay(network, replace(wish_without_receiver, receiver=receiver_of(entry)))


async def pay(network: Network, wish: PaymentWish) -> dict[str, Any]:
    """Sends the payment and answers its outcome, or that it is pending."""
    if wish.payer.refused is not None:
        return refused(network, wish.payer.refused)
    with network.store.sharing():
        order = order_of(network, wish)
        if wish.consent is not None:
            # In one transaction with the payment: both end together.
            authorizations.ride(network, wish.consent, order.end_to_end_id)
        if order.receiver in SIMULATED_BANKS:
            payments.settle_outside(network, order, payouts.refused_by_bank(network, order))
            payment = network.store.get("payment", end_to_end_id=order.end_to_end_id)
        else:
            among = faults.in_process("payin") - ({faults.FORGETS_TXID} if wish.location is None else frozenset())
            struck = faults.strike(network, "payin", order.about, among)
            if struck is not None and struck.behaviour == faults.FORGETS_TXID:
                order = _without_txid(order, wish, struck.code)
            payment = payments.ask(network, order, struck or scenarios.fault_of(scenarios.BY_AMOUNT, order.amount))
    return await _ended(network, payment)


def order_of(network: Network, wish: PaymentWish) -> payments.Order:
    """Builds the payer's bank's order for a payment, with a new id."""
    more: dict[str, Any] = {"remittance": wish.remittance} if wish.remittance else {}
    if wish.consent is not None:
        more["recurrence"] = wish.consent.fields
    order = payments.Order(
        end_to_end_id=new_end_to_end_id(network, wish.payer.ispb),
        sender=wish.payer.ispb,
        receiver=wish.receiver["ispb"],
        amount=wish.amount,
        tx_id=wish.tx_id,
        fields={
            "localInstrument": wish.instrument,
            "purpose": wish.purpose,
            "payer": wish.payer.fields,
            "receiver": wish.receiver,
            **more,
        },
    )
    logs.about(order.end_to_end_id)
    return order


def _without_txid(order: payments.Order, wish: PaymentWish, instead: str | None) -> payments.Order:
    """Returns the order of a bank that forgets the txid.

    instead: the value that its message has in place of it, the location as a rule.
    """
    said = {"location": wish.location, "qrCode": wish.qr_code, "remittance": f"Pix {wish.location}"}
    name = instead or faults.INSTEAD_OF_TXID[0]
    more = {name: said[name]} if name in said else {}
    return replace(order, tx_id=None, fields=order.fields | more)


async def _ended(network: Network, payment: sqlite3.Row) -> dict[str, Any]:
    """Waits for the outcome as long as a person would."""
    loop = asyncio.get_running_loop()
    end_to_end_id, until = payment["end_to_end_id"], loop.time() + network.settings.answer_seconds
    while payment["status"] == "PENDING" and (left := until - loop.time()) > 0:
        await network.bells.wait(f"payment:{end_to_end_id}", left)
        payment = network.store.get("payment", end_to_end_id=end_to_end_id)
    code = {"code": payment["code"]} if payment["status"] == "RJCT" else {}
    return {"endToEndId": end_to_end_id, "status": WORDS[payment["status"]]} | code
