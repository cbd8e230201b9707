"""Clients' events, their numbers, and their delivery to the clients' URLs."""

from lastro.webhooks.actions.era import TellEra
from lastro.webhooks.actions.rotate import OVERLAP, RotateSecret
from lastro.webhooks.api import preview_resend, routes
from lastro.webhooks.arrivals import Arrivals
from lastro.webhooks.catalogue import EVENTS, HEADERS, Acknowledgement, EventType, Fixed
from lastro.webhooks.circuit import Circuit
from lastro.webhooks.docs import EVENT_TYPES
from lastro.webhooks.due_work import DUE_WORK
from lastro.webhooks.emit import event_of
from lastro.webhooks.engine import Deliverer, number
from lastro.webhooks.model import Attempt, Depth, Numbered, WebhookPlace
from lastro.webhooks.rules import MOST_JITTER, Delivered, Plan, judge
from lastro.webhooks.signatures import new_webhook_secret, sign
from lastro.webhooks.slots import DeliverySettings
from lastro.webhooks.states import CIRCUITS, DELIVERIES
from lastro.webhooks.store import attempts_of, depths, events_of, feed_after, forget, latest, not_closed

__all__ = [
    "CIRCUITS", "DELIVERIES", "DUE_WORK", "EVENTS", "EVENT_TYPES", "HEADERS", "MOST_JITTER", "OVERLAP",
    "Acknowledgement", "Arrivals", "Attempt", "Circuit", "Delivered", "Deliverer", "DeliverySettings", "Depth",
    "EventType", "Fixed", "Numbered", "Plan", "RotateSecret", "TellEra", "WebhookPlace", "attempts_of", "depths",
    "event_of", "events_of", "feed_after", "forget", "judge", "latest", "new_webhook_secret", "not_closed", "number",
    "preview_resend", "routes", "sign",
]  # fmt: skip
