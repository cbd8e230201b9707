"""Payments that reach a customer of the bank over the network: what it refuses, and what it does when one settles.

A dynamic code's payment ends its charge, whatever its amount; any other leaves charges alone, even one that carries the
txid of a charge (bacen/pix-api#8). Faults of the operation `bank_pix`, whose delay is business time.
"""

import json
from typing import Any, Final

from lastro_sim import amounts, faults
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB

from . import charges, customers, notices, received
from .calls import Row
from .recurring import charge_states, recurrence_states

OPERATION = "bank_pix"
# Said to be paid before any Pix is shown; shown, but not in lists; without a field that the document leaves optional.
BEHAVIOURS: Final = frozenset({"concluded-early", "listed-late", "no-txid", "no-chave"})
OF_A_CHARGE, OF_A_RECURRENCE = "QRDN", "AUTO"
UNKNOWN_CHARGE, PAID_BEFORE, NOT_AS_ASKED, NO_RECURRENCE = "BE15", "DUPL", "BE17", "UPAY"


def refuses(
    network: Network, tx_id: str | None, account: str, cents: int, consent: dict[str, Any] | None = None
) -> str | None:
    """Returns the code for refusing the payment of a dynamic code; None if it may be paid. Codes: as the outside bank's.

    consent: the payer's yes to a recurrence that rides in it.
    """
    customer = customers.by_account(network, account)
    row = None if customer is None or tx_id is None else charges.find(network, customer.document, tx_id)
    if row is None:
        return UNKNOWN_CHARGE
    if row["status"] == charges.PAID:
        return PAID_BEFORE
    payable = row["status"] == charges.ACTIVE and network.clock.business() <= charges.expires_at(row)
    value = json.loads(row["terms"])["valor"]
    fits = value.get("modalidadeAlteracao") == 1 or value["original"] == amounts.printed(cents)
    if consent is not None and not recurrence_states.is_open(network, row["document"], consent):
        return NO_RECURRENCE
    return None if payable and fits else NOT_AS_ASKED


def settled(network: Network, payment: Row) -> None:
    """Writes a settled payment as a Pix; its charge ends, its webhook is told."""
    if payment["receiver"] != COMPANY_BANK_ISPB:
        return
    body = json.loads(payment["body"])
    customer = customers.by_account(network, body["receiver"].get("account", ""))
    if customer is None:
        return
    about = {
        "endToEndId": payment["end_to_end_id"], "txId": payment["tx_id"], "amount": amounts.printed(payment["amount"]),
        "key": body["receiver"].get("key"), "clientId": customer.client_id,
    }  # fmt: skip
    struck = {name: faults.strike(network, OPERATION, about, {name}) for name in sorted(BEHAVIOURS)}
    early, late = struck["concluded-early"], struck["listed-late"]
    seen_at = payment["settled_at"] + (0 if early is None else early.delay)
    listed_at = max(seen_at, payment["settled_at"] + (0 if late is None else late.delay))
    hides = {column for name, column in (("no-txid", "tx_id"), ("no-chave", "key")) if struck[name] is not None}
    pix = received.keep(network, payment, customer.document, hides=hides, listed_at=listed_at, seen_at=seen_at)
    row = None if pix["tx_id"] is None else charges.find(network, customer.document, pix["tx_id"])
    if row is not None and row["status"] == charges.ACTIVE and body["localInstrument"] == OF_A_CHARGE:
        charges.end(network, row, charges.PAID)
    if body["localInstrument"] == OF_A_RECURRENCE and payment["tx_id"] is not None:
        charge_states.paid(network, customer.document, payment["tx_id"], payment["end_to_end_id"])
    elif "recurrence" in body:
        recurrence_states.approved_by_payment(network, customer, payment["tx_id"], body)
    notices.tell(network, pix)
