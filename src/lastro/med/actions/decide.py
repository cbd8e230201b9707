"""lastro med decide: the institution's verdict on a notice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.med import rules, store
from lastro.med.actions.time import said

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.med.model import MedObject, Stand


@dataclass(frozen=True)
class Decide(Act["MedObject | None"]):
    """The verdict on a notice that is RECEIVED. verdict: AGREED or DISAGREED.

    fraud: the kind, of AGREED; only the analysis knows it. details: in words, for the directory, needed for OTHER. why: by
    whom and for what reason, for the history.
    """

    object_id: UUID
    verdict: str
    stand: Stand
    fraud: str | None = None
    details: str | None = None
    why: str | None = None

    async def read(self, session: Session, context: RequestContext) -> MedObject | None:
        """The notice."""
        return await store.found(session, context.company_id, self.object_id)

    def decide(self, known: MedObject | None, context: RequestContext) -> Done | Refused:
        """Moves the notice to ANALYSED, and tells the directory. Refuses an object that waits for no verdict."""
        words = rules.verdict_words_problem(self.verdict, self.fraud, self.details)
        problem = words or rules.verdict_problem(known)
        if problem is not None:
            return Refused(Kind.CONFLICT if problem.issue == "CONFLICT" else Kind.INVALID, (problem,))
        assert known is not None
        return Done(
            said(known, self.verdict, self.stand, context, self.fraud, self.details, self.why),
            render({"referenceId": str(known.id), "analysisResult": self.verdict}),
        )
