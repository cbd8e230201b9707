"""Creates a client's refund: in one write it is counted, held on the account and sent to the network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import render
from lastro.core.errors import InDebt, Kind, OverQuota, Refused
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Quota, Relied, Write
from lastro.orders import postings
from lastro.orders.methods import is_in_parts
from lastro.orders.model import RefundAsked
from lastro.orders.refunds import problems as refusals
from lastro.orders.refunds import rules, store
from lastro.orders.refunds.rendering import shown
from lastro.orders.states import REFUNDS
from lastro.rails.port import BOOK, FIRST_ASK, PIX, ReturnOrder, return_message
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.orders.model import Installation, Order

_OWES = refusals.ORDER_ID_NOT_ALLOWED.problem(why="its account owes: nothing goes out before its next credits have paid it")


@dataclass(frozen=True, slots=True)
class RefundWish:
    """A refund as a client asks for it. code: MD06. reason: kept. description: told to the payer.

    word: by which the client named the code; None: by the code itself.
    """

    order_id: UUID
    external_id: str
    amount: Money
    code: str
    reason: str | None = None
    description: str | None = None
    word: str | None = None


@dataclass(frozen=True)
class MakeRefund(Act["store.Ground | None"]):
    """POST /order/v1/banking/order-refunds."""

    wish: RefundWish
    place: Installation
    is_disputed: store.IsDisputed | None = None

    async def read(self, session: Session, context: RequestContext) -> store.Ground | None:
        """Reads the order, its payment, its account and its earlier refunds."""
        wish = self.wish
        known = await store.ground(session, context.company_id, wish.order_id, wish.external_id, wish.amount.minor)
        if self.is_disputed is None or known is None or known.network_id is None or known.rail not in (PIX, BOOK):
            return known
        return replace(known, is_disputed=await self.is_disputed(session, context.company_id, known.network_id))

    def decide(self, known: store.Ground | None, context: RequestContext) -> Done | Refused:
        """Makes the refund PENDING, or returns every problem of one kind."""
        if known is None:
            return refusals.ORDER_ID_INVALID.refused()
        conflicts = [_TAKEN] if known.is_taken else []
        if known.order.state not in rules.PAID_STATES:
            conflicts.append(
                refusals.STATUS_CONFLICT.problem(why=f"the order is {known.order.state}: nothing was paid for it")
            )
        if known.is_disputed:
            conflicts.append(refusals.ORDER_ID_CONFLICT.problem())
        if conflicts:
            return Refused(Kind.CONFLICT, tuple(conflicts))
        if self.wish.amount.currency != known.order.currency:
            return Refused(Kind.INVALID, (rules.other_currency(known.order.currency),))
        rest = rules.left(known.order, known.counted_minor + known.taken_minor)
        problems = rules.problems_of(
            known.order, has_payment=known.payment_id is not None, account_is_closed=known.account_status == "CLOSED",
            amount=self.wish.amount, rest=rest, of_payment=_left_of_payment(known), now=context.now,
            rail_refunds=known.rail not in self.place.without_refunds,
        )  # fmt: skip
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        assert known.payment_id is not None
        return self._made(known, known.order, known.payment_id, context)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses another refund's code; decides a clash of ids again."""
        return Refused(Kind.CONFLICT, (_TAKEN,)) if constraint == "refunds_external_id_key" else None

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Refuses the refund, or decides it again: other refunds left nothing, or the account has too little, or owes."""
        if isinstance(short, OverQuota) and short.kind == store.PART_QUOTA:
            # Other refunds were quicker; asked again, another payment may have as much left.
            left = Money(short.left_minor, self.wish.amount.currency)
            return Refused(Kind.INVALID, (rules.too_much_of_one(left),))
        if isinstance(short, OverQuota):
            return Refused(Kind.INVALID, (rules.too_much(Money(short.left_minor, self.wish.amount.currency)),))
        if isinstance(short, InDebt):
            return Refused(Kind.INVALID, (_OWES,))
        return super().on_insufficient_funds(short)

    def _made(self, known: store.Ground, order: Order, payment_id: UUID, context: RequestContext) -> Done:
        wish, rail = self.wish, known.rail
        assert rail is not None
        assert known.network_id is not None
        assert order.refundable is not None
        return_id = pix_ids.return_id(self.place.institution.ispb, context.now, known.company_number, known.number)
        refund_id = context.chance.uuid(context.now)
        hold = postings.refunding(context, order.account_id, refund_id, wish.amount, rail)
        values = {
            "id": refund_id, "origin": "CLIENT", "payment_id": payment_id, "return_id": return_id, "reason_code": wish.code,
            "amount_minor": wish.amount.minor, "hold_id": hold.id,
            # A transfer between two accounts here never goes unanswered.
            "ask_at": None if rail == BOOK else context.now + FIRST_ASK, "created_at": context.now,
            "updated_at": context.now,
            "order_id": order.id, "external_id": wish.external_id, "refund_reason": wish.reason, "refund_word": wish.word,
            "description": wish.description, "rail": rail,
        }  # fmt: skip
        told = ReturnOrder(return_id, known.network_id, wish.amount, wish.code, wish.description)
        message = return_message(told, refund_id, context.chance.uuid(context.now), context.now, rail=rail)
        write = Write(
            context.company_id,
            # The order too: a chargeback meanwhile leaves less of it to refund.
            relies=(
                Relied("accounts", order.account_id, known.account_version),
                Relied("orders", order.id, order.version),
                Relied("disputed", payment_id, 0),
            ),
            rows=REFUNDS.born(values, context.now),
            transfers=(hold,),
            messages=(message,),
            quotas=(Quota(order.id, store.QUOTA, "", wish.amount.minor, order.refundable.minor - known.taken_minor),),
        )
        if is_in_parts(order):
            write += Write(
                context.company_id, quotas=(Quota(payment_id, store.PART_QUOTA, "", wish.amount.minor, known.whole_minor),)
            )
        asked = RefundAsked(
            refund_id, "PENDING", order.id, wish.external_id, return_id, wish.amount, wish.code, wish.word, wish.reason,
            wish.description, None, None, context.now, context.now,
        )  # fmt: skip
        return Done(write, render(shown(asked)), refund_id, keep="forever")


def _left_of_payment(known: store.Ground) -> Money | None:
    """Returns the most that one payment of an order can give back. None where the order is not paid in parts."""
    if known.left_minor is None or not is_in_parts(known.order):
        return None
    return Money(known.left_minor, known.order.currency)


_TAKEN = refusals.EXTERNAL_ID_DUPLICATE.problem()
