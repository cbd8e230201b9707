"""The order owner for orders of a subscription. It decides who may pay them, and writes the effects of a payment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from lastro.core.errors import NotYet, Stale
from lastro.core.write import Write
from lastro.subscriptions import store
from lastro.subscriptions.actions.authorize import accepted
from lastro.subscriptions.actions.payment_tied import scheduled_payment
from lastro.subscriptions.model import TIMING, AuthorizingPayer, NamedParty
from lastro.subscriptions.rules.authorizing import first_payment_problem

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders import Order, OrderOwner, Paid
    from lastro.rails.port import PixArrival
    from lastro.subscriptions.model import SubscriptionShown, Timing

_Tied = TypeVar("_Tied")
# The network has no code for a payment whose authorization does not fit: its code is refused by the receiver.
_UNFIT = "BE17"
_AGAIN_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class FirstPayment:
    """The first charge of journey 3: paying it authorizes, both or neither (contract.md §3)."""

    shown: SubscriptionShown

    def refusal(self, arrival: PixArrival) -> str | None:
        """Refuses a payment that does not fit this recurrence. It checks also its only payer and its maximum."""
        asked, subscription = arrival.authorizing, self.shown.subscription
        if asked is None or asked.recurrence_id != subscription.provider_id:
            return _UNFIT
        problem = first_payment_problem(subscription, arrival.payer.document_number, asked.maximum)
        return None if problem is None else _UNFIT

    def demand_collectable(self) -> None:
        """Raises NotYet until the connection's bank has told who authorized: the money comes by a list of its own."""
        subscription = self.shown.subscription
        if subscription.state == "PENDING_AUTHORIZATION" and subscription.payer is None:
            raise NotYet(_AGAIN_SECONDS)

    def accepted(self, arrival: PixArrival, context: RequestContext) -> Write:
        """Writes nothing: nothing is authorized before the money is in. The payment keeps the request to authorize."""
        del arrival
        return Write(context.company_id)

    def settled(self, paid: Paid, context: RequestContext) -> Write:
        """ACCEPTED, in the write in which the order is PAID."""
        if self.shown.subscription.is_at_bank:
            return accepted(self.shown, "pay", None, context, end_to_end_id=paid.end_to_end_id)
        payer, authorized = paid.payer, paid.authorized
        assert payer is not None, "what is paid by Pix has a payer"
        assert authorized is not None, "what authorizes nothing was refused"
        assert payer.bank is not None, "his bank has said where he pays from"
        bank = payer.bank
        person = NamedParty(payer.name, payer.document_type or "", payer.document_number or "")
        self_said = AuthorizingPayer(person, bank["ispb"], bank["account"], bank.get("branch"), authorized.ibge_code)
        subscription = replace(self.shown.subscription, payer=self_said, maximum=authorized.maximum, accepted_at=paid.at)
        shown = replace(self.shown, subscription=subscription)
        return accepted(shown, "pay", payer.id, context, end_to_end_id=paid.end_to_end_id)

    def failed(self, end_to_end_id: str, code: str | None, context: RequestContext) -> Write:
        """Nothing: its code can be paid again."""
        del end_to_end_id, code
        return Write(context.company_id)


@dataclass(frozen=True, slots=True)
class SubscriptionOrders:
    """The owner of a subscription's order. It is the first charge, or the scheduled payment that the order collects."""

    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext, order: Order) -> OrderOwner | None:
        """Returns the order's owner; None for an order that belongs to none. Stale: it was paid since it was read."""
        if order.subscription_id is None:
            return None
        shown = await store.shown_by_id(session, context.company_id, order.subscription_id)
        if shown is None:
            return None
        subscription = shown.subscription
        if order.scheduled_payment_id is not None:
            tied = await scheduled_payment(
                session, context.company_id, order.scheduled_payment_id, subscription, self.timing
            )
            return None if tied is None else _as_read(order, tied, is_paid=tied.payment.state == "PAID")
        if subscription.order_id != order.id:
            return None
        return _as_read(order, FirstPayment(shown), is_paid=subscription.state == "ACCEPTED")


def _as_read(order: Order, tied: _Tied, *, is_paid: bool) -> _Tied:
    """Both are paid in one write; but they are read one after the other, and another worker may have come between."""
    if is_paid and order.state in ("INITIAL", "PENDING"):
        raise Stale("the order was paid since it was read")
    return tied
