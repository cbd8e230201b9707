"""Collects debts from new credits, and blocks money for disputes.

Of a company that was just active, and now and then of all. A sweep, since a credit locks nothing and asks nothing of the
account that it goes to. Until it comes by, that money is not available, and draw() lets none of it out
(docs/decisions/losses.md, docs/decisions/med.md).
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

import structlog

from lastro import ledger, med
from lastro.accounts import Collect
from lastro.core import work_queue
from lastro.core.errors import DatabaseAway, Refused, Stale

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.runner import Runner, Verb

EVERY_SECONDS = 0.5
ALL_EVERY_SECONDS = 20.0  # with what a sweep of all takes, well within the minute that the law gives
UNNAMED_EVERY_SECONDS = 5.0  # at most so often all are looked at for a hint that names nobody, as many are under load
_AT_ONCE = 100
_COMPANIES = "SELECT company_id FROM company_numbers"
_log = structlog.get_logger(__name__)


class Collecting:
    """The sweep for debts. `seen` learns the active companies.

    stand: by which is disputed. on_worked: is called with each outcome.
    """

    def __init__(
        self,
        database: Database,
        work: Database,
        runner: Runner,
        stand: med.Stand,
        on_worked: work_queue.OnWorked = work_queue.ignore_worked,
    ) -> None:
        self._database = database
        self._work = work
        self._runner = runner
        self._on_worked = on_worked
        self._stand = stand
        self._active: set[UUID] = set()
        self._is_anybody_active = False
        self._swept_at = -math.inf  # by the loop's clock

    def seen(self, _topic: str, company_id: UUID | None) -> None:
        """Notes a company's commit; None: a notification of very many."""
        if company_id is None:
            self._is_anybody_active = True
        else:
            self._active.add(company_id)

    async def active(self) -> bool:
        """Collects debts in recently active companies. Never says that there is more.

        Of all companies, UNNAMED_EVERY_SECONDS after the last look at all, if nobody knows which ones are active.
        """
        now = asyncio.get_running_loop().time()
        if self._is_anybody_active and now - self._swept_at >= UNNAMED_EVERY_SECONDS:
            await self.everywhere()
        active, self._active = self._active, set()
        for company_id in active:
            await self.of(company_id)
        return False

    async def everywhere(self) -> bool:
        """Collects debts in every company."""
        self._is_anybody_active = False
        async with self._work.session() as session:
            found = [row["company_id"] for row in await session.fetch(_COMPANIES)]
        for company_id in found:
            await self.of(company_id)
        self._swept_at = asyncio.get_running_loop().time()
        return False

    async def of(self, company_id: UUID) -> None:
        """Collects debts in one company; one account's trouble stops no other. DatabaseAway: try again later."""
        async with self._database.session(company_id) as session:
            found = await ledger.covered_debts(session, company_id, _AT_ONCE)
            watched = await ledger.watched_accounts(session, company_id, _AT_ONCE)
            requests = await med.watching(session, company_id, watched, _AT_ONCE) if watched else []
        for account_id, currency in found:
            await self._take(company_id, account_id, Collect(account_id, currency))
        for object_id in requests:
            await self._take(company_id, object_id, med.BlockLater(object_id, self._stand))

    async def _take(self, company_id: UUID, account_id: UUID, verb: Verb[Any]) -> None:
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            outcome = await self._runner.act(company_id, verb)
        except DatabaseAway:
            raise
        except Stale:
            self._active.add(company_id)  # a conflict, so it is looked at again
            return
        except Exception:  # noqa: BLE001 one account must not stop the others
            _log.exception("due.failed", lane="collecting", id=str(account_id))
            return
        if not isinstance(outcome, Refused) and outcome.write is not None:
            seconds = clock() - begun
            self._on_worked(work_queue.Worked("due", "collecting", "done", seconds, company_id, (account_id,), account_id))
