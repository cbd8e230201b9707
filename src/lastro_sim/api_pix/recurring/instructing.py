"""Instructions to the payer's bank: collect a charge on a day, or leave it.

They are messages of the network (pain.013, camt.055); the answers come back as `post` reads them.
"""

import json
from datetime import date
from typing import Any

from lastro.standards import pix_ids
from lastro_sim.api_pix import customers
from lastro_sim.api_pix.calls import Row
from lastro_sim.bank import charging, paying
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB, PAYER_BANK_ISPB
from lastro_sim.spi import instructions

from . import charge_states, recurrence_states


def end_due(network: Network, row: Row) -> None:
    """Sends a charge whose time has come; ends one that nobody may try any more."""
    if charge_states.attempts(network, row):
        charge_states.expire(network, row)
        return
    recurrence = recurrence_states.find(network, row["id_rec"])
    last = charge_states.last_sent_at(row)
    if recurrence is not None and recurrence["status"] == recurrence_states.CREATED and network.clock.business() < last:
        network.store.change("bank_scheduled_charge", row, due_at=last)  # its payer may still say yes
        return
    network.store.change("bank_scheduled_charge", row, due_at=charge_states.over_at(row))
    send(network, row, charge_states.FIRST_TRY, date.fromisoformat(row["settles_on"]))


def send(network: Network, charge: Row, kind: str, settles_on: date) -> None:
    """Asks the payer's bank to collect a charge on a day; the attempt is written first."""
    recurrence = network.store.get("bank_recurrence", id_rec=charge["id_rec"])
    payer: dict[str, str] = json.loads(recurrence["payer"] or "{}")
    terms = json.loads(charge["terms"])
    msg_id = new_message_id(network)
    charge_states.asked(network, charge, kind, settles_on, msg_id, paying.new_end_to_end_id(network, PAYER_BANK_ISPB))
    asked = instructions.Instruction(
        msg_id=msg_id,
        id_rec=charge["id_rec"],
        tx_id=charge["tx_id"],
        kind=kind,
        amount=charge["amount"],
        due_on=date.fromisoformat(charge["due_on"]),
        settles_on=settles_on,
        payer_ispb=payer.get("ispbParticipante", PAYER_BANK_ISPB),
        payer_document=payer.get("cpf", payer.get("cnpj", "")),
        receiver=_receiver(network, charge["document"], terms["recebedor"]),
        remittance=terms.get("infoAdicional"),
    )
    charging.take(network, COMPANY_BANK_ISPB, asked)


def send_again(network: Network, charge: Row, attempt: Row) -> None:
    """Asks once more for the same day, after a failure (RIFL)."""
    send(network, charge, charge_states.SENT_AGAIN, date.fromisoformat(attempt["settles_on"]))


def cancel(network: Network, charge: Row, attempt: Row) -> bool:
    """Asks the payer's bank to leave a charge; False: it refuses."""
    msg_id = new_message_id(network)
    asked = instructions.CancellationInstruction(msg_id, attempt["msg_id"], charge["id_rec"], charge["tx_id"])
    charging.cancel_for_receiver(network, COMPANY_BANK_ISPB, asked)
    decided = instructions.cancellation(network, msg_id)
    return decided is not None and decided["status"] == "ACCP"


def new_message_id(network: Network) -> str:
    """Returns the id of a message of this bank."""
    return pix_ids.message_id(COMPANY_BANK_ISPB, network.chance.octets(32))


def _receiver(network: Network, document: str, place: dict[str, Any]) -> dict[str, Any]:
    """Returns the receiver's side of the payment to come."""
    owner = customers.by_account(network, place["conta"])
    assert owner is not None  # it was looked for when the charge was made
    return {
        "name": owner.name, "document": {"type": "CNPJ", "number": document}, "branch": owner.branch,
        "account": owner.account, "accountType": customers.ACCOUNT_TYPE,
    }  # fmt: skip
