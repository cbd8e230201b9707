"""Money that is in and fits nothing goes back: through suspense, to the cent, under an id fixed before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Move, Row, Touch, Write
from lastro.orders import postings, store
from lastro.orders.refunds.end import not_paid_back, paid_back
from lastro.orders.refunds.reasons import message_of
from lastro.orders.refunds.store import by_return_id
from lastro.orders.states import PIX_PAYMENTS, REFUNDS
from lastro.rails.port import ALARMED, FIRST_ASK, PIX, TED, Facts, ReturnOrder, contradicts, is_before, return_message
from lastro.standards import pix_ids, ted_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.model import Installation, Order, Payment, Refund
    from lastro.rails.port import Claimed, PaymentDoubted, ReturnFinal

REASON = "MD06"  # asked for by the receiver's side; the other reasons of a return belong to disputes and withdrawals


@dataclass(frozen=True, slots=True)
class ReturnId:
    """The parts of a return's id. number: used once. reason: why the money goes back, as a code of the network."""

    ispb: str
    company_number: int
    number: int | None
    reason: str = REASON

    def name(self, rail: str, context: RequestContext) -> str:
        """Returns the id: D… for every network, for the STR our control number."""
        assert self.number is not None
        if rail == TED:
            return ted_ids.control_number(context.now, self.company_number, self.number)
        return pix_ids.return_id(self.ispb, context.now, self.company_number, self.number)


def give_back(
    payment_id: UUID, end_to_end_id: str, amount: Money, payment: Move | tuple[Row, ...], made_of: ReturnId,
    context: RequestContext, *, rail: str = PIX,
) -> Write:  # fmt: skip
    """Sends a payment back.

    The write has the payment (moved, or born as money to be returned), NET→SUSP, the hold SUSP→NET, and the message to the
    network.
    """
    write = Write(context.company_id, transfers=(postings.unfit(context, payment_id, amount, rail),))
    write += send_back(payment_id, end_to_end_id, amount, made_of, context, rail)
    if isinstance(payment, Move):
        return Write(context.company_id, moves=(payment,)) + write
    return Write(context.company_id, rows=payment) + write


