"""Scheduled charges and their attempts as rows, and what becomes of them.

A charge is CRIADA until its payer's bank has scheduled it, then ATIVA. It ends as CONCLUIDA with its Pix, REJEITADA by a
code that the document lists, CANCELADA by either side, or EXPIRADA when no further attempt may come.
"""

import json
from datetime import date, time, timedelta
from typing import Any, Final

from lastro.standards import calendar
from lastro_sim import faults
from lastro_sim.api_pix import received
from lastro_sim.api_pix.calls import Row
from lastro_sim.clock import counted
from lastro_sim.network import Network

from . import history, notices

FAULTS: Final = "bank_scheduled_charge"
BEHAVIOURS: Final = frozenset({"listed-late", "told-late"})
CREATED, ACTIVE, PAID = "CRIADA", "ATIVA", "CONCLUIDA"
EXPIRED, REJECTED, CANCELED = "EXPIRADA", "REJEITADA", "CANCELADA"
OPEN: Final = frozenset({CREATED, ACTIVE})
ASKED, SCHEDULED, COLLECTED = "SOLICITADA", "AGENDADA", "PAGA"
UNDECIDED: Final = frozenset({ASKED, SCHEDULED})
FIRST_TRY, NEW_TRY, SENT_AGAIN = "AGND", "NTAG", "RIFL"
RETRIES, RETRY_DAYS = 3, 7
# Days before its attempt in which a payer's bank takes an instruction, as institutions publish them.
EARLIEST_DAYS, LATEST_DAYS = 10, 2
SENT_FROM, SENT_UNTIL = time(6), time(23)
REJECTIONS: Final = {
    "AB10": "Erro no PSP do pagador.",
    "AC05": "Conta do usuário pagador encerrada.",
    "AC06": "Conta do usuário pagador bloqueada.",
    "AM02": "Valor acima do limite do usuário pagador.",
    "AM09": "Valor diferente do valor da recorrência.",
    "DENC": "Documento do usuário pagador diferente.",
    "DS27": "Participante não cadastrado.",
    "DTED": "Data de vencimento incompatível com a periodicidade.",
    "DTNT": "Data da nova tentativa fora do prazo.",
    "FBRD": "Operação não permitida.",
    "IRNT": "A recorrência não permite novas tentativas.",
    "MIDI": "Recorrência não encontrada.",
    "MSUC": "Recorrência não confirmada.",
    "NIEC": "Já existe ordem pendente.",
    "NIPA": "Cobrança já paga.",
    "NITX": "A instrução não corresponde à cobrança.",
    "QUNT": "Quantidade de tentativas excedida.",
    "RC09": "ISPB do PSP do pagador inválido.",
    "UDEI": "Documento do devedor incorreto.",
}
# Of the attempt, and so of its charge (CobRTentativas, rejeicao.codigo).
REJECT_THE_CHARGE: Final = frozenset({"AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09"})
CANCELLATIONS: Final = {
    "ACCT": "Conta do usuário pagador encerrada.",
    "BLCK": "Conta do usuário pagador bloqueada.",
    "CCLD": "Cancelamento da recorrência.",
    "FAIL": "Falha operacional.",
    "OTHR": "Outro motivo.",
    "SLBD": "Cancelamento solicitado pelo usuário pagador.",
    "SLCR": "Cancelamento de agendamento solicitado pelo usuário recebedor.",
}
WITH_RECURRENCE, BY_RECEIVER = "CCLD", ("USUARIO_RECEBEDOR", "SLCR")


def find(network: Network, document: str, tx_id: str) -> Row | None:
    """Returns a charge by its owner's document and its txid."""
    return network.store.find("bank_scheduled_charge", document=document, tx_id=tx_id)


def attempts(network: Network, charge: Row) -> list[Row]:
    """Returns the attempts of a charge, oldest first."""
    return network.store.every("bank_attempt", charge=charge["seq"])


def retries(charge: Row) -> bool:
    """Tells whether a charge may be tried again after its day; its idRec says so."""
    return str(charge["id_rec"])[1] == "R"


def over_at(charge: Row) -> int:
    """Returns the first instant at which no attempt can come any more."""
    last = date.fromisoformat(charge["settles_on"])
    if retries(charge):
        last = max(last, date.fromisoformat(charge["due_on"]) + timedelta(days=RETRY_DAYS))
    return counted(calendar.instant(last + timedelta(days=1), time.min))


