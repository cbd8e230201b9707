"""Claims a foreign payment for an order: a person says that it pays it (docs/decisions/foreign-payments.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msgspec import structs

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.actions.read import account_of
from lastro.orders.foreign import store as foreign_store
from lastro.orders.foreign.problems import ORDER_ID_INVALID
from lastro.orders.foreign.rendering import shown_foreign
from lastro.orders.foreign.rules import claim_problems, doubt
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.orders.instruments import closed
from lastro.orders.silence import silent
from lastro.orders.states import PIX_PAYMENTS
from lastro.orders.store import company_setup, is_in_inbox, payment_by_end_to_end_id, reservation
from lastro.rails.port import DIFFERS_THERE, GIVEN_BACK, UNKNOWN_THERE, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import Problem
    from lastro.core.runner import RequestContext
    from lastro.orders.foreign.model import KeptForeign
    from lastro.orders.model import CompanySetup, Installation, Order
    from lastro.rails.port import Issuer, PaymentNow, Unknown

_AT_BANK = (GIVEN_BACK, DIFFERS_THERE, UNKNOWN_THERE)  # of an earlier claim, and true no more


@dataclass(frozen=True, slots=True)
class ClaimContext:
    """A foreign payment and the order it is claimed for. order None: the company has no such order.

    is_awaited: another payment of the order was accepted or is in the inbox. is_known: our books have a payment of its id,
    at whatever connection. now: the payment as the bank has it; None: it was not asked, for something else refuses.
    """

    foreign: KeptForeign
    order: Order | None
    account: Account | None
    setup: CompanySetup
    is_awaited: bool = False
    is_known: bool = False
    now: PaymentNow | Unknown | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every reason that is known here against the claim."""
        if self.order is None or self.account is None:
            return (ORDER_ID_INVALID.problem(),)
        return claim_problems(self.foreign, self.order, self.account, is_awaited=self.is_awaited, is_known=self.is_known)


@dataclass(frozen=True)
class ClaimForeign(Act["ClaimContext | None"]):
    """Pays an order with a foreign payment of just its amount. by: who claims it, one line, for the history.

    A payment that does not fit is refused with every reason, and the money is never given back. order: its id, or its code.
    issuers: the banks of connections. The bank is asked what the payment is now, for people and disputes (MED) give back
    there what no message tells; what it says against the payment is kept in the list. Its silence is 503.
    """

    foreign_id: UUID
    order: str
    by: str
    place: Installation
    issuers: Mapping[str, Issuer]

    async def read(self, session: Session, context: RequestContext) -> ClaimContext | None:
        """Reads the payment, the order and its account. None: there is no such payment."""
        company_id = context.company_id
        foreign = await foreign_store.read_foreign(session, company_id, self.foreign_id)
        if foreign is None:
            return None
        setup = await company_setup(session, company_id)
        order = await foreign_store.order_named(session, company_id, self.order)
        if order is None:
            return ClaimContext(foreign, None, None, setup)
        known = await payment_by_end_to_end_id(session, company_id, foreign.payment_id, foreign.rail)
        is_awaited = await reservation(session, company_id, order.id) is not None or await is_in_inbox(
            session, company_id, order
        )
        account = await account_of(session, company_id, order)
        return ClaimContext(foreign, order, account, setup, is_awaited, known is not None)

    async def call_out(self, known: ClaimContext | None, context: RequestContext) -> ClaimContext | Refused | None:
        """Asks the bank what the payment is now. It is asked if nothing else refuses."""
        if known is None or known.problems:
            return known
        rail = known.foreign.rail
        issuer = self.issuers.get(rail)
        if issuer is None:
            return silent(rail, "payment", Transient("the connection is not configured here", is_on_its_way=False))
        try:
            return replace(known, now=await issuer.payment(known.foreign.payment_id))
        except Transient as away:
            return silent(rail, "payment", away)

    def decide(self, known: ClaimContext | None, context: RequestContext) -> Done | Refused:
        """Pays the order and notifies its client. The code is closed at the bank."""
        if known is None:
            return NOT_FOUND
        if known.problems:
            kind = Kind.CONFLICT if known.order is not None else Kind.INVALID
            return Refused(kind, known.problems)
        assert known.now is not None, "it was asked, since nothing else refused"
        if (doubted := doubt(known.foreign, known.now)) is not None:
            return self._doubted(known.foreign, *doubted, context)
        return self._paid(known, context)

    def _doubted(self, foreign: KeptForeign, word: str, problem: Problem, context: RequestContext) -> Refused:
        """Refuses the claim, and lists what the bank has said."""
        if foreign.reason == word:
            return Refused(Kind.CONFLICT, (problem,))
        move = FOREIGN_PAYMENTS.move(foreign, "doubt", context.now, reason=self._said(f"not claimed: {word}"))
        move = structs.replace(move, sets={"reason": word})
        return Refused(Kind.CONFLICT, (problem,), Write(context.company_id, moves=(move,)))

    def _said(self, what: str) -> str:
        return f"by {self.by}: {what}"

    def _paid(self, known: ClaimContext, context: RequestContext) -> Done:
        foreign, order, account = known.foreign, known.order, known.account
        assert order is not None
        assert account is not None
        values = {
            "id": context.chance.uuid(context.now), "end_to_end_id": foreign.payment_id, "order_id": order.id,
            "account_id": account.id, "amount_minor": foreign.amount.minor, "txid": foreign.txid,
            "pix_key": foreign.pix_key, "accepted_at": foreign.paid_at, "settled_at": foreign.paid_at, "rail": foreign.rail,
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        reason = self._said("claimed")
        why = None if foreign.reason in _AT_BANK else foreign.reason
        move = FOREIGN_PAYMENTS.move(foreign, "claim", context.now, reason=reason)
        write = Write(
            context.company_id, relies=(Relied("accounts", account.id, account.version),),
            rows=PIX_PAYMENTS.born(values, context.now, ("settle",), reason=reason),
            moves=(structs.replace(move, sets={"order_id": order.id, "reason": why}),),
        )  # fmt: skip
        paid = Paid(foreign.payment_id, foreign.amount, foreign.paid_at, None, foreign.pix_key, None, order.id, foreign.rail)
        write += pay(order, known.setup, account, paid, self.place, context)
        write += closed(order, context)  # its code is open at the bank still, and a second payment would have to go back
        return Done(write, render(shown_foreign(foreign, "CLAIMED", order.id)), order.id)
