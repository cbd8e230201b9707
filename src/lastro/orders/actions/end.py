"""An order ends without money: its time is over, or the client does not want it any more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused, Stale
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.orders import store
from lastro.orders.actions.give_back import ReturnId, parts_back
from lastro.orders.actions.read import account_of
from lastro.orders.cards.ending import card_moved, is_being_charged
from lastro.orders.due_work import EXPIRY_GRACE
from lastro.orders.instruments import closed
from lastro.orders.methods import known_method
from lastro.orders.notifications import pay_in
from lastro.orders.problems import STATUS_CONFLICT
from lastro.orders.rendering import in_full
from lastro.orders.rules import is_over
from lastro.orders.silence import silent
from lastro.orders.states import ORDERS
from lastro.orders.store.sending import sending
from lastro.rails.port import REFUSED_BY_NETWORK, ChargeEnd, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.model import Installation, Order, Payment
    from lastro.orders.returns import Sending
    from lastro.rails.port import Issuer, StreamsRead


_NOT_ALONE = STATUS_CONFLICT.refused(why="the order ends with its subscription, or with the payment of it that it collects")
_UNDER_WAY = STATUS_CONFLICT.refused(why="a payment for the order is under way")


@dataclass(frozen=True, slots=True)
class EndOrderContext:
    """An order, and whether money for it is under way. parts: what is in of it. returns: for giving each of these back.

    is_given_back: money for a charge at a connection's bank paid nothing, and went back. is_told: the partner that collects
    it has no more to tell of its time. registration: how the message stands by which that
    partner hears of it. charge: what the bank of its connection says of its charge, once it was told to end it.
    """

    order: Order
    account: Account
    reserved: bool
    in_inbox: bool
    parts: tuple[Payment, ...] = ()
    returns: tuple[ReturnId, ...] = ()
    is_told: bool = True
    registration: Sending | None = None
    charge: ChargeEnd | None = None
    is_given_back: bool = False

    @property
    def under_way(self) -> bool:
        """True where money was announced, or is in the inbox unhandled."""
        return self.reserved or self.in_inbox

    @property
    def is_removed(self) -> bool:
        """True if its charge can be paid no more."""
        return self.charge is not None and self.charge.is_over


async def known_of(
    session: Session, company_id: UUID, order_id: UUID, streams: StreamsRead | None = None
) -> EndOrderContext | None:
    """Reads the order and its money under way; None: there is no such order."""
    order = await store.order_by_id(session, company_id, order_id)
    if order is None:
        return None
    is_told = _is_told(order, streams)  # read before the inbox
    reserved = await store.reservation(session, company_id, order_id) is not None or is_being_charged(order)
    in_inbox = await store.is_in_inbox(session, company_id, order)
    parts = await store.parts(session, company_id, order)
    made = order.instrument
    sent = None if made is None else await sending(session, company_id, made.rail, made.reference)
    account = await account_of(session, company_id, order)
    back = order.bank_code is not None and await store.is_given_back(session, company_id, order)
    return EndOrderContext(
        order, account, reserved, in_inbox, parts, is_told=is_told, registration=sent, is_given_back=back
    )  # fmt: skip


def _is_told(order: Order, streams: StreamsRead | None) -> bool:
    rail = known_method(order.payment_method).rail
    return streams is None or rail is None or order.ends_at is None or streams.covers(rail, order.ends_at)


async def demand_told(known: EndOrderContext, streams: StreamsRead | None, context: RequestContext) -> None:
    """Reads the partner's event stream behind an overdue order's end.

    Raises Stale after reading, since the order may be paid now. A stream that cannot be read leaves the order as it is.
    """
    rail, ends_at = known_method(known.order.payment_method).rail, known.order.ends_at
    if known.is_told or streams is None or rail is None or ends_at is None:
        return
    if is_over(known.order, context.now, EXPIRY_GRACE) and await streams.read(rail, ends_at, context.now):
        raise Stale("the partner's stream was read")


def ended(
    known: EndOrderContext, trigger: str, context: RequestContext, place: Installation, *, error: str | None = None,
    reason: str | None = None,
) -> Write:  # fmt: skip
    """Ends the order without money, and notifies the client. reason: for its history alone."""
    order = known.order
    sets: dict[str, Any] = {"ends_at": None} if error is None else {"ends_at": None, "error_message": error}
    move = ORDERS.move(order, trigger, context.now, reason=error or reason, **sets)
    event = pay_in(context, order, move.to_state, known.account, place, amount=order.amount, error=error)
    write = Write(context.company_id, moves=(move,), events=(event,)) + card_moved(order, trigger, context)
    return write if known.is_removed else write + closed(order, context, known.registration)


def _tell_silence(known: EndOrderContext, away: Transient) -> Refused:
    """Tells that a connection's bank did not answer, and returns the refusal."""
    made = known.order.instrument
    assert made is not None
    return silent(made.rail, "remove", away)


async def removed_at_bank(
    known: EndOrderContext, issuers: Mapping[str, Issuer] | None, context: RequestContext
) -> EndOrderContext:
    """Has the bank of a connection end an order's charge. A payment may be under way there, so that it alone can.

    Transient: the bank does not answer. An order of another rail is left as it is, and so is one that the bank says is paid.
    """
    made = known.order.instrument
    if made is None or known.order.bank_code is None:
        return known
    issuer = (issuers or {}).get(made.rail)
    if issuer is None:
        raise Transient("the connection is not configured here", is_on_its_way=False)
    amount = known.order.final_amount
    assert amount is not None, "a bank makes no charge of an open amount"
    return replace(known, charge=await issuer.remove(made.reference, known.order.pix_key, amount, context.now))


