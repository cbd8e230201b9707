"""Rows of orders that a network ends: waiting, held back, or on its statements."""

from __future__ import annotations

from lastro.orders.cards.rules import CHARGE_WITHIN, OVERTAKEN_WITHIN
from lastro.orders.due_work import CARDS_TO_ASK, PAYMENTS_TO_ASK
from lastro.orders.returns import RETURN_HELD_BACK, returns_of
from lastro.rails.port import (
    CARD,
    CARD_AUTHORIZE,
    CHARGEBACK,
    IN,
    OUT,
    PIX,
    PIX_ASK,
    RAILS,
    RETURN_OUT,
    TED,
    Booked,
    Waiting,
    is_connection,
)

# The last move of a card payment before its end orders the charge. {}: its table.
_ORDERED_BEFORE = "{}.updated_at + interval '{:.0f} seconds' <= business_now()"
_TOO_LATE = _ORDERED_BEFORE.format("k", CHARGE_WITHIN.total_seconds())
# Later than that: a charge sent in its last moment may still be on its way when the acquirer is asked.
_NEVER_CAME = _ORDERED_BEFORE.format("card_payments", (CHARGE_WITHIN + OVERTAKEN_WITHIN).total_seconds())
# The number of sends of its message; NULL while a lease holds it.
_CHARGE_SENDS = (
    "(SELECT m.sends FROM outbox m WHERE m.company_id = card_payments.company_id AND m.rail = 'card'"
    " AND m.network_id = card_payments.charge_id AND m.lease_token IS NULL)"
)
# Of an outbox row: a charge that nobody expects any more. It is not sent; the acquirer is asked, and ends or withdraws it. A
# charge that has ended arrived, though its answer did not: only that answer is still wanted of its message.
_CHARGE_HELD_BACK = (
    "outbox.kind = 'card.authorize' AND EXISTS (SELECT 1 FROM card_payments k"  # noqa: S608 ours
    " WHERE k.company_id = outbox.company_id"
    f" AND k.order_id = outbox.reference_id AND k.state = 'AUTHENTICATED' AND {_TOO_LATE})"
)
HELD_BACK = f"{RETURN_HELD_BACK} OR ({_CHARGE_HELD_BACK})"
# Of an outbox row: its order, also if it names a payment of one.
WHOSE = (
    "coalesce((SELECT p.order_id FROM pix_payments p WHERE p.company_id = outbox.company_id AND p.id = outbox.reference_id),"
    " outbox.reference_id)"
)
_FURTHER = {
    PIX: (Waiting(PIX_ASK, PAYMENTS_TO_ASK, "end_to_end_id"),),
    CARD: (Waiting(CARD_AUTHORIZE, CARDS_TO_ASK, "charge_id", over=_NEVER_CAME, sends=_CHARGE_SENDS),),
}  # fmt: skip
_KEPT = ("SETTLED", "HELD", "RETURNING", "RETURNED", "STRANDED", "CREDITED", "PAID_OUT")
_INSTRUMENT = (
    "(SELECT i.reference FROM instruments i"
    " WHERE i.company_id = x.company_id AND i.order_id = x.order_id AND i.rail = x.rail)"
)
# A claimed payment carries what its payer was given, by another system of the merchant's, and not the txid of its order.
_OWN_OR_CLAIMED = (
    "CASE WHEN EXISTS (SELECT FROM foreign_payments f WHERE f.company_id = x.company_id AND f.rail = x.rail"
    f" AND f.payment_id = x.end_to_end_id AND f.state = 'CLAIMED') THEN x.txid ELSE {_INSTRUMENT} END"
)
# A refund by a payment of its own is a payment in the statement.
_ANEW = f"x.rail = '{PIX}' AND x.receiver_id IS NOT NULL"
_GIVES_BACK = "(SELECT p.end_to_end_id FROM pix_payments p WHERE p.company_id = x.company_id AND p.id = x.payment_id)"
_ALSO_ON_STATEMENTS = {
    PIX: (Booked(OUT, "refunds", "return_id", "updated_at", ("PAID",), ("PENDING",), only=_ANEW),),
}


def waiting_of(rail: str) -> tuple[Waiting, ...]:
    """Returns the rows that a rail's network ends, a connection's too."""
    return (*_FURTHER.get(rail, ()), returns_of(rail))


WAITING = {rail: waiting_of(rail) for rail in RAILS}


def on_statements(rail: str) -> tuple[Booked, ...]:
    """Returns our rows that a line of a rail's statements may match. None of a rail without statements."""
    if rail not in RAILS and not is_connection(rail):
        return ()
    own = _OWN_OR_CLAIMED if is_connection(rail) else _INSTRUMENT
    reference = "x.txid" if rail == PIX else "NULL::text" if rail == TED else own
    return (
        Booked(
            IN, "pix_payments", "end_to_end_id", "settled_at", _KEPT, ("ACCEPTED",), reference=reference,
            only=f"x.rail = '{rail}'",
        ),
        Booked(
            RETURN_OUT, "refunds", "return_id", "updated_at", ("PAID",), ("PENDING",), reference=_GIVES_BACK,
            only=f"x.rail = '{rail}' AND NOT ({_ANEW})",
        ),
        *_ALSO_ON_STATEMENTS.get(rail, ()),
        *((_taken_back(rail),) if rail == CARD or is_connection(rail) else ()),
    )  # fmt: skip


def _taken_back(rail: str) -> Booked:
    """Returns the money that an issuer or a bank took back."""
    only = f"x.rail = '{rail}'"
    return Booked(CHARGEBACK, "chargebacks", "chargeback_id", "taken_at", ("BOOKED",), state="'BOOKED'", only=only)
