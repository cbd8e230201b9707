"""Messages of the payer's bank: a payer's word, and the end of each attempt.

The messages are those of any participant. They wait in the network's mailbox and are read here.
"""

import asyncio
import json
import logging
from typing import Any, Final

from lastro_sim.api_pix.calls import Row
from lastro_sim.bank import charging
from lastro_sim.network import LOOKS_EVERY_SECONDS, Network
from lastro_sim.settings import COMPANY_BANK_ISPB
from lastro_sim.spi import authorizations, mailbox
from lastro_sim.spi.authorizations import AuthorizationAnswer

from . import charge_states, confirmations, instructing, recurrence_states

LOG = logging.getLogger("lastro_sim")
NO_MONEY: Final = "EXPR"
REFUSED: Final = "AP13"


async def run(network: Network) -> None:
    """Reads the post whenever some is there, for ever."""
    while True:
        try:
            read_all(network)
        except Exception:
            LOG.exception("a message to the companies' bank could not be read; it is tried again")
            await asyncio.sleep(LOOKS_EVERY_SECONDS)
        await network.bells.wait(f"out:{COMPANY_BANK_ISPB}", LOOKS_EVERY_SECONDS)


def read_all(network: Network) -> None:
    """Reads what has arrived, oldest first. Each message has its own transaction."""
    while True:
        rows = mailbox.arrived(network, COMPANY_BANK_ISPB)
        if not rows:
            return
        for row in rows:
            with network.store.writing():
                mailbox.confirm_one(network, row)
                _READERS.get(row["type"], _ignored)(network, json.loads(row["body"]))


def _ignored(_network: Network, _message: dict[str, Any]) -> None:
    """Leaves what this bank knows already: answers to its own cancellations."""


def _decided(network: Network, message: dict[str, Any]) -> None:
    """Takes a payer's yes or no (pain.012). A yes is answered; it holds from then on."""
    row = recurrence_states.find(network, message["idRec"])
    if "originalMsgId" in message:
        return
    document = message["payer"]["document"]["number"]
    if message["status"] != "ACCP":
        if row is not None and row["status"] == recurrence_states.CREATED:
            confirmations.answered(network, row["id_rec"], document, accepts=False)
            recurrence_states.reject(network, row, message["code"])
        return
    is_new = row is not None and row["status"] == recurrence_states.CREATED
    accepts = (
        row is not None
        and (is_new or _is_again(row, document))
        and recurrence_states.allows(row, message.get("maximumAmount"))
    )
    answer = AuthorizationAnswer(message["msgId"], message["idRec"], accepts, None if accepts else REFUSED)
    authorizations.answered(network, COMPANY_BANK_ISPB, answer)
    if accepts and is_new and row is not None:
        by_request = confirmations.answered(network, row["id_rec"], document, accepts=True)
        journey = recurrence_states.BY_REQUEST if by_request else recurrence_states.BY_CODE
        confirmations.cancel_all(network, row["id_rec"])
        recurrence_states.approve(network, row, message["payer"], journey)


def _is_again(row: Row, document: str) -> bool:
    """Tells whether its payer says yes again. No answer has reached his bank."""
    return row["status"] == recurrence_states.APPROVED and document in json.loads(row["payer"]).values()


def _canceled(network: Network, message: dict[str, Any]) -> None:
    """Takes the payer's side's cancellation of a recurrence (pain.011)."""
    row = recurrence_states.find(network, message["idRec"])
    if row is not None and row["status"] not in recurrence_states.ENDED:
        recurrence_states.cancel(network, row, (message["requestedBy"]["role"], message["reason"]))


def _attempt_decided(network: Network, message: dict[str, Any]) -> None:
    """Takes what becomes of an attempt (pain.014): scheduled, or no money and why."""
    attempt = network.store.find("bank_attempt", msg_id=message["originalMsgId"])
    if attempt is None or attempt["status"] not in charge_states.UNDECIDED:
        return
    if message["status"] == "ACCP":
        if attempt["status"] == charge_states.ASKED:
            charge_states.scheduled(network, attempt, message["endToEndId"])
        return
    code = message["code"]
    charge = network.store.get("bank_scheduled_charge", seq=attempt["charge"])
    if code in charging.OPERATIONAL and charge_states.may_be_sent_again(network, charge, attempt):
        charge_states.failed_once(network, attempt, code)
        instructing.send_again(network, charge, attempt)
    else:
        charge_states.failed(network, attempt, None if code == NO_MONEY else code)


def _attempt_canceled(network: Network, message: dict[str, Any]) -> None:
    """Takes the payer's side's cancellation of a charge (camt.055)."""
    attempt = network.store.find("bank_attempt", msg_id=message["originalMsgId"])
    charge = None if attempt is None else network.store.get("bank_scheduled_charge", seq=attempt["charge"])
    if charge is None or charge["status"] not in charge_states.OPEN:
        return
    reason = message["reason"]
    role = "USUARIO_PAGADOR" if reason in {"SLBD", charge_states.WITH_RECURRENCE} else "PSP_PAGADOR"
    charge_states.cancel(network, charge, role, reason)


_READERS: Final = {
    "pain.012": _decided, "pain.011": _canceled, "pain.014": _attempt_decided, "camt.055": _attempt_canceled,
}  # fmt: skip
