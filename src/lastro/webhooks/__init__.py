"""What clients are told: events, their numbers, and their delivery to the clients' URLs."""

from lastro.webhooks.api import routes
from lastro.webhooks.emit import told
from lastro.webhooks.engine import Deliverer, DeliverySettings, number
from lastro.webhooks.signatures import new_webhook_secret
from lastro.webhooks.states import DELIVERIES

__all__ = ["DELIVERIES", "Deliverer", "DeliverySettings", "new_webhook_secret", "number", "routes", "told"]
