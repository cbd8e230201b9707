"""Requests of subscriptions to a payer's or a connection's bank: until when they are needed, when they are asked about."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.rails.port import (
    ALWAYS,
    ASK_AGAIN,
    AUTHORIZATION_ANSWER,
    AUTHORIZATION_CANCELED,
    AUTHORIZATION_MADE,
    CANCELLATION_SEND,
    CHARGE_CANCEL_SEND,
    CHARGE_SEND,
    ORDER_DOUBTED,
    RECURRENCE_CLOSE,
    Need,
    Waiting,
    is_connection,
)
from lastro.subscriptions.due_work import (
    ATTEMPTS_TO_ASK,
    CANCELLATIONS_TO_ASK,
    CHARGES_TO_DROP,
    SUBSCRIPTIONS_TO_ASK,
)

if TYPE_CHECKING:
    from lastro.core.due_work import DueWork

# Requests to the payer's bank. If a cancellation has no answer for half a day, people have to talk to it (states.md 2).
# A request that the network does not know after a day is given up, as a return is: no copy of it is on its way any more.
UNANSWERED_HOURS = 12
_LATE = f"created_at <= (SELECT business_now()) - interval '{UNANSWERED_HOURS} hours'"
_GIVEN_UP = "created_at < (SELECT business_now()) - interval '24 hours'"
# An instruction collects on its day alone; a charge is called off before its day, at whichever hour (API Pix 2.9.0).
_CHARGE_OVER = "(collects_on + 1)::timestamp AT TIME ZONE 'America/Sao_Paulo' <= (SELECT business_now())"
_CANCEL_OVER = (
    "(cancel_asked_at < (SELECT business_now()) - interval '24 hours'"
    " OR settles_on::timestamp AT TIME ZONE 'America/Sao_Paulo' <= (SELECT business_now()))"
)
# Of an outbox row: the payer's bank cannot cancel a charge before its instruction, which is about to be sent.
EARLY = (
    "kind = 'charge-cancel.send' AND EXISTS (SELECT 1 FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id"
    " AND o.reference_id = a.id AND o.kind = 'charge.send' AND o.due_at IS NOT NULL"
    " WHERE a.company_id = outbox.company_id AND a.payment_id = outbox.reference_id"
    " AND a.status IN ('REQUESTED', 'SCHEDULED'))"
)


def _asked(
    rail: str, kind: str, due: DueWork, name: str, over: str, late: str = "false", only: str = "true"
) -> Waiting:  # fmt: skip
    """Returns the Waiting of a request that ends by itself. Its message is not processed, or unknown in the end."""
    sends = (
        f"(SELECT m.sends FROM outbox m WHERE m.company_id = {due.table}.company_id AND m.rail = '{rail}'"  # noqa: S608 ours
        f" AND m.network_id = {due.table}.{name} AND m.lease_token IS NULL)"
    )
    doubts = (
        f"(SELECT count(*) FROM inbox d WHERE d.company_id = {due.table}.company_id"  # noqa: S608 ours
        f" AND d.kind = '{ORDER_DOUBTED}' AND d.subject = {due.table}.{name})"
    )
    own = f"{due.table}.rail = '{rail}'"
    return Waiting(kind, due, name, f"{own} AND {only}", over=over, late=late, sends=sends, doubts=doubts)


# An instruction is needed while its attempt is open; a cancellation, while its answer is waited for, but the end of a closed
# account's, which waits for none, always.
NEEDS = {
    CHARGE_SEND: Need.until("payment_attempts", "x.status NOT IN ('REQUESTED', 'SCHEDULED')"),
    CANCELLATION_SEND: Need.until("subscription_cancellations", "x.status <> 'PENDING' AND x.reason <> 'ACCOUNT_CLOSED'"),
    CHARGE_CANCEL_SEND: Need.until("subscription_payments", "x.cancel_message_id IS DISTINCT FROM outbox.network_id"),
    AUTHORIZATION_ANSWER: ALWAYS,
    RECURRENCE_CLOSE: ALWAYS,
}
# A connection's bank tells by a webhook, or is asked: often while a payer may be authorizing, seldom behind that.
_HELD_AGAIN = (timedelta(hours=6),)
# A code that nobody has read for two hours is seldom read at all, and there may be thousands of them.
_OPEN_AGAIN = (*ASK_AGAIN, *(timedelta(minutes=15),) * 7, timedelta(hours=1))


def waiting_of(rail: str) -> tuple[Waiting, ...]:
    """Returns the rows of subscriptions that a rail's network has to end; of a connection, its bank."""
    requests = (
        _asked(rail, CANCELLATION_SEND, CANCELLATIONS_TO_ASK, "message_id", _GIVEN_UP, _LATE),
        _asked(rail, CHARGE_SEND, ATTEMPTS_TO_ASK, "message_id", _CHARGE_OVER, only="status = 'REQUESTED'"),
        Waiting(CHARGE_SEND, ATTEMPTS_TO_ASK, "message_id", only=f"rail = '{rail}' AND status = 'SCHEDULED'"),
        _asked(rail, CHARGE_CANCEL_SEND, CHARGES_TO_DROP, "cancel_message_id", _CANCEL_OVER),
    )
    if not is_connection(rail):
        return requests
    own, name = f"rail = '{rail}' AND status =", "provider_id"
    return (
        Waiting(AUTHORIZATION_MADE, SUBSCRIPTIONS_TO_ASK, name, only=f"{own} 'PENDING_AUTHORIZATION'", again=_OPEN_AGAIN),
        Waiting(AUTHORIZATION_CANCELED, SUBSCRIPTIONS_TO_ASK, name, only=f"{own} 'ACCEPTED'", again=_HELD_AGAIN),
        *requests,
    )
