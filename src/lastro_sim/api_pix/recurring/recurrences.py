"""Recurrences: POST, PATCH and GET of /rec. Source: API Pix 2.9.0, tag Rec and its list of violations.

The bank makes the idRec, so nobody can repeat a POST; who lost its answer looks for the contract in the list.
"""

import json
from datetime import date
from typing import Any

from lastro.standards import brcode, calendar, pix_ids
from lastro.standards.recurrence_ids import RecurrenceId
from lastro_sim import faults
from lastro_sim.api_pix import charges, customers, paging
from lastro_sim.api_pix import locations as charge_locations
from lastro_sim.api_pix.calls import Answer, Call, Customer, Row
from lastro_sim.api_pix.problems import ProblemError, Violation, denied, invalid, not_found
from lastro_sim.api_pix.reading import CNPJ, CPF, MOST_INT64, Body, Query
from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB
from lastro_sim.spi import authorizations

from . import confirmations, history, locations, recurrence_states, terms

OPERATION, QUERY, UNKNOWN = "RecOperacaoInvalida", "RecConsultaInvalida", "RecNaoEncontrada"
SUFFIX_LENGTH = 11
JOURNEYS_BY_CODE = (recurrence_states.UNDECIDED, recurrence_states.BY_PAYMENT)


def create(call: Call) -> Answer:
    """POST /rec: the bank makes the idRec. Receivers of Pix Automático are legal persons."""
    network, customer = call.network, call.customer
    if len(customer.document) != len("00000000000000"):
        raise denied("O Pix Automático é oferecido a pessoas jurídicas.")
    form, day = Body.of(call, OPERATION, "rec"), today(network)
    asked, place, first = terms.of_recurrence(form, day), form.whole("loc", 0, MOST_INT64), terms.first_tx_id(form)
    locations.check(network, customer.document, place, None, form)
    form.check()
    retries = asked["politicaRetentativa"] == terms.POLICIES[1]
    suffix = network.chance.letters(SUFFIX_LENGTH)
    id_rec = str(RecurrenceId(retries=retries, maker=COMPANY_BANK_ISPB, day=day, suffix=suffix))
    now = network.clock.business()
    about = {"idRec": id_rec, "clientId": customer.client_id}
    late = faults.strike(network, recurrence_states.FAULTS, about, {"listed-late"})
    network.store.insert(
        "bank_recurrence", document=customer.document, id_rec=id_rec, client_id=customer.client_id, terms=json.dumps(asked),
        status=recurrence_states.CREATED, history=history.begun(recurrence_states.CREATED, now),
        journey=recurrence_states.UNDECIDED, first_tx_id=first, created_at=now,
        listed_at=now + (0 if late is None else late.delay), due_at=recurrence_states.over_at(asked),
    )  # fmt: skip
    locations.link(network, place, id_rec)
    return Answer(201, shown(network, _again(network, id_rec)))


def revise(call: Call) -> Answer:
    """PATCH /rec/{idRec}: changes what the document lets be changed, or cancels it."""
    network = call.network
    row = found(call)
    form = Body.of(call, OPERATION, "rec")
    status = form.choice("status", (recurrence_states.CANCELED,))
    asked, place, first = json.loads(row["terms"]), form.whole("loc", 0, MOST_INT64), terms.first_tx_id(form)
    locations.check(network, row["document"], place, row["id_rec"], form)
    begins = _new_start(form, today(network))
    name = _new_name(form)
    if row["status"] in recurrence_states.ENDED:
        form.refuse("status", "não pode ser alterado: a recorrência encontra-se expirada, cancelada ou rejeitada.")
    elif row["status"] != recurrence_states.CREATED:
        only = "somente pode ser alterado quando a recorrência apresentar-se com o status CRIADA."
        for field, given in (("loc", place), ("calendario.dataInicial", begins)):
            if given is not None:
                form.refuse(field, only)
    last = asked["calendario"].get("dataFinal")
    if begins is not None and last is not None and last < begins:
        form.refuse("calendario.dataInicial", "é posterior ao campo rec.calendario.dataFinal.", begins)
    form.check()
    if begins is not None:
        asked["calendario"] |= {"dataInicial": begins}
    if name is not None:
        asked["vinculo"]["devedor"] |= {"nome": name}
    network.store.change("bank_recurrence", row, terms=json.dumps(asked), first_tx_id=first or row["first_tx_id"])
    locations.link(network, place, row["id_rec"])
    if status is not None:
        _cancel(network, _again(network, row["id_rec"]))
    return Answer(200, shown(network, _again(network, row["id_rec"])))


