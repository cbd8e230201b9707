"""A shop: Ana's orders, paid by the network, and the refunds that she asks for."""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import BENTO, INSTITUTION, PLACE, Cast, Client, Seller

from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.errors import Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.core.write import Row, Write
from lastro.orders import ORDERS, GiveBack, RefundWish
from lastro.rails import port
from lastro.rails.port import Claimed, InboxRow, PixArrival
from lastro.standards.pix_ids import dynamic_txid


@dataclass
class Shop:
    """What one test does."""

    cast: Cast
    ana: Seller
    made: list[str] = field(default_factory=list)

    # ── orders ──

    async def paid(self, cents: int = 1000, *, days_ago: float = 0, **values: Any) -> UUID:
        """An order that is paid, as the network says; it was made, and its payment came, so long ago."""
        order_id = await self.order(cents, days_ago=days_ago, **values)
        await self.settles(order_id, values.get("final_amount_minor", cents), datetime.now(UTC) - timedelta(days=days_ago))
        return order_id

    async def settles(self, order_id: UUID, cents: int, at: datetime) -> None:
        """The network says that an order was paid."""
        (txid,) = await self.column("SELECT txid FROM orders WHERE id = $1", order_id)
        arrival = PixArrival(
            message_id="M", end_to_end_id=f"E12345678202601311200{os.urandom(6).hex()[1:]}", txid=txid,
            amount=Money(cents, "BRL"), accepted_at=at, payer=BENTO, receiver_branch=INSTITUTION.branch,
            receiver_account=self.ana.account_number, receiver_document=None, key=self.ana.pix_key, instrument="QRDN",
            settled_at=at,
        )  # fmt: skip
        assert await self.told(port.PIX_SETTLED, arrival, arrival.end_to_end_id) == "handled"

    async def order(self, cents: int = 1000, *, days_ago: float = 0, **values: Any) -> UUID:
        """An order that nobody has paid, made so long ago."""
        at, code = datetime.now(UTC) - timedelta(days=days_ago), os.urandom(8).hex()
        row = {
            "id": self.cast.id(), "account_id": self.ana.account_id, "external_id": code, "origin": "TRANSPARENT",
            "payment_method": "PIX", "currency": "BRL", "amount_minor": cents, "final_amount_minor": cents,
            "description": "Flores", "notification_url": "https://ana.example/hook",
            "txid": dynamic_txid(self.ana.number, os.urandom(24)), "expires_at": at + timedelta(days=1), "created_at": at,
            "updated_at": at, **values,
        }  # fmt: skip
        await commit(self.cast.database, Write(self.ana.company_id, rows=ORDERS.born(row, at)))
        return UUID(str(row["id"]))

    # ── refunds ──

    async def ask(
        self, order_id: UUID, cents: int, *, by: Client | None = None, key: str | None = None, **wish: Any
    ) -> Reply | Refused:
        """A client asks for a refund."""
        values = {"external_id": os.urandom(8).hex(), "code": "MD06", **wish}
        verb = GiveBack(RefundWish(order_id=order_id, amount=Money(cents, "BRL"), **values), PLACE)
        return await self.cast.run(by or self.ana.client, verb, operation="create_refund", key=key, status=201)

    async def back(self, order_id: UUID, cents: int, **wish: Any) -> dict[str, Any]:
        """A refund that must be made, as it is answered."""
        reply = await self.ask(order_id, cents, **wish)
        assert isinstance(reply, Reply), reply
        made: dict[str, Any] = msgspec.json.decode(reply.body)
        return made

    async def refused(self, order_id: UUID, cents: int, **wish: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The kind of a no, and field and issue of each problem."""
        refused = await self.ask(order_id, cents, **wish)
        assert isinstance(refused, Refused), refused
        return refused.kind.name, tuple((p.field, p.issue) for p in refused.problems if isinstance(p, Problem))

    async def ends(self, refund: dict[str, Any], code: str | None = None) -> str:
        """The network's word of a refund: given back, or a code why not."""
        final = port.ReturnFinal(refund["returnId"], "", code is None, code, datetime.now(UTC) if code is None else None)
        return await self.told(port.RETURN_FINAL, final, refund["returnId"])

    # ── the network ──

    async def told(self, kind: str, says: Any, subject: str, rail: str = port.PIX, place: Any = PLACE) -> str:
        """The network says it, and what follows is done; what the message was settled with."""
        row = await self.kept(kind, says, subject, rail)
        assert isinstance(
            await self.cast.runner.act(self.ana.company_id, inbox_handlers.inbox_verbs(place)[kind](row)), Done
        )
        (outcome,) = await self.column("SELECT outcome FROM inbox WHERE id = $1", row.claimed.row_id)
        return str(outcome)

    async def kept(self, kind: str, says: Any, subject: str, rail: str) -> InboxRow:
        """The network's message, stored and in hand."""
        row_id, lease, at = self.cast.id(), self.cast.id(), datetime.now(UTC)
        body = port.encode(says)
        values = {
            "id": row_id, "rail": rail, "kind": kind, "network_id": str(row_id), "subject": subject, "body": body,
            "received_at": at, "due_at": at, "lease_token": lease, "leased_until": at + timedelta(hours=1),
        }  # fmt: skip
        await commit(self.cast.database, Write(self.ana.company_id, rows=(Row("inbox", values),)))
        return InboxRow(Claimed(row_id, lease), self.ana.company_id, rail, kind, str(row_id), subject, None, body, at, 1)

    # ── what is so ──

    async def rows(self, sql: str, *arguments: Any) -> list[Any]:
        async with self.cast.database.session(self.ana.company_id) as session:
            return list(await session.fetch(sql, *arguments))

    async def column(self, sql: str, *arguments: Any) -> list[Any]:
        return [row[0] for row in await self.rows(sql, *arguments)]

    async def stands(self, order_id: UUID) -> tuple[str, int, list[str]]:
        """The order's status, what it has given back, and the states of its refunds."""
        ((status, minor),) = await self.rows("SELECT status, refunded_minor FROM orders WHERE id = $1", order_id)
        return (
            status,
            minor,
            await self.column("SELECT state FROM refunds WHERE order_id = $1 ORDER BY created_at", order_id),
        )

    async def money(self) -> tuple[int, int]:
        """What Ana's account has available, and what is held."""
        sql = (
            "SELECT b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held,"
            " b.held FROM balances b WHERE b.ledger_account_id = $1"
        )
        ((available, held),) = await self.rows(sql, self.ana.customer.id)
        return available, held

    async def news(self, order_id: UUID) -> list[dict[str, Any]]:
        """The bodies of the order's events, in order."""
        sql = "SELECT body FROM events WHERE reference_id = $1 ORDER BY created_at, id"
        return [msgspec.json.decode(body) for body in await self.column(sql, order_id)]
