"""What a payer does with a slip: he types its line or scans its bars, sees what it asks, and pays it."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from lastro.standards import boleto, documents
from lastro_sim import amounts, faults, logs, scenarios
from lastro_sim.bank import payers
from lastro_sim.forms import Form
from lastro_sim.network import Network

from . import payments, returns, slips

LOOKS_LIKE_ONE = re.compile(r"[0-9 .\-]+")
LONGEST = 80
# Whoever types what an order has just answered may be quicker than the partner who is to be paid.
UNKNOWN = (
    "No slip has as many digits (44 or 47), and no partner knows a CLABE, account, voucher or code of these: it is told of"
    " an order a moment after that was made, and forgets one that was called off"
)
BANK = "BANCO COBRADOR SIMULADO"
# The bank takes a payment that it should refuse when one of these is waiting.
TAKEN_ALL_THE_SAME = {"ALREADY_PAID": "twice", "CHARGE_REMOVED": "late", "EXPIRED": "late"}
PROBLEMS = {slips.PAID: "ALREADY_PAID", slips.CLOSED: "CHARGE_REMOVED", slips.EXPIRED: "EXPIRED"}


@dataclass(frozen=True)
class Code:
    """The bar code that was typed or scanned, and what it says by itself."""

    digits: str
    amount: int | None
    due_on: date | None


def is_slip(form: Form) -> bool:
    """Whether what was given is a slip's number rather than a BR Code, which has letters."""
    text = form.given("qrcodeData")
    return isinstance(text, str) and LOOKS_LIKE_ONE.fullmatch(text.strip()) is not None


def decode(network: Network, form: Form) -> Code:
    """The slip in a request; wrong check digits make the request malformed."""
    text = "".join(form.text("qrcodeData", LONGEST).translate(str.maketrans("", "", " .-")))
    form.check()
    try:
        code = boleto.barcode_of_line(text) if len(text) == boleto.LINE_DIGITS else text
        said = boleto.decode(code, slips.today(network))
    except boleto.BoletoError as error:
        form.refuse("qrcodeData", "INVALID", UNKNOWN if error.reason == "LENGTH" else str(error)[:200])
        form.check()
        raise
    return Code(code, said.amount_minor, said.due_date)


def read(network: Network, form: Form) -> dict[str, Any]:
    """What a slip asks, as the registry has it; of one that nobody registered, what its digits say."""
    code = decode(network, form)
    known = slips.by_barcode(network, code.digits)
    if known is None:
        said = {
            "kind": "BOLETO",
            "amount": None if code.amount is None else amounts.printed(code.amount),
            "openAmount": False,
            "dueDate": None if code.due_on is None else code.due_on.isoformat(),
            "problem": "SLIP_NOT_FOUND",
        }
        return {name: value for name, value in said.items() if value is not None}
    slip = slips.shown(network, known)
    beneficiary = slip["beneficiary"]
    document = beneficiary["document"]
    problem = PROBLEMS.get(slip["status"])
    return {
        "kind": "BOLETO",
        "amount": slip["amount"],
        "openAmount": False,
        "receiver": {
            "name": beneficiary["name"],
            "document": {"type": document["type"], "number": documents.mask(document["number"])},
            "bank": {"name": BANK},
        },
        "description": slip["description"],
        "payer": slip["payer"]["name"],
        "nossoNumero": slip["nossoNumero"],
        "dueDate": slip["dueDate"],
        "payableUntil": slip["payableUntil"],
        "status": slip["status"],
    } | ({} if problem is None else {"problem": problem})


def pay(network: Network, form: Form) -> dict[str, Any]:
    """Pay a slip: taken now and settled later, or refused. Another amount than registered is taken under a fault alone."""
    amount, payer = form.maybe_amount("amount"), payers.chosen(form)
    code = decode(network, form)
    known = slips.by_barcode(network, code.digits)
    if payer.refused is not None or known is None:
        return _refused(network, payer.refused or "SLIP_NOT_FOUND")
    price, nosso_numero = amount or known["amount"], known["nosso_numero"]
    logs.about(nosso_numero)
    about = slips.about(nosso_numero, known["amount"], payer.document)

    def struck(*behaviours: str) -> faults.Fault | None:
        return faults.strike(network, "boleto", about, behaviours)

    with network.store.writing():
        problem = PROBLEMS.get(slips.status(network, known))
        if problem is not None and struck(TAKEN_ALL_THE_SAME[problem]) is None:
            return _refused(network, problem)
        if price != known["amount"] and struck("wrong-amount") is None:
            return _refused(network, "AMOUNT_NOT_ALLOWED")
        magic = scenarios.for_slip(known["amount"])
        fault = struck("slow", "void") or magic
        twice = problem is None and (struck("twice") is not None or (magic is not None and magic.behaviour == "twice"))
        who = {"name": payer.name, "document": {"type": payer.document_type, "number": payer.document}}
        how = None if fault is None else (fault.behaviour, fault.delay)
        taken = [payments.take(network, nosso_numero, price, who, how) for _ in range(2 if twice else 1)]
    return {"paymentId": taken[0], "nossoNumero": nosso_numero, "status": "PENDING"}


def end_void(network: Network, payment_id: str, form: Form) -> dict[str, Any]:
    """The payer's bank does not bring the money of a payment that it has announced."""
    code = form.maybe_text("code", 64)
    form.check()
    ended = payments.end_void(network, payment_id, code)
    known = payments.find(network, payment_id)
    if known is not None:
        logs.about(payment_id)
    if ended:
        return {"paymentId": payment_id, "status": payments.VOID}
    return {"status": "REJECTED", "code": "UNKNOWN_PAYMENT" if known is None else f"ALREADY_{known['status']}"}


def listed(network: Network, nosso_numero: str | None, limit: int) -> list[dict[str, Any]]:
    """The newest slips with their payments and what was given back of each, oldest first; or one."""
    if nosso_numero is None:
        rows = slips.listed(network, limit)
    else:
        found = slips.find(network, nosso_numero)
        rows = [] if found is None else [found]
    return [slips.shown(network, row) | {"payments": _payments(network, row["nosso_numero"])} for row in rows]


def paid(network: Network, payment_id: str) -> dict[str, Any] | None:
    """One payment with what was given back of it; None for no such payment."""
    known = payments.find(network, payment_id)
    if known is None:
        return None
    return next(one for one in _payments(network, known["nosso_numero"]) if one["paymentId"] == payment_id)


def recent(network: Network, limit: int) -> list[dict[str, Any]]:
    """The newest payments of slips, oldest first."""
    return [payments.shown(row) for row in payments.recent(network, limit)]


def _payments(network: Network, nosso_numero: str) -> list[dict[str, Any]]:
    return [
        payments.shown(row) | {"returns": [returns.shown(given) for given in returns.of_payment(network, row["payment_id"])]}
        for row in payments.of_slip(network, nosso_numero)
    ]


def _refused(network: Network, code: str) -> dict[str, Any]:
    """The bank says no: nothing was taken. The id is of this try alone."""
    return {"paymentId": network.chance.uuid(), "status": "REJECTED", "code": code}
