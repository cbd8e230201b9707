"""Subscriptions: recurring charges by Pix Automático, from the authorization through the charges of each cycle."""

from lastro.subscriptions.actions.advance import Advance
from lastro.subscriptions.actions.attempt_answers import CancelAnswered, PayerCanceled, Scheduled, Unpaid
from lastro.subscriptions.actions.authorize import Authorize, AuthorizedAtBank, Decline
from lastro.subscriptions.actions.cancel import CancellationEnded, PayerCancels, RequestCancellation
from lastro.subscriptions.actions.charge_cycle import ChargeCycle
from lastro.subscriptions.actions.end import CloseAccount, End, Lapse
from lastro.subscriptions.actions.fail import Fail
from lastro.subscriptions.actions.order_owner import SubscriptionOrders
from lastro.subscriptions.actions.read import by_location, recurrence
from lastro.subscriptions.api import routes
from lastro.subscriptions.docs import EVENT_TYPES
from lastro.subscriptions.due_work import DUE_WORK
from lastro.subscriptions.model import TIMING, Timing
from lastro.subscriptions.reasons import cure_of_attempt
from lastro.subscriptions.states import ATTEMPTS, CANCELLATIONS, PAYMENTS, SUBSCRIPTIONS
from lastro.subscriptions.store import related, root_of
from lastro.subscriptions.waiting import EARLY, NEEDS, waiting_of

__all__ = [
    "ATTEMPTS", "CANCELLATIONS", "DUE_WORK", "EARLY", "EVENT_TYPES", "NEEDS", "PAYMENTS", "SUBSCRIPTIONS", "TIMING",
    "Advance", "Authorize", "AuthorizedAtBank", "CancelAnswered", "CancellationEnded", "ChargeCycle", "CloseAccount",
    "Decline", "End", "Fail", "Lapse", "PayerCanceled", "PayerCancels", "RequestCancellation", "Scheduled",
    "SubscriptionOrders", "Timing", "Unpaid", "by_location", "cure_of_attempt", "recurrence", "related", "root_of",
    "routes", "waiting_of",
]  # fmt: skip
