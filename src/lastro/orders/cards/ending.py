"""Ends the card payment of an order that ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.write import Write
from lastro.orders.cards.states import CARD_PAYMENTS

if TYPE_CHECKING:
    from lastro.core.runner import RequestContext
    from lastro.orders.model import Order


def card_moved(order: Order, trigger: str, context: RequestContext) -> Write:
    """Moves the card payment with its order: fail, cancel, capture. Nothing, where the order is not by card."""
    if order.card is None:
        return Write(context.company_id)
    move = CARD_PAYMENTS.move(order.card, trigger, context.now, ask_at=None, challenge_url=None)
    return Write(context.company_id, moves=(move,))


def is_being_charged(order: Order) -> bool:
    """Tells whether a charge of the order's card is ordered and open."""
    return order.card is not None and order.card.state == "AUTHENTICATED"
