"""Locations of recurrences: POST and GET of /locrec, DELETE of its link. A payer's bank reads the recurrence there.

Source: API Pix 2.9.0, tag PayloadLocationRec and RecPayload.
"""

import json
from typing import Any

from lastro.standards import pix_ids
from lastro_sim.api_pix import customers, locations, paging
from lastro_sim.api_pix.calls import Answer, Call, Row
from lastro_sim.api_pix.problems import Violation, invalid, not_found
from lastro_sim.api_pix.reading import Body, Query
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB

from . import history, recurrence_states, terms

QUERY, UNKNOWN = "PayloadLocationRecConsultaInvalida", "PayloadLocationRecNaoEncontrado"
PATH = f"{locations.PATH}/rec"
TABLE = "bank_recurrence_location"


def address(network: Network, token: str) -> str:
    """Returns a location as a code carries it, without its scheme."""
    return f"{locations.host(network)}{PATH}/{token}"


def of_recurrence(network: Network, id_rec: str) -> Row | None:
    """Returns the location that shows a recurrence."""
    return network.store.find(TABLE, id_rec=id_rec)


def check(network: Network, document: str, number: int | None, id_rec: str | None, form: Body) -> None:
    """Notes a violation where a location may not show a recurrence. number: its id."""
    if number is None:
        return
    wanted = network.store.find(TABLE, seq=number, document=document)
    if wanted is None:
        form.refuse("loc", "referencia um location que inexiste.")
    elif wanted["id_rec"] not in (None, id_rec):
        form.refuse("loc", "referencia um location que já está sendo utilizado por outra recorrência.")


def link(network: Network, number: int | None, id_rec: str) -> None:
    """Lets a location show a recurrence. The one before it shows it no more. number: its id; None: nothing changes."""
    if number is not None:
        network.store.run("UPDATE bank_recurrence_location SET id_rec = NULL WHERE id_rec = ?", id_rec)
        network.store.run("UPDATE bank_recurrence_location SET id_rec = ? WHERE seq = ?", id_rec, number)


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a location as the bank answers it."""
    said = {
        "id": row["seq"],
        "location": address(network, row["token"]),
        "criacao": paging.printed(row["created_at"]),
        "idRec": row["id_rec"],
    }
    return {name: value for name, value in said.items() if value is not None}


def create(call: Call) -> Answer:
    """POST /locrec."""
    network = call.network
    token = pix_ids.location_token(network.chance.octets(24))
    network.store.insert(TABLE, document=call.customer.document, token=token, created_at=network.clock.business())
    row = network.store.get(TABLE, token=token)
    where = f"https://{call.headers.get('host', 'localhost')}/v2/locrec/{row['seq']}"
    return Answer(201, shown(network, row), headers={"location": where})


def one(call: Call) -> Answer:
    """GET /locrec/{id}."""
    return Answer(200, shown(call.network, _found(call)))


def unlink(call: Call) -> Answer:
    """DELETE /locrec/{id}/idRec: neither shows the other any more; the recurrence keeps its status."""
    row = _found(call)
    call.network.store.change(TABLE, row, id_rec=None)
    return Answer(200, shown(call.network, call.network.store.get(TABLE, seq=row["seq"])))


def listed(call: Call) -> Answer:
    """GET /locrec."""
    query = Query(call, QUERY)
    span, page = paging.period(query), paging.page(query)
    linked, agreement = query.flag("idRecPresente"), query.text("convenio", terms.AGREEMENT)
    query.check()
    rows = [
        row
        for row in call.network.store.rows(
            "SELECT l.*, r.terms FROM bank_recurrence_location l LEFT JOIN bank_recurrence r ON r.id_rec = l.id_rec"
            " WHERE l.document = ? AND l.created_at BETWEEN ? AND ? AND (? IS NULL OR r.terms ->> '$.convenio' = ?)"
            " ORDER BY l.created_at, l.seq",
            call.customer.document, *span.around, agreement, agreement,
        )
        if span.holds(row["created_at"]) and linked in (None, row["id_rec"] is not None)
    ]  # fmt: skip
    receiver = None if agreement is None else {"convenio": agreement}
    asked = paging.parameters(span, page, len(rows), idRecPresente=linked, recebedor=receiver)
    return Answer(200, {"parametros": asked, "loc": [shown(call.network, row) for row in page.of(rows)]})


def payload(network: Network, token: str) -> dict[str, Any]:
    """Returns the RecPayload at a location now. A recurrence that has ended is refused there."""
    place = network.store.find(TABLE, token=token)
    row = None if place is None or place["id_rec"] is None else recurrence_states.find(network, place["id_rec"])
    if row is None:
        raise not_found("RecPayloadNaoEncontrado")
    if row["status"] in recurrence_states.ENDED:
        reason = "O campo recUrlAccessToken referencia uma recorrência expirada, rejeitada ou cancelada."
        raise invalid("RecPayloadOperacaoInvalida", Violation(reason, "recUrlAccessToken"))
    return payload_of(network, row)


def payload_of(network: Network, row: Row) -> dict[str, Any]:
    """Returns a recurrence as a payer's bank is shown it."""
    owner = customers.find(network, row["client_id"])
    said = {name: value for name, value in json.loads(row["terms"]).items() if name != "convenio"}
    receiver = {"cnpj": row["document"], "nome": owner.name if owner else "", "ispbParticipante": COMPANY_BANK_ISPB}
    told = history.shown(row["history"], network.clock.business())
    return {"idRec": row["id_rec"], **said, "recebedor": receiver, "atualizacao": told}


def _found(call: Call) -> Row:
    given = call.parameters["id"]
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else -1
    row = call.network.store.find(TABLE, seq=number, document=call.customer.document)
    if row is None:
        raise not_found(UNKNOWN)
    return row
