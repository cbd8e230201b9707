"""A bank makes the code of an order before it is written. No database connection is held meanwhile."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from lastro.core.errors import Kind, Refused
from lastro.orders import problems as refusals
from lastro.orders.model import Instrument
from lastro.orders.silence import silent
from lastro.rails.port import AnswerInvalid, IssueRefused, Person, Transient

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.errors import Problem, Refusal
    from lastro.core.money import Money
    from lastro.orders.forms import CreateOrder
    from lastro.rails.port import ChargeRequest, IssuedCharge, Issuer

_AGAIN_SECONDS = 5
_DEBTORS = ("CPF", "CNPJ")
# By the field of the port that a bank objects to: what the client sent of it.
_OBJECTIONS: dict[str | None, tuple[Refusal, str]] = {
    "amount": (refusals.AMOUNT_NOT_ALLOWED, "code"), "key": (refusals.PIX_KEY_NOT_SUPPORTED, "why"),
    "payer": (refusals.DOCUMENT_NUMBER_INVALID, "why"), "text": (refusals.DESCRIPTION_NOT_ALLOWED, "why"),
    "seconds": (refusals.EXPIRATION_OUT_OF_RANGE, "why"),
}  # fmt: skip
_ORDER = (refusals.ORDER_NOT_ALLOWED, "why")
_PLAIN = "has characters that banks do not take, such as emoji"


def request_problems(form: CreateOrder, amount: Money | None) -> list[Problem]:
    """Returns the problems of an order whose code a bank makes. Other Pix orders do not have them."""
    order, customer, problems = form.order, form.customer, []
    if amount is None:
        problems.append(refusals.AMOUNT_REQUIRED.problem())
    if customer is not None and customer.document.type not in _DEBTORS:
        problems.append(refusals.DOCUMENT_TYPE_NOT_ALLOWED.problem())
    if not is_text(order.description):
        problems.append(refusals.DESCRIPTION_NOT_ALLOWED.problem(why=_PLAIN))
    return problems


def is_text(text: str) -> bool:
    """Tells whether banks take a text: letters, digits, signs and blanks; no emoji and nothing beyond the basic plane."""
    return all((ord(c) < 0x10000 and unicodedata.category(c)[0] in "LMNPZ") or c in "+<=>|~^`$€£" for c in text)


def payer_of(form: CreateOrder) -> Person | None:
    """Returns the customer as a bank takes one; None: the order names nobody."""
    c = form.customer
    return None if c is None else Person(c.name, c.document.type, c.document.number.upper())


async def ask(rail: str, issuer: Issuer, request: ChargeRequest) -> IssuedCharge | Refused:
    """Has a bank make a charge. Its silence is 503 and harmless: nobody has the code of what it may have made."""
    try:
        return await issuer.issue(request)
    except Transient as why:
        return silent(rail, "charge", why)
    except AnswerInvalid:  # the adapter has told it
        return Refused(Kind.UNAVAILABLE, retry_after_seconds=_AGAIN_SECONDS)
    except IssueRefused as refused:
        return _refused(refused)


def _refused(refused: IssueRefused) -> Refused:
    """Returns the bank's objections under the client's own fields; each once."""
    said = refused.violations or ((None, ""),)
    problems: dict[str, Problem] = {}
    for field, _ in said:
        objection, word = _OBJECTIONS.get(field, _ORDER)
        problem = objection.problem(**{word: f"the bank of this key refuses it: {refused.code}"})
        problems.setdefault(problem.field, problem)
    return Refused(Kind.INVALID, tuple(problems.values()))


def misfit(issued: IssuedCharge, final: Money, asked: Money, now: datetime) -> Refused | None:
    """Refuses a charge that an order cannot rest on: a fee has changed since, or its time is over. None: it can."""
    if asked == final and now < issued.expires_at:
        return None
    return Refused(Kind.UNAVAILABLE, retry_after_seconds=1)


def instrument(rail: str, issued: IssuedCharge) -> Instrument:
    """Returns the instrument of an order by a connection: the bank's code, under our txid."""
    details = {"qrcodeData": issued.code, "location": issued.location, "revision": str(issued.revision)}
    if issued.location_id is not None:
        details["locationId"] = issued.location_id
    return Instrument(rail, issued.txid, details=details)
