"""Reading one claim, and a page of an account's claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.keys.claims import store
from lastro.keys.claims.rendering import ClaimList, shown

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.keys.claims.model import KeyClaim


@dataclass(frozen=True)
class ReadClaim(Act["KeyClaim | None"]):
    """GET …/keys/claims/{claimId}. None: it is no valid id."""

    account_id: UUID
    claim_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> KeyClaim | None:
        """The claim."""
        return await store.claim_of(session, context.company_id, self.account_id, self.claim_id)

    def decide(self, known: KeyClaim | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, render(shown(known, context.now)))


@dataclass(frozen=True)
class ListClaims(Act["Part[KeyClaim] | None"]):
    """GET …/keys/claims. status: a filter; None: all."""

    account_id: UUID
    status: str | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> Part[KeyClaim] | None:
        """The claims of the page; None: there is no such account."""
        if not await accounts_of(session, context.company_id, [self.account_id]):
            return None
        return await self.page.listed(
            lambda page: store.claims_in(session, context.company_id, self.account_id, page, self.status),
            lambda claim: claim.created_at,
            context.now,
        )

    async def call_out(self, known: Part[KeyClaim] | None, context: RequestContext) -> Part[KeyClaim] | None:
        """A large page is rendered in a thread."""
        return None if known is None else await known.rendered(lambda part: self._render(part, context.now))

    def decide(self, known: Part[KeyClaim] | None, context: RequestContext) -> Done | Refused:
        """The page as it is shown."""
        return NOT_FOUND if known is None else Done(None, known.body or self._render(known, context.now))

    def _render(self, known: Part[KeyClaim], now: datetime) -> bytes:
        return render(self.page.answer(ClaimList, known, lambda one: shown(one, now)))
