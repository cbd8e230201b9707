"""The verbs of accounts: opening by administration, listing, reading, balances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.accounts import store
from lastro.accounts.model import PAYMENT
from lastro.accounts.problems import AS_OF_OUT_OF_RANGE
from lastro.accounts.rendering import AccountBalance, Accounts, Balance, BalanceMoney, CompanyBalance, shown
from lastro.accounts.rules import holder_problems
from lastro.accounts.states import ACCOUNTS
from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import render, stamp
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Row, Write
from lastro.standards.account_numbers import with_check_digit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts.model import Account, AccountFilter, Holder, Institution
    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.money import Money

_BRL = "BRL"


def opened(
    context: RequestContext, institution: Institution, holder: Holder, digits: int, city: str | None = None
) -> tuple[UUID, str, tuple[Row, ...]]:
    """Makes a new account's id, number and rows. digits: the eight before the check digit. city: the holder's, if known."""
    account_id = context.chance.uuid(context.now)
    number = with_check_digit(f"{digits:08d}")
    account = {
        "id": account_id, "number": number, "branch": institution.branch,
        "holder_type": holder.type, "full_name": holder.full_name, "document_type": holder.document_type,
        "document_number": holder.document_number, "email": holder.email, "phone": holder.phone,
        **({} if city is None else {"city": city}),
        "created_at": context.now, "updated_at": context.now,
    }  # fmt: skip
    rows = (
        Row("account_numbers", {"number": number, "account_id": account_id}),
        *ACCOUNTS.born(account, context.now, ("open",)),
        *ledger.account_rows(context.company_id, account_id),
    )
    return account_id, number, rows


@dataclass(frozen=True)
class OpenAccount(Act[int]):
    """Opens an account with its own number and a balance of zero. The answer is its id, number and branch."""

    institution: Institution
    holder: Holder

    async def read(self, session: Session, context: RequestContext) -> int:
        """Draws the next eight digits."""
        return await store.next_number(session)

    def decide(self, known: int, context: RequestContext) -> Done | Refused:
        """Writes the account, its number and its ledger accounts, at once."""
        problems = holder_problems(self.holder)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        account_id, number, rows = opened(context, self.institution, self.holder, known)
        body = render({"id": str(account_id), "number": number, "branch": self.institution.branch})
        return Done(Write(context.company_id, rows=rows), body, account_id)


@dataclass(frozen=True)
class ListAccounts(ListRows):
    """GET /order/v1/banking/accounts."""

    wanted: AccountFilter
    page: Page
    institution: Institution

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Account]:
        """Reads the accounts of a page."""
        return await store.accounts_in(session, company_id, self.wanted, page)

    def shown(self, row: Account, context: RequestContext) -> object:
        """Returns the account as a read shows it."""
        return shown(row, self.institution)

    def body(self, part: Part[Account], context: RequestContext) -> bytes:
        """Renders the page without limit and sort (interface.md)."""
        data = [shown(account, self.institution) for account in part.rows]
        return render(Accounts(next_cursor=part.next_cursor, has_next=part.has_next, data=data))


@dataclass(frozen=True)
class ReadAccount(Act["Account | None"]):
    """GET /order/v1/banking/accounts/{id}."""

    account_id: UUID
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> Account | None:
        """Reads the account; None: unknown."""
        return await store.account_by_id(session, context.company_id, self.account_id)

    def decide(self, known: Account | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return Refused(Kind.NOT_FOUND) if known is None else Done(None, render(shown(known, self.institution)))


@dataclass(frozen=True)
class ReadBalance(Act["list[ledger.Balance] | None"]):
    """The balance of one account, or of all of the company's. as_of None: now."""

    account_id: UUID | None
    currency: str
    as_of: datetime | None

    async def read(self, session: Session, context: RequestContext) -> list[ledger.Balance] | None:
        """Reads the balances; None: the account is not the company's."""
        wanted = None if self.account_id is None else [self.account_id]
        ids = [a.id for a in await store.accounts_of(session, context.company_id, wanted)]
        if self.account_id is not None and not ids:
            return None
        if self.as_of is None or self.as_of >= context.now:
            return await ledger.balances_of(session, context.company_id, ids, self.currency)
        return await ledger.balance_at(session, context.company_id, ids, self.currency, self.as_of)

    def decide(self, known: list[ledger.Balance] | None, context: RequestContext) -> Done | Refused:
        """Renders them; a moment that has not come yet is refused, since nobody knows it."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if self.as_of is not None and self.as_of > context.now:
            return AS_OF_OUT_OF_RANGE.refused()
        at = stamp(self.as_of or context.now)
        each = [AccountBalance(account_id=str(b.account_id), **_wire((b.available, b.held, b.blocked), at)) for b in known]
        if self.account_id is not None:
            return Done(None, render(each[0]))
        return Done(None, render(Balance(**_wire(ledger.company_balances(known, self.currency), at), accounts=each)))


@dataclass(frozen=True)
class ReadCompanyBalance(Act["list[ledger.Balance]"]):
    """GET /account/v1/holder/company/balance: of all payment accounts together, or of a kind of account that is not kept."""

    account_type: str

    async def read(self, session: Session, context: RequestContext) -> list[ledger.Balance]:
        """Reads the balances of the company's payment accounts. It has no others."""
        if self.account_type != PAYMENT:
            return []
        ids = [a.id for a in await store.accounts_of(session, context.company_id, None)]
        return await ledger.balances_of(session, context.company_id, ids, _BRL)

    def decide(self, known: list[ledger.Balance], context: RequestContext) -> Done:
        """Renders their sum."""
        amounts = _wire(ledger.company_balances(known, _BRL), stamp(context.now))
        return Done(None, render(CompanyBalance(account_type=self.account_type, **amounts)))


def _wire(amounts: tuple[Money, Money, Money], at: str) -> dict[str, Any]:
    available, held, blocked = map(BalanceMoney.of, amounts)
    return {
        "currency": amounts[0].currency, "available": available, "held": held, "blocked": blocked, "balance": available,
        "provisioned": held, "as_of": at,
    }  # fmt: skip
