"""Immediate charges: PUT, PATCH, POST and GET of /cob. Source: API Pix 2.9.0, tag Cob and its list of violations."""

import json
from typing import Any

from lastro.standards import brcode
from lastro_sim import amounts
from lastro_sim.clock import SECOND
from lastro_sim.network import Network

from . import customers, locations, paging, received
from .calls import Answer, Call, Row
from .problems import Violation, invalid, not_found
from .reading import CNPJ, CPF, LONGEST_KEY, MOST_INT32, MOST_INT64, TX_ID, Body, Query

OPERATION, QUERY, UNKNOWN = "CobOperacaoInvalida", "CobConsultaInvalida", "CobNaoEncontrado"
ACTIVE, PAID = "ATIVA", "CONCLUIDA"
REMOVED, REMOVED_BY_BANK = "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"
USUAL_EXPIRATION = 86_400
CITY = "SAO PAULO"
TX_ID_LENGTH = 32
_FIELDS = ("calendario", "devedor", "valor", "chave", "solicitacaoPagador", "infoAdicionais")
Terms = dict[str, Any]


def put(call: Call) -> Answer:
    """PUT /cob/{txid}: creates a charge, or changes one. The same again changes nothing."""
    form = Body.of(call, OPERATION, "cob")
    tx_id = _tx_id(call, form)
    form.require("calendario", "valor", "chave")
    terms, place = _read(call, form), _place(form)
    form.check()
    known = find(call.network, call.customer.document, tx_id)
    if known is None:
        return _create(call, tx_id, terms, place)
    if known["status"] != ACTIVE and terms != json.loads(known["terms"]):
        raise _not_active("A cobrança já existe, não está no status ATIVA, e a presente requisição busca alterá-la.")
    if known["status"] == ACTIVE:
        _change(call, known, terms, place)
    return Answer(200, shown(call.network, _again(call, known)))


def create(call: Call) -> Answer:
    """POST /cob: the bank chooses the txid."""
    form = Body.of(call, OPERATION, "cob")
    form.require("calendario", "valor", "chave")
    terms, place = _read(call, form), _place(form)
    form.check()
    return _create(call, call.network.chance.letters(TX_ID_LENGTH), terms, place)


def revise(call: Call) -> Answer:
    """PATCH /cob/{txid}: changes parts of an active charge, or removes it, which goes with no other change."""
    form = Body.of(call, OPERATION, "cob")
    known = find(call.network, call.customer.document, call.parameters["tx_id"])
    if known is None:
        raise not_found(UNKNOWN)
    status = form.choice("status", (REMOVED,))
    given, place = _read(call, form), _place(form)
    form.check()
    if known["status"] != ACTIVE:
        raise _not_active("A cobrança não está ATIVA, e a presente requisição busca alterá-la.")
    if status is not None:
        if given or form.has("loc"):
            form.refuse("status", "não pode ser alterado juntamente com outras alterações.")
            form.check()
        _keep(call.network, known, json.loads(known["terms"]), status)
    else:
        _change(call, known, _merged(json.loads(known["terms"]), given, form), place)
    return Answer(200, shown(call.network, _again(call, known)))


def one(call: Call) -> Answer:
    """GET /cob/{txid}, `?revisao=` of the past."""
    query = Query(call, QUERY)
    revision = query.whole("revisao", -MOST_INT32, MOST_INT32)
    query.check()
    row = find(call.network, call.customer.document, call.parameters["tx_id"])
    if row is None:
        raise not_found(UNKNOWN)
    if revision is None or revision == row["revision"]:
        return Answer(200, complete(call.network, row))
    past = call.network.store.find("bank_charge_revision", charge=row["seq"], revision=revision)
    if past is None:
        raise invalid(
            QUERY, Violation("O parâmetro revisao corresponde a uma revisão inexistente.", "revisao", str(revision))
        )
    said = {"revisao": revision, "status": past["status"]}
    return Answer(200, complete(call.network, row) | _shown_terms(row, json.loads(past["terms"])) | said)


