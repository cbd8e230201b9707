"""Reads a request, and the terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts.opening import store
from lastro.accounts.opening.rendering import shown, terms_shown
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.opening.model import Request
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext


@dataclass(frozen=True)
class ReadRequest(Act["Request | None"]):
    """GET /order/v1/banking/accounts/requests/{id}."""

    request_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> Request | None:
        """Reads the request; None: unknown."""
        return None if self.request_id is None else await store.request_by_id(session, context.company_id, self.request_id)

    def decide(self, known: Request | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, render(shown(known)))


@dataclass(frozen=True)
class ReadTerms(Act[None]):
    """GET /order/v1/banking/accounts/terms."""

    holder_type: str
    public_url: str

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Done:
        """Shows them."""
        del known
        return Done(None, render(terms_shown(self.holder_type, self.public_url)))
