"""Books a settlement (lastro account settle): the operator has paid an account's money out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.accounts.problems import ACCOUNT_NOT_ACTIVE, RAIL_NOT_SUPPORTED, REFERENCE_DUPLICATE, REFERENCE_INVALID
from lastro.accounts.settlements import store
from lastro.accounts.settlements.model import Settlement
from lastro.accounts.settlements.notifications import settled
from lastro.accounts.store import account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Transfer, Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.model import Account, Institution
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext

LONGEST_REFERENCE = 64


@dataclass(frozen=True, slots=True)
class SettlementContext:
    """The account, and an earlier settlement with this reference."""

    account: Account | None
    before: Settlement | None


@dataclass(frozen=True)
class Settle(Act[SettlementContext]):
    """Books an account's money as paid out: CUST→NET(rail), and tells of it. The same reference books it once, for ever.

    currency: that of the rail. amount: in it, above zero. reference: 1 to 64 printable characters, of the payment made
    elsewhere. BRL leaves by payouts and is refused, as is more than the account has available.
    """

    account_id: UUID
    rail: str
    amount: Money
    reference: str
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> SettlementContext:
        """Reads the account, and the settlement with this reference."""
        account = await account_by_id(session, context.company_id, self.account_id)
        return SettlementContext(account, await store.by_reference(session, context.company_id, self.reference))

    def decide(self, known: SettlementContext, context: RequestContext) -> Done | Refused:
        """Books the settlement, once for each reference. The same one again gets the same answer, another one is refused."""
        if known.account is None:
            return NOT_FOUND
        if problems := self._problems():
            return Refused(Kind.INVALID, problems)
        made = Settlement(
            context.chance.uuid(context.now), known.account.id, self.rail, self.amount, self.reference, context.now
        )
        if (before := known.before) is not None:
            if (before.account_id, before.rail, before.amount) != (made.account_id, made.rail, made.amount):
                return REFERENCE_DUPLICATE.refused()
            return Done(None, render(before.shown))
        if not known.account.is_active:
            return ACCOUNT_NOT_ACTIVE.refused()
        values = {
            "id": made.id, "account_id": made.account_id, "rail": made.rail, "currency": made.amount.currency,
            "amount_minor": made.amount.minor, "reference": made.reference, "created_at": made.created_at,
        }  # fmt: skip
        own = ledger.customer(context.company_id, made.account_id, made.amount.currency)
        net = ledger.clearing(context.company_id, made.rail, made.amount.currency)
        kind = f"{made.rail.upper()}_SETTLEMENT"
        booked = Transfer(context.chance.uuid(context.now), "moved", own, net, made.amount, kind, made.id, context.now)
        write = Write(
            context.company_id,
            relies=(Relied("accounts", known.account.id, known.account.version),),
            rows=(Row("settlements", values),),
            transfers=(booked,),
            events=(settled(context, made.id, made.amount, made.reference, known.account, self.institution),),
        )
        return Done(write, render(made.shown))

    def _problems(self) -> tuple[Problem, ...]:
        found = []
        if self.amount.currency == "BRL":
            found.append(RAIL_NOT_SUPPORTED.problem())
        text = self.reference
        if not text.isprintable() or text != text.strip() or not 1 <= len(text) <= LONGEST_REFERENCE:
            found.append(REFERENCE_INVALID.problem())
        return tuple(found)