def listed(call: Call, *, most: int = 1000, milliseconds: bool = True, shift: int = 0) -> Answer:
    """GET /cob by the time of creation, oldest first."""
    query = Query(call, QUERY)
    span, page = paging.period(query, milliseconds=milliseconds), paging.page(query, most, shift)
    cpf, cnpj = query.text("cpf", CPF), query.text("cnpj", CNPJ)
    placed, status = query.flag("locationPresente"), query.text("status")
    if cpf is not None and cnpj is not None:
        query.refuse("cpf", "não pode estar preenchido ao mesmo tempo que cnpj.")
    query.check()
    rows = [
        row
        for row in call.network.store.rows(
            "SELECT c.*, l.seq AS place FROM bank_charge c"
            " LEFT JOIN bank_location l ON l.document = c.document AND l.tx_id = c.tx_id"
            " WHERE c.document = ? AND (? IS NULL OR c.terms ->> '$.devedor.cpf' = ?)"
            " AND (? IS NULL OR c.terms ->> '$.devedor.cnpj' = ?) AND (? IS NULL OR c.status = ?)"
            " AND c.created_at BETWEEN ? AND ? ORDER BY c.created_at, c.seq",
            call.customer.document, cpf, cpf, cnpj, cnpj, status, status, *span.around,
        )
        if span.holds(row["created_at"]) and placed in (None, row["place"] is not None)
    ]  # fmt: skip
    found = [complete(call.network, row) for row in page.of(rows)]
    asked = paging.parameters(span, page, len(rows), cpf=cpf, cnpj=cnpj, locationPresente=placed, status=status)
    return Answer(200, {"parametros": asked, "cobs": found})


def find(network: Network, document: str, tx_id: str) -> Row | None:
    """Returns a charge by its owner's document and its txid."""
    return network.store.find("bank_charge", document=document, tx_id=tx_id)


def by_tx_id(network: Network, tx_id: str | None) -> Row | None:
    """Returns the newest charge with this txid, whosever it is."""
    return None if tx_id is None else network.store.find("bank_charge", tx_id=tx_id)


def expires_at(row: Row) -> int:
    """Returns the last payable microsecond of business time."""
    ends: int = row["created_at"] + json.loads(row["terms"])["calendario"]["expiracao"] * SECOND
    return ends


def set_amount(network: Network, row: Row, cents: int) -> None:
    """Changes a charge's amount as a person does at the bank's console."""
    terms = json.loads(row["terms"])
    _keep(network, row, terms | {"valor": terms["valor"] | {"original": amounts.printed(cents)}}, row["status"])


def end(network: Network, row: Row, status: str) -> None:
    """Ends a charge: paid, or removed at the bank."""
    network.store.change("bank_charge", row, status=status)


