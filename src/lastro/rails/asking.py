"""Silence is not failure: what should have ended is asked about until the network says how."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from lastro.base import trace
from lastro.rails import port
from lastro.rails.port import PixFinal, ReturnFinal, Told, Transient, Unknown
from lastro.rails.together import together

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.base.db import Database
    from lastro.rails.inbox import Inbox
    from lastro.rails.port import Pending, Rail

_HARD_TIMEOUT_SECONDS = 10.0
_ROWS = 16
_COMPANIES = 4
_log = structlog.get_logger(__name__)

# A return that never arrived is due again; a row that is still on its way there is left alone.
_SEND_AGAIN = """
UPDATE outbox SET due_at = business_now(), done_at = NULL, outcome = NULL
 WHERE company_id = $1 AND rail = $2 AND network_id = $3 AND due_at IS NULL AND outcome = 'sent' RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Question:
    """table: whose rows in `state` are asked about when ask_at has come. name: the column with their id in the network."""

    table: str
    name: str
    state: str

    @property
    def find_sql(self) -> str:
        """Companies with something to ask, longest waiting first."""
        return (
            f"SELECT company_id FROM {self.table} WHERE state = '{self.state}'"  # noqa: S608 names of our own code
            " AND ask_at <= (SELECT business_now()) GROUP BY company_id ORDER BY min(ask_at) LIMIT 1000"
        )

    @property
    def claim_sql(self) -> str:
        """Counts the question and sets when the next is due, before it is asked; the object's version stays as it is."""
        return (
            f"UPDATE {self.table} SET asked = asked + 1,"  # noqa: S608
            " ask_at = (SELECT business_now()) + ($3::interval[])[least(asked + 1, cardinality($3::interval[]))]"
            f" WHERE company_id = $1 AND id = ANY (ARRAY(SELECT id FROM {self.table} WHERE company_id = $1"
            f" AND state = '{self.state}' AND ask_at <= (SELECT business_now())"
            f" ORDER BY ask_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING company_id, id, asked, {self.name} AS name"
        )


PAYMENTS = Question("pix_payments", "end_to_end_id", "ACCEPTED")
RETURNS = Question("refunds", "return_id", "PENDING")


class Asker:
    """Asks one rail about everything that is open there, after 10 s, 30 s, 1 min, 5 min, then every 15 min.

    A payment that we accepted and that the network does not know is asked about for as long as it takes: only a refusal
    that the network words frees its order.
    """

    def __init__(self, database: Database, work: Database, inbox: Inbox, rail: Rail) -> None:
        self._database = database
        self._work = work
        self._inbox = inbox
        self._rail = rail

    async def round(self) -> bool:
        """Asks what is due; whether an answer came that others have to look at. DatabaseAway: try again later."""
        return any([await self._questions(question) for question in (PAYMENTS, RETURNS)])

    async def _questions(self, question: Question) -> bool:
        async with self._work.session() as session:
            companies = [r["company_id"] for r in await session.fetch(question.find_sql)]

        async def of_company(company_id: UUID) -> bool:
            async with self._database.session(company_id) as session:
                rows = await session.fetch(question.claim_sql, company_id, _ROWS, list(port.ASK_AGAIN))
            return any(await together(rows, lambda row: self._ask(question, row), _ROWS))

        return any(await together(companies, of_company, _COMPANIES))

    async def _ask(self, question: Question, row: Record) -> bool:
        trace.carry(trace.Trace(str(row["id"]), row["company_id"]))
        try:
            async with asyncio.timeout(_HARD_TIMEOUT_SECONDS):
                answer = await self._answer(question, row["name"])
        except (Transient, TimeoutError) as silent:
            _log.warning("network.silent", network_id=row["name"], attempt=row["asked"], reason=str(silent) or "no answer")
            return False
        if isinstance(answer, PixFinal | ReturnFinal):
            kind = port.PIX_FINAL if isinstance(answer, PixFinal) else port.RETURN_FINAL
            told = Told(kind, f"asked:{row['id']}:{row['asked']}", row["name"], port.encode(answer))
            await self._inbox.store(row["company_id"], [told])
            return True
        if isinstance(answer, Unknown):
            return await self._unknown(question, row)
        return False

    async def _answer(self, question: Question, name: str) -> PixFinal | ReturnFinal | Pending | Unknown:
        if question is PAYMENTS:
            return await self._rail.payment(name)
        return await self._rail.returned(name)

    async def _unknown(self, question: Question, row: Record) -> bool:
        """The network never heard of it; whether something is due again because of it."""
        if question is PAYMENTS:
            _log.error("network.payment_unknown", network_id=row["name"], attempt=row["asked"])
            return False
        async with self._database.session(row["company_id"]) as session:
            again = await session.fetch(_SEND_AGAIN, row["company_id"], port.RAIL, row["name"])
        if again:
            _log.warning("network.return_unknown", network_id=row["name"], attempt=row["asked"])
        return bool(again)
