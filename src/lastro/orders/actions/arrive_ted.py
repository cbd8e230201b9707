"""A TED arrives: its money is in, and is credited to the account that it names, or goes back to who sent it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.orders import store
from lastro.orders.actions.give_back import ReturnId, give_back
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.actions.payers import payer_of
from lastro.orders.rules import judge_ted, ted_facts_let_in, ted_facts_said
from lastro.orders.states import PIX_PAYMENTS
from lastro.orders.store.teds import of_ted
from lastro.rails.port import ALARMED, TED, contradicts

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import Query, RequestContext
    from lastro.core.write import Row
    from lastro.orders.model import Installation, Party
    from lastro.orders.store.teds import TedArrivalContext
    from lastro.rails.port import Claimed, TedArrival


@dataclass(frozen=True)
class TedArrived(Act["TedArrivalContext"]):
    """Another bank has sent a TED to an account here. The STR does not ask: the money is in already."""

    ted: TedArrival
    claimed: Claimed
    place: Installation

    def query(self) -> Query[TedArrivalContext]:
        """Returns the query of the payment, the account and the fees."""
        return of_ted(self.ted)

    async def read_more(self, session: Session, context: RequestContext, known: TedArrivalContext) -> TedArrivalContext:
        """Reads a number for a return's control number. Only of a new TED, whose money may have to go back."""
        del context
        return known if known.payment is not None else replace(known, number=await store.next_network_number(session))

    def decide(self, known: TedArrivalContext, context: RequestContext) -> Done:
        """Credits the TED if it fits, else sends it back. A repetition changes nothing; on a contradiction people look."""
        if known.payment is not None:
            differs = contradicts(ted_facts_said(self.ted), ted_facts_let_in(known.payment, known.account))
            return self.claimed.done(ALARMED if differs else "known", context)
        write = self.claimed.settled("handled", context)
        code = judge_ted(self.ted, known.account)
        name, amount = self.ted.control_number, self.ted.amount
        if code is not None:
            payment_id, _, rows = self._rows(known, "give_back", context, code=code)
            back = ReturnId(self.place.institution.ispb, known.setup.number, known.number, code)
            return Done(write + give_back(payment_id, name, amount, rows, back, context, rail=TED), b"")
        order_id = context.chance.uuid(context.now)
        _, payer, rows = self._rows(known, "settle", context, order_id=order_id)
        account = known.account
        assert account is not None
        paid = Paid(
            None, amount, self.ted.settled_at, payer, None, self.ted.history, order_id, TED, control_number=name,
        )  # fmt: skip
        write += Write(context.company_id, rows=rows, relies=(Relied("accounts", account.id, account.version),))
        return Done(write + pay(None, known.setup, account, paid, self.place, context), b"")

    def _rows(
        self,
        known: TedArrivalContext,
        trigger: str,
        context: RequestContext,
        *,
        order_id: UUID | None = None,
        code: str | None = None,
    ) -> tuple[UUID, Party, tuple[Row, ...]]:
        """Makes the rows of a new payment and its payer. order_id: that it pays; code: why it goes back."""
        ted, payment_id = self.ted, context.chance.uuid(context.now)
        payer, party = payer_of(ted.payer, self.place.banks.known, context)
        values = {
            "id": payment_id, "end_to_end_id": ted.control_number, "order_id": order_id,
            "account_id": None if known.account is None else known.account.id, "amount_minor": ted.amount.minor,
            "remittance": ted.history, "payer_id": payer.id, "code": code, "accepted_at": ted.settled_at,
            "settled_at": ted.settled_at, "rail": TED, "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        return payment_id, payer, (party, *PIX_PAYMENTS.born(values, context.now, (trigger,), reason=code))