def one(call: Call) -> Answer:
    """GET /rec/{idRec}, with the composed code; `?txid=` for that of journey 3."""
    row, query = found(call), Query(call, QUERY)
    tx_id = query.text("txid")
    said = complete(call.network, row)
    if tx_id is not None:
        charge = charges.find(call.network, row["document"], tx_id)
        if charge is None:
            raise _wrong_tx_id("não corresponde a uma cobrança deste usuário recebedor.", tx_id)
        if row["journey"] not in JOURNEYS_BY_CODE:
            raise _wrong_tx_id("não corresponde a uma cobrança compatível com o campo ativacao.tipoJornada.", tx_id)
        if row["first_tx_id"] not in (None, tx_id):
            raise _wrong_tx_id(
                "corresponde a uma cobrança imediata diferente da informada no campo ativacao.dadosJornada.txid.", tx_id
            )
    text = code(call.network, row, tx_id)
    if text is not None:
        journey = recurrence_states.BY_CODE if tx_id is None else recurrence_states.BY_PAYMENT
        said["dadosQR"] = {"jornada": journey, "pixCopiaECola": text}
    return Answer(200, said)


def listed(call: Call, *, most: int = 1000, milliseconds: bool = True, shift: int = 0) -> Answer:
    """GET /rec by the time of creation, oldest first."""
    network, query = call.network, Query(call, QUERY)
    span, page = paging.period(query, milliseconds=milliseconds), paging.page(query, most, shift)
    cpf, cnpj = query.text("cpf", CPF), query.text("cnpj", CNPJ)
    placed, status, agreement = query.flag("locationPresente"), query.text("status"), query.text("convenio", terms.AGREEMENT)
    if cpf is not None and cnpj is not None:
        query.refuse("cpf", "não pode estar preenchido ao mesmo tempo que cnpj.")
    query.check()
    now = network.clock.business()
    rows = [
        row
        for row in network.store.rows(
            "SELECT r.*, l.seq AS place FROM bank_recurrence r"
            " LEFT JOIN bank_recurrence_location l ON l.id_rec = r.id_rec"
            " WHERE r.document = ? AND r.listed_at <= ? AND r.created_at BETWEEN ? AND ?"
            " AND (? IS NULL OR r.terms ->> '$.vinculo.devedor.cpf' = ?)"
            " AND (? IS NULL OR r.terms ->> '$.vinculo.devedor.cnpj' = ?)"
            " AND (? IS NULL OR r.terms ->> '$.convenio' = ?) ORDER BY r.created_at, r.seq",
            call.customer.document, now, *span.around, cpf, cpf, cnpj, cnpj, agreement, agreement,
        )
        if span.holds(row["created_at"])
        and placed in (None, row["place"] is not None)
        and status in (None, history.status(row["history"], now))
    ]  # fmt: skip
    receiver = None if agreement is None else {"convenio": agreement}
    asked = paging.parameters(
        span, page, len(rows), cpf=cpf, cnpj=cnpj, locationPresente=placed, status=status, recebedor=receiver
    )
    return Answer(200, {"parametros": asked, "recs": [complete(network, row) for row in page.of(rows)]})


def today(network: Network) -> date:
    """Returns the civil day in Brasília."""
    return calendar.brasilia_day(moment(network.clock.business()))


def found(call: Call, kind: str = UNKNOWN) -> Row:
    """Returns the customer's recurrence in the path."""
    row = of_owner(call.network, call.customer, call.parameters["id_rec"])
    if row is None:
        raise not_found(kind)
    return row


