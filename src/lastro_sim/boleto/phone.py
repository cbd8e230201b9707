"""A payer types or scans a slip's number; the registered slip answers."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from lastro.standards import boleto, boleto_numbers, calendar
from lastro_sim import amounts
from lastro_sim.bank import payers
from lastro_sim.clock import moment
from lastro_sim.collecting import items, phone
from lastro_sim.collecting.partner import Partner, Row
from lastro_sim.forms import Form
from lastro_sim.network import Network

from .partner import BOLETO

LOOKS_LIKE_ONE = re.compile(r"[0-9 .\-]+")
LONGEST = 80
# A payer may type an order's number before the partner has the order.
UNKNOWN = (
    "No slip has as many digits (44 or 47), and no partner knows a CLABE, account, voucher or code of these: it is told of"
    " an order a moment after that was made, and forgets one that was called off"
)
NOT_FOUND = "SLIP_NOT_FOUND"


@dataclass(frozen=True)
class Code:
    """A typed or scanned bar code and its own fields."""

    digits: str
    number: str | None
    amount: int | None
    due_on: date | None


def is_slip(form: Form) -> bool:
    """Tells whether the text is a slip's number; a BR Code has letters."""
    text = form.given("qrcodeData")
    return isinstance(text, str) and LOOKS_LIKE_ONE.fullmatch(text.strip()) is not None


def found(network: Network, form: Form) -> tuple[Partner, Row] | None:
    """Returns the slip in a request; None where nobody has registered it. Wrong check digits make the request malformed."""
    code = _decode(network, form)
    known = None if code.number is None else items.find(network, BOLETO, code.number)
    return (BOLETO, known) if known is not None and items.fields(known)["barcode"] == code.digits else None


def read(network: Network, form: Form) -> dict[str, Any]:
    """Reads the digits of a slip that nobody has registered."""
    code = _decode(network, form)
    said = {
        "kind": "BOLETO",
        "amount": None if code.amount is None else amounts.printed(code.amount),
        "openAmount": False,
        "dueDate": None if code.due_on is None else code.due_on.isoformat(),
        "problem": NOT_FOUND,
    }
    return {name: value for name, value in said.items() if value is not None}


def pay(network: Network, form: Form) -> dict[str, Any]:
    """Refuses to pay a slip that nobody has registered."""
    form.maybe_amount("amount")
    payer = payers.chosen(form)
    _decode(network, form)
    return phone.refused(network, payer.refused or NOT_FOUND)


def _decode(network: Network, form: Form) -> Code:
    text = "".join(form.text("qrcodeData", LONGEST).translate(str.maketrans("", "", " .-")))
    form.check()
    try:
        code = boleto.barcode_of_line(text) if len(text) == boleto.LINE_DIGITS else text
        said = boleto.decode(code, calendar.brasilia_day(moment(network.clock.business())))
    except boleto.BoletoError as error:
        form.refuse("qrcodeData", "INVALID", UNKNOWN if error.reason == "LENGTH" else str(error)[:200])
        form.check()
        raise
    return Code(code, boleto_numbers.our_number_of(said.free_field), said.amount_minor, said.due_date)
