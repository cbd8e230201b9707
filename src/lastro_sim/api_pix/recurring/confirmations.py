"""Requests to confirm a recurrence (journey 1): POST, PATCH and GET of /solicrec.

The payer's bank shows them to its customer. Source: API Pix 2.9.0, tag SolicRec and its list of violations.
"""

import json
from typing import Any, Final

from lastro.standards import calendar
from lastro_sim.api_pix.calls import Answer, Call, Row
from lastro_sim.api_pix.problems import Violation, invalid, not_found
from lastro_sim.api_pix.reading import Body
from lastro_sim.bank import payers
from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB, PAYER_BANK_ISPB

from . import history, locations, recurrence_states, terms

OPERATION, UNKNOWN = "SolicRecOperacaoInvalida", "SolicRecNaoEncontrada"
TABLE = "bank_confirmation"
CREATED, SENT, RECEIVED = "CRIADA", "ENVIADA", "RECEBIDA"
REJECTED, ACCEPTED, EXPIRED, CANCELED = "REJEITADA", "ACEITA", "EXPIRADA", "CANCELADA"
ACTIVE: Final = frozenset({CREATED, SENT, RECEIVED})
SUFFIX_LENGTH = 11


def create(call: Call) -> Answer:
    """POST /solicrec."""
    network, form = call.network, Body.of(call, OPERATION, "solicrec")
    asked, ends_at = _read(form, network.clock.business())
    form.check()
    row = network.store.find("bank_recurrence", id_rec=asked["idRec"], document=call.customer.document)
    if row is None:
        raise not_found()
    if row["status"] != recurrence_states.CREATED:
        raise _refused("A recorrência não se encontra com o status CRIADA.", "solicrec.idRec", asked["idRec"])
    if of_status(network, asked["idRec"], ACTIVE) is not None:
        raise _refused("Existe uma solicitação ativa referente ao mesmo solicrec.idRec.", "solicrec.idRec", asked["idRec"])
    now = network.clock.business()
    day = calendar.brasilia_day(moment(now)).isoformat().replace("-", "")
    name = f"SC{COMPANY_BANK_ISPB}{day}{network.chance.letters(SUFFIX_LENGTH)}"
    network.store.insert(
        TABLE, document=call.customer.document, id_solic_rec=name, id_rec=asked["idRec"], terms=json.dumps(asked),
        status=CREATED, history=history.begun(CREATED, now), ends_at=ends_at, due_at=now,
    )  # fmt: skip
    network.bells.ring("timer")
    return Answer(201, shown(network, network.store.get(TABLE, id_solic_rec=name)))


def revise(call: Call) -> Answer:
    """PATCH /solicrec/{idSolicRec}: cancels it. The document answers 201."""
    network, row = call.network, _found(call)
    form = Body.of(call, OPERATION, "solicrec")
    form.require("status")
    form.choice("status", (CANCELED,))
    form.check()
    if row["status"] not in ACTIVE:
        reason = (
            "Não é possível cancelar uma solicitação de recorrência com o status diferente de CRIADA, ENVIADA ou RECEBIDA."
        )
        raise _refused(reason, "solicrec.status", row["status"])
    move(network, row, CANCELED)
    return Answer(201, shown(network, network.store.get(TABLE, seq=row["seq"])))


def one(call: Call) -> Answer:
    """GET /solicrec/{idSolicRec}."""
    return Answer(200, shown(call.network, _found(call)))


def of_recurrence(network: Network, row: Row) -> list[dict[str, Any]]:
    """Returns the requests of a recurrence, oldest first."""
    return [shown(network, one) for one in network.store.every(TABLE, id_rec=row["id_rec"])]


def of_status(network: Network, id_rec: str, statuses: frozenset[str]) -> Row | None:
    """Returns the newest request of a recurrence in one of these states."""
    found = [row for row in network.store.every(TABLE, id_rec=id_rec) if row["status"] in statuses]
    return found[-1] if found else None


def answered(network: Network, id_rec: str, document: str, *, accepts: bool) -> bool:
    """Tells whether a payer's word answers a request; it ends."""
    row = of_status(network, id_rec, frozenset({RECEIVED}))
    if row is None or document not in json.loads(row["terms"])["destinatario"].values():
        return False
    move(network, row, ACCEPTED if accepts else REJECTED)
    return True


def cancel_all(network: Network, id_rec: str) -> None:
    """Ends the request of a recurrence that needs none any more."""
    row = of_status(network, id_rec, ACTIVE)
    if row is not None:
        move(network, row, CANCELED)


def end_due(network: Network, row: Row) -> None:
    """Sends a new request to its payer's bank. An old one ends."""
    if row["status"] != CREATED:
        move(network, row, EXPIRED)
        return
    move(network, row, SENT)
    sent = network.store.get(TABLE, seq=row["seq"])
    to = json.loads(row["terms"])["destinatario"]
    customer = payers.by_account(to.get("agencia"), to["conta"]) if to["ispbParticipante"] == PAYER_BANK_ISPB else None
    if customer is None or customer.document != to.get("cpf", to.get("cnpj")):
        move(network, sent, REJECTED)
    else:
        move(network, sent, RECEIVED, due_at=row["ends_at"])


def move(network: Network, row: Row, status: str, due_at: int | None = None) -> None:
    """Writes a request's next state."""
    now = network.clock.business()
    told = history.longer(row["history"], status, now, now)
    network.store.change(TABLE, row, status=status, history=told, due_at=due_at)


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a request as SolicRecCompleta."""
    told, of = history.shown(row["history"], network.clock.business()), recurrence_states.find(network, row["id_rec"])
    said = {"idSolicRec": row["id_solic_rec"], **json.loads(row["terms"]), "status": row["status"], "atualizacao": told}
    return said if of is None else said | {"recPayload": locations.payload_of(network, of)}


def _read(form: Body, now: int) -> tuple[dict[str, Any], int]:
    """Reads the terms of a request, and its end."""
    form.require("idRec", "calendario", "destinatario")
    asked: dict[str, Any] = {"idRec": form.text("idRec", 29, terms.ID_REC)}
    ends_at = 0
    if (dates := form.child("calendario")) is not None:
        dates.require("dataExpiracaoSolicitacao")
        ends_at = dates.moment("dataExpiracaoSolicitacao") or 0
        if 0 < ends_at < now:
            dates.refuse("dataExpiracaoSolicitacao", "é anterior à data de criação da solicitação da recorrência.")
        asked["calendario"] = {"dataExpiracaoSolicitacao": dates.data.get("dataExpiracaoSolicitacao")}
    if (to := form.child("destinatario")) is not None:
        to.require("conta", "ispbParticipante")
        said = {
            "ispbParticipante": to.text("ispbParticipante", 8, terms.ISPB),
            "agencia": to.text("agencia", 4),
            "conta": to.text("conta", terms.LONGEST_ACCOUNT),
        }
        asked["destinatario"] = terms.person(to) | {name: value for name, value in said.items() if value is not None}
    return asked, ends_at


def _found(call: Call) -> Row:
    row = call.network.store.find(TABLE, id_solic_rec=call.parameters["id_solic_rec"], document=call.customer.document)
    if row is None:
        raise not_found(UNKNOWN)
    return row


def _refused(reason: str, field: str, value: str) -> Exception:
    return invalid(OPERATION, Violation(reason, field, value))