@dataclass(frozen=True)
class Expire(Act["EndOrderContext | None"]):
    """The sweep found an order whose time is over. before_its_time: a sandbox plays that it is.

    streams: of the partners, read before an order ends unpaid; None: nobody is asked. issuers: the banks of connections,
    which are asked before theirs end.
    """

    order_id: UUID
    place: Installation
    before_its_time: bool = False
    streams: StreamsRead | None = None
    issuers: Mapping[str, Issuer] | None = None

    async def read(self, session: Session, context: RequestContext) -> EndOrderContext | None:
        """Reads the order, its money under way, and its parts' return numbers."""
        known = await known_of(session, context.company_id, self.order_id, self.streams)
        if known is None or not known.parts:
            return known
        setup, ispb = await store.company_setup(session, context.company_id), self.place.institution.ispb
        numbers = [await store.next_network_number(session) for _ in known.parts]
        return replace(known, returns=tuple(ReturnId(ispb, setup.number, number) for number in numbers))

    async def call_out(self, known: EndOrderContext | None, context: RequestContext) -> EndOrderContext | None:
        """Reads the partner's stream, or has the bank end its charge there."""
        if known is None:
            return None
        await demand_told(known, self.streams, context)
        if not self._is_due(known, context):
            return known
        try:
            return await removed_at_bank(known, self.issuers, context)
        except Transient as away:
            _tell_silence(known, away)
            return known

    def _is_due(self, known: EndOrderContext, context: RequestContext) -> bool:
        """Tells whether the order may end, for all that is known here."""
        if not ORDERS.allows(known.order.state, "expire") or known.order.subscription_id is not None or known.under_way:
            return False
        return self.before_its_time or (known.is_told and is_over(known.order, context.now, EXPIRY_GRACE))

    def decide(self, known: EndOrderContext | None, context: RequestContext) -> Done | Refused:
        """Makes the order EXPIRED and returns its parts, unless a payment came. Subscriptions end their own orders.

        One whose charge was removed at the bank, and not by us, is CANCELED; ERROR where the bank itself removed it.
        """
        if known is None or not self._is_due(known, context):
            return Done(None, b"")
        if known.order.bank_code is not None and not known.is_removed:
            return Done(None, b"")  # paid there, as it will be told; or the bank did not answer
        if known.charge is ChargeEnd.REMOVED_BY_OTHERS:
            write = ended(known, "cancel", context, self.place, reason=known.charge.value)
        elif known.charge is ChargeEnd.REMOVED_BY_BANK:
            write = ended(known, "fail", context, self.place, error=f"{known.charge.value}: {REFUSED_BY_NETWORK}")
        else:
            write = ended(known, "expire", context, self.place)
        return Done(write + parts_back(known.parts, known.returns, context), b"")


@dataclass(frozen=True)
class CancelOrder(Act["EndOrderContext | None"]):
    """POST /order/v2/transparent/{id}/cancel."""

    order_id: UUID | None
    place: Installation
    issuers: Mapping[str, Issuer] | None = None

    async def read(self, session: Session, context: RequestContext) -> EndOrderContext | None:
        """Reads the order and its money under way."""
        return None if self.order_id is None else await known_of(session, context.company_id, self.order_id)

    async def call_out(self, known: EndOrderContext | None, context: RequestContext) -> EndOrderContext | Refused | None:
        """Has the bank of a connection end the charge. It is asked if nothing else refuses."""
        if known is None or self._refused(known) is not None:
            return known
        try:
            return await removed_at_bank(known, self.issuers, context)
        except Transient as away:
            return _tell_silence(known, away)

    @staticmethod
    def _refused(known: EndOrderContext) -> Refused | None:
        if not ORDERS.allows(known.order.state, "cancel"):
            return STATUS_CONFLICT.refused(why=f"the order is {known.order.state}")
        if known.order.subscription_id is not None:
            return _NOT_ALONE
        return _UNDER_WAY if known.under_way or known.parts else None

    def decide(self, known: EndOrderContext | None, context: RequestContext) -> Done | Refused:
        """Makes the order CANCELED, unless it ended or has an accepted payment."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if (refused := self._refused(known)) is not None:
            return refused
        if known.order.bank_code is not None and not known.is_removed:
            return _UNDER_WAY
        write = ended(known, "cancel", context, self.place)
        after = canceled(known.order, context)
        holder = known.account.holder
        return Done(write, render(in_full(after, holder.full_name, known.account.city, self.place)), after.id)


def with_account(known: EndOrderContext, context: RequestContext, place: Installation) -> Write | None:
    """Ends an open order whose account is closed. None while money is under way, or where it ends with something else."""
    if not ORDERS.allows(known.order.state, "cancel") or known.order.subscription_id is not None:
        return None
    return None if known.under_way or known.parts else ended(known, "cancel", context, place)


@dataclass(frozen=True)
class Fail(Act["EndOrderContext | None"]):
    """The rail refuses the order for good."""

    order_id: UUID
    error: str
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> EndOrderContext | None:
        """Reads the order and its money under way."""
        return await known_of(session, context.company_id, self.order_id)

    def decide(self, known: EndOrderContext | None, context: RequestContext) -> Done | Refused:
        """Makes the order ERROR, unless it ended or has an accepted payment."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if not ORDERS.allows(known.order.state, "fail") or known.under_way or known.parts:
            return STATUS_CONFLICT.refused(why=f"the order is {known.order.state}")
        if known.order.subscription_id is not None:
            return _NOT_ALONE
        return Done(ended(known, "fail", context, self.place, error=self.error), b"", known.order.id)


def canceled(order: Order, context: RequestContext) -> Order:
    """Returns the order as it will be once the Write is done."""
    return replace(order, state="CANCELED", updated_at=context.now, version=order.version + 1)
