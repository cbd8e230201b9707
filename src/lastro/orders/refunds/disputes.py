"""Money of a paid order that a dispute takes back: from what is blocked, counted with what clients give back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.core.errors import NotYet
from lastro.core.write import Quota, Relied, Withdrawn, Write
from lastro.orders import postings
from lastro.orders.refunds.end import withdrawn
from lastro.orders.refunds.rules import left
from lastro.orders.refunds.store import QUOTA, Ground, by_return_id, ground, refund_by_id
from lastro.orders.states import REFUNDS
from lastro.orders.store import order_by_id, party, payment_by_end_to_end_id
from lastro.orders.store.sending import sending
from lastro.rails.port import BOOK, FIRST_ASK, PIX, Anew, Payer, Receiver, ReturnOrder, return_message
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.orders.model import Order, Party, Payment, Refund
    from lastro.orders.returns import Sending


_AGAIN_SECONDS = 30.0
_ACCOUNT_TYPE = "TRAN"  # the network's word for a payment account, as ours are


@dataclass(frozen=True, slots=True)
class Disputed:
    """A contested Pix of an order, with its earlier refunds."""

    payment: Payment
    order: Order
    account: Account
    ground: Ground
    payer: Party | None = None

    @property
    def left(self) -> Money:
        """The most that a return of it can be."""
        return left(self.order, self.ground.counted_minor + self.ground.taken_minor)

    def as_read(self, blocked: Money, context: RequestContext) -> Write:
        """Relies on the sums of blocks and refunds that were read.

        Stale, or above its limit, where others block or give back of it meanwhile. blocked: the sum that disputes block of
        it.
        """
        return Write(
            context.company_id,
            relies=(Relied("disputed", self.payment.id, blocked.minor),),
            quotas=(Quota(self.order.id, QUOTA, "", 0, self.ground.counted_minor),),
        )

    @property
    def is_given_back(self) -> bool:
        """True where all of it has been given back, for certain."""
        return self.order.state == "REFUNDED"

    @property
    def is_charge(self) -> bool:
        """True where it is a scheduled charge of Pix Automático."""
        return self.order.scheduled_payment_id is not None


@dataclass(frozen=True, slots=True)
class Returning:
    """A return for a dispute, its order and its outbox message."""

    refund: Refund
    order: Order
    message: Sending


async def returning(session: Session, company_id: UUID, refund_id: UUID) -> Returning:
    """Reads the return that answers a refund request."""
    refund = await refund_by_id(session, company_id, refund_id)
    assert refund is not None, "a request names the return that answers it"
    assert refund.order_id is not None, "what is contested has paid an order"
    order = await order_by_id(session, company_id, refund.order_id)
    message = await sending(session, company_id, refund.rail, refund.return_id)
    assert order is not None
    assert message is not None, "a return has its message"
    return Returning(refund, order, message)


def call_off(one: Returning, context: RequestContext) -> tuple[bool, Write]:
    """Calls off a dispute's return; tells whether it has ended. It ends if nobody has tried to send it.

    Otherwise nobody sends it again, and the network is asked about it.
    """
    refund, message = one.refund, one.message
    if not message.sends and not message.is_in_hand:
        taken_back = Withdrawn(message.id, 0, context.now)
        return True, withdrawn(refund, one.order, context) + Write(context.company_id, withdrawn=(taken_back,))
    # We carry payments to accounts here ourselves: nobody is asked about such a one, and it ends once it is there.
    ask_at = None if refund.rail == BOOK else context.now
    move = REFUNDS.move(refund, "call off", context.now, called_off_at=context.now, ask_at=ask_at, asked=0)
    return False, Write(context.company_id, moves=(move,))


async def disputed(session: Session, company_id: UUID, end_to_end_id: str) -> Disputed | None:
    """Reads the Pix that has paid an order, from any bank. None: the company has none of that id.

    NotYet: it was accepted, and has no end yet.
    """
    payment = await payment_by_end_to_end_id(session, company_id, end_to_end_id)
    if payment is not None and payment.state == "ACCEPTED":
        raise NotYet(_AGAIN_SECONDS)
    if payment is None or payment.state != "SETTLED" or payment.order_id is None:
        return None
    stands = await ground(session, company_id, payment.order_id, "", payment.amount.minor)
    assert stands is not None, "what has paid an order is of it"
    (account,) = await accounts_of(session, company_id, [stands.order.account_id])
    payer = None if payment.payer_id is None else await party(session, company_id, payment.payer_id)
    return Disputed(payment, stands.order, account, stands, payer)


async def given_back(session: Session, company_id: UUID, return_id: str) -> tuple[Refund, UUID] | None:
    """Reads an account's return by its network id, with the account. None: no account has sent it."""
    refund = await by_return_id(session, company_id, return_id)
    if refund is None or refund.order_id is None:
        return None
    order = await order_by_id(session, company_id, refund.order_id)
    assert order is not None, "what was given back is of an order"
    return refund, order.account_id


