"""The bank of slips: its own fields, checks and phone display.

A payment is announced when it is taken from the payer, and settles on the next business day in the morning.
"""

import re
from datetime import date

from lastro.standards import boleto, boleto_numbers, documents
from lastro_sim import scenarios
from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import Fields, Item, Partner
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError

BARCODE = re.compile(r"\d{44}", re.ASCII)
BANK = "BANCO COBRADOR SIMULADO"


def _details(form: Form) -> Fields:
    code, due, until = form.text("barcode", 44, BARCODE), form.day("dueDate"), form.day("payableUntil")
    if due is not None and until is not None and until < due:
        form.refuse("payableUntil", "OUT_OF_RANGE", "It is payable on its due date at least")
    return {"barcode": code, "dueDate": form.given("dueDate"), "payableUntil": form.given("payableUntil")}


def _admit(_network: Network, _partner: Partner, item: Item) -> None:
    document = item.fields["beneficiary"]["document"]
    kind, number = document["type"], document["number"]
    known = kind in {"CPF", "CNPJ"} and documents.is_document(kind, number)
    if not known or number == scenarios.UNKNOWN_BENEFICIARY:
        raise RefusedError(422, "BENEFICIARY_UNKNOWN", "The bank collects for nobody of this document")
    due = date.fromisoformat(item.fields["dueDate"])
    try:
        said = boleto.decode(item.fields["barcode"], due)
    except boleto.BoletoError as error:
        raise RefusedError(422, "BARCODE_INVALID", str(error)) from None
    says = (boleto_numbers.our_number_of(said.free_field), said.amount_minor, said.due_date)
    if says != (item.reference, item.amount, due):
        raise RefusedError(422, "BARCODE_DIFFERS", "The bar code names another number, amount or due date")


def _shows(fields: Fields) -> Fields:
    beneficiary = fields["beneficiary"]
    document = beneficiary["document"]
    return {
        "receiver": {
            "name": beneficiary["name"],
            "document": {"type": document["type"], "number": documents.mask(document["number"])},
            "bank": {"name": BANK},
        },
        "description": fields["description"],
        "payer": fields["payer"]["name"],
        "dueDate": fields["dueDate"],
        "payableUntil": fields["payableUntil"],
    }


def _typed(_: str) -> str:
    """Matches nothing: `phone.py` reads the bars, and nobody types its number."""
    return ""


BOLETO = Partner(
    name="boleto", kind="BOLETO", currency="BRL", reference=re.compile(r"[0-9]{20}"), settles_at=terms.next_morning,
    magic=scenarios.BY_SLIP_AMOUNT, details=_details, admit=_admit, shows=_shows, typed=_typed,
)  # fmt: skip