def send_back(
    payment_id: UUID, end_to_end_id: str, amount: Money, made_of: ReturnId, context: RequestContext, rail: str
) -> Write:
    """Sends back money in suspense: the hold SUSP→NET, and the message to the network."""
    return_id = made_of.name(rail, context)
    refund_id = context.chance.uuid(context.now)
    hold = postings.giving_back(context, refund_id, amount, rail)
    refund = {
        "id": refund_id, "origin": "AUTOMATIC", "payment_id": payment_id, "return_id": return_id,
        "reason_code": made_of.reason, "amount_minor": amount.minor, "hold_id": hold.id, "ask_at": context.now + FIRST_ASK,
        "rail": rail, "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    order = ReturnOrder(return_id, end_to_end_id, amount, made_of.reason)
    message = return_message(order, refund_id, context.chance.uuid(context.now), context.now, rail=rail)
    return Write(context.company_id, rows=REFUNDS.born(refund, context.now), transfers=(hold,), messages=(message,))


def parts_back(parts: tuple[Payment, ...], made_of: tuple[ReturnId, ...], context: RequestContext) -> Write:
    """Sends back the parts of an order that ends without the rest. Each part goes back by a return of its own."""
    write = Write(context.company_id)
    for place, (part, one) in enumerate(zip(parts, made_of, strict=True)):
        then = replace(context, now=context.now + timedelta(microseconds=place))  # lists are sorted by creation
        moved = Write(context.company_id, moves=(PIX_PAYMENTS.move(part, "send_back", then.now),))
        write += moved + send_back(part.id, part.end_to_end_id, part.amount, one, then, part.rail)
    return write


@dataclass(frozen=True, slots=True)
class Given:
    """Money being given back; of an order, that order and the account it is taken from."""

    refund: Refund
    order: Order | None = None
    account: Account | None = None


@dataclass(frozen=True)
class ReturnEnded(Act["Given | None"]):
    """Ends a return as the network says, ours or a client's."""

    final: ReturnFinal
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> Given | None:
        """Reads the return, its payment, and the order of a client's refund."""
        refund = await by_return_id(session, context.company_id, self.final.return_id)
        if refund is None or refund.order_id is None:
            return None if refund is None else Given(refund)
        order = await store.order_by_id(session, context.company_id, refund.order_id)
        assert order is not None, "what was asked back is of an order"
        return Given(refund, order, (await accounts_of(session, context.company_id, [order.account_id]))[0])

    def decide(self, known: Given | None, context: RequestContext) -> Done:
        """Posts the return, or gives its money back.

        A refused return of a client goes back to the order's account; one of our own accord stays in suspense for people to
        look at. A repeated message changes nothing. A message about another return under its id moves nothing: people look.
        """
        trigger = "confirm" if self.final.settled else "refuse"
        if known is not None and self._is_of_another(known.refund, context):
            return self.claimed.done(ALARMED, context)
        state = None if known is None else known.refund.state
        if known is None or not REFUNDS.allows(known.refund.state, trigger):
            ended_so = state is not None and (state == "PAID") == self.final.settled
            return self.claimed.done("known" if ended_so else ALARMED, context)
        if known.order is None or known.account is None:
            return self.claimed.done("handled", context, self._of_our_own(known.refund, trigger, context))
        if self.final.settled:
            write = paid_back(known.refund, known.order, known.account, self.place, context)
        else:
            code = self.final.code or "REFUSED"
            write = not_paid_back(known.refund, known.order, known.account, code, self.place, context)
        return self.claimed.done("handled", context, write)

    def _is_of_another(self, refund: Refund, context: RequestContext) -> bool:
        of = Facts(self.final.amount, number=self.final.end_to_end_id or None)
        ours = Facts(refund.amount, number=refund.payment.end_to_end_id)
        return contradicts(of, ours) or is_before(self.final.settled_at, refund.created_at, context)

    def _of_our_own(self, known: Refund, trigger: str, context: RequestContext) -> Write:
        """Books the end of a return of our own accord.

        A settled return leaves suspense; a refused one stays there for people to decide. The payment ends with it, unless
        the rest of it has paid its order.
        """
        booked = postings.given_back if self.final.settled else postings.kept
        transfer = booked(context, known.id, known.amount, known.hold_id, known.rail)
        error = None if self.final.settled else message_of(self.final.code or "REFUSED")
        code, ends = self.final.code, "returned" if self.final.settled else "strand"
        moves = [REFUNDS.move(known, trigger, context.now, reason=code, error_message=error, ask_at=None)]
        if known.payment.state != "SETTLED":
            moves.append(PIX_PAYMENTS.move(known.payment, ends, context.now, reason=code))
        return Write(context.company_id, moves=tuple(moves), transfers=(transfer,))


@dataclass(frozen=True)
class ReturnDoubted(Act["Refund | None"]):
    """The network would not process the message of a return: it is asked at once whether a copy of it arrived."""

    doubted: PaymentDoubted
    claimed: Claimed

    async def read(self, session: Session, context: RequestContext) -> Refund | None:
        """Reads the return."""
        return await by_return_id(session, context.company_id, self.doubted.subject)

    def decide(self, known: Refund | None, context: RequestContext) -> Done:
        """Leaves the return PENDING with its message. A return that its network then does not know ends with its code."""
        is_open = known is not None and known.state == "PENDING"
        outcome = "handled" if is_open else "known" if known is not None else ALARMED
        write = self.claimed.settled(outcome, context)
        if known is not None and is_open:
            touch = Touch("refunds", known.id, known.version, {"ask_at": context.now, "asked": 0})
            write += Write(context.company_id, touches=(touch,))
        return Done(write, b"")
