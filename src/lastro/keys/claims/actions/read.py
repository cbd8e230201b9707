"""Reading one claim, and a page of an account's claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.accounts import account_by_id
from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.keys.claims import store
from lastro.keys.claims.rendering import ClaimList, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
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
class ListClaims(ListRows):
    """GET …/keys/claims. status: a filter; None: all."""

    account_id: UUID
    status: str | None
    page: Page
    answer = ClaimList

    async def read(self, session: Session, context: RequestContext) -> Part[Any] | None:
        """Reads the page; None: there is no such account."""
        is_there = await account_by_id(session, context.company_id, self.account_id)
        return None if is_there is None else await super().read(session, context)

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[KeyClaim]:
        """Reads the claims of a page."""
        return await store.claims_in(session, company_id, self.account_id, page, self.status)

    def shown(self, row: KeyClaim, context: RequestContext) -> object:
        """Returns the claim as it stands now."""
        return shown(row, context.now)
