"""Claims a foreign payment for an order: a person says that it pays it (docs/decisions/foreign-payments.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.actions.read import account_of
from lastro.orders.foreign import store as foreign_store
from lastro.orders.foreign.problems import ORDER_ID_INVALID
from lastro.orders.foreign.rendering import shown_foreign
from lastro.orders.foreign.rules import claim_problems
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.orders.instruments import closed
from lastro.orders.states import PIX_PAYMENTS
from lastro.orders.store import company_setup, is_in_inbox, order_by_id, payment_by_end_to_end_id, reservation

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders.foreign.model import KeptForeign
    from lastro.orders.model import CompanySetup, Installation, Order


@dataclass(frozen=True, slots=True)
class ClaimContext:
    """A foreign payment and the order it is claimed for. order None: the company has no such order.

    is_awaited: another payment of the order was accepted or is in the inbox. is_known: our books have a payment of its id,
    at whatever connection.
    """

    foreign: KeptForeign
    order: Order | None
    account: Account | None
    setup: CompanySetup
    is_awaited: bool = False
    is_known: bool = False


@dataclass(frozen=True)
class ClaimForeign(Act["ClaimContext | None"]):
    """Pays an order with a foreign payment of just its amount. by: who claims it, one line, for the history.

    A payment that does not fit is refused with every reason, and nothing changes: the money is never given back. order_id
    None: the text is no id.
    """

    foreign_id: UUID
    order_id: UUID | None
    by: str
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> ClaimContext | None:
        """Reads the payment, the order and its account. None: there is no such payment."""
        company_id = context.company_id
        foreign = await foreign_store.read_foreign(session, company_id, self.foreign_id)
        if foreign is None:
            return None
        setup = await company_setup(session, company_id)
        order = None if self.order_id is None else await order_by_id(session, company_id, self.order_id)
        if order is None:
            return ClaimContext(foreign, None, None, setup)
        known = await payment_by_end_to_end_id(session, company_id, foreign.payment_id, foreign.rail)
        is_awaited = await reservation(session, company_id, order.id) is not None or await is_in_inbox(
            session, company_id, order
        )
        account = await account_of(session, company_id, order)
        return ClaimContext(foreign, order, account, setup, is_awaited, known is not None)

    def decide(self, known: ClaimContext | None, context: RequestContext) -> Done | Refused:
        """Pays the order and notifies its client. The code is closed at the bank."""
        if known is None:
            return NOT_FOUND
        foreign, order, account = known.foreign, known.order, known.account
        if order is None or account is None:
            return ORDER_ID_INVALID.refused()
        problems = claim_problems(foreign, order, account, is_awaited=known.is_awaited, is_known=known.is_known)
        if problems:
            return Refused(Kind.CONFLICT, problems)
        values = {
            "id": context.chance.uuid(context.now), "end_to_end_id": foreign.payment_id, "order_id": order.id,
            "account_id": account.id, "amount_minor": foreign.amount.minor, "txid": foreign.txid,
            "pix_key": foreign.pix_key, "accepted_at": foreign.paid_at, "settled_at": foreign.paid_at, "rail": foreign.rail,
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        reason = f"by {self.by}: claimed"
        write = Write(
            context.company_id, relies=(Relied("accounts", account.id, account.version),),
            rows=PIX_PAYMENTS.born(values, context.now, ("settle",), reason=reason),
            moves=(FOREIGN_PAYMENTS.move(foreign, "claim", context.now, reason=reason, order_id=order.id),),
        )  # fmt: skip
        paid = Paid(foreign.payment_id, foreign.amount, foreign.paid_at, None, foreign.pix_key, None, order.id, foreign.rail)
        write += pay(order, known.setup, account, paid, self.place, context)
        write += closed(order, context)  # its code is open at the bank still, and a second payment would have to go back
        return Done(write, render(shown_foreign(foreign, "CLAIMED", order.id)), order.id)
