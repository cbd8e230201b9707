"""A partner that collects tells of an instrument: paid, its money in, or not to come; or not to be paid at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.core.errors import NotYet
from lastro.core.money import Money
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Relied, Row, Write
from lastro.orders import postings, store
from lastro.orders.actions.end import EndOrderContext as Ending
from lastro.orders.actions.end import ended
from lastro.orders.actions.give_back import ReturnId, give_back, send_back
from lastro.orders.actions.order_owner import UNTIED
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.actions.read import account_of
from lastro.orders.cards.ending import card_moved, is_being_charged
from lastro.orders.foreign.keep import listed
from lastro.orders.foreign.store import listed as read_listed
from lastro.orders.methods import is_in_parts, known_method
from lastro.orders.model import Party
from lastro.orders.rules import is_late, is_of_another, use_of
from lastro.orders.states import ORDERS, PIX_PAYMENTS
from lastro.orders.store.collected import was_voided
from lastro.rails.port import (
    ALARMED,
    BEFORE_ORDER,
    BOOK,
    OTHER_AMOUNT,
    PIX,
    REFUSED_BY_NETWORK,
    ForeignPayment,
    is_connection,
    is_pix,
)

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.actions.order_owner import OrderOwner, OrderOwners
    from lastro.orders.model import CompanySetup, Installation, Order, Payment
    from lastro.orders.rules import Use
    from lastro.rails.port import Claimed, Collected, CollectionRefused, CollectionVoid

_OPEN = ("INITIAL", "AUTHENTICATING", "PENDING")
_AGAIN_SECONDS = 5.0
_CHARGED_IN_VAIN = "the card was charged what the order cannot take, and the charge is given back"


@dataclass(frozen=True, slots=True)
class CollectContext:
    """The rows that a partner's message is about.

    reserved_by: the rail of a payment that is let in or announced for the order and has no end yet. parts: the payments of
    the order that are in and wait for the rest. number: for the id of a return, read only where money may have to go back.
    is_void: the partner said before the announcement that the payment will not come. is_foreign: the payment is listed as
    one that no order of ours asked for. owner: of an order that belongs to a subscription.
    """

    payment: Payment | None
    order: Order | None
    account: Account | None
    reserved_by: str | None
    payer: Party | None
    setup: CompanySetup
    parts: tuple[Payment, ...] = ()
    number: int | None = None
    is_void: bool = False
    is_foreign: bool = False
    owner: OrderOwner | None = None


async def _known(
    session: Session, context: RequestContext, rail: str, reference: str, payment_id: str | None
) -> CollectContext:
    company = context.company_id
    payment = None if payment_id is None else await store.payment_by_end_to_end_id(session, company, payment_id, rail)
    order = await store.order_by_reference(session, company, rail, reference)
    account = None if order is None else await account_of(session, company, order)
    reserved_by = None if order is None else await store.reservation(session, company, order.id)
    payer = None
    if payment is not None and payment.payer_id is not None:
        payer = await store.party(session, company, payment.payer_id)
    parts = () if order is None else await store.parts(session, company, order)
    return CollectContext(payment, order, account, reserved_by, payer, await store.company_setup(session, company), parts)


def _decidable(known: CollectContext) -> CollectContext:
    """Returns `known`.

    Raises NotYet while a Pix for the order is let in, by a network or by us: its end decides if the order may still be
    paid.
    """
    if known.payment is None and known.reserved_by in {PIX, BOOK}:
        raise NotYet(_AGAIN_SECONDS)
    return known


def _use(known: CollectContext, news: Collected) -> Use | None:
    """Decides the use of a payment; None: nothing of it fits.

    The order must be open and in its time, nothing else may be paying it, and the amount must be the one asked for. If the
    payer types the amount, less is a part of it.
    """
    order, account = known.order, known.account
    if order is None or account is None or not account.is_active or order.state not in _OPEN:
        return None
    if order.card is not None and not is_being_charged(order):
        return None  # no charge of the card was ordered
    if (known.reserved_by is not None and known.payment is None) or order.final_amount is None:
        return None
    takes_parts = is_in_parts(order)
    if (takes_parts or known_method(order.payment_method).is_quoted) and is_late(order, news.paid_at):
        return None  # partners of the other methods take nothing late
    return use_of(news.amount, order.final_amount, [part.amount for part in known.parts], takes_parts=takes_parts)


@dataclass(frozen=True)
class _News(Act[CollectContext]):
    """A partner's message about a payment. rail: the partner's."""

    news: Collected
    claimed: Claimed
    place: Installation
    rail: str

    async def read(self, session: Session, context: RequestContext) -> CollectContext:
        """Reads the payment if known, the instrument's order and the account. Raises NotYet as `_decidable` does."""
        return _decidable(await _known(session, context, self.rail, self.news.reference, self.news.payment_id))

    def _is_of_another(self, known: CollectContext, context: RequestContext) -> bool:
        return is_of_another(known.order, known.account, self.news.of, context, self.news.paid_at)

    def _is_its(self, payment: Payment, known: CollectContext) -> bool:
        """Tells whether the payment belongs to this order or to none."""
        return payment.order_id is None or (known.order is not None and payment.order_id == known.order.id)

    def _rows(
        self,
        known: CollectContext,
        trigger: str,
        context: RequestContext,
        order_id: UUID | None,
        excess: Money | None = None,
    ) -> tuple[UUID, Party | None, tuple[Row, ...]]:
        """Makes the rows of a new payment, and of a known payer. excess: the part of it that goes back although it pays."""
        payment_id, payer = context.chance.uuid(context.now), None
        rows: tuple[Row, ...] = ()
        if self.news.payer is not None:
            who = self.news.payer
            payer = Party(context.chance.uuid(context.now), who.name, who.document_type, who.document_number)
            person = {"id": payer.id, "name": payer.name, "document_type": payer.document_type,
                      "document_number": payer.document_number}  # fmt: skip
            rows = (Row("parties", person),)
        values = {
            "id": payment_id, "end_to_end_id": self.news.payment_id, "order_id": order_id,
            "account_id": None if known.account is None else known.account.id, "amount_minor": self.news.amount.minor,
            # A payment that pays no order is found by the order that it was meant for.
            "txid": None if known.order is None else known.order.txid,
            "payer_id": None if payer is None else payer.id, "accepted_at": self.news.paid_at,
            "settled_at": self.news.settled_at, "rail": self.rail, "created_at": context.now, "updated_at": context.now,
            "excess_minor": 0 if excess is None else excess.minor,
        }  # fmt: skip
        return payment_id, payer, (*rows, *PIX_PAYMENTS.born(values, context.now, (trigger,)))


