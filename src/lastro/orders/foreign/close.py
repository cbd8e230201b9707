"""Closes a foreign payment: a person has looked at it, and it pays no order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.orders.foreign import store
from lastro.orders.foreign.problems import NOT_FOUND_STATE
from lastro.orders.foreign.rendering import shown_foreign
from lastro.orders.foreign.states import FOREIGN_PAYMENTS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.orders.foreign.model import KeptForeign


@dataclass(frozen=True)
class CloseForeign(Act["KeptForeign | None"]):
    """Closes a foreign payment, so that it waits for nobody. by, reason: who has looked at it and what it is, for the
    history.

    The money stays where it is, at the bank. A closed payment may still be claimed.
    """

    foreign_id: UUID
    by: str
    reason: str

    async def read(self, session: Session, context: RequestContext) -> KeptForeign | None:
        """Reads the payment."""
        return await store.read_foreign(session, context.company_id, self.foreign_id)

    def decide(self, known: KeptForeign | None, context: RequestContext) -> Done | Refused:
        """Moves it to CLOSED."""
        if known is None:
            return NOT_FOUND
        if not FOREIGN_PAYMENTS.allows(known.state, "close"):
            return NOT_FOUND_STATE.refused(state=known.state)
        move = FOREIGN_PAYMENTS.move(known, "close", context.now, reason=f"by {self.by}: {self.reason}")
        return Done(Write(context.company_id, moves=(move,)), render(shown_foreign(known, "CLOSED", None)))
