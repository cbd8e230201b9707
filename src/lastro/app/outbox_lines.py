"""Joins the domains' rules for outbox messages: unfinished, held back, needed until."""

from __future__ import annotations

from lastro import accounts, keys, med, orders, payouts, subscriptions
from lastro.rails import port

_OF_ROOMS = {
    port.PIX: (*payouts.WAITING[port.PIX], *subscriptions.waiting_of(port.PIX)),
    port.TED: payouts.WAITING[port.TED],
    port.BOOK: payouts.WAITING[port.BOOK],
    port.ANALYSIS: accounts.opening.WAITING,
    port.CLAIMS: keys.claims.WAITING,
}
# Of an outbox row: it must not be sent yet; an earlier message about its object is still unsent.
HELD_BACK = f"{payouts.HELD_BACK} OR {orders.HELD_BACK}"
EARLY = f"({subscriptions.EARLY}) OR ({orders.EARLY})"
# By kind of message: until when it is needed. Each kind that is ever written stands here.
NEEDS = {**orders.NEEDS, **payouts.NEEDS, **subscriptions.NEEDS, **accounts.opening.NEEDS, **keys.NEEDS, **med.NEEDS}


def waiting_of(rail: str) -> tuple[port.Waiting, ...]:
    """Returns the unfinished work that a rail's network has to end. A connection has orders and subscriptions."""
    if port.is_connection(rail):
        return (*orders.waiting_of(rail), *subscriptions.waiting_of(rail))
    by_orders = orders.waiting_of(rail) if rail in port.RAILS else ()
    return (*by_orders, *_OF_ROOMS.get(rail, ()))


# Of the networks and partners that every installation may have; a connection's is asked for by its name.
WAITING = {rail: waiting_of(rail) for rail in (*port.RAILS, port.BOOK, port.ANALYSIS, port.CLAIMS)}
