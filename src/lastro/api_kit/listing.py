"""Lists a company's rows by pages; a room says which rows, and how each is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.api_kit.rendering import Paged
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext


class ListRows(Act["Part[Any] | None"], ABC):
    """Lists rows by pages. page: as the query asks for it. answer: its `data` has each row as `shown` gives it."""

    page: Page
    answer: ClassVar[type[Paged]]

    @abstractmethod
    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Any]:
        """Reads the rows of a page, up to its reach."""

    @abstractmethod
    def shown(self, row: Any, context: RequestContext) -> object:
        """Returns a row as the answer has it."""

    def created_at(self, row: Any) -> datetime:
        """Returns the time by which rows are in order."""
        at: datetime = row.created_at
        return at

    async def read(self, session: Session, context: RequestContext) -> Part[Any] | None:
        """Reads the page's rows, until an older one could still come."""
        return await self.page.listed(
            lambda page: self.rows(session, context.company_id, page), self.created_at, context.now
        )

    async def call_out(self, known: Part[Any] | None, context: RequestContext) -> Part[Any] | None:
        """Renders a large page in a thread."""
        return None if known is None else await known.rendered(lambda part: self.body(part, context))

    def decide(self, known: Part[Any] | None, context: RequestContext) -> Done | Refused:
        """Answers with the page. None: what it would be of is not there."""
        return NOT_FOUND if known is None else Done(None, known.body or self.body(known, context))

    def body(self, part: Part[Any], context: RequestContext) -> bytes:
        """Renders the page."""
        return render(self.page.answer(self.answer, part, lambda row: self.shown(row, context)))
