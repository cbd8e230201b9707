"""The reasons why a foreign payment does not pay an order. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.foreign.problems import AMOUNT_MISMATCH, CLAIMED_ALREADY, ORDER_ID_NOT_ALLOWED, PAYMENT_CONFLICT
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.orders.methods import PIX
from lastro.orders.states import ORDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastro.accounts import Account
    from lastro.core.errors import Problem
    from lastro.orders.foreign.model import KeptForeign
    from lastro.orders.model import Order

_OPEN = ("INITIAL", "PENDING")


def claim_problems(
    foreign: KeptForeign, order: Order, account: Account, *, is_awaited: bool, is_known: bool
) -> tuple[Problem, ...]:
    """Returns every reason why this payment does not pay this order; empty: it does.

    is_awaited: another payment of the order was accepted or is in the inbox. is_known: our books have a payment of this id.
    """
    problems = []
    if not FOREIGN_PAYMENTS.allows(foreign.state, "claim"):
        problems.append(CLAIMED_ALREADY.problem(state=foreign.state))
    if is_known:
        problems.append(PAYMENT_CONFLICT.problem())
    problems += [ORDER_ID_NOT_ALLOWED.problem(why=why) for why in _misfits(foreign, order, account, is_awaited=is_awaited)]
    if order.final_amount != foreign.amount:
        asked = "an open amount" if order.final_amount is None else str(order.final_amount)
        problems.append(AMOUNT_MISMATCH.problem(amount=foreign.amount, asked=asked))
    return tuple(problems)


def _misfits(foreign: KeptForeign, order: Order, account: Account, *, is_awaited: bool) -> Iterator[str]:
    if order.payment_method != PIX:
        yield f"is paid by {order.payment_method}: a Pix pays an order by PIX alone"
    if order.instrument is None or order.instrument.rail != foreign.rail:
        yield f"is not to be paid at {foreign.rail}, where the payment came in"
    if order.state not in _OPEN or not ORDERS.allows(order.state, "pay"):
        yield f"is {order.state}: only an open order is paid"
    elif is_awaited:
        yield "waits for a payment that was accepted or told: that one comes first"
    if order.subscription_id is not None:
        yield "belongs to a subscription, which decides about its payment"
    if not account.is_active:
        yield "its account is not active"