@dataclass(frozen=True)
class Announced(_News):
    """An instrument was paid, and its money is not ours yet."""

    async def read(self, session: Session, context: RequestContext) -> CollectContext:
        """Reads as for every message of a payment; `is_void` only of one that is not known yet."""
        known = await super().read(session, context)
        if known.payment is not None:
            return known
        is_void = await was_voided(session, context.company_id, self.rail, self.news.reference, self.news.payment_id)
        return replace(known, is_void=is_void)

    def decide(self, known: CollectContext, context: RequestContext) -> Done:
        """Makes the order PENDING, so that nothing else may pay it. A misfit is decided about when its money is in."""
        if self._is_of_another(known, context):
            return self.claimed.done(ALARMED, context)
        if known.payment is not None:
            return self.claimed.done("known" if self._is_its(known.payment, known) else ALARMED, context)
        order = known.order
        use = None if known.is_void else _use(known, self.news)
        if order is None or order.state != "INITIAL" or use is None or is_in_parts(order):
            return self.claimed.done("ignored", context)  # an order in parts does not wait for an announced amount
        _, _, rows = self._rows(known, "accept", context, order.id)
        move = ORDERS.move(order, "announce", context.now, reason=self.news.payment_id, ends_at=None)
        return self.claimed.done("handled", context, Write(context.company_id, rows=rows, moves=(move,)))


