"""Polls for the end of overdue orders until the network tells it. Silence is not failure."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from lastro.core import trace, work_queue
from lastro.core.concurrency import together
from lastro.rails import port
from lastro.rails.port import NetworkMessage, Transient, Unknown
from lastro.rails.rejected_messages import REFUSED_ENDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.rails.inbox import Inbox
    from lastro.rails.port import Rail, Waiting

_HARD_TIMEOUT_SECONDS = 10.0
_ROWS = 16
_COMPANIES = 4
# Orders that never arrived and that their room gives up by a verb of its own; any other ends as refused.
_NEVER = {
    port.RETURN_SEND: port.RETURN_NEVER, port.PAYMENT_SEND: port.PAYMENT_NEVER, port.TED_SEND: port.PAYMENT_NEVER,
    port.CARD_AUTHORIZE: port.PAYMENT_NEVER,
}  # fmt: skip
_log = structlog.get_logger(__name__)

# An order that never arrived is due again; a row that is still on its way there is left alone.
_SEND_AGAIN = """
UPDATE outbox SET due_at = business_now(), done_at = NULL, outcome = NULL
 WHERE company_id = $1 AND rail = $2 AND network_id = $3 AND due_at IS NULL AND outcome = 'sent' RETURNING id
"""
# Nobody may send it, or have it sent again, any more; unless it was taken in hand since the network was asked.
_TAKE_BACK = f"""
UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'withdrawn'
 WHERE company_id = $1 AND rail = $2 AND network_id = $3 AND sends = $4 AND lease_token IS NULL
RETURNING body, (SELECT d.body FROM inbox d WHERE d.company_id = $1 AND d.kind = '{port.ORDER_DOUBTED}' AND d.subject = $3
                  ORDER BY d.id LIMIT 1) AS doubt
"""  # noqa: S608 a kind of ours


class StatusPoller:
    """Polls one rail about all open objects there.

    Most are asked about after 10 s, 30 s, 1 min, 5 min, then every 15 min. A payment that we accepted and that the
    network does not know is asked about for as long as it takes: only a refusal that the network words frees its order.
    waiting: the rooms' objects there.
    """

    def __init__(
        self, database: Database, work: Database, inbox: Inbox, name: str, rail: Rail, waiting: Sequence[Waiting]
    ) -> None:
        self._database = database
        self._work = work
        self._inbox = inbox
        self._name = name
        self._rail = rail
        self._waiting = waiting

    @property
    def first_sql(self) -> tuple[str, ...]:
        """The SQL of the first rows to poll, for each `Waiting`. At most $1 each."""
        return tuple(waiting.first_sql for waiting in self._waiting)

    async def round(self) -> bool:
        """Polls the due objects; tells whether there were any. DatabaseAway: try again later."""
        return any([await self._questions(waiting) for waiting in self._waiting])

    async def _questions(self, waiting: Waiting) -> bool:
        companies = await work_queue.find(self._work, waiting.find_sql)

        async def of_company(company_id: UUID) -> bool:
            async with self._database.session(company_id) as session:
                rows = await session.fetch(waiting.claim_sql, company_id, _ROWS, list(waiting.again))
            await together(rows, lambda row: self._ask(waiting, row), _ROWS)
            return bool(rows)

        return any(await together(companies, of_company, _COMPANIES))

    async def _ask(self, waiting: Waiting, row: Record) -> None:
        trace.take_up(str(row["id"]), row["company_id"])
        try:
            async with asyncio.timeout(_HARD_TIMEOUT_SECONDS):
                answer = await self._rail.status_of(waiting.kind, row["name"])
        except (Transient, TimeoutError) as silent:
            _log.warning("network.silent", network_id=row["name"], attempt=row["asked"], reason=str(silent) or "no answer")
            answer = None
        if isinstance(answer, NetworkMessage):
            await self._keep(row, answer)
            return
        if isinstance(answer, Unknown) and (row["is_over"] or row["doubts"]):
            await self._never(waiting, row)
            return
        if row["is_late"]:
            _log.critical("network.undecided", network_id=row["name"], kind=waiting.kind, attempt=row["asked"])
        if isinstance(answer, Unknown):
            await self._unknown(waiting, row)

    async def _keep(self, row: Record, told: NetworkMessage) -> None:
        told = replace(told, network_id=f"{port.ASKED}{row['name']}:{row['asked']}:{told.kind}")
        await self._inbox.store(row["company_id"], [told])

    async def _never(self, waiting: Waiting, row: Record) -> None:
        """Gives up an order that never arrived, and does not resend it.

        Its time is over, or its message was refused, and no copy of it may be on its way: neither one that somebody has
        in hand, nor, in its time, one that was not refused. The next question finishes the work of a dying process.
        """
        if (never := _NEVER.get(waiting.kind)) is not None:
            await self._keep(
                row, NetworkMessage(never, "", row["name"], port.encode(port.PaymentNever(row["name"], row["sends"])))
            )
            return
        sends = row["sends"]
        if sends is None or not (row["is_over"] or sends <= row["doubts"]):
            return
        async with self._database.session(row["company_id"]) as session:
            taken = await session.row(_TAKE_BACK, row["company_id"], self._name, row["name"], sends)
        if taken is not None:
            doubt = taken["doubt"]
            code = port.NOT_TAKEN if doubt is None else port.payment_doubted(bytes(doubt)).code
            _log.error("network.order_given_up", network_id=row["name"], kind=waiting.kind, code=code, attempt=row["asked"])
            await self._keep(row, REFUSED_ENDS[waiting.kind](bytes(taken["body"]), code))

    async def _unknown(self, waiting: Waiting, row: Record) -> None:
        """Sends again an order that the network never heard of. Others' payments and claims are logged for people."""
        if waiting.kind == port.PIX_ASK:
            _log.error("network.payment_unknown", network_id=row["name"], attempt=row["asked"])
            return
        if waiting.kind == port.CLAIM_NEWS:
            _log.error("network.claim_unknown", network_id=row["name"], attempt=row["asked"])
            return
        async with self._database.session(row["company_id"]) as session:
            again = await session.fetch(_SEND_AGAIN, row["company_id"], self._name, row["name"])
        if again:
            _log.warning("network.order_unknown", network_id=row["name"], kind=waiting.kind, attempt=row["asked"])