def code(network: Network, row: Row) -> str | None:
    """Returns the BR Code of a charge; None while no location shows it."""
    place = locations.of_charge(network, row["document"], row["tx_id"])
    owner = customers.find(network, row["client_id"])
    if place is None or owner is None:
        return None
    where = locations.address(network, place["token"])
    return brcode.encode(brcode.BrCode(merchant_name=owner.name, merchant_city=CITY, location=where, single_use=True))


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a charge as CobGerada."""
    said = {"txid": row["tx_id"], "revisao": row["revision"], "status": row["status"]}
    said |= _shown_terms(row, json.loads(row["terms"]))
    place = locations.of_charge(network, row["document"], row["tx_id"])
    if place is not None:
        said |= {"loc": locations.shown(network, place), "location": locations.address(network, place["token"])}
        said |= {"pixCopiaECola": code(network, row)}
    return said


def complete(network: Network, row: Row) -> dict[str, Any]:
    """Returns a charge as CobCompleta: with the Pix that paid it, once they are listed."""
    found = received.of_charge(network, row["document"], row["tx_id"])
    said = shown(network, row)
    return said | {"pix": [received.shown(network, one) for one in found]} if found else said


def _shown_terms(row: Row, terms: Terms) -> dict[str, Any]:
    return terms | {"calendario": {"criacao": paging.printed(row["created_at"]), **terms["calendario"]}}


def _tx_id(call: Call, form: Body) -> str:
    given = call.parameters["tx_id"]
    if TX_ID.fullmatch(given) is None:
        form.refuse("txid", value=given)
    return given


def _create(call: Call, tx_id: str, terms: Terms, place: tuple[int | None, Body]) -> Answer:
    network, document = call.network, call.customer.document
    locations.link(network, document, tx_id, *place)
    network.store.insert(
        "bank_charge", document=document, tx_id=tx_id, client_id=call.customer.client_id, terms=json.dumps(terms),
        status=ACTIVE, created_at=network.clock.business(),
    )  # fmt: skip
    return Answer(201, shown(network, network.store.get("bank_charge", document=document, tx_id=tx_id)))


def _change(call: Call, row: Row, terms: Terms, place: tuple[int | None, Body]) -> None:
    """Changes an active charge. Another location alone is no new revision (Revisao)."""
    if place[0] is not None:
        locations.link(call.network, row["document"], row["tx_id"], *place)
    if terms != json.loads(row["terms"]):
        _keep(call.network, row, terms, row["status"])


def _keep(network: Network, row: Row, terms: Terms, status: str) -> None:
    """Writes the next revision of a charge and keeps what it was."""
    network.store.insert(
        "bank_charge_revision", charge=row["seq"], revision=row["revision"], terms=row["terms"], status=row["status"]
    )
    network.store.change("bank_charge", row, terms=json.dumps(terms), status=status, revision=row["revision"] + 1)


def _again(call: Call, row: Row) -> Row:
    return call.network.store.get("bank_charge", seq=row["seq"])


def _not_active(reason: str) -> Exception:
    return invalid(OPERATION, Violation(reason, "cob.status"))


def _merged(known: Terms, given: Terms, form: Body) -> Terms:
    """Returns the terms after a PATCH; its amount may be said in parts."""
    terms = known | given
    if "valor" in given:
        terms["valor"] = known["valor"] | given["valor"]
        _check_amount(terms["valor"], form)
        form.check()
    return terms


def _read(call: Call, form: Body) -> Terms:
    """Reads the terms in a body, those that are there; fields that the document does not know are dropped."""
    terms: Terms = {}
    if (calendar := form.child("calendario")) is not None:
        terms["calendario"] = {"expiracao": calendar.whole("expiracao", 1, MOST_INT32) or USUAL_EXPIRATION}
    if (debtor := form.child("devedor")) is not None:
        terms["devedor"] = _debtor(debtor)
    if (value := form.child("valor")) is not None:
        terms["valor"] = _amount(value, is_new=call.method != "PATCH")
    if (key := form.text("chave", LONGEST_KEY)) is not None:
        if not customers.has_key(call.network, call.customer, key):
            form.refuse("chave", "corresponde a uma conta que não pertence a este usuário recebedor.", key)
        terms["chave"] = key
    if (request := form.text("solicitacaoPagador", 140)) is not None:
        terms["solicitacaoPagador"] = request
    if form.has("infoAdicionais"):
        terms["infoAdicionais"] = [_information(each) for each in form.children("infoAdicionais", 50)]
    return {name: terms[name] for name in _FIELDS if name in terms}


def _place(form: Body) -> tuple[int | None, Body]:
    """Reads the location that the charge is to have; None: any."""
    child = form.child("loc")
    if child is None:
        return None, form
    child.require("id")
    return child.whole("id", 0, MOST_INT64), child


def _debtor(form: Body) -> dict[str, Any]:
    """Reads the debtor: a name, and either a CPF or a CNPJ."""
    form.require("nome")
    if form.has("cpf") == form.has("cnpj"):
        form.refuse("", "deve ter ou cpf ou cnpj, e não ambos.")
    cpf, cnpj = form.text("cpf", 11, CPF), form.text("cnpj", 14, CNPJ)
    said = {"cpf": cpf, "cnpj": cnpj, "nome": form.text("nome", 200)}
    return {name: value for name, value in said.items() if value is not None}


def _amount(form: Body, *, is_new: bool) -> dict[str, Any]:
    """Reads the amount. Cash back (retirada) is a service that this bank does not offer."""
    if form.has("retirada"):
        form.refuse("retirada", "não é oferecido por este PSP.")
    if is_new:
        form.require("original")
    cents, may_change = form.amount("original"), form.whole("modalidadeAlteracao", 0, 1)
    said: dict[str, Any] = {} if cents is None else {"original": amounts.printed(cents)}
    said |= {} if may_change is None else {"modalidadeAlteracao": may_change}
    if is_new:
        _check_amount(said, form)
    return said


def _check_amount(said: dict[str, Any], form: Body) -> None:
    if said.get("original") == "0.00" and not said.get("modalidadeAlteracao"):
        form.refuse("original", "é zero.")


def _information(form: Body) -> dict[str, Any]:
    form.require("nome", "valor")
    return {"nome": form.text("nome", 50), "valor": form.text("valor", 200)}
