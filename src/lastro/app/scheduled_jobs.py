"""Names the verb that each sweep of the worker calls for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import accounts, closing, keys, med, orders, payouts, subscriptions, webhooks
from lastro.app.opening import GiveKey
from lastro.due_work import DUE_WORK
from lastro.med import TERMS, DisputeTerms
from lastro.subscriptions import TIMING
from lastro.worker.sweeper import Due

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from uuid import UUID

    from lastro.core.runner import Verb
    from lastro.orders import Installation
    from lastro.rails.port import Issuer, Rail, Registry, StreamsRead
    from lastro.subscriptions import Timing


def dues_of(
    place: Installation,
    registry: Registry,
    ways: payouts.Ways,
    streams: StreamsRead,
    timing: Timing = TIMING,
    terms: DisputeTerms = TERMS,
    issuers: Mapping[str, Issuer] | None = None,
    rails: Mapping[str, Rail] | None = None,
) -> tuple[Due, ...]:
    """Makes the sweeps of a worker that stands there. timing: of charges of subscriptions. registry: where keys are.

    ways: whom a scheduled payout asks where its money goes. streams: of the partners that collect. terms: of disputes.
    issuers, rails: the banks of connections.
    """
    verbs: dict[str, Callable[[UUID], Verb[Any]]] = {
        "expiry": lambda order_id: orders.Expire(order_id, place, issuers=issuers),
        "terms": lambda order_id: orders.Expire(order_id, place, streams=streams),
        "cards": lambda order_id: orders.CardOver(order_id, place, streams),
        "lapse": lambda subscription_id: subscriptions.Lapse(subscription_id, place, issuers, rails or {}),
        "end": lambda subscription_id: subscriptions.End(subscription_id, place),
        "payments": lambda payment_id: subscriptions.Advance(payment_id, place, timing),
        "cycles": lambda subscription_id: subscriptions.ChargeCycle(subscription_id, place, timing),
        "disputes": lambda object_id: med.Fall(object_id, med.Stand(place.institution, terms)),
        "closing": lambda request_id: closing.Clear(request_id, place, registry),
        "codes": keys.ExpireValidation,
        "claims": keys.claims.Fall,
        "openings": accounts.opening.Expire,
        "first keys": lambda request_id: GiveKey(request_id, registry),
        "eras": webhooks.TellEra,
        "scheduled": lambda payout_id: payouts.Begin(payout_id, ways),
    }
    swept = [work for work in DUE_WORK if work.by == "sweep"]
    return tuple(Due(name, find_sql, verbs[name]) for work in swept for name, find_sql in work.sweeps.items())
