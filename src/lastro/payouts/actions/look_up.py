"""Looks up the owner of a key before a payment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.payouts import store
from lastro.payouts.keys_and_limits import looked_up
from lastro.payouts.problems import KEY_REQUIRED
from lastro.rails.port import Asking, BudgetSpent, NoEntry, Transient
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.payouts.actions.finding import Ways
    from lastro.rails.port import KeyEntry
    from lastro.standards.banks import BankList

_SOON = 5  # seconds until a directory that was silent is asked again


@dataclass(frozen=True, slots=True)
class LookUpContext:
    """The account that asks, and the directory's entry. asker None: the account is not the company's."""

    requester: store.KeyLookUp | None
    banks: BankList
    entry: KeyEntry | None = None


@dataclass(frozen=True)
class LookUp(Act[LookUpContext]):
    """GET /order/v1/banking/accounts/{id}/keys/lookup. key: in its canonical form; None: it was not given."""

    account_id: UUID | None
    key: str | None
    ways: Ways

    async def read(self, session: Session, context: RequestContext) -> LookUpContext:
        """Reads the account's holder, in whose name the directory is asked."""
        requester = None
        if self.account_id is not None:
            requester = await store.requester(session, context.company_id, self.account_id)
        return LookUpContext(requester, await self.ways.banks.read(session))

    async def call_out(self, known: LookUpContext, context: RequestContext) -> LookUpContext | Refused:
        """Asks the directory, under an id of a payment that may follow."""
        if known.requester is None:
            return NOT_FOUND
        if self.key is None:
            return KEY_REQUIRED.refused()
        name = pix_ids.end_to_end_id(self.ways.ispb, context.now, known.requester.company_number, known.requester.sequence)
        try:
            entry = await self.ways.directory.entry(self.key, Asking(context.company_id, known.requester.document, name))
        except BudgetSpent as spent:
            return Refused(Kind.TOO_MANY, retry_after_seconds=spent.seconds)
        except Transient as silent:
            return Refused(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or _SOON)
        return NOT_FOUND if isinstance(entry, NoEntry) else replace(known, entry=entry)

    def decide(self, known: LookUpContext, context: RequestContext) -> Done:
        """Shows it."""
        assert known.entry is not None
        return Done(None, render(looked_up(known.entry, known.banks.by_ispb(known.entry.ispb))))
