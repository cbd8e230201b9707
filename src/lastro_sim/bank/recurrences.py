"""Recurrences of Pix Automático as the payer's bank reads them.

A recurrence has a receiver, an amount, a frequency, and an end.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec

from lastro.standards import documents
from lastro.standards.recurrence_payload import RecurrencePayload
from lastro_sim import amounts, scenarios
from lastro_sim.clock import moment
from lastro_sim.directory import entries
from lastro_sim.faults import Fault
from lastro_sim.network import Network
from lastro_sim.spi import authorizations

NEW, AUTHORIZED = "CRIADA", "APROVADA"
BRASILIA_BEHIND_UTC = timedelta(hours=3)


@dataclass(frozen=True)
class Recurrence:
    """A recurrence that was read.

    amount, floor: cents; amount is that of every charge, floor the least maximum allowed. receiver: the ISPB of its bank.
    status: the network's word, of the receiver's last update.
    """

    id_rec: str
    receiver: str
    receiver_name: str
    receiver_document: str
    debtor_name: str
    debtor_document: str
    contract: str
    description: str | None
    frequency: str
    starts_on: str
    ends_on: str | None
    amount: int | None
    floor: int | None
    retries: bool
    status: str


def of(payload: RecurrencePayload) -> Recurrence:
    """Returns the recurrence of a signed payload."""
    return Recurrence(
        id_rec=payload.recurrence_id,
        receiver=payload.receiver.ispb,
        receiver_name=payload.receiver.name,
        receiver_document=payload.receiver.cnpj,
        debtor_name=payload.debtor.name,
        debtor_document=payload.debtor.document,
        contract=payload.contract,
        description=payload.purpose,
        frequency=payload.frequency,
        starts_on=payload.starts_on.isoformat(),
        ends_on=None if payload.ends_on is None else payload.ends_on.isoformat(),
        amount=_cents(payload.amount),
        floor=_cents(payload.floor),
        retries=payload.retries,
        status=payload.updates[-1].status if payload.updates else NEW,
    )


def problem(network: Network, recurrence: Recurrence) -> str | None:
    """Returns the reason why nobody may authorize a recurrence, or None.

    A code of journey 2 may be read and authorized until dataFinal is over (the Central Bank's staff, pix-api#629).
    """
    known = authorizations.live(network, recurrence.id_rec)
    if recurrence.status == AUTHORIZED or (known is not None and known["status"] == "AUTHORIZED"):
        return "ALREADY_AUTHORIZED"
    today = (moment(network.clock.business()) - BRASILIA_BEHIND_UTC).date().isoformat()
    over = recurrence.ends_on is not None and recurrence.ends_on < today
    return "RECURRENCE_ENDED" if over or recurrence.status != NEW else None


def maximum_problem(recurrence: Recurrence, maximum: int | None) -> str | None:
    """Returns the fault in a payer's maximum amount, or None. Source: API Pix 2.9.0, valorMinimoRecebedor."""
    if maximum is None:
        return None
    if recurrence.amount is not None:
        return "MAXIMUM_NOT_ALLOWED"
    return "BELOW_FLOOR" if recurrence.floor is not None and maximum < recurrence.floor else None


def remember(network: Network, text: str, recurrence: Recurrence) -> None:
    """Keeps a good reading for later requests by idRec."""
    body = msgspec.json.encode(recurrence).decode()
    network.store.put("recurrence", id_rec=recurrence.id_rec, qrcode_data=text, body=body)


def known(network: Network, id_rec: str) -> tuple[str, Recurrence] | None:
    """Returns a recurrence's code text and last good reading. None: this bank never read it."""
    row = network.store.find("recurrence", id_rec=id_rec)
    return None if row is None else (row["qrcode_data"], msgspec.json.decode(row["body"], type=Recurrence))


def magic(network: Network, id_rec: str, among: Collection[str]) -> Fault | None:
    """Returns the fault that a recurrence always meets. Its fixed amount decides, or the maximum that its payer has set."""
    found = known(network, id_rec)
    authorization = authorizations.newest(network, id_rec)
    maximum = None if authorization is None else authorization["maximum"]
    return for_amount(None if found is None else found[1].amount, maximum, among)


def for_amount(amount: int | None, maximum: int | None, among: Collection[str]) -> Fault | None:
    """Returns the fault of known amounts. among: the behaviours to choose from."""
    fault = scenarios.fault_of(scenarios.BY_RECURRENCE_AMOUNT, maximum if amount is None else amount)
    return fault if fault is not None and fault.behaviour in among else None


def shown(network: Network, recurrence: Recurrence, *, paid_at_once: bool) -> dict[str, Any]:
    """Returns a recurrence as the phone shows it, without unknown fields."""
    maximum: dict[str, Any] = {"allowed": recurrence.amount is None}
    if recurrence.floor is not None:
        maximum["atLeast"] = amounts.printed(recurrence.floor)
    found: dict[str, Any] = {
        "idRec": recurrence.id_rec,
        "journey": "JORNADA_3" if paid_at_once else "JORNADA_2",
        "receiver": receiver(network, recurrence),
        "debtor": {"name": recurrence.debtor_name, "document": masked(recurrence.debtor_document)},
        "contract": recurrence.contract,
        "description": recurrence.description,
        "frequency": recurrence.frequency,
        "startDate": recurrence.starts_on,
        "endDate": recurrence.ends_on,
        "fixedAmount": None if recurrence.amount is None else amounts.printed(recurrence.amount),
        "maximumAmount": maximum,
        "retriesAfterDueDate": recurrence.retries,
        "status": recurrence.status,
    }
    return {name: value for name, value in found.items() if value is not None}


def receiver(network: Network, recurrence: Recurrence) -> dict[str, Any]:
    """Returns the charging party as a payment's receiver is shown."""
    return {
        "name": recurrence.receiver_name,
        "document": masked(recurrence.receiver_document),
        "bank": {"ispb": recurrence.receiver, "name": entries.bank_name(network, recurrence.receiver)},
    }


def masked(document: str) -> dict[str, str]:
    """Masks a document for strangers."""
    return {"type": "CPF" if len(document) == 11 else "CNPJ", "number": documents.mask(document)}


def _cents(text: str | None) -> int | None:
    return None if text is None else amounts.from_message(text)
