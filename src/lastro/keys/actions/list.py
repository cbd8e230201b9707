"""The keys of an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import accounts_of
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.keys import store
from lastro.keys.rendering import AccountKeys, shown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.keys.model import Key


@dataclass(frozen=True)
class ListKeys(Act["Part[Key] | None"]):
    """GET …/keys: those that lead to the account now."""

    account_id: UUID
    page: Page

    async def read(self, session: Session, context: RequestContext) -> Part[Key] | None:
        """The keys of the page; None: there is no such account."""
        if not await accounts_of(session, context.company_id, [self.account_id]):
            return None
        return await self.page.listed(
            lambda page: store.keys_in(session, context.company_id, self.account_id, page),
            lambda key: key.created_at,
            context.now,
        )

    def decide(self, known: Part[Key] | None, context: RequestContext) -> Done | Refused:
        """The page as it is shown."""
        return NOT_FOUND if known is None else Done(None, render(self.page.answer(AccountKeys, known, shown)))
