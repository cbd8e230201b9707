"""Declares what falls due of orders, their payments and their refunds."""

from __future__ import annotations

from datetime import timedelta

from lastro.core.due_work import DueWork

EXPIRY_GRACE = timedelta(seconds=60)  # the network's acceptance time decides; its message may reach us that much later

# Overdue orders. The first charge of a subscription ends with its subscription.
_EXPIRED = DueWork(
    "expiry", "orders", "expires_at", "orders_expiring",
    "status = 'INITIAL' AND subscription_id IS NULL AND payment_method = 'PIX'", gauge="orders", grace=EXPIRY_GRACE,
)  # fmt: skip
# Overdue orders that a partner collects; by card, those without a message in time.
_ENDED = DueWork(
    "ends", "orders", "ends_at", "orders_ending", gauge="collected orders",
    shares=(("terms", "payment_method <> 'CREDIT_CARD'"), ("cards", "payment_method = 'CREDIT_CARD'")),
)  # fmt: skip
# Accepted payments, charges of cards and returns whose end the network has to tell.
PAYMENTS_TO_ASK = DueWork(
    "payments to ask", "pix_payments", "ask_at", "pix_payments_to_ask", "state = 'ACCEPTED'", by="question", gauge="payments"
)
CARDS_TO_ASK = DueWork(
    "card charges to ask", "card_payments", "ask_at", "card_payments_to_ask", "state = 'AUTHENTICATED'",
    by="question", gauge="card charges",
)  # fmt: skip
RETURNS_TO_ASK = DueWork(
    "returns to ask", "refunds", "ask_at", "refunds_to_ask", "state = 'PENDING'", by="question", gauge="returns"
)

DUE_WORK = (_EXPIRED, _ENDED, PAYMENTS_TO_ASK, CARDS_TO_ASK, RETURNS_TO_ASK)
