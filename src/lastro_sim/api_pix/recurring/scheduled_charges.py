"""Charges of a recurrence's cycles: PUT, POST, PATCH and GET of /cobr, and new attempts at them.

Source: API Pix 2.9.0, tag CobR and its list of violations. Beyond them this bank refuses a charge that its payer's bank
would refuse for being too near, as banks that publish their rules do.
"""

import json
from datetime import date, time, timedelta
from typing import Any

from lastro.standards import calendar
from lastro_sim import amounts, faults
from lastro_sim.api_pix import charges, customers, paging
from lastro_sim.api_pix.calls import Answer, Call, Row
from lastro_sim.api_pix.dialects import DIALECTS
from lastro_sim.api_pix.problems import ProblemError, Violation, invalid, not_found
from lastro_sim.api_pix.reading import CNPJ, CPF, TX_ID, Body, Query, read_day
from lastro_sim.api_pix.shapes import problem
from lastro_sim.bank import cycles
from lastro_sim.clock import counted, moment
from lastro_sim.network import Network

from . import charge_states, history, instructing, recurrence_states, terms

OPERATION, QUERY, UNKNOWN = "CobROperacaoInvalida", "CobRConsultaInvalida", "CobRNaoEncontrado"
TX_ID_LENGTH = 32
TABLE = "bank_scheduled_charge"
_FIELDS = (
    "idRec", "txid", "infoAdicional", "calendario", "valor", "status", "politicaRetentativa", "ajusteDiaUtil", "devedor",
    "recebedor", "atualizacao", "tentativas", "encerramento", "pix",
)  # fmt: skip


def put(call: Call) -> Answer:
    """PUT /cobr/{txid}: creates a charge. A txid is used once: the same again is refused, as the document says."""
    return _create(call, call.parameters["tx_id"])


def create(call: Call) -> Answer:
    """POST /cobr: the bank chooses the txid."""
    return _create(call, call.network.chance.letters(TX_ID_LENGTH))


def revise(call: Call) -> Answer:
    """PATCH /cobr/{txid}: cancels it, until 22:00 of the day before its first attempt."""
    network, row = call.network, found(call)
    form = Body.of(call, OPERATION, "cobr")
    status = form.choice("status", (charge_states.CANCELED,))
    form.check()
    if status is None:
        return Answer(200, shown(network, row))
    if row["status"] not in charge_states.OPEN:
        raise _refused("A cobrança encontra-se concluída, expirada, rejeitada ou cancelada.", "cobr.status", row["status"])
    _check_cancelable(network, row)
    for attempt in charge_states.attempts(network, row):
        if attempt["status"] in charge_states.UNDECIDED and not instructing.cancel(network, row, attempt):
            # It is answered, not raised: what the payer's bank was asked stays asked.
            error = _refused("O PSP do pagador não aceitou o cancelamento.", "cobr.status", charge_states.CANCELED)
            return problem(error, DIALECTS[call.customer.dialect], network.chance.uuid())
    charge_states.cancel(network, row, *charge_states.BY_RECEIVER)
    return Answer(200, shown(network, network.store.get(TABLE, seq=row["seq"])))


def one(call: Call) -> Answer:
    """GET /cobr/{txid}."""
    return Answer(200, shown(call.network, found(call)))