def of_owner(network: Network, customer: Customer, id_rec: str) -> Row | None:
    """Returns a recurrence of this customer."""
    return network.store.find("bank_recurrence", id_rec=id_rec, document=customer.document)


def code(network: Network, row: Row, tx_id: str | None = None) -> str | None:
    """Returns the composed code of a recurrence; None while a location that it needs is missing."""
    place, owner = locations.of_recurrence(network, row["id_rec"]), customers.find(network, row["client_id"])
    shows = None if tx_id is None else charge_locations.of_charge(network, row["document"], tx_id)
    if place is None or owner is None or (tx_id is not None and shows is None):
        return None
    where = None if shows is None else charge_locations.address(network, shows["token"])
    return brcode.encode(
        brcode.BrCode(
            merchant_name=owner.name, merchant_city=charges.CITY, location=where, single_use=where is not None,
            recurrence_location=locations.address(network, place["token"]),
        )
    )  # fmt: skip


def code_without_location(network: Network, row: Row) -> str:
    """Returns a code that leads nowhere, for recurrences confirmed by request."""
    where = locations.address(network, row["id_rec"])
    owner = customers.find(network, row["client_id"])
    name = owner.name if owner else row["document"]
    return brcode.encode(brcode.BrCode(merchant_name=name, merchant_city=charges.CITY, recurrence_location=where))


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a recurrence as RecGerada."""
    now, asked, owner = network.clock.business(), json.loads(row["terms"]), customers.find(network, row["client_id"])
    agreement = asked.pop("convenio", None)
    receiver = {"cnpj": row["document"], "nome": owner.name if owner else ""}
    status, place = history.status(row["history"], now), locations.of_recurrence(network, row["id_rec"])
    said = {"idRec": row["id_rec"], "status": status, **asked}
    said["recebedor"] = receiver if agreement is None else receiver | {"convenio": agreement}
    said |= {} if place is None else {"loc": locations.shown(network, place)}
    said["atualizacao"] = history.shown(row["history"], now)
    return said | recurrence_states.closing(row, status) | {"ativacao": recurrence_states.activation(row, status)}


def complete(network: Network, row: Row) -> dict[str, Any]:
    """Returns a recurrence as RecCompleta: with its payer and the requests to confirm it."""
    said = shown(network, row)
    if row["payer"] is not None and said["status"] != recurrence_states.CREATED:
        said["pagador"] = json.loads(row["payer"])
    asked = confirmations.of_recurrence(network, row)
    return said | {"solicitacao": asked} if asked else said


def _cancel(network: Network, row: Row) -> None:
    """Cancels for the receiver; the payer's bank hears of it where it knows the recurrence."""
    recurrence_states.cancel(network, row, recurrence_states.BY_RECEIVER)
    if authorizations.newest(network, row["id_rec"]) is not None:
        msg_id = pix_ids.message_id(COMPANY_BANK_ISPB, network.chance.octets(32))
        asked = authorizations.Cancellation(msg_id, row["id_rec"], recurrence_states.BY_RECEIVER[1])
        authorizations.cancel_for_receiver(network, COMPANY_BANK_ISPB, asked, None)


def _new_start(form: Body, day: date) -> str | None:
    calendar_form = form.child("calendario")
    return None if calendar_form is None else terms.starts_on(calendar_form, day)


def _new_name(form: Body) -> str | None:
    link = form.child("vinculo")
    debtor = None if link is None else link.child("devedor")
    if debtor is None:
        return None
    debtor.require("nome")
    return debtor.text("nome", terms.LONGEST_NAME, terms.SOMETHING)


def _again(network: Network, id_rec: str) -> Row:
    return network.store.get("bank_recurrence", id_rec=id_rec)


def _wrong_tx_id(reason: str, tx_id: str) -> ProblemError:
    return invalid(QUERY, Violation(f"O parâmetro txid {reason}", "txid", tx_id))
