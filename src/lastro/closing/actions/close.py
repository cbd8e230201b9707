"""Closing an account, by its client or by lastro's operator; and reading such a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from lastro.accounts import ACCOUNTS, account_by_id, changed
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.closing import store
from lastro.closing.model import CloseRequest, Obstacle
from lastro.closing.problems import STATUS_CONFLICT
from lastro.closing.rendering import in_the_way, listed, shown
from lastro.closing.states import CLOSE_REQUESTS
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account, Why
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext


@dataclass(frozen=True, slots=True)
class CloseAccountContext:
    """The account, and the obstacles to closing it."""

    account: Account
    obstacles: tuple[Obstacle, ...]


@dataclass(frozen=True)
class Close(Act["CloseAccountContext | None"]):
    """POST /order/v1/banking/accounts/{id}/close-request, and lastro account close."""

    account_id: UUID | None
    why: Why

    async def read(self, session: Session, context: RequestContext) -> CloseAccountContext | None:
        """Reads the account and the obstacles."""
        account = await account_by_id(session, context.company_id, self.account_id)
        if account is None:
            return None
        return CloseAccountContext(account, await store.obstacles_of(session, context.company_id, account.id))

    def decide(self, known: CloseAccountContext | None, context: RequestContext) -> Done | Refused:
        """Closes the account, or refuses with the list of obstacles.

        CLOSED: REQUESTED until all its objects are ended; REFUSED: nothing else changes. A credit takes no lock, so it may
        change what was read. So the write looks again, under the account's lock, behind everybody who relied on the account:
        a credit that came first makes it decide anew, one that comes later finds the account closed.
        """
        if known is None:
            return NOT_FOUND
        account = known.account
        if not ACCOUNTS.allows(account.state, "close"):
            return STATUS_CONFLICT.refused(status=account.status)
        is_refused = bool(known.obstacles)
        request = CloseRequest(
            context.chance.uuid(context.now), "REFUSED" if is_refused else "REQUESTED", 2 if is_refused else 1, account.id,
            self.why.code, self.why.description, known.obstacles, context.now, context.now,
        )  # fmt: skip
        values = {
            "id": request.id, "account_id": account.id, "reason_code": request.reason_code, "reason": request.reason,
            "obstacles": msgspec.json.encode([in_the_way(one) for one in known.obstacles]).decode(),
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        triggers = ("request", "refuse") if is_refused else ("request",)
        write = Write(context.company_id, rows=CLOSE_REQUESTS.born(values, context.now, triggers, reason=self.why.recorded))
        if not is_refused:
            write += Write(context.company_id, relies=(Relied("closing", account.id, account.version),))
            write += changed(account, "close", self.why, context)
        return Done(write, render(shown(request)), request.id)


@dataclass(frozen=True)
class ReadCloseRequest(Act["CloseRequest | None"]):
    """GET /order/v1/banking/accounts/close-requests/{id}."""

    request_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> CloseRequest | None:
        """The request."""
        return None if self.request_id is None else await store.request_by_id(session, context.company_id, self.request_id)

    def decide(self, known: CloseRequest | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, render(shown(known)))


@dataclass(frozen=True)
class ListCloseRequests(Act["tuple[list[CloseRequest], int | None]"]):
    """POST /order/v1/banking/accounts/close-requests/paged/list. skip, take: of all requests, newest first."""

    skip: int
    take: int
    is_counted: bool

    async def read(self, session: Session, context: RequestContext) -> tuple[list[CloseRequest], int | None]:
        """Reads the requests, and their number where it is wanted."""
        found = await store.requests_of(session, context.company_id, self.skip, self.take)
        return found, await store.number_of_requests(session, context.company_id) if self.is_counted else None

    def decide(self, known: tuple[list[CloseRequest], int | None], context: RequestContext) -> Done:
        """Shows them."""
        return Done(None, render(listed(*known)))