@dataclass(frozen=True)
class CollectionSettled(_News):
    """The money of an instrument is ours. owners: find whose an order is that belongs to a subscription."""

    owners: OrderOwners = UNTIED

    async def read(self, session: Session, context: RequestContext) -> CollectContext:
        """Reads as for an announcement; also the owner, and a number for a return's id. NotYet: as the owner says."""
        known = await super().read(session, context)
        if known.order is not None and known.order.subscription_id is not None and known.order.state in _OPEN:
            owner = await self.owners.read(session, context, known.order)
            if owner is not None:
                owner.demand_collectable()
            known = replace(known, owner=owner)
        if is_connection(self.rail):
            named = [self.news.payment_id]
            found = await read_listed(session, context.company_id, self.rail, named, is_claimed=False)
            known = replace(known, is_foreign=bool(found))
        return replace(known, number=await store.next_network_number(session))

    def decide(self, known: CollectContext, context: RequestContext) -> Done:
        """Credits the payment if it fits, else sends it back through suspense. A known payment changes nothing.

        Money of something else under the order's reference moves nothing here: people must look. So it is with money at a
        merchant's own bank that may not be ours; it is listed, so that they can (docs/decisions/foreign-payments.md).
        """
        payment = known.payment
        if payment is not None and payment.rail != self.rail:
            return self.claimed.done(ALARMED, context)  # booked at another connection to the same account
        if is_connection(self.rail) and not self._is_ours(known):
            return self._alarmed(known, OTHER_AMOUNT, context)
        if self._is_of_another(known, context):
            return self._alarmed(known, BEFORE_ORDER, context)
        if payment is not None and not PIX_PAYMENTS.allows(payment.state, "give_back"):
            same = self._is_its(payment, known) and payment.amount == self.news.amount
            return self.claimed.done("known" if same else ALARMED, context)
        if payment is not None and not self._is_its(payment, known):
            return self.claimed.done(ALARMED, context)  # the id means something else here: people must look
        is_open = payment is None or payment.state == "ACCEPTED"
        use = _use(known, self.news) if is_open else None
        if use is None:
            return self.claimed.done("handled", context, self._back(known, context))
        order, account = known.order, known.account
        assert order is not None
        assert account is not None
        if order.subscription_id is not None and known.owner is None:
            return self.claimed.done(ALARMED, context)
        write = Write(context.company_id, relies=(Relied("accounts", account.id, account.version),))
        write += self._paid(known, order, account, use.excess, context) if use.pays else self._kept(known, order, context)
        return self.claimed.done("handled", context, write)

    def _is_ours(self, known: CollectContext) -> bool:
        """Tells whether an order of ours asked for just this payment.

        At a connection only such a payment may move our books, or go back to its payer. Another amount was changed at the
        bank, by a person of the merchant's.
        """
        return not known.is_foreign and known.order is not None and known.order.final_amount == self.news.amount

    def _alarmed(self, known: CollectContext, reason: str, context: RequestContext) -> Done:
        """Tells people. At a connection it lists a payment that is neither listed nor booked. reason: if it has an order."""
        write = Write(context.company_id)
        if is_connection(self.rail) and known.payment is None and not known.is_foreign:
            news, why = self.news, None if known.order is None else reason
            one = ForeignPayment(self.rail, news.payment_id, news.amount, news.paid_at, news.reference, None, why)
            write = Write(context.company_id, rows=listed(one, context))
        return self.claimed.done(ALARMED, context, write)

    def _paid(self, known: CollectContext, order: Order, account: Account, excess: Money, context: RequestContext) -> Write:
        """Pays the order with it and the waiting parts; sends back the excess."""
        at, name, amount = self.news.settled_at, self.news.payment_id, self.news.amount
        assert at is not None
        if known.payment is None:
            payment_id, payer, rows = self._rows(known, "settle", context, order.id, excess)
            write = Write(context.company_id, rows=rows)
        else:
            payment_id, payer = known.payment.id, known.payer
            move = PIX_PAYMENTS.move(known.payment, "settle", context.now, settled_at=at, order_id=order.id)
            write = Write(context.company_id, moves=(move,))
        if excess.minor:
            write += Write(context.company_id, transfers=(postings.unfit(context, payment_id, excess, self.rail),))
            write += send_back(payment_id, name, excess, self._return(known), context, self.rail)
        waited = sum((part.amount for part in known.parts), Money(0, amount.currency))
        settled = tuple(PIX_PAYMENTS.move(part, "settle", context.now) for part in known.parts)
        at = max([at, *(part.settled_at for part in known.parts if part.settled_at is not None)])
        named = name if is_pix(self.rail) else None  # a partner's id of a payment is no endToEndId
        paid = Paid(named, waited + amount - excess, at, payer, None, None, order.id, self.rail, waited=waited)
        write += card_moved(order, "capture", context)
        if known.owner is not None:
            write += known.owner.settled(paid, context)
        return write + Write(context.company_id, moves=settled) + pay(order, known.setup, account, paid, self.place, context)

    def _kept(self, known: CollectContext, order: Order, context: RequestContext) -> Write:
        """Holds a part in suspense until the rest is in. It goes back if the order ends first."""
        payment_id, _, rows = self._rows(known, "hold", context, order.id)
        move = ORDERS.move(order, "part", context.now, reason=self.news.payment_id)
        held = postings.unfit(context, payment_id, self.news.amount, self.rail)
        return Write(context.company_id, rows=rows, moves=(move,), transfers=(held,))

    def _return(self, known: CollectContext) -> ReturnId:
        return ReturnId(self.place.institution.ispb, known.setup.number, known.number)

    def _back(self, known: CollectContext, context: RequestContext) -> Write:
        back = self._return(known)
        name, amount, order = self.news.payment_id, self.news.amount, known.order
        if known.payment is None:
            payment_id, _, rows = self._rows(known, "give_back", context, None)
            write = give_back(payment_id, name, amount, rows, back, context, rail=self.rail)
            if order is None or known.account is None or not is_being_charged(order):
                return write
            # It was the one charge that this order waited for.
            return write + _ended(order, known.account, "fail", context, self.place, error=_CHARGED_IN_VAIN)
        # The amount that came goes back, even if another amount was announced.
        sets: dict[str, Any] = {"settled_at": self.news.settled_at, "amount_minor": amount.minor}
        move = PIX_PAYMENTS.move(known.payment, "give_back", context.now, **sets)
        write = give_back(known.payment.id, name, amount, move, back, context, rail=self.rail)
        return write + _over(known, order, self.place, context)


