"""The keys of an account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.accounts import account_by_id
from lastro.api_kit.listing import ListRows
from lastro.keys import store
from lastro.keys.rendering import AccountKeys, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.keys.model import Key


@dataclass(frozen=True)
class ListKeys(ListRows):
    """GET …/keys: those that lead to the account now."""

    account_id: UUID
    page: Page
    answer = AccountKeys

    async def read(self, session: Session, context: RequestContext) -> Part[Any] | None:
        """Reads the page; None: there is no such account."""
        is_there = await account_by_id(session, context.company_id, self.account_id)
        return None if is_there is None else await super().read(session, context)

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Key]:
        """Reads the keys of a page."""
        return await store.keys_in(session, company_id, self.account_id, page)

    def shown(self, row: Key, context: RequestContext) -> object:
        """Returns the key as lists show it."""
        return shown(row)
