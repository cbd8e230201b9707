"""A scene, a bank beside it, and a poller of our connection there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from lastro.orders import ForeignPayments
from lastro.rails import port
from lastro.rails.api_pix import BankLine
from lastro.rails.api_pix.exchange import Line
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.api_pix.polling import PaymentRouter, Polling, PollingTerms
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.cursors import RailCursor
from lastro.rails.inbox import Inbox
from lastro.rails.instruments import Instruments

from .api_pix_bank import serving
from .api_pix_recurring import RecurringBank
from .conftest import House, Scene
from .network import ISPB

RAIL, KEY = "efi1", "loja@example.com"
TXID = "00007" + "a" * 27
OTHERS = "00007" + "b" * 27  # a txid of another system of the merchant, which decodes to the number of our company
DAY = timedelta(days=1)


@dataclass
class Branch:
    """A scene, a bank beside it, and a poller of our connection there."""

    scene: Scene
    ana: UUID
    bank: RecurringBank
    line: BankLine

    def terms(self, **changes: Any) -> ListTerms:
        return replace(ListTerms(RAIL, "utc", 5 * DAY, 100), **changes)

    def cursor(self, number: int = 1, seconds: float = 60.0) -> RailCursor:
        return RailCursor(self.scene.database, RAIL, "pix", UUID(int=number), seconds)

    def polling(
        self,
        number: int = 1,
        poll_seconds: float = 600,
        line: Line | None = None,
        hint_seconds: float = 0.02,
        **changes: Any,
    ) -> Polling:
        line, terms = line or self.line, self.terms(**changes)
        how = PollingTerms(RAIL, poll_seconds, hint_seconds, take_over_seconds=0.02)
        recurring = Recurring(RAIL, line, terms.clock, 7)
        router = PaymentRouter(terms, self.instruments, ForeignPayments(self.scene.runner, self.ana), recurring)
        return Polling(how, terms, line, Lists(terms, line), self.cursor(number), router, recurring)

    @property
    def instruments(self) -> Instruments:
        return Instruments(self.scene.work, self.scene.database)

    @property
    def inbox(self) -> Inbox:
        return Inbox(self.scene.database, self.scene.work, self.scene.chance, ISPB, RAIL)

    async def keep(self, messages: list[port.NetworkMessage]) -> None:
        await self.inbox.keep(messages)

    async def told(self) -> list[tuple[UUID, str, str]]:
        rows = await self.scene.rows("SELECT company_id, kind, network_id FROM inbox ORDER BY network_id")
        return [(row["company_id"], row["kind"], row["network_id"]) for row in rows]

    async def foreign(self) -> list[str]:
        return [row["payment_id"] for row in await self.scene.rows("SELECT payment_id FROM foreign_payments ORDER BY 1")]

    async def until(self) -> datetime:
        (row,) = await self.scene.rows("SELECT until FROM rail_cursors")
        at: datetime = row["until"]
        return at

    async def later(self, seconds: int) -> None:
        """Business time is so much later."""
        await self.scene.admin.execute(
            "UPDATE clock SET offset_us = offset_us + $1::bigint, version = version + 1", seconds * 10**6
        )

    async def instrument(self, txid: str = TXID, key: str = KEY, rail: str = RAIL) -> None:
        """An order of a connection of ours at a key of its; nobody but its txid and key matters here."""
        await order_with(self.scene, self.ana, txid, key, rail)


async def order_with(scene: Scene, company_id: UUID, txid: str, key: str, rail: str = RAIL) -> None:
    """Writes an order that a connection has the charge of, without what else hangs on one."""
    order_id = scene.chance.uuid(await scene.now())
    await scene.admin.execute("SET session_replication_role = replica")
    await scene.admin.execute(
        "INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, description,"
        " pix_key, pix_key_type, txid, created_at, updated_at)"
        " VALUES ($1, $2, $2, $3, 'TRANSPARENT', 'PIX', 'INITIAL', 'BRL', '', $4, 'EMAIL', $3, clock_timestamp(), now())",
        company_id, order_id, txid, key,
    )  # fmt: skip
    await scene.admin.execute(
        "INSERT INTO instruments (company_id, order_id, rail, reference) VALUES ($1, $2, $3, $4)",
        company_id, order_id, rail, txid,
    )  # fmt: skip
    await scene.admin.execute(
        "INSERT INTO connections (company_id, rail, created_at, updated_at) VALUES ($1, $2, now(), now())"
        " ON CONFLICT DO NOTHING", company_id, rail,
    )  # fmt: skip
    await scene.admin.execute("SET session_replication_role = DEFAULT")


@asynccontextmanager
async def branch_of(scene: Scene, house: House) -> AsyncIterator[Branch]:
    """Opens a bank whose clock shows business time, where an order of Ana's is payable."""
    bank = RecurringBank(now=await scene.now())
    async with serving(bank) as line:
        made = Branch(scene, house.ana, bank, line)
        await made.instrument()
        yield made
