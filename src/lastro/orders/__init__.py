"""Orders: what a customer is asked to pay, the money that comes for it, and the money that goes back."""

from lastro.orders.actions.arrive import Ask, Final, Settled
from lastro.orders.actions.create import Destinations
from lastro.orders.actions.create import Known as Destination
from lastro.orders.actions.end import Cancel, Expire, Fail
from lastro.orders.actions.end import Known as Ending
from lastro.orders.actions.end import known_of as ending
from lastro.orders.actions.first_charge import FirstCharge, charged, with_subscription
from lastro.orders.actions.give_back import ReturnEnded
from lastro.orders.actions.pay import Paid
from lastro.orders.actions.payers import payer_of
from lastro.orders.actions.read import Read, by_location, charge, image
from lastro.orders.actions.scheduled_charge import ScheduledCharge, scheduled_charge, with_payment
from lastro.orders.actions.tied import Tie, Tied
from lastro.orders.api import routes
from lastro.orders.docs import NOTICES
from lastro.orders.model import EXPIRY_GRACE, WAITING, Authorized, CompanySetup, Order, Party, Place
from lastro.orders.rendering import merchant, picture
from lastro.orders.rules import fee_problem
from lastro.orders.states import ORDERS, PIX_PAYMENTS, REFUNDS
from lastro.orders.store import destination, order_by_id, related, reservation, root_of

__all__ = [
    "EXPIRY_GRACE", "NOTICES", "ORDERS", "PIX_PAYMENTS", "REFUNDS", "WAITING", "Ask", "Authorized", "Cancel", "CompanySetup",
    "Destination", "Destinations", "Ending", "Expire", "Fail", "Final", "FirstCharge", "Order", "Paid", "Party", "Place",
    "Read", "ReturnEnded", "ScheduledCharge", "Settled", "Tie", "Tied", "by_location", "charge", "charged", "destination",
    "ending", "fee_problem", "image", "merchant", "order_by_id", "payer_of", "picture", "related", "reservation", "root_of",
    "routes", "scheduled_charge", "with_payment", "with_subscription",
]  # fmt: skip