def given_for(
    one: Disputed, request_id: UUID, amount: Money, reason: str, ispb: str, context: RequestContext
) -> tuple[UUID, Write]:
    """Orders a return for a dispute; returns its refund's id. The money is held on BLOCK, and the network is told once.

    request_id: the directory's id of the request. amount: above zero, at most what is left. reason: of pacs.004.
    """
    stands, rail = one.ground, one.payment.rail
    return_id = pix_ids.return_id(ispb, context.now, stands.company_number, stands.number)
    told = ReturnOrder(return_id, one.payment.end_to_end_id, amount, reason)
    return _given(one, request_id, told, rail, None, context)


def anew_for(
    one: Disputed, request_id: UUID, amount: Money, purpose: str, to: Party, ispb: str, context: RequestContext
) -> tuple[UUID, Write]:
    """Orders a pacs.008 of this purpose instead of a return: IPRT to the victim, REFU to the payer's institution.

    amount: of IPRT it may be more than is left of the payment: the rest came beside it, and no order gives that back.
    to: IPRT: the victim, with the account that the directory names; REFU: the payer's institution, with an account of its
    own. Payments to an account here we carry ourselves: the network takes none such (AG12).
    """
    stands, bank = one.ground, to.bank
    assert bank is not None, "who is paid anew has an account"
    holder, rail = one.account.holder, BOOK if bank["ispb"] == ispb else PIX
    branch = bank.get("branch") or (one.account.branch if rail == BOOK else None)  # every account here is of one branch
    payer = Payer(
        holder.full_name, holder.document_type, holder.document_number, ispb, one.account.branch, one.account.number,
        _ACCOUNT_TYPE,
    )  # fmt: skip
    assert to.document_type is not None
    assert to.document_number is not None
    receiver = Receiver(
        to.name, to.document_type, to.document_number, bank["ispb"], branch, bank["account"], bank["accountType"]
    )
    name = pix_ids.end_to_end_id(ispb, context.now, stands.company_number, stands.number)
    told = ReturnOrder(name, one.payment.end_to_end_id, amount, purpose, anew=Anew(payer, receiver))
    return _given(one, request_id, told, rail, to.id, context)


def _given(
    one: Disputed, request_id: UUID, told: ReturnOrder, rail: str, receiver_id: UUID | None, context: RequestContext
) -> tuple[UUID, Write]:
    order, stands, amount = one.order, one.ground, told.amount
    refund_id = context.chance.uuid(context.now)
    of_order = min(amount, one.left)
    hold = postings.returning_blocked(context, order.account_id, refund_id, amount, rail)
    values = {
        "id": refund_id, "origin": "MED", "payment_id": one.payment.id, "return_id": told.return_id,
        "reason_code": told.reason, "amount_minor": amount.minor, "hold_id": hold.id,
        "ask_at": None if rail == BOOK else context.now + FIRST_ASK, "created_at": context.now, "updated_at": context.now,
        "order_id": order.id, "med_id": request_id, "rail": rail, "receiver_id": receiver_id,
        "beside_minor": (amount - of_order).minor,
    }  # fmt: skip
    assert order.refundable is not None
    write = Write(
        context.company_id,
        relies=(Relied("orders", order.id, order.version),),
        rows=REFUNDS.born(values, context.now),
        transfers=(hold,),
        messages=(return_message(told, refund_id, context.chance.uuid(context.now), context.now, rail=rail),),
        quotas=(Quota(order.id, QUOTA, "", of_order.minor, order.refundable.minor - stands.taken_minor),),
    )
    return refund_id, write