def asked(network: Network, charge: Row, kind: str, settles_on: date, msg_id: str, end_to_end_id: str) -> None:
    """Writes a new attempt."""
    now = network.clock.business()
    network.store.insert(
        "bank_attempt", charge=charge["seq"], msg_id=msg_id, kind=kind, settles_on=settles_on.isoformat(),
        end_to_end_id=end_to_end_id, status=ASKED, history=history.begun(ASKED, now),
    )  # fmt: skip
    if kind != FIRST_TRY:
        tell(network, charge, now)


def scheduled(network: Network, attempt: Row, end_to_end_id: str) -> None:
    """Takes the payer's bank's yes: it will try on that day."""
    _move(network, attempt, SCHEDULED, end_to_end_id=end_to_end_id)
    charge = _charge_of(network, attempt)
    if charge["status"] == CREATED:
        move(network, charge, ACTIVE)
    else:
        tell(network, charge, network.clock.business())


def failed(network: Network, attempt: Row, code: str | None) -> None:
    """Takes an attempt that brought no money. code: why it was rejected; None: it was not there to be taken."""
    known = code if code is None or code in REJECTIONS else "AB10"
    _move(network, attempt, EXPIRED if known is None else REJECTED, code=known)
    charge = _charge_of(network, attempt)
    if charge["status"] not in OPEN:
        return
    never_scheduled = charge["status"] == CREATED and known is not None
    if known in REJECT_THE_CHARGE or never_scheduled:
        reject(network, charge, known or "AB10")
    elif not _may_be_tried_again(network, charge):
        if known is None:
            move(network, charge, EXPIRED, due_at=None)
        else:
            reject(network, charge, known)
    else:
        tell(network, charge, network.clock.business())


def failed_once(network: Network, attempt: Row, code: str) -> None:
    """Takes an attempt that a bank's failure has ended. It is sent again the same day."""
    _move(network, attempt, REJECTED, code=code if code in REJECTIONS else "AB10")


def may_be_sent_again(network: Network, charge: Row, attempt: Row) -> bool:
    """Tells whether a failed attempt may be sent again for its day. It may once."""
    same = [one for one in attempts(network, charge) if one["settles_on"] == attempt["settles_on"]]
    return charge["status"] in OPEN and not any(one["kind"] == SENT_AGAIN for one in same)


def paid(network: Network, document: str, tx_id: str, end_to_end_id: str) -> None:
    """Ends the charge that a Pix has paid."""
    charge = find(network, document, tx_id)
    if charge is None or charge["status"] == PAID:
        return
    for attempt in attempts(network, charge):
        if attempt["end_to_end_id"] == end_to_end_id or attempt["status"] == ASKED:
            _move(network, attempt, COLLECTED, end_to_end_id=end_to_end_id)
    move(network, charge, PAID, due_at=None)


def reject(network: Network, charge: Row, code: str) -> None:
    """Ends a charge that its payer's bank rejects."""
    closing = {"rejeicao": {"codigo": code, "descricao": REJECTIONS[code]}}
    move(network, charge, REJECTED, closing=json.dumps(closing), due_at=None)


def cancel(network: Network, charge: Row, role: str, given: str) -> None:
    """Cancels a charge with its open attempts. role: who; given: the code for it."""
    code = given if given in CANCELLATIONS else "OTHR"
    for attempt in attempts(network, charge):
        if attempt["status"] in UNDECIDED:
            _move(network, attempt, CANCELED)
    closing = {"cancelamento": {"solicitante": role, "codigo": code, "descricao": CANCELLATIONS[code]}}
    move(network, charge, CANCELED, closing=json.dumps(closing), due_at=None)


def cancel_all(network: Network, id_rec: str, role: str) -> None:
    """Cancels the open charges of a recurrence that was canceled; what is being paid now goes on."""
    for charge in network.store.every("bank_scheduled_charge", id_rec=id_rec):
        if charge["status"] in OPEN:
            cancel(network, charge, role, WITH_RECURRENCE)


def expire(network: Network, charge: Row) -> None:
    """Ends a charge whose last possible day is over."""
    for attempt in attempts(network, charge):
        if attempt["status"] in UNDECIDED:
            _move(network, attempt, EXPIRED)
    move(network, charge, EXPIRED, due_at=None)


