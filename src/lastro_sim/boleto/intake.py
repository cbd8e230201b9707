"""The way in: what a participant registers, closes and gives back, read and checked field by field."""

import re
from datetime import date
from typing import Any

from lastro.standards import boleto, boleto_numbers, documents
from lastro_sim import scenarios
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, RefusedError, malformed

from . import returns, slips

NOSSO_NUMERO = re.compile(r"\d{20}", re.ASCII)
BARCODE = re.compile(r"\d{44}", re.ASCII)
RETURN_ID = re.compile(r"[A-Za-z0-9]{1,35}")
REASON = re.compile(r"[A-Z0-9]{1,8}")
DOCUMENTS = {"CPF", "CNPJ", "CURP", "RFC", "OTHERS"}


def numbered(nosso_numero: str) -> str:
    """The number in a path, as it must be written."""
    if NOSSO_NUMERO.fullmatch(nosso_numero) is None:
        raise malformed(Problem("nossoNumero", "INVALID", "A nosso número has twenty digits"))
    return nosso_numero


def register(network: Network, nosso_numero: str, raw: bytes) -> bool:
    """Register a slip; whether it is new."""
    form = Form.read(raw)
    code, cents = form.text("barcode", 44, BARCODE), form.message_amount("amount")
    due, until = form.day("dueDate"), form.day("payableUntil")
    if due is not None and until is not None and until < due:
        form.refuse("payableUntil", "OUT_OF_RANGE", "It is payable on its due date at least")
    beneficiary = _person(form.child("beneficiary"))
    fields = {
        "number": form.text("number", 64),
        "description": form.text("description", 140),
        "beneficiary": beneficiary,
        "payer": _person(form.child("payer")),
    }
    form.check()
    assert due is not None
    assert until is not None
    if cents == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "A slip asks for something")
    _check_beneficiary(beneficiary["document"])
    _check_code(nosso_numero, code, cents, due)
    return slips.register(network, slips.Slip(nosso_numero, code, cents, due, until, fields))


def give_back(network: Network, return_id: str, raw: bytes) -> bool:
    """Give money back; whether the return is new."""
    if RETURN_ID.fullmatch(return_id) is None:
        raise malformed(Problem("returnId", "INVALID", "A return id has up to 35 letters and digits"))
    form = Form.read(raw)
    payment_id, cents = form.text("paymentId", 64), form.message_amount("amount")
    reason = form.text("reason", 8, REASON)
    form.check()
    if cents == 0:
        raise RefusedError(422, "AMOUNT_ZERO", "A return moves something")
    return returns.give_back(network, returns.Return(return_id, payment_id, cents, reason))


def _person(form: Form) -> dict[str, Any]:
    document = form.child("document")
    found = {
        "name": form.text("name"),
        "document": {"type": document.choice("type", DOCUMENTS), "number": document.text("number", 40)},
    }
    address = form.maybe_text("address", 400)
    return found | ({"address": address} if address else {})


def _check_beneficiary(document: dict[str, str]) -> None:
    kind, number = document["type"], document["number"]
    known = kind in {"CPF", "CNPJ"} and documents.is_document(kind, number)
    if not known or number == scenarios.UNKNOWN_BENEFICIARY:
        raise RefusedError(422, "BENEFICIARY_UNKNOWN", "The bank collects for nobody of this document")


def _check_code(nosso_numero: str, code: str, cents: int, due: date) -> None:
    """The bar code says the same as what is registered."""
    try:
        said = boleto.decode(code, due)
    except boleto.BoletoError as error:
        raise RefusedError(422, "BARCODE_INVALID", str(error)) from None
    if (boleto_numbers.our_number_of(said.free_field), said.amount_minor, said.due_date) != (nosso_numero, cents, due):
        raise RefusedError(422, "BARCODE_DIFFERS", "The bar code names another number, amount or due date")
