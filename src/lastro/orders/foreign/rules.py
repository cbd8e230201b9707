"""The reasons why a foreign payment does not pay an order. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.foreign.problems import (
    AMOUNT_MISMATCH,
    AMOUNT_OPEN,
    CLAIMED_ALREADY,
    ORDER_ID_NOT_ALLOWED,
    PAYMENT_CONFLICT,
    PAYMENT_DIFFERS,
    PAYMENT_GIVEN_BACK,
    PAYMENT_REHEARSAL,
    PAYMENT_UNKNOWN,
)
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.orders.methods import PIX
from lastro.orders.states import ORDERS
from lastro.rails.port import DIFFERS_THERE, GIVEN_BACK, UNKNOWN_THERE, Unknown, is_rehearsal
from lastro.standards.pix_keys import canonical, names_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastro.accounts import Account
    from lastro.core.errors import Problem
    from lastro.orders.foreign.model import KeptForeign
    from lastro.orders.model import Order
    from lastro.rails.port import PaymentNow

_OPEN = ("INITIAL", "PENDING")


def claim_problems(
    foreign: KeptForeign, order: Order, account: Account, *, is_awaited: bool, is_known: bool
) -> tuple[Problem, ...]:
    """Returns every reason why this payment does not pay this order; empty: it does.

    A payment that can be claimed for no order has that reason alone. is_awaited: another payment of the order was accepted
    or is in the inbox. is_known: our books have a payment of this id.
    """
    if (alone := _never(foreign, is_known=is_known)) is not None:
        return (alone,)
    problems = [ORDER_ID_NOT_ALLOWED.problem(why=why) for why in _misfits(foreign, order, account, is_awaited=is_awaited)]
    if order.final_amount != foreign.amount:
        refusal = AMOUNT_OPEN if order.final_amount is None else AMOUNT_MISMATCH
        problems.append(refusal.problem(amount=foreign.amount, asked=order.final_amount))
    return tuple(problems)


def _never(foreign: KeptForeign, *, is_known: bool) -> Problem | None:
    """Returns why this payment pays no order at all; None: it may pay one."""
    if not FOREIGN_PAYMENTS.allows(foreign.state, "claim"):
        return CLAIMED_ALREADY.problem(state=foreign.state)
    if is_rehearsal(foreign.txid):
        return PAYMENT_REHEARSAL.problem()
    return PAYMENT_CONFLICT.problem() if is_known else None


def doubt(foreign: KeptForeign, now: PaymentNow | Unknown) -> tuple[str, Problem] | None:
    """Returns what the bank has against a claim: the list's word, and the problem. None: nothing.

    now: the payment as the bank has it.
    A key that one of both does not tell is no difference, and neither is a txid that the bank tells no more.
    """
    if isinstance(now, Unknown):
        return UNKNOWN_THERE, PAYMENT_UNKNOWN.problem()
    if now.is_given_back:
        return GIVEN_BACK, PAYMENT_GIVEN_BACK.problem()
    keys = (now.pix_key, foreign.pix_key)
    if now.amount != foreign.amount:
        field = "amount"
    elif now.txid not in {None, foreign.txid}:
        field = "txid"
    elif None not in keys and not names_key(now.pix_key or "", canonical(foreign.pix_key or "")):
        field = "pixKey"
    else:
        return None
    return DIFFERS_THERE, PAYMENT_DIFFERS.problem(field)


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
