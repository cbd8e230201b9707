"""Payments from participants; banks played here answer at once from the directory."""

import json
import sqlite3
from typing import Any

from lastro.standards import pix_ids
from lastro_sim import faults, scenarios
from lastro_sim.api_pix import arrivals
from lastro_sim.bank import own, payers
from lastro_sim.clock import HOUR, counted
from lastro_sim.directory import buckets, entries
from lastro_sim.network import Network
from lastro_sim.outside import charges
from lastro_sim.settings import COMPANY_BANK_ISPB, PAYER_BANK_ISPB, SIMULATED_BANKS

from . import payments
from .payments import Order

REFUSED_STATUSES = {"ACCOUNT_BLOCKED": "AC06", "ACCOUNT_CLOSED": "AC07"}


# A reimbursement of Pix Automático goes "ao participante do usuário pagador" (API Pix 2.9.0, DevolucaoNatureza), which has
# paid its customer already: a bank here takes it on its own account alone. That any other is FF07 is ours.
REIMBURSES = "REFU"


def send(network: Network, order: Order) -> str | None:
    """Takes a payment once. A text is the reason why the network refuses to process the message at all."""
    if order.fields["payer"]["ispb"] != order.sender:
        return "The payer's ISPB is not the sender's"
    known = payments.find(network, order.end_to_end_id)
    if known is not None:
        if not _same(known, order):
            return "This endToEndId belongs to another payment"
        payments.repeat(network, known)
        return None
    fault = faults.strike(network, "payout", order.about, faults.in_process("payout"))
    fault = fault or scenarios.fault_of(scenarios.BY_PAYOUT_AMOUNT, order.amount)
    buckets.give_back(network, order.end_to_end_id, order.sender)
    code = _refused_by_network(network, order)
    if code is None and order.receiver not in SIMULATED_BANKS:
        payments.ask(network, order, fault)
    else:
        payments.settle_outside(network, order, code or refused_by_bank(network, order), fault)
    return None


def _same(known: sqlite3.Row, order: Order) -> bool:
    """Tells whether a repeated pacs.008 equals the first one."""
    kept = json.loads(known["body"])
    return (known["sender"], known["amount"], known["tx_id"]) == (order.sender, order.amount, order.tx_id) and all(
        kept.get(name) == value for name, value in order.fields.items()
    )


def _refused_by_network(network: Network, order: Order) -> str | None:
    """Returns the code of the first SPI rule that the payment breaks.

    Form of the id and codes: pacs.008 1.16, pacs.002 1.17. Twelve hours: Celcoin and Stark Infra on the Central Bank's rule;
    its staff spoke of 1 h 30 in 2020 (perguntas#282). The code of each case is inferred from the codes' names.
    """
    if not pix_ids.is_end_to_end_id(order.end_to_end_id) or order.end_to_end_id[1:9] != order.sender:
        return "FF08"
    if abs(counted(pix_ids.minute_of(order.end_to_end_id)) - network.clock.business()) > network.settings.id_hours * HOUR:
        return "FF08"
    if order.amount == 0:
        return "AM01"
    if order.receiver == order.sender:
        return "AG12"
    if order.receiver in SIMULATED_BANKS or network.store.find("participant", ispb=order.receiver) is not None:
        return None
    return "RC10"


def _is_own(ispb: str, place: dict[str, Any]) -> bool:
    """Tells whether the receiving account is the bank's own."""
    mine = own.account(ispb)
    return all(place.get(name) == value for name, value in mine.items())


def refused_by_bank(network: Network, order: Order) -> str | None:
    """Returns the receiving bank's refusal code, or None.

    It refuses an account that is unknown, not open, of another holder or of another type, or a payment that its charge does
    not ask for. Codes: pacs.002 1.17, as institutions explain them; the order in which a bank looks is ours.
    """
    place = order.fields["receiver"]
    if order.fields["purpose"] == REIMBURSES:
        return None if _is_own(order.receiver, place) else "FF07"
    if order.receiver == PAYER_BANK_ISPB:
        customer = payers.by_account(place["branch"], place["account"])
        holder, kind, status = (customer.document, "CACC", "ACTIVE") if customer else ("", "", "")
    else:
        entry = entries.at_account(network, order.receiver, place["branch"], place["account"])
        holder, kind, status = (entry["owner_number"], entry["account_type"], entry["status"]) if entry else ("", "", "")
    if not holder:
        return "AC03"
    if status in REFUSED_STATUSES:
        return REFUSED_STATUSES[status]
    if "document" in place and place["document"]["number"] != holder:
        return "BE01"
    if kind != place["accountType"]:
        return "AC14"
    if order.fields["localInstrument"] == charges.OF_A_CHARGE:
        if order.receiver == COMPANY_BANK_ISPB:
            consent = order.fields.get("recurrence")
            return arrivals.refuses(network, order.tx_id, place["account"], order.amount, consent)
        return charges.refuses(network, order.tx_id, place, order.amount)
    return None