def listed(call: Call, *, most: int = 1000, milliseconds: bool = True, shift: int = 0) -> Answer:
    """GET /cobr by the time of creation, oldest first."""
    network, query = call.network, Query(call, QUERY)
    span, page = paging.period(query, milliseconds=milliseconds), paging.page(query, most, shift)
    cpf, cnpj, id_rec = query.text("cpf", CPF), query.text("cnpj", CNPJ), query.text("idRec", terms.ID_REC)
    status, agreement = query.text("status"), query.text("convenio", terms.AGREEMENT)
    if cpf is not None and cnpj is not None:
        query.refuse("cpf", "não pode estar preenchido ao mesmo tempo que cnpj.")
    query.check()
    now = network.clock.business()
    rows = [
        row
        for row in network.store.rows(
            "SELECT c.* FROM bank_scheduled_charge c JOIN bank_recurrence r ON r.id_rec = c.id_rec"
            " WHERE c.document = ? AND c.listed_at <= ? AND c.created_at BETWEEN ? AND ? AND (? IS NULL OR c.id_rec = ?)"
            " AND (? IS NULL OR r.terms ->> '$.vinculo.devedor.cpf' = ?)"
            " AND (? IS NULL OR r.terms ->> '$.vinculo.devedor.cnpj' = ?)"
            " AND (? IS NULL OR r.terms ->> '$.convenio' = ?) ORDER BY c.created_at, c.seq",
            call.customer.document, now, *span.around, id_rec, id_rec, cpf, cpf, cnpj, cnpj, agreement, agreement,
        )
        if span.holds(row["created_at"]) and status in (None, history.status(row["history"], now))
    ]  # fmt: skip
    receiver = None if agreement is None else {"convenio": agreement}
    asked = paging.parameters(span, page, len(rows), idRec=id_rec, cpf=cpf, cnpj=cnpj, status=status, recebedor=receiver)
    return Answer(200, {"parametros": asked, "cobsr": [shown(network, row) for row in page.of(rows)]})


def try_again(call: Call) -> Answer:
    """POST /cobr/{txid}/retentativa/{data}: asks for a new attempt on that day."""
    network, row = call.network, found(call)
    given = call.parameters["day"]
    day = read_day(given)
    if day is None:
        raise _refused("O parâmetro data não respeita o schema.", "data", given)
    if not charge_states.retries(row):
        raise _refused("A política configurada na recorrência não permite retentativa de cobrança.", "data", given)
    if any(one["status"] in charge_states.UNDECIDED for one in charge_states.attempts(network, row)):
        raise _refused("Existe uma tentativa com status SOLICITADA ou AGENDADA.", "data", given)
    if row["status"] not in charge_states.OPEN or not charge_states.attempts(network, row):
        raise _refused("A cobrança não se encontra com o status ATIVA.", "cobr.status", row["status"])
    if day <= calendar.brasilia_day(moment(network.clock.business())):
        raise _refused("O parâmetro data não corresponde a uma data futura.", "data", given)
    instructing.send(network, row, charge_states.NEW_TRY, day)
    return Answer(201, shown(network, network.store.get(TABLE, seq=row["seq"])))