@dataclass(frozen=True)
class Voided(Act[CollectContext]):
    """A payment that was announced will not come. rail: whose partner tells."""

    news: CollectionVoid
    claimed: Claimed
    place: Installation
    rail: str

    async def read(self, session: Session, context: RequestContext) -> CollectContext:
        """Reads the payment and the order that waits for it."""
        return await _known(session, context, self.rail, self.news.reference, self.news.payment_id)

    def decide(self, known: CollectContext, context: RequestContext) -> Done:
        """Makes the order EXPIRED: its instrument is used up. A payment that is unknown or has ended changes nothing."""
        payment = known.payment
        if is_of_another(known.order, known.account, self.news.of, context):
            return self.claimed.done(ALARMED, context)
        if payment is None:
            return self.claimed.done("ignored", context)
        if payment.state != "ACCEPTED":
            return self.claimed.done("known" if payment.state == "FAILED" else ALARMED, context)
        code = self.news.code
        move = PIX_PAYMENTS.move(payment, "fail", context.now, reason=code, code=code)
        write = Write(context.company_id, moves=(move,))
        return self.claimed.done("handled", context, write + _over(known, known.order, self.place, context))


@dataclass(frozen=True)
class Unregistered(Act[CollectContext]):
    """The partner will not make an order's instrument payable. rail: whose."""

    news: CollectionRefused
    claimed: Claimed
    place: Installation
    rail: str

    async def read(self, session: Session, context: RequestContext) -> CollectContext:
        """Reads the order of the instrument. Raises NotYet as `_decidable` does."""
        return _decidable(await _known(session, context, self.rail, self.news.reference, None))

    def decide(self, known: CollectContext, context: RequestContext) -> Done:
        """Makes the order ERROR, unless it has ended or has a payment."""
        order = known.order
        if is_of_another(order, known.account, self.news.of, context):
            return self.claimed.done(ALARMED, context)
        if order is None or known.account is None or order.state != "INITIAL" or known.reserved_by is not None:
            return self.claimed.done("ignored", context)
        error = f"{self.news.code}: {REFUSED_BY_NETWORK}"
        write = _ended(order, known.account, "fail", context, self.place, error=error)
        return self.claimed.done("handled", context, write)


def _over(known: CollectContext, order: Order | None, place: Installation, context: RequestContext) -> Write:
    """Ends an order whose announced payment is gone: its instrument is used up."""
    if order is None or known.account is None or order.state != "PENDING":
        return Write(context.company_id)
    return _ended(order, known.account, "expire", context, place)


def _ended(
    order: Order, account: Account, trigger: str, context: RequestContext, place: Installation, *, error: str | None = None
) -> Write:
    return ended(Ending(order, account, reserved=False, in_inbox=False), trigger, context, place, error=error)