def move(network: Network, charge: Row, status: str, **columns: object) -> None:
    """Writes a charge's next state and tells its customer. A fault makes it late."""
    now = network.clock.business()
    about = {"idRec": charge["id_rec"], "txId": charge["tx_id"], "clientId": charge["client_id"]}
    late = faults.strike(network, FAULTS, about, {"told-late"})
    shown_from = now + (0 if late is None else late.delay)
    told = history.longer(charge["history"], status, now, shown_from)
    network.store.change("bank_scheduled_charge", charge, status=status, history=told, **columns)
    tell(network, network.store.get("bank_scheduled_charge", seq=charge["seq"]), shown_from)


def tell(network: Network, charge: Row, shown_from: int) -> None:
    """Tells the customer of a charge's state (CobRNotification). shown_from: from when the bank shows it."""
    status = history.status(charge["history"], shown_from)
    said = {"idRec": charge["id_rec"], "txid": charge["tx_id"], "status": status}
    said |= {"atualizacao": history.shown(charge["history"], shown_from)} | closing(charge, status)
    said |= shown_attempts(network, charge, shown_from) | shown_pix(network, charge)
    notices.tell(network, notices.OF_CHARGES, charge, said, shown_from)


def shown_pix(network: Network, charge: Row) -> dict[str, Any]:
    """Returns the Pix of a charge (PixAutomatico), once they are shown."""
    found = [received.shown(network, one) for one in received.of_charge(network, charge["document"], charge["tx_id"])]
    wanted = ("endToEndId", "txid", "valor", "horario", "infoPagador", "devolucoes")
    return {"pix": [{name: one[name] for name in wanted if name in one} for one in found]} if found else {}


def sent_at(charge: Row) -> int:
    """Returns the first instant at which the payer's bank takes its instruction."""
    first = date.fromisoformat(charge["settles_on"]) - timedelta(days=EARLIEST_DAYS)
    return counted(calendar.instant(first, SENT_FROM))


def last_sent_at(charge: Row) -> int:
    """Returns the last instant at which the payer's bank takes its instruction."""
    last = date.fromisoformat(charge["settles_on"]) - timedelta(days=LATEST_DAYS)
    return counted(calendar.instant(last, SENT_UNTIL))


def wake_all(network: Network, id_rec: str) -> None:
    """Lets the charges of an approved recurrence be sent in their time."""
    for charge in network.store.every("bank_scheduled_charge", id_rec=id_rec, status=CREATED):
        if not attempts(network, charge):
            due_at = max(sent_at(charge), network.clock.business())
            network.store.change("bank_scheduled_charge", charge, due_at=due_at)
    network.bells.ring("timer")


def tries_left(network: Network, charge: Row) -> int:
    """Counts the new attempts that the policy still allows."""
    made = sum(one["kind"] == NEW_TRY for one in attempts(network, charge))
    return RETRIES - made if retries(charge) else 0


def closing(charge: Row, status: str) -> dict[str, Any]:
    """Returns `encerramento`, where a charge was rejected or canceled. status: what is shown."""
    is_over = status in {REJECTED, CANCELED}
    return {"encerramento": json.loads(charge["closing"])} if charge["closing"] is not None and is_over else {}


def shown_attempts(network: Network, charge: Row, now: int) -> dict[str, Any]:
    """Returns `tentativas`, where there are any."""
    found = [_shown(one, now) for one in attempts(network, charge)]
    return {"tentativas": found} if found else {}


def _may_be_tried_again(network: Network, charge: Row) -> bool:
    return tries_left(network, charge) > 0 and network.clock.business() < over_at(charge)


def _charge_of(network: Network, attempt: Row) -> Row:
    return network.store.get("bank_scheduled_charge", seq=attempt["charge"])


def _move(network: Network, attempt: Row, status: str, **columns: object) -> None:
    now = network.clock.business()
    told = history.longer(attempt["history"], status, now, now)
    network.store.change("bank_attempt", attempt, status=status, history=told, **columns)


def _shown(attempt: Row, now: int) -> dict[str, Any]:
    said = {
        "dataLiquidacao": attempt["settles_on"],
        "tipo": attempt["kind"],
        "status": history.status(attempt["history"], now),
        "endToEndId": attempt["end_to_end_id"],
        "atualizacao": history.shown(attempt["history"], now),
    }
    code = attempt["code"]
    return said if code is None else said | {"rejeicao": {"codigo": code, "descricao": REJECTIONS[code]}}
