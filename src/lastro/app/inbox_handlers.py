"""The inbox handlers: the verb for each kind of network message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import keys, med, orders, payouts, subscriptions
from lastro.app.opening import judged
from lastro.med import TERMS, DisputeTerms
from lastro.rails import port
from lastro.rails.handling import SetAside
from lastro.subscriptions import TIMING

if TYPE_CHECKING:
    from lastro.core.runner import Verb
    from lastro.orders import Installation
    from lastro.subscriptions import Timing


def inbox_verbs(place: Installation, timing: Timing = TIMING, terms: DisputeTerms = TERMS) -> dict[str, port.InboxVerb]:
    """Returns the verb for each message of the network. timing: of charges of subscriptions; terms: of disputes."""
    tie = subscriptions.SubscriptionOrders(timing)
    return {
        port.PIX_ASK: lambda row: orders.Ask(port.arrival(row.body), row.claimed, place, row.rail, tie),
        port.PIX_SETTLED: lambda row: orders.Settled(port.arrival(row.body), row.claimed, place, tie),
        port.TED_ARRIVED: lambda row: orders.TedArrived(port.ted_arrival(row.body), row.claimed, place),
        port.PIX_FINAL: lambda row: orders.Final(port.pix_final(row.body), row.claimed, place, tie),
        port.AUTHORIZATION_ASK: lambda row: subscriptions.Authorize(port.authorization(row.body), row.claimed, place),
        port.AUTHORIZATION_MADE: lambda row: subscriptions.AuthorizedAtBank(
            port.authorization_made(row.body), row.claimed, row.rail
        ),
        port.AUTHORIZATION_DECLINED: lambda row: subscriptions.Decline(
            port.authorization_declined(row.body), row.claimed, place
        ),
        port.AUTHORIZATION_CANCELED: lambda row: subscriptions.PayerCancels(
            port.authorization_canceled(row.body), row.claimed, place
        ),
        port.RECURRENCE_REFUSED: lambda row: subscriptions.Fail(port.recurrence_refused(row.body), row.claimed, place),
        port.CANCELLATION_FINAL: lambda row: subscriptions.CancellationEnded(port.cancellation_final(row.body), row.claimed),
        port.RETURN_FINAL: lambda row: med.ReturnEnded(port.return_final(row.body), row.claimed, place),
        port.RETURN_DOUBTED: lambda row: orders.ReturnDoubted(port.payment_doubted(row.body), row.claimed),
        port.RETURN_NEVER: lambda row: med.ReturnNever(port.payment_never(row.body), row.claimed, place),
        port.PAYMENT_FINAL: lambda row: payouts.Ended(
            port.payment_final(row.body), row.claimed, place.institution, orders.is_return
        ),
        port.PAYMENT_PENDING: lambda row: SetAside(row.claimed, "known"),
        port.PAYMENT_RETURNED: lambda row: payouts.Returned(port.payment_returned(row.body), row.claimed, place.institution),
        port.PAYMENT_DOUBTED: lambda row: payouts.Doubted(port.payment_doubted(row.body), row.claimed),
        port.PAYMENT_NEVER: lambda row: _never(row, place),
        # It is kept: who asks what became of the order ends that, where the network does not know it either.
        port.ORDER_DOUBTED: lambda row: SetAside(row.claimed, "handled"),
        payouts.CHILD_MOVED: lambda row: payouts.Summed.by(row, place.institution),
        payouts.PROVED: lambda row: payouts.TakenUp(row.subject, row.claimed),
        port.CHARGE_SCHEDULED: lambda row: subscriptions.Scheduled(port.charge_scheduled(row.body), row.claimed, timing),
        port.CHARGE_REFUSED: lambda row: subscriptions.Unpaid(port.charge_refused(row.body), row.claimed, place, timing),
        port.CHARGE_CANCELED: lambda row: subscriptions.PayerCanceled(
            port.charge_canceled(row.body), row.claimed, place, timing
        ),
        port.CHARGE_CANCEL_FINAL: lambda row: subscriptions.CancelAnswered(
            port.charge_cancel_final(row.body), row.claimed, timing
        ),
        port.COLLECTION_ANNOUNCED: lambda row: orders.Announced(port.collected(row.body), row.claimed, place, row.rail),
        port.COLLECTION_SETTLED: lambda row: orders.CollectionSettled(
            port.collected(row.body), row.claimed, place, row.rail, tie
        ),
        port.COLLECTION_VOID: lambda row: orders.Voided(port.collection_void(row.body), row.claimed, place, row.rail),
        port.COLLECTION_REFUSED: lambda row: _refused(row, place),
        port.CARD_AUTHENTICATED: lambda row: orders.Authenticated(port.card_authenticated(row.body), row.claimed, place),
        port.MED_NEWS: lambda row: med.Noted(port.med_news(row.body), row.claimed, terms),
        port.CLAIM_NEWS: lambda row: keys.claims.Noted(port.claim_news(row.body), row.claimed),
        port.ANALYSIS_FINAL: lambda row: judged(row, place),
        port.COLLECTION_TAKEN: lambda row: orders.ChargedBack.taken(port.taken(row.body), row.claimed, place, row.rail),
        port.CARD_CHARGEBACK: lambda row: orders.ChargedBack(port.card_chargeback(row.body), row.claimed, place),
        **dict.fromkeys((port.REFUSED, port.UNKNOWN), lambda row: SetAside(row.claimed, port.ALARMED)),
    }


def _refused(row: port.InboxRow, place: Installation) -> Verb[Any]:
    """Returns the verb of a refused collection, or a declined card."""
    refused = port.collection_refused(row.body)
    if row.rail == port.CARD:
        return orders.CardDeclined(refused, row.claimed, place)
    return orders.Unregistered(refused, row.claimed, place, row.rail)


def _never(row: port.InboxRow, place: Installation) -> Verb[Any]:
    """Returns the verb of a charge or payout unknown to its network. Its time is over; the charge is a card's."""
    never = port.payment_never(row.body)
    if row.rail == port.CARD:
        return orders.NeverCharged(never, row.claimed, place)
    return payouts.Never(never, row.claimed, place.institution)
