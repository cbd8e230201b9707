"""A Pix arrives: the network asks whether it may, tells what became of it, or tells that the money is already in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Move, Relied, Write
from lastro.orders import store
from lastro.orders.actions.give_back import ReturnId, give_back
from lastro.orders.actions.order_owner import UNTIED
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.actions.payers import payer_of
from lastro.orders.model import Authorized
from lastro.orders.rules import facts_let_in, facts_said, judge
from lastro.orders.states import ORDERS, PIX_PAYMENTS
from lastro.orders.static_codes.store import code_of_txid
from lastro.orders.store import arrivals
from lastro.orders.store.arrivals import ArrivalContext
from lastro.rails.port import ALARMED, BOOK, FIRST_ASK, PIX, PixAnswer, answer_message, contradicts
from lastro.standards.pix_ids import is_txid_dynamic, is_txid_static

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.runner import Query, RequestContext
    from lastro.core.write import Row
    from lastro.orders.actions.order_owner import OrderOwners
    from lastro.orders.model import Installation, Party, Payment
    from lastro.rails.port import Claimed, PixArrival, PixFinal


_INSTITUTION = 0  # the number of its own company


async def _beyond(
    session: Session, context: RequestContext, known: ArrivalContext, txid: str | None, tie: OrderOwners
) -> ArrivalContext:
    """Reads also the static code of a txid, and the order's owner. Few messages need them.

    txid: of the message; a payment that was decided on before goes by its own.
    """
    txid = txid if known.payment is None else known.payment.txid
    if known.account is not None and txid is not None and is_txid_static(txid):
        # Anybody may print such a txid, so that most name no code of the account.
        known = replace(known, printed=await code_of_txid(session, context.company_id, known.account.id, txid))
    if known.order is not None and known.order.subscription_id is not None:
        known = replace(known, tied=await tie.read(session, context, known.order))
    return known


def _refusal(arrival: PixArrival, known: ArrivalContext) -> str | None:
    """Returns the network's reason against a Pix; None: it may come in."""
    names_order = arrival.txid is not None and is_txid_dynamic(arrival.txid)
    is_tied = known.tied is not None
    code = judge(
        arrival, known.account, known.order, names_order=names_order, reserved_by=known.reserved_by, is_tied=is_tied,
        printed=known.printed, is_institution=known.setup.number == _INSTITUTION,
    )  # fmt: skip
    return known.tied.refusal(arrival) if code is None and known.tied is not None else code


def _relied(known: ArrivalContext) -> tuple[Relied, ...]:
    """Relies on the account at the version that was read."""
    return () if known.account is None else (Relied("accounts", known.account.id, known.account.version),)


@dataclass(frozen=True)
class Ask(Act[ArrivalContext]):
    """The network asks before it settles. Our answer is fixed by the first time of asking, however often it asks."""

    arrival: PixArrival
    claimed: Claimed
    place: Installation
    rail: str = PIX
    tie: OrderOwners = UNTIED

    def query(self) -> Query[ArrivalContext]:
        """Returns the query of the payment, the account and the order."""
        return arrivals.of_arrival(self.arrival)

    async def read_more(self, session: Session, context: RequestContext, known: ArrivalContext) -> ArrivalContext:
        """Reads a printed code, and the order's owner."""
        return await _beyond(session, context, known, self.arrival.txid, self.tie)

    def decide(self, known: ArrivalContext, context: RequestContext) -> Done:
        """Accepts and reserves, or refuses with a reason. The answer goes out after the commit."""
        if known.payment is not None:
            refused = known.payment.state not in ("ACCEPTED", "SETTLED")
            code = (known.payment.code or "DUPL") if refused else None
            return Done(self._answer(known.payment.id, code, context), b"")
        code = _refusal(self.arrival, known)
        trigger = "accept" if code is None else "refuse"
        payment_id, _, rows = _payment_rows(self.arrival, known, trigger, code, self.place, context, rail=self.rail)
        write = Write(context.company_id, rows=rows) + self._answer(payment_id, code, context)
        if code is None:
            write += Write(context.company_id, relies=_relied(known))
            if known.order is not None:
                reserved = ORDERS.move(known.order, "reserve", context.now, reason=self.arrival.end_to_end_id)
                write += Write(context.company_id, moves=(reserved,))
            if known.tied is not None:
                write += known.tied.accepted(self.arrival, context)
        return Done(write, b"")

    def _answer(self, payment_id: UUID, code: str | None, context: RequestContext) -> Write:
        answer = PixAnswer.new(self.place.institution.ispb, self.arrival, code, context.chance.bytes(24))
        message = answer_message(answer, payment_id, context.chance.uuid(context.now), context.now, rail=self.rail)
        return self.claimed.settled("answered", context) + Write(context.company_id, messages=(message,))


