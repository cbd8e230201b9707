"""Blocks and unblocks an account: lastro account block and unblock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts.problems import STATUS_CONFLICT
from lastro.accounts.standing.notifications import status_changed
from lastro.accounts.states import ACCOUNTS
from lastro.accounts.store import account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.model import Account
    from lastro.accounts.standing.reasons import Why
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext


def changed(account: Account, trigger: str, why: Why, context: RequestContext) -> Write:
    """Returns the move of an account and its event. The caller checks that the account may close (trigger `close`)."""
    move = ACCOUNTS.move(account, trigger, context.now, reason=why.recorded)
    return Write(context.company_id, moves=(move,), events=(status_changed(context, account, move.to_state, why),))


@dataclass(frozen=True)
class ChangeStatus(Act["Account | None"]):
    """Blocks or unblocks an account; a blocked one neither receives nor sends. trigger: `block` or `unblock`."""

    account_id: UUID
    trigger: str
    why: Why

    async def read(self, session: Session, context: RequestContext) -> Account | None:
        """Reads the account."""
        return await account_by_id(session, context.company_id, self.account_id)

    def decide(self, known: Account | None, context: RequestContext) -> Done | Refused:
        """Moves it to INACTIVE or ACTIVE; 409 where the account is that already, or closed."""
        if known is None:
            return NOT_FOUND
        if not ACCOUNTS.allows(known.state, self.trigger):
            return STATUS_CONFLICT.refused(status=known.status)
        status = ACCOUNTS.after(known.state, self.trigger)
        said = {
            "id": str(known.id), "number": known.number, "status": status, "previousStatus": known.status,
            "reason": self.why.code, "description": self.why.for_clients,
        }  # fmt: skip
        return Done(changed(known, self.trigger, self.why, context), render(said), known.id)
