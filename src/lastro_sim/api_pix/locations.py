"""Locations of the bank's charges. A payer's bank reads their payload there.

Source: API Pix 2.9.0, PayloadLocation and CobPayload; DELETE /loc/{id}/txid.
"""

import json
from typing import Any

from lastro.standards import pix_ids
from lastro_sim.network import Network

from . import paging
from .calls import Answer, Call, Row
from .problems import Violation, invalid, not_found
from .reading import Body, Query

OPERATION, QUERY, UNKNOWN = (
    "PayloadLocationOperacaoInvalida", "PayloadLocationConsultaInvalida", "PayloadLocationNaoEncontrado",
)  # fmt: skip
KINDS = ("cob", "cobv")
PATH = "/bank/qr/v2"


def host(network: Network) -> str:
    """Returns the host of the locations: another name of the simulator's plain port, for a payer has no certificate here."""
    return f"localhost:{network.settings.port}"


def address(network: Network, token: str) -> str:
    """Returns a location as a code carries it, without its scheme."""
    return f"{host(network)}{PATH}/{token}"


def make(network: Network, document: str, kind: str) -> Row:
    """Makes a location that shows nothing yet."""
    token = pix_ids.location_token(network.chance.octets(24))
    network.store.insert("bank_location", document=document, token=token, kind=kind, created_at=network.clock.business())
    return network.store.get("bank_location", token=token)


def of_charge(network: Network, document: str, tx_id: str) -> Row | None:
    """Returns the location that shows a charge."""
    return network.store.find("bank_location", document=document, tx_id=tx_id)


def link(network: Network, document: str, tx_id: str, number: int | None, form: Body) -> None:
    """Lets a location show a charge. number: its id; None: the one that it has, or else a new one.

    Notes a violation where there is no such location, or it is of another kind or shows another charge.
    """
    known = of_charge(network, document, tx_id)
    if number is None:
        if known is None:
            network.store.change("bank_location", make(network, document, "cob"), tx_id=tx_id)
        return
    wanted = network.store.find("bank_location", seq=number, document=document)
    if wanted is None:
        form.refuse("id", "referencia um location que inexiste.")
    elif wanted["kind"] != "cob":
        form.refuse("id", 'referencia um location de tipo "cobv" (deveria ser "cob").')
    elif wanted["tx_id"] not in (None, tx_id):
        form.refuse("id", "referencia um location que já está sendo utilizado por outra cobrança.")
    form.check()
    if known is not None and known["seq"] != number:
        network.store.change("bank_location", known, tx_id=None)
    network.store.run("UPDATE bank_location SET tx_id = ? WHERE seq = ?", tx_id, number)


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a location as the bank answers it."""
    said = {
        "id": row["seq"],
        "location": address(network, row["token"]),
        "tipoCob": row["kind"],
        "criacao": paging.printed(row["created_at"]),
    }
    return said if row["tx_id"] is None else said | {"txid": row["tx_id"]}


def create(call: Call) -> Answer:
    """POST /loc."""
    form = Body.of(call, OPERATION, "loc")
    form.require("tipoCob")
    kind = form.choice("tipoCob", KINDS)
    form.check()
    row = make(call.network, call.customer.document, kind or "cob")
    made = shown(call.network, row)
    return Answer(201, made, headers={"location": f"https://{call.headers.get('host', 'localhost')}/v2/loc/{row['seq']}"})


def one(call: Call) -> Answer:
    """GET /loc/{id}."""
    return Answer(200, shown(call.network, _found(call)))


def unlink(call: Call) -> Answer:
    """DELETE /loc/{id}/txid: neither shows the other any more; the charge keeps its status."""
    row = _found(call)
    call.network.store.change("bank_location", row, tx_id=None)
    return Answer(200, shown(call.network, call.network.store.get("bank_location", seq=row["seq"])))


def listed(call: Call) -> Answer:
    """GET /loc."""
    query = Query(call, QUERY)
    span, page = paging.period(query), paging.page(query)
    linked, kind = query.flag("txIdPresente"), query.choice("tipoCob", KINDS)
    query.check()
    rows = [
        row
        for row in call.network.store.every("bank_location", document=call.customer.document)
        if span.holds(row["created_at"])
        and linked in (None, row["tx_id"] is not None)
        and kind in (None, row["kind"])
    ]  # fmt: skip
    found = [shown(call.network, row) for row in page.of(rows)]
    asked = paging.parameters(span, page, len(rows), txIdPresente=linked, tipoCob=kind)
    return Answer(200, {"parametros": asked, "loc": found})


def payload(network: Network, token: str) -> dict[str, Any]:
    """Returns the CobPayload at a location now. A charge that has ended is shown with its status, as the document allows."""
    place = network.store.find("bank_location", token=token)
    charge = None
    if place is not None and place["tx_id"] is not None:
        charge = network.store.find("bank_charge", document=place["document"], tx_id=place["tx_id"])
    if charge is None:
        raise not_found("CobPayloadNaoEncontrado")
    terms: dict[str, Any] = json.loads(charge["terms"])
    dates = {
        "criacao": paging.printed(charge["created_at"]),
        "apresentacao": paging.printed(network.clock.business()),
        "expiracao": terms["calendario"]["expiracao"],
    }
    about = {"txid": charge["tx_id"], "revisao": charge["revision"], "status": charge["status"]}
    return terms | about | {"calendario": dates}


def _found(call: Call) -> Row:
    given = call.parameters["id"]
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else -1
    row = call.network.store.find("bank_location", seq=number, document=call.customer.document)
    if row is None:
        raise not_found(UNKNOWN)
    return row


def wrong_token(name: str) -> Exception:
    """Returns the refusal of a location's name that can be none."""
    return invalid("CobPayloadOperacaoInvalida", Violation("O parâmetro pixUrlAccessToken não respeita o schema.", name))