@dataclass(frozen=True)
class Settled(Act[ArrivalContext]):
    """Books a Pix that settled unasked, or is told a second way."""

    arrival: PixArrival
    claimed: Claimed
    place: Installation
    tie: OrderOwners = UNTIED

    def query(self) -> Query[ArrivalContext]:
        """Returns the same query as for a question."""
        return arrivals.of_arrival(self.arrival)

    async def read_more(self, session: Session, context: RequestContext, known: ArrivalContext) -> ArrivalContext:
        """Reads as for a question, and a number for a return's id."""
        known = await _beyond(session, context, known, self.arrival.txid, self.tie)
        return replace(known, number=await store.next_network_number(session))

    def decide(self, known: ArrivalContext, context: RequestContext) -> Done:
        """Credits the money if it fits, else sends it back through suspense."""
        at = self.arrival.settled_at
        assert at is not None
        if known.payment is not None:
            if contradicts(facts_said(self.arrival), facts_let_in(known.payment, known.account)):
                return self.claimed.done(ALARMED, context)  # not what we let in: people must look
            return _settled(known, known.payment, at, self.claimed, self.place, context)
        code = _refusal(self.arrival, known)
        finished = self.claimed.settled("handled", context)
        if code is not None:
            payment_id, _, rows = _payment_rows(self.arrival, known, "give_back", code, self.place, context)
            back = ReturnId(self.place.institution.ispb, known.setup.number, known.number)
            end_to_end_id, amount = self.arrival.end_to_end_id, self.arrival.amount
            return Done(finished + give_back(payment_id, end_to_end_id, amount, rows, back, context), b"")
        order_id = known.order.id if known.order is not None else context.chance.uuid(context.now)
        _, payer, rows = _payment_rows(self.arrival, known, "settle", None, self.place, context, order_id)
        assert known.account is not None
        paid = Paid(
            self.arrival.end_to_end_id, self.arrival.amount, at, payer, self.arrival.key, self.arrival.remittance, order_id,
            authorized=_authorized(self.arrival), gives_back=self.arrival.gives_back is not None, txid=self.arrival.txid,
        )  # fmt: skip
        booked = _pay(known, known.account, paid, self.place, context)
        return Done(finished + Write(context.company_id, relies=_relied(known), rows=rows) + booked, b"")


@dataclass(frozen=True)
class Final(Act[ArrivalContext]):
    """The network says what became of a payment that we answered."""

    final: PixFinal
    claimed: Claimed
    place: Installation
    tie: OrderOwners = UNTIED

    def query(self) -> Query[ArrivalContext]:
        """Returns the query of the payment, its account and its order."""
        return arrivals.of_payment(self.final.end_to_end_id)

    async def read_more(self, session: Session, context: RequestContext, known: ArrivalContext) -> ArrivalContext:
        """Reads as for a question, and a number for a return's id. It is read only where the money may have to go back."""
        known = await _beyond(session, context, known, None, self.tie)
        if known.payment is None or known.payment.state == "ACCEPTED":
            return known
        return replace(known, number=await store.next_network_number(session))

    def decide(self, known: ArrivalContext, context: RequestContext) -> Done:
        """Settles, frees or gives back the payment. A known outcome changes nothing; a contradiction raises an alarm."""
        if known.payment is None:
            # The network has money that we never heard of and our books do not have.
            return self.claimed.done(ALARMED if self.final.settled else "ignored", context)
        payment = known.payment
        if contradicts(self.final.of, facts_let_in(payment, known.account)):
            return self.claimed.done(ALARMED, context)
        if self.final.settled:
            return _settled(known, payment, self.final.settled_at or context.now, self.claimed, self.place, context)
        if PIX_PAYMENTS.allows(payment.state, "fail"):
            code = self.final.code
            moves: list[Move] = [PIX_PAYMENTS.move(payment, "fail", context.now, reason=code, code=code, ask_at=None)]
            if known.order is not None and ORDERS.allows(known.order.state, "release"):
                moves.append(ORDERS.move(known.order, "release", context.now, reason=code))
            write = self.claimed.settled("handled", context) + Write(context.company_id, moves=tuple(moves))
            if known.tied is not None:
                write += known.tied.failed(payment.end_to_end_id, code, context)
            return Done(write, b"")
        ended_so = payment.state in ("REFUSED", "FAILED")
        return self.claimed.done("known" if ended_so else ALARMED, context)


