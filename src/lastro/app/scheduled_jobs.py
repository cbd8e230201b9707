"""What the worker looks for because its time has come: the sweeps of the rooms, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import accounts, closing, keys, med, orders, payouts, subscriptions, webhooks
from lastro.app.opening import GiveKey
from lastro.core.work_queue import HELD_UNTIL
from lastro.med import TERMS, DisputeTerms
from lastro.subscriptions import TIMING
from lastro.worker.due_poller import Due

if TYPE_CHECKING:
    from lastro.orders import Installation
    from lastro.rails.port import Registry, StreamsRead
    from lastro.subscriptions import Timing

# Orders whose time, and the time a late message is given, is over; the first charge of a subscription ends with that.
EXPIRED = (
    "SELECT company_id, id FROM orders WHERE status = 'INITIAL' AND subscription_id IS NULL"  # noqa: S608 a number of ours
    " AND payment_method = 'PIX'"
    f" AND expires_at <= (SELECT business_now()) - interval '{orders.EXPIRY_GRACE.total_seconds():.0f} seconds'"
    " ORDER BY expires_at LIMIT $1"
)

# Orders that a partner collects, whose money can no longer be told of.
ENDED = (
    "SELECT company_id, id FROM orders WHERE ends_at <= (SELECT business_now()) AND payment_method <> 'CREDIT_CARD'"
    " ORDER BY ends_at LIMIT $1"
)

# Orders by card whose payer, or whose acquirer, has not said anything in time.
CARDS_OVER = (
    "SELECT company_id, id FROM orders WHERE ends_at <= (SELECT business_now()) AND payment_method = 'CREDIT_CARD'"
    " ORDER BY ends_at LIMIT $1"
)

# Subscriptions that can no longer be authorized, also by a message that is late.
LAPSED = (
    "SELECT company_id, id FROM subscriptions WHERE status = 'PENDING_AUTHORIZATION'"  # noqa: S608 a number of ours
    f" AND lapses_at <= (SELECT business_now()) - interval '{orders.EXPIRY_GRACE.total_seconds():.0f} seconds'"
    " ORDER BY lapses_at LIMIT $1"
)

# Subscriptions whose endDate is over.
OVER = (
    "SELECT company_id, id FROM subscriptions WHERE status = 'ACCEPTED' AND ends_at <= (SELECT business_now())"
    " ORDER BY ends_at LIMIT $1"
)

# Scheduled payments that time does something to: they are sent, their day begins, or their last day is over.
PAYMENTS_DUE = (
    "SELECT company_id, id FROM subscription_payments"  # noqa: S608 names of our own
    f" WHERE due_at <= (SELECT business_now()) AND due_at > {HELD_UNTIL} ORDER BY due_at LIMIT $1"
)

# Subscriptions of which the service itself makes the next charge.
TO_CHARGE = (
    "SELECT company_id, id FROM subscriptions WHERE status = 'ACCEPTED'"  # noqa: S608 names of our own
    f" AND charge_at <= (SELECT business_now()) AND charge_at > {HELD_UNTIL} ORDER BY charge_at LIMIT $1"
)

# Scheduled payouts whose day has come; a batch's children begin with it.
TO_BEGIN = (
    "SELECT company_id, id FROM payouts WHERE status = 'PENDING' AND start_at <= (SELECT business_now())"  # noqa: S608
    f" AND start_at > {HELD_UNTIL} AND batch_id IS NULL ORDER BY start_at LIMIT $1"
)


# Accounts that were closed, and that something may still hang on.
TO_CLEAR = "SELECT company_id, id FROM account_close_requests WHERE status = 'REQUESTED' ORDER BY created_at LIMIT $1"

# Proofs of keys whose code holds no longer.
CODES_OVER = (
    "SELECT company_id, id FROM pix_key_validations WHERE status = 'PENDING'"  # noqa: S608 a number of ours
    f" AND expires_at <= (SELECT business_now()) - interval '{keys.ENDED_AFTER.total_seconds():.0f} seconds'"
    " ORDER BY expires_at LIMIT $1"
)


def dues_of(
    place: Installation,
    registry: Registry,
    ways: payouts.Ways,
    streams: StreamsRead,
    timing: Timing = TIMING,
    terms: DisputeTerms = TERMS,
) -> tuple[Due, ...]:
    """The sweeps of a worker that stands there. timing: of charges of subscriptions. registry: where keys are.

    ways: whom a scheduled payout asks where its money goes. streams: of the partners that collect. terms: of disputes.
    """
    return (
        Due("expiry", EXPIRED, lambda order_id: orders.Expire(order_id, place)),
        Due("terms", ENDED, lambda order_id: orders.Expire(order_id, place, streams=streams)),
        Due("cards", CARDS_OVER, lambda order_id: orders.CardOver(order_id, place, streams)),
        Due("lapse", LAPSED, lambda subscription_id: subscriptions.Lapse(subscription_id, place)),
        Due("end", OVER, lambda subscription_id: subscriptions.End(subscription_id, place)),
        Due("payments", PAYMENTS_DUE, lambda payment_id: subscriptions.Advance(payment_id, place, timing)),
        Due("cycles", TO_CHARGE, lambda subscription_id: subscriptions.ChargeCycle(subscription_id, place, timing)),
        Due("disputes", med.DUE, lambda object_id: med.Fall(object_id, med.Stand(place.institution, terms))),
        Due("closing", TO_CLEAR, lambda request_id: closing.Clear(request_id, place, registry)),
        Due("codes", CODES_OVER, keys.ExpireValidation),
        Due("claims", keys.claims.DUE, keys.claims.Fall),
        Due("openings", accounts.opening.EXPIRED, accounts.opening.Expire),
        Due("first keys", accounts.opening.WITHOUT_KEY, lambda request_id: GiveKey(request_id, registry)),
        Due("eras", webhooks.UNTOLD_ERAS, webhooks.TellEra),
        Due("scheduled", TO_BEGIN, lambda payout_id: payouts.Begin(payout_id, ways)),
    )
