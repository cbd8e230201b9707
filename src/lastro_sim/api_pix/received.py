"""Pix that customers received: GET /pix and GET /pix/{e2eid}, and their arrival from the network.

A Pix arrives with or without a txid; one that pays a dynamic code ends its charge. Source: API Pix 2.9.0, tag Pix.
"""

import json
from collections.abc import Collection
from typing import Any

from lastro_sim import amounts
from lastro_sim.network import Network

from . import paging
from .calls import Answer, Call, Row
from .problems import not_found
from .reading import ANY_TX_ID, CNPJ, CPF, Query

QUERY, UNKNOWN = "PixConsultaInvalida", "PixNaoEncontrado"


def one(call: Call) -> Answer:
    """GET /pix/{e2eid}."""
    return Answer(200, shown(call.network, found(call)))


def listed(call: Call, *, most: int = 1000, milliseconds: bool = True, shift: int = 0, txid: str = "txid") -> Answer:
    """GET /pix by the time of processing, oldest first. txid: the parameter's name at this bank."""
    query = Query(call, QUERY)
    span, page = paging.period(query, milliseconds=milliseconds), paging.page(query, most, shift)
    tx_id, has_tx_id, has_return = query.text(txid, ANY_TX_ID), query.flag("txIdPresente"), query.flag("devolucaoPresente")
    cpf, cnpj = query.text("cpf", CPF), query.text("cnpj", CNPJ)
    if cpf is not None and cnpj is not None:
        query.refuse("cpf", "não pode estar preenchido ao mesmo tempo que cnpj.")
    query.check()
    payer = cpf or cnpj
    rows = [
        row
        for row in call.network.store.rows(
            "SELECT p.*, EXISTS (SELECT 1 FROM bank_return r WHERE r.end_to_end_id = p.end_to_end_id) AS returned"
            " FROM bank_pix p WHERE p.document = ? AND p.listed_at <= ? AND (? IS NULL OR p.tx_id = ?)"
            " AND (? IS NULL OR p.payer = ?) AND p.settled_at BETWEEN ? AND ? ORDER BY p.settled_at, p.seq",
            call.customer.document, call.network.clock.business(), tx_id, tx_id, payer, payer, *span.around,
        )
        if span.holds(row["settled_at"])
        and has_tx_id in (None, row["tx_id"] is not None)
        and has_return in (None, bool(row["returned"]))
    ]  # fmt: skip
    asked = paging.parameters(
        span, page, len(rows), txid=tx_id, txIdPresente=has_tx_id, devolucaoPresente=has_return, cpf=cpf, cnpj=cnpj
    )
    return Answer(200, {"parametros": asked, "pix": [shown(call.network, row) for row in page.of(rows)]})


def found(call: Call) -> Row:
    """Returns the customer's Pix in the path, once the bank shows it."""
    row = call.network.store.find("bank_pix", end_to_end_id=call.parameters["e2eid"], document=call.customer.document)
    if row is None or row["seen_at"] > call.network.clock.business():
        raise not_found(UNKNOWN)
    return row


def of_charge(network: Network, document: str, tx_id: str) -> list[Row]:
    """Returns the Pix of a charge's txid, oldest first; hidden ones are left out."""
    rows = network.store.every("bank_pix", document=document, tx_id=tx_id)
    return [row for row in rows if row["seen_at"] <= network.clock.business()]


def keep(network: Network, payment: Row, document: str, *, hides: Collection[str], listed_at: int, seen_at: int) -> Row:
    """Writes a settled payment as its receiver's Pix. hides: columns that stay empty."""
    body = json.loads(payment["body"])
    network.store.insert(
        "bank_pix",
        end_to_end_id=payment["end_to_end_id"],
        document=document,
        key=None if "key" in hides else body["receiver"].get("key"),
        tx_id=None if "tx_id" in hides else payment["tx_id"],
        amount=payment["amount"],
        payer=body["payer"]["document"]["number"],
        remark=body.get("remittance"),
        settled_at=payment["settled_at"],
        listed_at=listed_at,
        seen_at=seen_at,
    )
    return network.store.get("bank_pix", end_to_end_id=payment["end_to_end_id"])


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a Pix as the bank answers it; who paid it is not told, since version 2.6.3."""
    amount = amounts.printed(row["amount"])
    said: dict[str, Any] = {
        "endToEndId": row["end_to_end_id"],
        "txid": row["tx_id"],
        "valor": amount,
        "componentesValor": {"original": {"valor": amount}},
        "chave": row["key"],
        "horario": paging.printed(row["settled_at"]),
        "infoPagador": row["remark"],
        "devolucoes": [
            shown_return(one) for one in network.store.every("bank_return", end_to_end_id=row["end_to_end_id"])
        ] or None,
    }  # fmt: skip
    return {name: value for name, value in said.items() if value is not None}


def shown_return(row: Row) -> dict[str, Any]:
    """Returns a devolução as the bank answers it."""
    settled = {} if row["settled_at"] is None else {"liquidacao": paging.printed(row["settled_at"])}
    said: dict[str, Any] = {
        "id": row["id"],
        "rtrId": row["return_id"],
        "valor": amounts.printed(row["amount"]),
        "natureza": row["nature"],
        "descricao": row["description"],
        "horario": {"solicitacao": paging.printed(row["requested_at"]), **settled},
        "status": row["status"],
        "motivo": row["reason"],
    }
    return {name: value for name, value in said.items() if value is not None}
