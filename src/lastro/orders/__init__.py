"""Orders: what a customer is asked to pay, the money that comes for it, and the money that goes back."""

from lastro.orders.actions.arrive import Ask, Final, Settled
from lastro.orders.actions.end import Cancel, Expire, Fail
from lastro.orders.actions.give_back import ReturnEnded
from lastro.orders.actions.read import Read, by_location, charge, image
from lastro.orders.api import routes
from lastro.orders.docs import NOTICES
from lastro.orders.model import EXPIRY_GRACE, WAITING, Order, Place
from lastro.orders.states import ORDERS, PIX_PAYMENTS, REFUNDS
from lastro.orders.store import related, root_of

__all__ = [
    "EXPIRY_GRACE", "NOTICES", "ORDERS", "PIX_PAYMENTS", "REFUNDS", "WAITING", "Ask", "Cancel", "Expire", "Fail", "Final",
    "Order", "Place", "Read", "ReturnEnded", "Settled", "by_location", "charge", "image", "related", "root_of", "routes",
]  # fmt: skip
