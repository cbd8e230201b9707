"""Every transition table of the code: migrations keep them in the database for the law that every move is allowed."""

from lastro import accounts, closing, keys, med, orders, payouts, plans, reconciliation, subscriptions

MACHINES = (
    orders.ORDERS, orders.PIX_PAYMENTS, orders.REFUNDS, orders.CARD_PAYMENTS, orders.FOREIGN_PAYMENTS,
    payouts.PAYOUTS, plans.PLANS,
    subscriptions.SUBSCRIPTIONS, subscriptions.CANCELLATIONS, subscriptions.PAYMENTS, subscriptions.ATTEMPTS,
    reconciliation.STATEMENTS, reconciliation.ITEMS, keys.KEYS, keys.VALIDATIONS, keys.claims.CLAIMS,
    accounts.ACCOUNTS,
    accounts.opening.ACCOUNT_REQUESTS, closing.CLOSE_REQUESTS, med.MED_OBJECTS,
)  # fmt: skip
