"""The part of a worker that carries between accounts here: Ana's office pays Dora, who has a company of her own."""

import os
from datetime import timedelta
from typing import Any

import msgspec
from tests.cast import Cast, Seller
from tests.rooms.lanes import Lanes

from lastro import orders
from lastro.core import work_queue
from lastro.core.db import Database
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.payouts.model import BankAccount, PayeePerson
from lastro.rails import port
from lastro.rails.internal_transfer import Book

from .office import HERE, PLACE, Office

_BOOK = work_queue.Queue("outbox", only="rail = 'book'")


class Here(Lanes):
    """Its lanes, and another worker that carries by hand."""

    rail: Book
    office: Office
    dora: Seller

    @classmethod
    async def open(cls, cast: Cast, work: Database) -> "Here":
        here = cls(cast, work, port.BOOK, place=PLACE)
        here.office, here.dora = await Office.open(cast, await cast.ana()), await cast.dora()
        return here

    @property
    def outcomes(self) -> list[str]:
        """How each sending ended."""
        return [outcome for _, outcome in self.worked]

    async def carry(self) -> None:
        """Until nothing is due."""
        for _ in range(6):
            await self.send()
            await self.handle()

    def place(self, seller: Seller, number: str = "") -> dict[str, Any]:
        holder, account = seller.holder, number or seller.account_number
        person = PayeePerson(holder.full_name, holder.document_type, holder.document_number)
        return {"place": BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", account), "person": person}

    async def message(self) -> tuple[str | None, bool, int]:
        """What the one payout's message was settled with, whether it is due at all, and how often it was taken in hand."""
        sql = "SELECT outcome, due_at IS NOT NULL, sends FROM outbox WHERE kind = 'payment.send'"
        ((outcome, is_due, sends),) = await self.office.rows(sql)
        return outcome, is_due, sends

    async def give_back(self, cents: int) -> dict[str, Any]:
        """Dora refunds the order that Ana's payout has made."""
        (order_id,) = await self.office.column("SELECT id FROM orders", of=self.dora)
        wish = orders.RefundWish(order_id, os.urandom(8).hex(), Money(cents, "BRL"), "MD06", description="Too much")
        give = orders.GiveBack(wish, PLACE)
        reply = await self.cast.run(self.dora.client, give, operation="create_refund", status=201)
        assert isinstance(reply, Reply), reply
        made: dict[str, Any] = msgspec.json.decode(reply.body)
        return made

    # ── by hand ──

    async def takes(self, limit: int = 9, seller: Seller | None = None) -> list[Any]:
        """Takes in hand what is to be sent."""
        company_id = (seller or self.office.ana).company_id
        return await work_queue.claim(self.cast.database, _BOOK, company_id, self.cast.id(), limit)

    async def brings(self, row: Any) -> None:
        await self.rail.send(row["kind"], row["network_id"], bytes(row["body"]), row["company_id"])

    async def settles(self, row: Any) -> None:
        await work_queue.finish(self.cast.database, _BOOK, row["company_id"], [row["id"]], row["lease_token"], "sent")

    async def puts_down(self, row: Any) -> None:
        """As if it had died with it in hand, a lease ago."""
        await work_queue.release(self.cast.database, _BOOK, row, timedelta(0))
