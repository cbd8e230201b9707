"""The service's own claim messages. Our default of an undecided claim, and the end of a closed account's claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.keys.claims import rules, store
from lastro.keys.claims.actions.writing import ordered

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.keys.claims.model import KeyClaim
    from lastro.rails.port import ClaimAct


@dataclass(frozen=True)
class Fall(Act["KeyClaim | None"]):
    """The default of a claim after its time to be decided. The claim moves by the directory's message, which follows."""

    claim_id: UUID

    async def read(self, session: Session, context: RequestContext) -> KeyClaim | None:
        """The claim."""
        return await store.claim_by_id(session, context.company_id, self.claim_id)

    def decide(self, known: KeyClaim | None, context: RequestContext) -> Done:
        """Tells the directory our default, if it is still due."""
        if known is None or known.due_at is None or known.due_at > context.now:
            return Done(None, b"")
        return Done(_told(known, rules.default_of(known), context), b"", known.id)


@dataclass(frozen=True)
class LetGo(Act["KeyClaim | None"]):
    """The open claim of a closed account. It is ended if its side may end it, and else goes on."""

    claim_id: UUID

    async def read(self, session: Session, context: RequestContext) -> KeyClaim | None:
        """The claim."""
        return await store.claim_by_id(session, context.company_id, self.claim_id)

    def decide(self, known: KeyClaim | None, context: RequestContext) -> Done:
        """Tells the directory once. A later run finds it told."""
        what = None if known is None else rules.at_closing(known)
        return Done(None, b"") if known is None or what is None else Done(_told(known, what, context), b"", known.id)


def _told(one: KeyClaim, what: tuple[ClaimAct, str], context: RequestContext) -> Write:
    """The act by the outbox; nothing else is due of this claim by us."""
    touch = Touch("key_claims", one.id, one.version, {"due_at": None})
    return Write(context.company_id, touches=(touch,)) + ordered(one, *what, context)
