"""Settles returns that fit nothing: credits an account, or pays out.

More than was left of the payout, or its account was closed meanwhile: no rule knows whose the money is. The operator of
lastro asks the client and books the decision, once (docs/decisions/stranded-money.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lastro.accounts import account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Touch, Write
from lastro.payouts import postings
from lastro.payouts.problems import BOOK_NOT_ALLOWED, RETURN_ACCOUNT_NOT_ALLOWED, RETURN_DECIDED
from lastro.payouts.states import PAYOUTS
from lastro.payouts.store import by_network_id
from lastro.payouts.unmatched.store import unfit_by_id
from lastro.rails.port import BOOK

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout
    from lastro.payouts.unmatched.store import Unfit

Way = Literal["credit", "pay out"]
_ENDS: dict[Way, str] = {"credit": "CREDITED", "pay out": "PAID_OUT"}


@dataclass(frozen=True, slots=True)
class SettlePayoutReturnContext:
    """An unfit return, its payout, and the account to credit. account None: the company has no such account."""

    back: Unfit
    payout: Payout
    account: Account | None


@dataclass(frozen=True)
class Settle(Act["SettlePayoutReturnContext | None"]):
    """Books people's decision about an unfit return of a payout, whole.

    way: credit, SUSP→CUST; pay out, SUSP→NET of the payout's rail, as it was paid out elsewhere. account_id: the account
    that is credited where the payout's own is closed; None: the payout's own. reason and by: one line each, for the history.
    Refused once it is decided, also where two decide at once.
    """

    return_id: UUID
    way: Way
    reason: str
    by: str
    account_id: UUID | None = None

    async def read(self, session: Session, context: RequestContext) -> SettlePayoutReturnContext | None:
        """Reads the return, its payout and the account."""
        back = await unfit_by_id(session, context.company_id, self.return_id)
        if back is None:
            return None
        payout = await by_network_id(session, context.company_id, back.network_id)
        assert payout is not None, "what came back is of a payout"
        account = await account_by_id(session, context.company_id, self.account_id or payout.account_id)
        return SettlePayoutReturnContext(back, payout, account)

    def decide(self, known: SettlePayoutReturnContext | None, context: RequestContext) -> Done | Refused:
        """Settles the return, moves the money and records person and reason. No client is told."""
        if known is None:
            return NOT_FOUND
        back, payout, account = known.back, known.payout, known.account
        if back.state != "STRANDED":
            return RETURN_DECIDED.refused(state=back.state)
        no = self._no(payout, account)
        if no is not None:
            return no
        relies: tuple[Relied, ...] = ()
        transfer = postings.return_paid_out(context, payout, back.amount)
        number = back.account_number
        if self.way == "credit":
            assert account is not None, "there is an account, or it was refused"
            relies, number = (Relied("accounts", account.id, account.version),), account.number
            transfer = postings.return_credited(context, account.id, payout, back.amount)
        decided = {"decision_id": transfer.id, "is_paid_out": self.way == "pay out", "version": back.version + 1}
        write = Write(
            context.company_id, relies=relies, transfers=(transfer,),
            moves=(PAYOUTS.move(payout, "decide", context.now, reason=f"by {self.by}: {self.reason}"),),
            touches=(Touch("payout_returns", back.id, back.version, decided),),
        )  # fmt: skip
        return Done(write, render(shown(back, _ENDS[self.way], number)))

    def _no(self, payout: Payout, account: Account | None) -> Refused | None:
        """Refuses this way, or returns None. Another account is credited only where the payout's is closed."""
        if self.way == "pay out":
            return BOOK_NOT_ALLOWED.refused() if payout.rail == BOOK else None
        if account is None:
            return RETURN_ACCOUNT_NOT_ALLOWED.refused(why="is of no account of the company that made the payout")
        if account.id != payout.account_id and payout.account.status != "CLOSED":
            return RETURN_ACCOUNT_NOT_ALLOWED.refused(why="is another than the payout's, which is not closed")
        if account.status == "CLOSED" and self.account_id is None:
            return RETURN_ACCOUNT_NOT_ALLOWED.refused(why="the payout's account is closed: name another one of the company")
        return None if account.is_active else RETURN_ACCOUNT_NOT_ALLOWED.refused(why="the account is not active")


def shown(back: Unfit, state: str, number: str) -> dict[str, Any]:
    """Renders a return for the operator. state: STRANDED, or the decision. number: the account's."""
    return {
        "id": str(back.id), "state": state, "rail": back.rail, "currency": back.amount.currency, "amount": str(back.amount),
        "paymentId": back.network_id, "returnId": back.return_id, "account": number, "settledAt": back.settled_at,
        "payoutId": str(back.payout_id), "why": "MORE_THAN_WAS_LEFT" if back.is_too_much else "ACCOUNT_CLOSED",
    }  # fmt: skip
