"""Joins the domains' rules for outbox messages: unfinished, held back, needed until."""

from __future__ import annotations

from lastro import accounts, keys, med, orders, payouts, subscriptions
from lastro.rails import port

# The unfinished work of each network, which it has to end.
WAITING = {
    port.PIX: (*orders.WAITING[port.PIX], *payouts.WAITING[port.PIX], *subscriptions.WAITING),
    port.TED: (*orders.WAITING[port.TED], *payouts.WAITING[port.TED]),
    port.BOOK: payouts.WAITING[port.BOOK],
    port.ANALYSIS: accounts.opening.WAITING,
    port.CLAIMS: keys.claims.WAITING,
    **{rail: orders.WAITING[rail] for rail in port.COLLECTING},
}
# Of an outbox row: it must not be sent yet; an earlier message about its object is still unsent.
HELD_BACK = f"{payouts.HELD_BACK} OR {orders.HELD_BACK}"
EARLY = f"({subscriptions.EARLY}) OR ({orders.EARLY})"
# By kind of message: until when it is needed. Each kind that is ever written stands here.
NEEDS = {**orders.NEEDS, **payouts.NEEDS, **subscriptions.NEEDS, **accounts.opening.NEEDS, **keys.NEEDS, **med.NEEDS}
