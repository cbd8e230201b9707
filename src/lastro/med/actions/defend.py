"""The defense of an account's holder to a notice. The institution weighs it before it decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.med import rules, store
from lastro.med.actions.writing import moved
from lastro.med.rendering import in_full

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.med.model import Case


@dataclass(frozen=True)
class Defend(Act["Case | None"]):
    """POST /order/v1/banking/med/{referenceId}/defense. The same text again changes nothing; another one replaces it."""

    object_id: UUID | None
    text: str

    async def read(self, session: Session, context: RequestContext) -> Case | None:
        """Reads the notice, with all that is shown."""
        return None if self.object_id is None else await store.whole(session, context.company_id, self.object_id)

    def decide(self, known: Case | None, context: RequestContext) -> Done | Refused:
        """Keeps the defense in the notice and its history. It may be given until its time is over or a decision."""
        if known is None:
            return NOT_FOUND
        own = known.subject
        problem = rules.defense_problem(own, context.now)
        if problem is not None:
            return problem
        if own.defense == self.text:
            return Done(Write(context.company_id), render(in_full(known)), own.id)
        after, write = moved(own, "notice defend", context, defense=self.text, defended_at=context.now)
        return Done(write, render(in_full(replace(known, subject=after))), own.id)
