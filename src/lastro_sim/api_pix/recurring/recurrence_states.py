"""Recurrences as rows, and what becomes of them: approved, rejected, over, or canceled by either side."""

import json
from datetime import date, time, timedelta
from typing import Any, Final

from lastro.standards import calendar
from lastro_sim import amounts, faults
from lastro_sim.api_pix.calls import Customer, Row
from lastro_sim.clock import counted
from lastro_sim.network import Network

from . import charge_states, history, notices

FAULTS: Final = "bank_recurrence"
# It stands in no list for a while, or the bank tells a change of its state late.
BEHAVIOURS: Final = frozenset({"listed-late", "told-late"})
CREATED, APPROVED, REJECTED, EXPIRED, CANCELED = "CRIADA", "APROVADA", "REJEITADA", "EXPIRADA", "CANCELADA"
ENDED: Final = frozenset({REJECTED, EXPIRED, CANCELED})
UNDECIDED, BY_REQUEST, BY_CODE, BY_PAYMENT = "AGUARDANDO_DEFINICAO", "JORNADA_1", "JORNADA_2", "JORNADA_3"
REJECTIONS: Final = {
    "AP13": "Recorrência rejeitada pelo PSP do pagador.",
    "AP14": "Recorrência recusada pelo usuário pagador.",
}
CANCELLATIONS: Final = {
    "ACCL": "Conta do usuário pagador encerrada.",
    "CPCL": "Encerramento das atividades do usuário recebedor.",
    "DCSD": "Falecimento do usuário pagador.",
    "ERSL": "Erro na solicitação de confirmação.",
    "FRUD": "Suspeita de fraude.",
    "PCFD": "Recorrência confirmada por outra jornada.",
    "SLCR": "Cancelamento solicitado pelo usuário recebedor.",
    "SLDB": "Cancelamento solicitado pelo usuário pagador.",
}
BY_RECEIVER: Final = ("USUARIO_RECEBEDOR", "SLCR")


def find(network: Network, id_rec: str) -> Row | None:
    """Returns a recurrence, whosever it is."""
    return network.store.find("bank_recurrence", id_rec=id_rec)


def approve(network: Network, row: Row, payer: dict[str, Any], journey: str) -> None:
    """Takes a payer's yes. payer: his side of a message."""
    document = payer["document"]
    said = {document["type"].lower(): document["number"], "ispbParticipante": payer["ispb"]}
    said |= {"codMun": payer["ibgeCode"]} if "ibgeCode" in payer else {}
    # A charge that was to be paid first belongs to journey 3 alone (RecAtivacao).
    first = row["first_tx_id"] if journey == BY_PAYMENT else None
    move(network, row, APPROVED, journey=journey, payer=json.dumps(said), first_tx_id=first)
    charge_states.wake_all(network, row["id_rec"])


def approved_by_payment(network: Network, customer: Customer, tx_id: str | None, payment: dict[str, Any]) -> None:
    """Takes the yes that rides in a first payment (journey 3)."""
    row = find(network, payment["recurrence"]["idRec"])
    if row is None or row["document"] != customer.document or row["status"] != CREATED:
        return
    network.store.change("bank_recurrence", row, first_tx_id=tx_id)
    approve(network, network.store.get("bank_recurrence", seq=row["seq"]), payment["payer"], BY_PAYMENT)


def is_open(network: Network, document: str, consent: dict[str, Any]) -> bool:
    """Tells whether the yes in a first payment can be taken. document: of the charge's owner."""
    row = find(network, consent["idRec"])
    same = row is not None and row["document"] == document and row["status"] == CREATED
    return same and row is not None and allows(row, consent.get("maximumAmount"))


def allows(row: Row, maximum: str | None) -> bool:
    """Tells whether a recurrence lets its payer set this maximum (valorMinimoRecebedor)."""
    if maximum is None:
        return True
    value = json.loads(row["terms"]).get("valor", {})
    floor = amounts.from_message(value.get("valorMinimoRecebedor", "0.00")) or 0
    return "valorRec" not in value and (amounts.from_message(maximum) or 0) >= floor


def reject(network: Network, row: Row, code: str) -> None:
    """Takes a payer's no."""
    code = code if code in REJECTIONS else "AP13"
    closing = {"rejeicao": {"codigo": code, "descricao": REJECTIONS[code]}}
    move(network, row, REJECTED, closing=json.dumps(closing), due_at=None)


def cancel(network: Network, row: Row, by: tuple[str, str]) -> None:
    """Cancels a recurrence, and what it still has to charge. by: who, and the code for it."""
    role, given = by
    code = given if given in CANCELLATIONS else BY_RECEIVER[1]
    closing = {"cancelamento": {"solicitante": role, "codigo": code, "descricao": CANCELLATIONS[code]}}
    move(network, row, CANCELED, closing=json.dumps(closing), due_at=None)
    charge_states.cancel_all(network, row["id_rec"], role)


def expire(network: Network, row: Row) -> None:
    """Ends a recurrence whose last day is over."""
    move(network, row, EXPIRED, due_at=None)


def over_at(terms: dict[str, Any]) -> int | None:
    """Returns the instant at which a recurrence is over; None: it has no last day."""
    last = terms["calendario"].get("dataFinal")
    return None if last is None else counted(calendar.instant(date.fromisoformat(last) + timedelta(days=1), time.min))


def move(network: Network, row: Row, status: str, **columns: object) -> None:
    """Writes a recurrence's next state and tells its customer. A fault makes it late."""
    now = network.clock.business()
    about = {"idRec": row["id_rec"], "clientId": row["client_id"]}
    late = faults.strike(network, FAULTS, about, {"told-late"})
    shown_from = now + (0 if late is None else late.delay)
    told = history.longer(row["history"], status, now, shown_from)
    network.store.change("bank_recurrence", row, status=status, history=told, **columns)
    moved = network.store.get("bank_recurrence", seq=row["seq"])
    notices.tell(network, notices.OF_RECURRENCES, moved, notification(moved, shown_from), shown_from)


def notification(row: Row, now: int) -> dict[str, Any]:
    """Returns a RecNotification."""
    status = history.status(row["history"], now)
    said = {"idRec": row["id_rec"], "status": status, "atualizacao": history.shown(row["history"], now)}
    return said | closing(row, status) | {"ativacao": activation(row, status)}


def closing(row: Row, status: str) -> dict[str, Any]:
    """Returns `encerramento`, where a recurrence was rejected or canceled. status: what is shown."""
    return {"encerramento": json.loads(row["closing"])} if row["closing"] is not None and status in ENDED else {}


def activation(row: Row, status: str) -> dict[str, Any]:
    """Returns `ativacao`. status: what is shown."""
    journey = {"tipoJornada": UNDECIDED if status == CREATED else row["journey"]}
    return journey if row["first_tx_id"] is None else journey | {"dadosJornada": {"txid": row["first_tx_id"]}}
