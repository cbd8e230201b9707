"""An issuer or a bank takes the money of an order back: of what its account has, the rest is owed (states.md 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.core.errors import NotYet
from lastro.core.money import Money
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Quota, Row, Write
from lastro.orders import postings
from lastro.orders.actions.read import account_of
from lastro.orders.cards import store
from lastro.orders.cards.ending import is_being_charged
from lastro.orders.refunds.notifications import chargeback_event
from lastro.orders.refunds.store import QUOTA
from lastro.orders.rules import is_of_another
from lastro.orders.states import ORDERS
from lastro.orders.store import order_by_id, order_by_reference, payment_by_end_to_end_id
from lastro.rails.port import ALARMED, CARD, CONSOLE, CardChargeback

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.orders.model import Installation, Order, Payment
    from lastro.rails.port import Claimed, Taken


_AGAIN_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ChargebackContext:
    """The charged payment, its order and the account's available money. is_known: the chargeback is booked already.

    asked_back_minor: the sum that was asked back of the order.
    """

    payment: Payment
    order: Order
    account: Account
    available: Money
    is_known: bool
    asked_back_minor: int


@dataclass(frozen=True)
class ChargedBack(Act["ChargebackContext | None"]):
    """Books money that an acquirer or a bank took back. It has left us by then.

    rail: the acquirer's, or the connection. is_alarming: people must look, even where it is booked.
    """

    news: CardChargeback
    claimed: Claimed
    place: Installation
    rail: str = CARD
    is_alarming: bool = False

    @classmethod
    def taken(cls, news: Taken, claimed: Claimed, place: Installation, rail: str) -> ChargedBack:
        """Returns the same for money that a bank took back. A person's doing at the bank's console alarms ours."""
        same = CardChargeback(news.taking_id, news.payment_id, news.reference or "", news.amount, news.at, news.nature)
        return cls(same, claimed, place, rail, is_alarming=news.nature == CONSOLE)

    async def read(self, session: Session, context: RequestContext) -> ChargebackContext | None:
        """Reads the payment, its order and the account's balance.

        NotYet: the payment itself has not come in yet, or a refund that has not ended leaves too little.
        """
        company_id, news = context.company_id, self.news
        # The order first: another worker may book the charge between the two.
        paying = await order_by_reference(session, company_id, self.rail, news.reference)
        payment = await payment_by_end_to_end_id(session, company_id, news.payment_id, self.rail)
        if payment is None and paying is not None and _is_awaited(paying):
            raise NotYet(_AGAIN_SECONDS)  # told out of order: the payment is booked before it is taken back
        if payment is None or payment.order_id is None or payment.rail != self.rail:
            return None  # one at another connection to the same account is taken back there
        order = await order_by_id(session, company_id, payment.order_id)
        assert order is not None, "what has paid an order is of it"
        account = await account_of(session, company_id, order)
        (balance,) = await ledger.balances_of(session, company_id, [order.account_id], news.amount.currency)
        is_known = await store.is_charged_back(session, company_id, news.chargeback_id)
        # Both in one statement, after the order: the sum asked back at the time of the write is at most this one.
        asked_back, leaving_minor = await store.asked_back(session, company_id, order.id)
        known = ChargebackContext(payment, order, account, balance.available, is_known, asked_back)
        leaving = Money(leaving_minor, news.amount.currency)
        if leaving.minor and self._outcome(known, context) == "handled" and not self._fits(order, leaving, order.refundable):
            # An open refund is decided first, else its end would find an order of which all is given back.
            raise NotYet(_AGAIN_SECONDS)
        return known

    def decide(self, known: ChargebackContext | None, context: RequestContext) -> Done:
        """Makes the order REFUNDED, or in part: CUST→NET what there is, LOSS→NET what lacks. An excess is for people."""
        outcome = self._outcome(known, context)
        if known is None or outcome != "handled":
            return Done(self.claimed.settled(outcome, context), b"")
        said = ALARMED if self.is_alarming else outcome
        return Done(self.claimed.settled(said, context) + self._taken(known, context), b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> ChargedBack:
        """Decides again, since the account's money or the refunds changed meanwhile."""
        return self

    def _outcome(self, known: ChargebackContext | None, context: RequestContext) -> str:
        if known is None:
            return ALARMED
        if known.is_known:
            return "known"
        order, nothing = known.order, Money(0, self.news.amount.currency)
        if is_of_another(order, known.account, self.news.of, context, self.news.at):
            return ALARMED
        if order.state not in ("PAID", "PARTIAL_REFUNDED") or not self._fits(order, nothing, order.paid):
            return ALARMED
        return "handled"

    def _fits(self, order: Order, leaving: Money, most: Money | None) -> bool:
        """Tells whether the amount fits beside earlier refunds and leaving money. most: the limit of all three."""
        before = order.refunded or Money(0, leaving.currency)
        return most is not None and before + leaving + self.news.amount <= most

    def _taken(self, known: ChargebackContext, context: RequestContext) -> Write:
        order, amount = known.order, self.news.amount
        most = order.refundable
        assert most is not None
        total = (order.refunded or Money(0, amount.currency)) + amount
        chargeback_id = context.chance.uuid(context.now)
        trigger = "refund rest" if total.minor >= most.minor else "refund part"
        move = ORDERS.move(order, trigger, context.now, reason=self.news.code, refunded_minor=total.minor)
        values = {
            "id": chargeback_id, "order_id": order.id, "payment_id": known.payment.id,
            "rail": self.rail, "chargeback_id": self.news.chargeback_id, "code": self.news.code,
            "amount_minor": amount.minor, "taken_at": self.news.at, "created_at": context.now,
        }  # fmt: skip
        event = chargeback_event(
            context, chargeback_id, amount, order, move.to_state, known.account, self.place, total=total
        )
        return Write(
            context.company_id,
            rows=(Row("chargebacks", values),),
            moves=(move,),
            transfers=postings.charged_back(context, order.account_id, order.id, amount, known.available, self.rail),
            events=(event,),
            # A refund that was asked for since this was decided has not moved the order, and may leave too little of it.
            quotas=(Quota(order.id, QUOTA, "", 0, known.asked_back_minor),),
        )


def _is_awaited(order: Order) -> bool:
    """Tells whether the payment of an order may still come in. A card's is ordered; a Pix comes until the order ends."""
    return is_being_charged(order) if order.card is not None else order.state in ("INITIAL", "PENDING")