def _settled(
    known: ArrivalContext, payment: Payment, at: datetime, claimed: Claimed, place: Installation, context: RequestContext
) -> Done:
    """Books a known payment that has settled, accepted or refused before."""
    finished = claimed.settled("handled", context)
    if payment.state == "ACCEPTED":
        assert known.account is not None
        order_id = known.order.id if known.order is not None else context.chance.uuid(context.now)
        move = PIX_PAYMENTS.move(payment, "settle", context.now, settled_at=at, order_id=order_id, ask_at=None)
        paid = Paid(
            None if payment.is_ted else payment.end_to_end_id,
            payment.amount,
            at,
            known.payer,
            payment.pix_key,
            payment.remittance,
            order_id,
            payment.rail,
            payment.authorized,
            gives_back=payment.gives_back,
            txid=payment.txid,
            control_number=payment.end_to_end_id if payment.is_ted else None,
        )
        booked = _pay(known, known.account, paid, place, context)
        return Done(finished + Write(context.company_id, moves=(move,)) + booked, b"")
    if PIX_PAYMENTS.allows(payment.state, "give_back"):
        back = ReturnId(place.institution.ispb, known.setup.number, known.number)
        move = PIX_PAYMENTS.move(payment, "give_back", context.now, settled_at=at)
        return Done(finished + give_back(payment.id, payment.end_to_end_id, payment.amount, move, back, context), b"")
    return claimed.done("known", context)


def _pay(known: ArrivalContext, account: Account, paid: Paid, place: Installation, context: RequestContext) -> Write:
    """Pays the order, and tells its owner in the same write."""
    paid = replace(paid, printed=known.printed if known.order is None else None)
    booked = pay(known.order, known.setup, account, paid, place, context)
    return booked if known.tied is None else booked + known.tied.settled(paid, context)


def _authorized(arrival: PixArrival) -> Authorized | None:
    asked = arrival.authorizing
    return None if asked is None else Authorized(asked.recurrence_id, asked.maximum, arrival.payer.ibge_code)


def _payment_rows(
    arrival: PixArrival,
    known: ArrivalContext,
    trigger: str,
    code: str | None,
    place: Installation,
    context: RequestContext,
    order_id: UUID | None = None,
    rail: str = PIX,
) -> tuple[UUID, Party, tuple[Row, ...]]:
    """Makes the rows of a new payment and its payer. order_id: of one paid at once; else a reservation has it."""
    payment_id = context.chance.uuid(context.now)
    payer, party = payer_of(arrival.payer, place.banks.known, context)
    if trigger == "accept" and known.order is not None:
        order_id = known.order.id
    authorized = _authorized(arrival)
    maximum = None if authorized is None else authorized.maximum
    values = {
        "id": payment_id, "end_to_end_id": arrival.end_to_end_id, "order_id": order_id,
        "account_id": None if known.account is None else known.account.id, "amount_minor": arrival.amount.minor,
        "txid": arrival.txid, "pix_key": arrival.key, "remittance": arrival.remittance, "payer_id": payer.id, "code": code,
        "location_token": arrival.location_token, "accepted_at": arrival.accepted_at, "settled_at": arrival.settled_at,
        "ask_at": context.now + FIRST_ASK if trigger == "accept" and rail != BOOK else None, "rail": rail,
        "authorizes": None if authorized is None else authorized.recurrence_id,
        "maximum_minor": None if maximum is None else maximum.minor,
        "payer_ibge_code": None if authorized is None else authorized.ibge_code,
        "purpose": arrival.gives_back, "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    return payment_id, payer, (party, *PIX_PAYMENTS.born(values, context.now, (trigger,), reason=code))
