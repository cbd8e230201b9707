"""Reading one case, and a page of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.med import store
from lastro.med.rendering import MedList, in_full, listed

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import Query, RequestContext
    from lastro.med.model import Case, DisputeFilter, MedObject


@dataclass(frozen=True)
class ReadDispute(Act["Case | None"]):
    """GET /order/v1/banking/med/{referenceId}."""

    object_id: UUID | None

    def query(self) -> Query[Case | None] | None:
        """The object, its history and its recovery in one statement."""
        return None if self.object_id is None else store.case(self.object_id)

    async def read(self, session: Session, context: RequestContext) -> Case | None:
        """Reads the object; None for an id that is not valid."""
        return None if self.object_id is None else await super().read(session, context)

    def decide(self, known: Case | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, render(in_full(known)))


@dataclass(frozen=True)
class ListDisputes(Act["tuple[int, list[MedObject]]"]):
    """GET /order/v1/banking/med. wanted: None if an account's id in it is no id: the list is empty."""

    wanted: DisputeFilter | None
    page: int
    limit: int

    async def read(self, session: Session, context: RequestContext) -> tuple[int, list[MedObject]]:
        """The page, and how many there are."""
        if self.wanted is None:
            return 0, []
        offset = (self.page - 1) * self.limit
        return await store.objects_in(session, context.company_id, self.wanted, self.limit, offset)

    def decide(self, known: tuple[int, list[MedObject]], context: RequestContext) -> Done:
        """Shows it."""
        total, rows = known
        has_next = self.page * self.limit < total
        shown = MedList(page=self.page, limit=self.limit, total=total, has_next=has_next, data=[listed(o) for o in rows])
        return Done(None, render(shown))
