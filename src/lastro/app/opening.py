"""The wiring of account openings: the parts that need other domains, or a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import structlog

from lastro import accounts, keys
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write
from lastro.rails import port

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext, Verb
    from lastro.orders import Installation
    from lastro.rails.port import Registry

_LATER = timedelta(hours=1)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class GiveKeyContext:
    """The account that waits for its key, and the request's version. key: as the keys package reads it. refused: of it."""

    account: accounts.Account | None
    version: int = 0
    key: Any = None
    refused: Refused | None = None


@dataclass(frozen=True)
class GiveKey(Act[GiveKeyContext]):
    """Gives a random key to an account opened by a request.

    The directory makes it, and is asked outside of the transaction that opened the account, under an id that is the
    request's, so that asking again brings the same key.
    """

    request_id: UUID
    registry: Registry

    async def read(self, session: Session, context: RequestContext) -> GiveKeyContext:
        """Reads the account, where it has no key yet."""
        waiting = await accounts.opening.keyless(session, context.company_id, self.request_id)
        if waiting is None:
            return GiveKeyContext(None)
        (account,) = await accounts.accounts_of(session, context.company_id, [waiting[0]])
        return GiveKeyContext(account, waiting[1], await self._asking(account).read(session, context))

    async def call_out(self, known: GiveKeyContext, context: RequestContext) -> GiveKeyContext | Refused:
        """Asks the directory; one that is away is asked again soon."""
        if known.account is None or not known.account.is_active:
            return known
        looked = await self._asking(known.account).call_out(known.key, context)
        if not isinstance(looked, Refused):
            return replace(known, key=looked)
        return looked if looked.kind is Kind.UNAVAILABLE else replace(known, refused=looked)

    def decide(self, known: GiveKeyContext, context: RequestContext) -> Done:
        """Records the key, and that nothing waits for one any more.

        A blocked account or a refused key waits on, unless the account is closed.
        """
        account = known.account
        if account is None:
            return Done(None, b"")
        if account.status == "CLOSED":
            return Done(self._due(known, context, None), b"")
        given = known.refused
        if account.is_active and given is None:
            said = self._asking(account).decide(known.key, context)
            if isinstance(said, Done) and said.write is not None:
                return Done(said.write + self._due(known, context, None), b"", said.object_id)
            given = said if isinstance(said, Refused) else None
        if given is not None:
            why = "; ".join(problem.description for problem in given.problems)
            _log.error("opening.no_key", id=str(self.request_id), reason=why)
        return Done(self._due(known, context, context.now + _LATER), b"")

    def _asking(self, account: accounts.Account) -> keys.RegisterRandomKey:
        return keys.RegisterRandomKey(account.id, UUID(bytes=self.request_id.bytes, version=4), self.registry)

    def _due(self, known: GiveKeyContext, context: RequestContext, at: datetime | None) -> Write:
        return Write(
            context.company_id, touches=(Touch("account_requests", self.request_id, known.version, {"key_due_at": at}),)
        )


def judged(row: port.InboxRow, place: Installation) -> Verb[Any]:
    """Returns the verb of the partner's verdict about a request."""
    final = port.analysis_final(row.body)
    request_id = port.request_of_analysis(final.reference)
    return accounts.opening.Judged(final, request_id, row.claimed, place.institution)