def found(call: Call) -> Row:
    """Returns the customer's charge in the path."""
    row = charge_states.find(call.network, call.customer.document, call.parameters["tx_id"])
    if row is None:
        raise not_found(UNKNOWN)
    return row


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a charge as CobRCompleta."""
    now, owner = network.clock.business(), customers.find(network, row["client_id"])
    status, asked = history.status(row["history"], now), json.loads(row["terms"])
    policy = terms.POLICIES[charge_states.retries(row)]
    day = calendar.brasilia_day(moment(row["created_at"])).isoformat()
    said = asked | {"txid": row["tx_id"], "status": status, "politicaRetentativa": policy}
    said["calendario"] = {"criacao": day, **asked["calendario"]}
    said["recebedor"] = asked["recebedor"] | {"cnpj": row["document"], "nome": owner.name if owner else ""}
    said["atualizacao"] = history.shown(row["history"], now)
    said |= charge_states.shown_attempts(network, row, now) | charge_states.closing(row, status)
    said |= charge_states.shown_pix(network, row)
    return {name: said[name] for name in _FIELDS if name in said}


def _create(call: Call, tx_id: str) -> Answer:
    network, document, now = call.network, call.customer.document, call.network.clock.business()
    today = calendar.brasilia_day(moment(now))
    form = Body.of(call, OPERATION, "cobr")
    if TX_ID.fullmatch(tx_id) is None:
        form.refuse("txid", value=tx_id)
    asked = terms.of_charge(form, today)
    form.check()
    recurrence = network.store.find("bank_recurrence", id_rec=asked["idRec"], document=document)
    if recurrence is None:
        raise not_found()
    _check(network, recurrence, asked, form)
    if charge_states.find(network, document, tx_id) or charges.find(network, document, tx_id):
        form.refuse("txid", "encontra-se em uso.", tx_id)
    due_on = date.fromisoformat(asked["calendario"]["dataDeVencimento"])
    settles_on = calendar.next_business_day(due_on) if asked["ajusteDiaUtil"] else due_on
    if (settles_on - today).days < charge_states.LATEST_DAYS:
        form.refuse("calendario.dataDeVencimento", "não respeita a antecedência mínima de 2 dias.", due_on.isoformat())
    form.check()
    about = {"idRec": asked["idRec"], "txId": tx_id, "clientId": call.customer.client_id}
    late = faults.strike(network, charge_states.FAULTS, about, {"listed-late"})
    network.store.insert(
        TABLE, document=document, tx_id=tx_id, client_id=call.customer.client_id, id_rec=asked["idRec"],
        terms=json.dumps(asked), amount=amounts.from_message(asked["valor"]["original"]), due_on=due_on.isoformat(),
        settles_on=settles_on.isoformat(), status=charge_states.CREATED,
        history=history.begun(charge_states.CREATED, now), created_at=now,
        listed_at=now + (0 if late is None else late.delay),
    )  # fmt: skip
    row = network.store.get(TABLE, document=document, tx_id=tx_id)
    network.store.change(TABLE, row, due_at=max(charge_states.sent_at(row), now))
    network.bells.ring("timer")
    return Answer(201, shown(network, row))


def _check(network: Network, recurrence: Row, asked: dict[str, Any], form: Body) -> None:
    """Notes what the recurrence and its other charges do not allow."""
    place, document = asked["recebedor"], recurrence["document"]
    owner = customers.by_account(network, place["conta"])
    if owner is None or owner.document != document or place.get("agencia", owner.branch) != owner.branch:
        form.refuse("recebedor", "corresponde a uma conta que não pertence a este usuário recebedor.", place["conta"])
    if recurrence["status"] in recurrence_states.ENDED:
        form.refuse("idRec", "referencia uma recorrência expirada, cancelada ou rejeitada.", asked["idRec"])
    dates = json.loads(recurrence["terms"])["calendario"]
    begins, frequency = date.fromisoformat(dates["dataInicial"]), terms.PERIODS[dates["periodicidade"]]
    cycle = cycles.of(begins, frequency, date.fromisoformat(asked["calendario"]["dataDeVencimento"]))
    for other in network.store.every(TABLE, id_rec=asked["idRec"]):
        free = other["status"] in {charge_states.REJECTED, charge_states.CANCELED}
        if not free and cycles.of(begins, frequency, date.fromisoformat(other["due_on"])) == cycle:
            form.refuse("calendario.dataDeVencimento", "pertence a um ciclo que já tem uma cobrança.", other["due_on"])
            return


def _check_cancelable(network: Network, row: Row) -> None:
    """Refuses what comes too late: from the day of the first attempt on, and from 22:00 of the day before."""
    day = date.fromisoformat(row["settles_on"])
    until = calendar.instant(day - timedelta(days=1), network.settings.charge_hours.receiver_cancels)
    now = network.clock.business()
    if now >= counted(calendar.instant(day, time.min)):
        reason = "em uma data igual ou maior que a data prevista da primeira tentativa de liquidação."
        raise _refused(f"Não é possível cancelar uma cobrança {reason}", "cobr.status", charge_states.CANCELED)
    if now >= counted(until):
        reason = "após as 22:00 do dia anterior à data prevista da primeira tentativa de liquidação."
        raise _refused(f"Não é possível cancelar uma cobrança {reason}", "cobr.status", charge_states.CANCELED)


def _refused(reason: str, field: str, value: str | None) -> ProblemError:
    return invalid(OPERATION, Violation(reason, field, value))
