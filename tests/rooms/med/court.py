"""Disputes about Ana's money as the directory tells of them, and as her account stands by them."""

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from tests.cast import INSTITUTION, PLACE
from tests.rooms.orders.shop import Shop

from lastro import ledger
from lastro.app.inbox_handlers import inbox_verbs
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Write
from lastro.med import TERMS, Decide, DisputeTerms, Fall, Stand
from lastro.rails import port
from lastro.rails.port import MedNews

CONTACT = port.MedContact("med@lastro.example", "+551130030000")
CHOSEN = replace(TERMS, contact=CONTACT, fraud="SCAMMER_ACCOUNT")  # what an institution has to choose for itself


@dataclass
class Court(Shop):
    """What one test does. terms: by which it is disputed."""

    terms: DisputeTerms = CHOSEN

    @property
    def stand(self) -> Stand:
        return Stand(INSTITUTION, self.terms)

    async def transaction(self, order_id: UUID) -> str:
        (name,) = await self.column("SELECT end_to_end_id FROM pix_payments WHERE order_id = $1", order_id)
        return str(name)

    async def notice(self, end_to_end_id: str, cents: int = 1000, **more: Any) -> MedNews:
        """A notice that has not been told yet."""
        values: dict[str, Any] = {
            "object_type": "INFRINGEMENT_NOTIFICATION", "reference_id": uuid4(), "status": "OPEN", "role": "RECEIVER",
            "end_to_end_id": end_to_end_id, "root_id": end_to_end_id, "at": datetime.now(UTC), "recovery_id": uuid4(),
            "situation": "SCAM", "reason": "REFUND_REQUEST", "amount": Money(cents, "BRL"),
        }  # fmt: skip
        return MedNews(**{**values, **more})

    def request(self, notice: MedNews, **more: Any) -> MedNews:
        """The refund request that follows a notice."""
        values = {"object_type": "REFUND_REQUEST", "reference_id": uuid4(), "status": "OPEN", "reason": "FRAUD", **more}
        return msgspec.structs.replace(notice, **values)

    async def says(self, news: MedNews, **more: Any) -> str:
        """The directory tells it; what its message was settled with."""
        changed = msgspec.structs.replace(news, **more)
        row = await self.kept(port.MED_NEWS, changed, changed.end_to_end_id, port.MED)
        verb = inbox_verbs(PLACE, terms=self.terms)[port.MED_NEWS](row)
        assert isinstance(await self.cast.runner.act(self.ana.company_id, verb), Done)
        (outcome,) = await self.column("SELECT outcome FROM inbox WHERE id = $1", row.claimed.row_id)
        return str(outcome)

    async def agreed(self, news: MedNews, verdict: str = "AGREED") -> None:
        """The notice arrives, is acknowledged, and analysed by us."""
        assert await self.says(news) == "handled"
        assert await self.says(news, status="RECEIVED") == "handled"
        fraud = "SCAMMER_ACCOUNT" if verdict == "AGREED" else None
        done = await self.cast.runner.act(self.ana.company_id, Decide(news.reference_id, verdict, self.stand, fraud))
        assert isinstance(done, Done), done

    async def falls(self, news: MedNews) -> bool:
        """Its time has come; whether that did anything."""
        done = await self.cast.runner.act(self.ana.company_id, Fall(news.reference_id, self.stand))
        return isinstance(done, Done) and done.write is not None and not done.write.is_empty

    async def due(self, news: MedNews) -> None:
        """Its time is over: what would take days is so at once."""
        await self._ago("due_at = $2, deadline = $2", news)

    async def spend(self, cents: int) -> None:
        """The account pays so much to somebody."""
        if cents:
            gone = self.cast.transfer(self.ana.customer, self.ana.clearing, cents)
            await commit(self.cast.database, Write(self.ana.company_id, transfers=(gone,)))

    async def looked_at(self, news: MedNews) -> bool:
        """It is time to look whether the account has more by now; whether that did anything."""
        await self._ago("due_at = $2", news)
        return await self.falls(news)

    async def _ago(self, sets: str, news: MedNews) -> None:
        sql = f"UPDATE med_objects SET {sets} WHERE id = $1"
        await self.rows(sql, news.reference_id, datetime.now(UTC) - timedelta(days=1))

    async def returned(self, code: str | None = None) -> str:
        """The network's word of the one return that is on its way."""
        (return_id,) = await self.column("SELECT return_id FROM refunds WHERE state = 'PENDING' AND origin = 'MED'")
        return await self.ends({"returnId": return_id}, code)

    async def is_so(self, news: MedNews) -> tuple[str, int, int, str | None]:
        """Its status, what it blocks, what was given back, and its result."""
        sql = "SELECT status, blocked_minor, returned_minor, result FROM med_objects WHERE id = $1"
        ((status, blocked, returned, result),) = await self.rows(sql, news.reference_id)
        return status, blocked, returned, result

    async def blocked(self) -> int:
        """What of Ana's account is blocked, by the ledger."""
        async with self.cast.database.session(self.ana.company_id) as session:
            (balance,) = await ledger.balances_of(session, self.ana.company_id, [self.ana.account_id], "BRL")
        return balance.blocked.minor

    async def sent(self, kind: str) -> list[dict[str, Any]]:
        """What the directory is told, of one kind, in order."""
        sql = "SELECT body FROM outbox WHERE rail = 'med' AND kind = $1 ORDER BY created_at, id"
        return [msgspec.json.decode(body) for body in await self.column(sql, kind)]

    async def notified(self, news: MedNews) -> list[tuple[str, str, str | None]]:
        """Event, status and previous status of each notification about it."""
        told = await self.news(news.reference_id)
        return [(e["eventType"], e["status"], e.get("previousStatus")) for e in told]


def some_id() -> str:
    """Of a transaction that nobody here knows."""
    return f"E99999020202601311200{os.urandom(6).hex()[1:]}"
