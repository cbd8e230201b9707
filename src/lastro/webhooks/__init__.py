"""What clients are told: events, their numbers, and their delivery to the clients' URLs."""

from lastro.webhooks.api import routes
from lastro.webhooks.arrivals import Arrivals
from lastro.webhooks.catalogue import EVENTS, HEADERS, Acknowledgement, Notice
from lastro.webhooks.docs import NOTICES
from lastro.webhooks.emit import told
from lastro.webhooks.engine import Deliverer, DeliverySettings, number
from lastro.webhooks.model import Place
from lastro.webhooks.rules import Delivered, judge
from lastro.webhooks.signatures import new_webhook_secret, sign
from lastro.webhooks.states import DELIVERIES
from lastro.webhooks.store import attempts_of, events_of, forget, latest

__all__ = [
    "DELIVERIES", "EVENTS", "HEADERS", "NOTICES", "Acknowledgement", "Arrivals", "Delivered", "Deliverer",
    "DeliverySettings", "Notice", "Place", "attempts_of", "events_of", "forget", "judge", "latest", "new_webhook_secret",
    "number", "routes", "sign", "told",
]  # fmt: skip
