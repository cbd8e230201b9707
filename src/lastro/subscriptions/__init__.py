"""Subscriptions: recurring charges by Pix Automático, from the authorization through the charges of each cycle."""

from lastro.subscriptions.actions.end import Cancel, Lapse
from lastro.subscriptions.actions.read import by_location, recurrence
from lastro.subscriptions.api import routes
from lastro.subscriptions.docs import NOTICES
from lastro.subscriptions.states import CANCELLATIONS, SUBSCRIPTIONS

__all__ = ["CANCELLATIONS", "NOTICES", "SUBSCRIPTIONS", "Cancel", "Lapse", "by_location", "recurrence", "routes"]
