"""The decisions of refunds, pure: what may be given back, for how long, and what stands in the way."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from lastro.core.money import Money
from lastro.orders.methods import method_of
from lastro.orders.refunds import problems as refusals
from lastro.orders.returns import RETURN_ARRIVES_WITHIN, return_within
from lastro.rails.port import NOT_TAKEN

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.errors import Problem
    from lastro.orders.model import Order, Refund
    from lastro.orders.refunds.forms import CreateRefund
    from lastro.orders.returns import Sending

WINDOW: Final = timedelta(days=90)  # from the network's settlement (API Pix 2.9.0, devolução)
CODES: Final = ("MD06",)
GENERAL: Final = "MD06"  # sent for a word that has no code of its own here
# The codes of words by which clients of other platforms name a reason. The list is open: any other word is GENERAL.
WORDS: Final = {"RECEIVER_REQUEST": "MD06"}
CALLED_OFF: Final = "CALLED_OFF"  # the end code of a return that was called off
# The codes that clients may not give (API Pix 2.9.0, DevolucaoNatureza): those of a dispute and of the institution's faults,
# and that of the withdrawal or change part of a Pix, which no order here has.
_NOT_FOR_CLIENTS: Final = {
    **dict.fromkeys(("BE08", "FR01"), "only the institution itself gives money back for this reason"),
    "SL02": "is of a withdrawal or of the change of a purchase: no payment here has such a part",
}  # fmt: skip
_NEVER_BACK: Final = "what was paid by this method cannot be given back"
_NOT_FROM_HERE: Final = "was paid at a bank whose connection makes no refunds"
PAID_STATES: Final = ("PAID", "PARTIAL_REFUNDED", "REFUNDED")


def given_up_for(refund: Refund, message: Sending, now: datetime) -> str | None:
    """Returns the end code of a return unknown to its network. None: it may still come there, or be sent."""
    is_over = now >= refund.created_at + return_within(refund.rail, is_anew=refund.is_anew)
    if message.doubts and (is_over or message.is_nowhere):
        return message.doubt
    called_off_at = refund.called_off_at
    if called_off_at is not None and (message.is_nowhere or now >= called_off_at + RETURN_ARRIVES_WITHIN):
        return CALLED_OFF
    return NOT_TAKEN if is_over else None


def code_of(given: str) -> tuple[str, str | None]:
    """Returns the network's code, and the client's word for it. None: the client gave the code."""
    is_code = given[-1:].isdigit()
    return (given, None) if is_code else (WORDS.get(given, GENERAL), given)


def form_problems(form: CreateRefund) -> list[Problem]:
    """Returns the problems of a request that need no look-up. The form of single fields was checked before."""
    problems: list[Problem] = []
    code = None if form.refund_code is None else code_of(form.refund_code)[0]
    if code in _NOT_FOR_CLIENTS:
        problems.append(refusals.REFUND_CODE_NOT_ALLOWED.problem(why=_NOT_FOR_CLIENTS[code]))
    elif code is not None and code not in CODES:
        problems.append(refusals.REFUND_CODE_INVALID.problem(what=" or ".join(CODES)))
    external_id = form.external_id
    if external_id is not None and (not external_id.isprintable() or external_id != external_id.strip()):
        problems.append(refusals.EXTERNAL_ID_INVALID.problem())
    return problems


def left(order: Order, counted_minor: int) -> Money:
    """Returns the rest of an order that may be given back. counted_minor: the sum of refunds before that have not failed."""
    most = order.refundable
    assert most is not None, "a paid order has an amount"
    return Money(max(most.minor - counted_minor, 0), most.currency)


def problems_of(
    order: Order, *, has_payment: bool, account_is_closed: bool, amount: Money, rest: Money, now: datetime,
    of_payment: Money | None = None, rail_refunds: bool = True,
) -> list[Problem]:  # fmt: skip
    """Returns the problems of giving `amount` of a paid order back. rest: the result of `left`.

    of_payment: where an order is paid in parts, the most that one of its payments has left: a refund gives one of them
    back. rail_refunds: False: the connection that was paid makes no refunds.
    """
    problems: list[Problem] = []
    method = method_of(order.payment_method)
    if method is None or not method.is_refundable or not has_payment:
        problems.append(refusals.ORDER_ID_NOT_SUPPORTED.problem(why=_NEVER_BACK))
    elif not rail_refunds:
        problems.append(refusals.ORDER_ID_NOT_SUPPORTED.problem(why=_NOT_FROM_HERE))
    elif order.paid_at is not None and now > order.paid_at + WINDOW:
        problems.append(refusals.ORDER_ID_EXPIRED.problem(days=WINDOW.days))
    elif account_is_closed:
        problems.append(refusals.ORDER_ID_NOT_ALLOWED.problem(why="its account is closed"))
    if amount > rest:
        problems.append(too_much(rest))
    elif of_payment is not None and amount > of_payment:
        problems.append(too_much_of_one(of_payment))
    return problems


def other_currency(currency: str) -> Problem:
    """Refuses a currency that is not the order's."""
    return refusals.CURRENCY_NOT_SUPPORTED.problem(currency=currency)


def too_much(rest: Money) -> Problem:
    """Refuses more than is left of the paid amount. rest: what is left."""
    return refusals.AMOUNT_LIMIT_EXCEEDED.problem(why=f"is more than what is left to give back, {rest}")


def too_much_of_one(left: Money) -> Problem:
    """Refuses more than one payment of an order in parts has left. left: that rest."""
    text = f"is more than one payment of this order has left, {left}: what was paid in parts goes back in parts"
    return refusals.AMOUNT_LIMIT_EXCEEDED.problem(why=text)
