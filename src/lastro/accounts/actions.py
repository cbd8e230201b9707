"""The verbs of accounts: opening one by administration, and reading what it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.accounts import store
from lastro.base.api import render, stamp
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done, Door
from lastro.base.write import Row, Write
from lastro.standards.account_numbers import with_check_digit

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts.model import Holder, Institution
    from lastro.base.db import Session
    from lastro.base.money import Money


@dataclass(frozen=True)
class OpenAccount(Act[int]):
    """Opens an account with a number of its own and a balance of zero; the answer is its id, number and branch."""

    institution: Institution
    holder: Holder
    currency: str = "BRL"

    async def read(self, session: Session, door: Door) -> int:
        """The next eight digits."""
        return await store.next_number(session)

    def decide(self, known: int, door: Door) -> Done:
        """The account, its number and its ledger accounts, in one write."""
        account_id = door.chance.uuid(door.now)
        number = with_check_digit(f"{known:08d}")
        h = self.holder
        account = {
            "id": account_id, "number": number, "branch": self.institution.branch, "status": "ACTIVE",
            "holder_type": h.type, "full_name": h.full_name, "document_type": h.document_type,
            "document_number": h.document_number, "email": h.email, "phone": h.phone,
            "created_at": door.now, "updated_at": door.now,
        }  # fmt: skip
        rows = (
            Row("account_numbers", {"number": number, "account_id": account_id}),
            Row("accounts", account),
            *ledger.account_rows(door.company_id, account_id, self.currency),
        )
        body = render({"id": str(account_id), "number": number, "branch": self.institution.branch})
        return Done(Write(door.company_id, rows=rows), body, account_id)


@dataclass(frozen=True)
class ReadBalance(Act["list[ledger.Balance] | None"]):
    """The balance of one account, or of all of the company's. as_of None: now."""

    account_id: UUID | None
    currency: str
    as_of: datetime | None

    async def read(self, session: Session, door: Door) -> list[ledger.Balance] | None:
        """The balances, or None where the account is not the company's."""
        wanted = None if self.account_id is None else [self.account_id]
        ids = [a.id for a in await store.accounts_of(session, door.company_id, wanted)]
        if self.account_id is not None and not ids:
            return None
        if self.as_of is None or self.as_of >= door.now:
            return await ledger.balances_of(session, door.company_id, ids, self.currency)
        return await ledger.balance_at(session, door.company_id, ids, self.currency, self.as_of)

    def decide(self, known: list[ledger.Balance] | None, door: Door) -> Done | Refused:
        """Renders them; a moment that has not come yet is refused, since nobody knows it."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        if self.as_of is not None and self.as_of > door.now:
            return Refused(Kind.INVALID, (Problem("asOf", "OUT_OF_RANGE", "must not be in the future"),))
        at = stamp(self.as_of or door.now)
        if self.account_id is not None:
            b = known[0]
            return Done(None, render(_wire(b.account_id, self.currency, (b.available, b.held, b.blocked), at)))
        total = _wire(None, self.currency, ledger.company_balances(known, self.currency), at)
        total["accounts"] = [_wire(b.account_id, self.currency, (b.available, b.held, b.blocked), at) for b in known]
        return Done(None, render(total))


def _wire(account_id: UUID | None, currency: str, amounts: tuple[Money, Money, Money], at: str) -> dict[str, object]:
    available, held, blocked = amounts
    owner = {} if account_id is None else {"accountId": str(account_id)}
    return {
        **owner, "currency": currency, "available": available.wire(), "held": held.wire(), "blocked": blocked.wire(),
        "asOf": at,
    }  # fmt: skip
