"""All SQL of events and their delivery: of the engine, of lists, of one event, of the feed, of settings, of stories."""

from lastro.webhooks.store.circuits import close, depths, not_closed, open_again, take_probe, trip, troubled
from lastro.webhooks.store.deliveries import (
    LANE,
    MOST_OF_A_COMPANY,
    claim,
    destinations,
    finish,
    number_events,
    postpone,
    unnumbered,
)
from lastro.webhooks.store.events import event_by_id, present_urls, resendable
from lastro.webhooks.store.feed import feed_after, forget, latest, untold_era
from lastro.webhooks.store.lists import events_in, found
from lastro.webhooks.store.settings import current_secret, settings_of
from lastro.webhooks.store.timeline import attempts_of, events_of

__all__ = [
    "LANE", "MOST_OF_A_COMPANY", "attempts_of", "claim", "close", "current_secret", "depths", "destinations", "event_by_id",
    "events_in", "events_of", "feed_after", "finish", "forget", "found", "latest", "not_closed", "number_events",
    "open_again", "postpone", "present_urls", "resendable", "settings_of", "take_probe", "trip", "troubled",
    "unnumbered", "untold_era",
]  # fmt: skip
