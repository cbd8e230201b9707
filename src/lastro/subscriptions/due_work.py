"""The due work of subscriptions and their charges."""

from __future__ import annotations

from lastro.core.due_work import DueWork
from lastro.orders import EXPIRY_GRACE

# Subscriptions that can no longer be authorized, also by a message that is late.
_LAPSED = DueWork(
    "lapse", "subscriptions", "lapses_at", "subscriptions_lapsing", "status = 'PENDING_AUTHORIZATION'",
    gauge="lapses", grace=EXPIRY_GRACE,
)  # fmt: skip
# Subscriptions whose endDate is over, once no charge is unfinished: a retry may come after that day.
_ENDED_CHARGES = (
    "NOT EXISTS (SELECT 1 FROM subscription_payments p WHERE p.company_id = w.company_id AND p.subscription_id = w.id"
    " AND p.status IN ('SCHEDULED', 'PENDING') OFFSET 0)"
)
_OVER = DueWork(
    "end", "subscriptions", "ends_at", "subscriptions_ending", "status = 'ACCEPTED'", gauge="subscription ends",
    ready=_ENDED_CHARGES,
)  # fmt: skip
# Subscriptions of which the service itself makes the next charge.
_TO_CHARGE = DueWork(
    "cycles", "subscriptions", "charge_at", "subscriptions_to_charge", "status = 'ACCEPTED'",
    gauge="cycles", held="subscription",
)  # fmt: skip
# Scheduled payments that time does something to: they are sent, their day begins, or their last day is over.
_PAYMENTS = DueWork(
    "payments", "subscription_payments", "due_at", "subscription_payments_due", gauge="charges", held="charge"
)
# Subscriptions whose bank, of a connection, is asked what has become of them.
SUBSCRIPTIONS_TO_ASK = DueWork(
    "subscriptions to ask", "subscriptions", "ask_at", "subscriptions_to_ask",
    "status IN ('PENDING_AUTHORIZATION', 'ACCEPTED')", by="question", gauge="subscriptions", repeats=True,
)  # fmt: skip
# Requests that the payer's bank has to answer: cancellations, attempts, and charges that it is to drop.
CANCELLATIONS_TO_ASK = DueWork(
    "cancellations to ask", "subscription_cancellations", "ask_at", "subscription_cancellations_to_ask",
    "status = 'PENDING'", by="question", gauge="cancellations",
)  # fmt: skip
ATTEMPTS_TO_ASK = DueWork(
    "attempts to ask", "payment_attempts", "ask_at", "payment_attempts_to_ask", "status IN ('REQUESTED', 'SCHEDULED')",
    by="question", gauge="attempts",
)  # fmt: skip
CHARGES_TO_DROP = DueWork(
    "charges to drop", "subscription_payments", "ask_at", "subscription_payments_to_ask", "status = 'SCHEDULED'",
    by="question", gauge="charges to drop",
)  # fmt: skip

DUE_WORK = (
    _LAPSED, _OVER, _TO_CHARGE, _PAYMENTS, SUBSCRIPTIONS_TO_ASK, CANCELLATIONS_TO_ASK, ATTEMPTS_TO_ASK, CHARGES_TO_DROP,
)  # fmt: skip
