"""A world in which everything that can happen has happened once, made by the verbs that do it in life."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import msgspec
from tests.cast import BENTO, INSTITUTION, PLACE, Cast, Seller
from tests.rooms.laws import (
    carding,
    claiming,
    closing,
    collecting,
    disputing,
    finding,
    giving_back,
    opening,
    paying_out,
    planning,
    proving,
    reconciling,
    settling,
    subscribing,
    transferring,
)

from lastro.api_kit.routes import Incoming
from lastro.app import inbox_handlers, wiring
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.core.write import Event, Row, Write
from lastro.rails import port
from lastro.rails.port import Claimed, InboxRow, PixArrival
from lastro.subscriptions import TIMING
from lastro.webhooks import store
from lastro.webhooks.model import Attempted, Destination
from lastro.webhooks.rules import EventStatus

URL = "https://ana.example/hook"
# A room's routes need to know no more of the house than where it stands.
ROUTES = {r.operation: r for r in wiring.routes(Mock(place=PLACE, charging=TIMING, registrar=None, recurrences={}))}


@dataclass
class World:
    """Ana keeps a fee of 0.10 and 1.5 %. names: of what the tests speak of, each with its id."""

    cast: Cast
    ana: Seller
    dora: Seller
    names: dict[str, Any] = field(default_factory=dict)

    @classmethod
    async def make(cls, cast: Cast) -> "World":
        made = cls(cast, await cast.ana(), await cast.dora())
        await cast.set_fees(made.ana.company_id, 10, 150)
        await made.orders()
        await made.money_for_nobody()
        await giving_back.play(made)
        await collecting.play(made)
        await transferring.play(made)
        await settling.play(made)
        await closing.play(made)
        await opening.play(made)
        await proving.play(made)
        await claiming.play(made)
        await carding.play(made)
        await disputing.play(made)
        await finding.play(made)
        await made.holds()
        await paying_out.play(made)
        await planning.play(made)
        await subscribing.play(made)
        await reconciling.play(made)
        await made.events()
        return made

    async def orders(self) -> None:
        """Paid, paid unasked, waiting, reserved, dropped by the network, canceled."""
        for name in ("paid", "waiting", "reserved", "dropped", "canceled"):
            self.names[name] = await self.create(name)
        for name in ("paid", "reserved", "dropped"):
            await self.told(port.PIX_ASK, await self.arrival(name))
        await self.told(port.PIX_FINAL, port.PixFinal(self.names["paid_e2e"], True, settled_at=self.now()))
        await self.told(port.PIX_FINAL, port.PixFinal(self.names["dropped_e2e"], False, "AB03"))
        await self.told(port.PIX_SETTLED, await self.arrival("unasked", txid=None, settled_at=self.now()))
        await self.ask("cancel_order", self.names["canceled"], key="cancel")
        (self.names["unasked"],) = await self.column("SELECT id FROM orders WHERE origin = 'UNASKED'")

    async def money_for_nobody(self) -> None:
        """Refused; returned, still on its way back, stranded."""
        await self.told(port.PIX_ASK, await self.arrival("refused", receiver_account="999999999"))
        for name in ("returned", "returning", "stranded"):
            await self.told(port.PIX_SETTLED, await self.arrival(name, receiver_account="999999999", settled_at=self.now()))
            (payment,) = await self.column(
                f"SELECT id FROM pix_payments WHERE end_to_end_id = '{self.names[name + '_e2e']}'"
            )
            (refund,) = await self.column(f"SELECT id FROM refunds WHERE payment_id = '{payment}'")
            self.names |= {name: payment, f"{name}_refund": refund}
        for name, settled in (("returned", True), ("stranded", False)):
            (return_id,) = await self.column(f"SELECT return_id FROM refunds WHERE id = '{self.names[name + '_refund']}'")
            code = None if settled else "AM04"
            final = port.ReturnFinal(return_id, self.names[f"{name}_e2e"], settled, code, self.now() if settled else None)
            await self.told(port.RETURN_FINAL, final)

    async def holds(self) -> None:
        """On the account: one that was posted, one that is open. Drawing them has folded what came in."""
        cast, ana = self.cast, self.ana
        own = cast.transfer(ana.customer, ana.clearing, 100, kind="held")
        posted = cast.transfer(ana.customer, ana.clearing, 100, kind="posted", pending=own)
        still_open = cast.transfer(ana.customer, ana.clearing, 40, kind="held")
        for transfer in (own, posted, still_open):
            await commit(cast.database, Write(ana.company_id, transfers=(transfer,)))
        self.names |= {"own_hold": own.id, "open_hold": still_open.id}

    async def events(self) -> None:
        """One delivered at its second attempt, one resent after its plan, two of one object, one after the other."""
        for name in ("first", "second"):
            self.names[name] = self.cast.id()
            note = Event(self.names[name], "TEST", self.names["waiting"], URL, b"{}", self.now())
            await commit(self.cast.database, Write(self.ana.company_id, events=(note,)))
        for name in ("paid", "canceled", "unasked"):
            (event,) = await self.column(f"SELECT id FROM events WHERE reference_id = '{self.names[name]}'")
            self.names[f"{name}_event"] = event
        for company_id in (self.ana.company_id, self.dora.company_id):
            async with self.cast.database.session(company_id) as session:
                left = await session.value("SELECT count(*) FROM events WHERE company_id = $1", company_id)
                while left:
                    left -= await session.value("SELECT greatest(n, -1 - n) FROM number_events($1, 2) n", company_id)
        answers = {"paid_event": [500, 200], "canceled_event": [500] * 5, "first": [200], "second": [200]}
        others = {event: [200] for event in await self.column("SELECT id FROM deliveries")}
        await self.deliver({**others, **{self.names[event]: codes for event, codes in answers.items()}})
        await self.ask("resend_webhook_event", self.names["canceled_event"], key="resend")

    # ── how ──

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def column(self, sql: str) -> list[Any]:
        async with self.cast.database.session(self.ana.company_id) as session:
            return [row[0] for row in await session.fetch(sql)]

    async def create(self, name: str) -> UUID:
        document = {"type": "CPF", "number": "11144477735"}
        body = {
            "order": {"externalId": name, "paymentMethod": "PIX", "description": "Flores", "notificationUrl": URL,
                      "amount": {"currency": "BRL", "value": "10.00"}},
            "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "document": document, "email": "bento@example.com"},
        }  # fmt: skip
        return UUID(msgspec.json.decode((await self.ask("create_order", None, body, key=name)).body)["id"])

    async def ask(self, operation: str, object_id: UUID | None, body: Any = None, *, key: str, **path: str) -> Reply:
        route = ROUTES[operation]
        raw = b"" if body is None else msgspec.json.encode(body)
        verb = route.parse(Incoming(self.ana.company_id, {"id": str(object_id), **path}, {}, raw, body or {}, key))
        assert not isinstance(verb, Refused), verb
        call = {"operation": operation, "permission": route.permission, "status": route.success}
        reply = await self.cast.run(self.ana.client, verb, key=key, **call)
        assert isinstance(reply, Reply), reply
        return reply

    async def arrival(self, name: str, **says: Any) -> PixArrival:
        """A Pix for the order of this name, where there is one."""
        end_to_end_id = self.names[f"{name}_e2e"] = f"E12345678202601311200{os.urandom(6).hex()[1:]}"
        (txid,) = await self.column(f"SELECT txid FROM orders WHERE external_id = '{name}'") or [None]
        values: dict[str, Any] = {
            "message_id": f"M{name}", "end_to_end_id": end_to_end_id, "txid": txid, "amount": Money(1000, "BRL"),
            "accepted_at": self.now(), "payer": BENTO, "receiver_branch": INSTITUTION.branch,
            "receiver_account": self.ana.account_number, "receiver_document": None, "key": self.ana.pix_key,
            "instrument": "QRDN",
        }  # fmt: skip
        return PixArrival(**{**values, **says})

    async def told(self, kind: str, says: Any, rail: str = port.PIX) -> None:
        """The network says it, and what follows is done."""
        row_id, lease, at = self.cast.id(), self.cast.id(), self.now()
        subject = says.return_id if kind == port.RETURN_FINAL else getattr(says, "subject", None)
        subject = subject or getattr(says, "end_to_end_id", None) or getattr(says, "reference", None) or says.recurrence_id
        values = {
            "id": row_id, "rail": rail, "kind": kind, "network_id": str(row_id), "subject": subject,
            "body": port.encode(says), "received_at": at, "due_at": at, "sends": 1, "lease_token": lease,
        }  # fmt: skip
        await commit(self.cast.database, Write(self.ana.company_id, rows=(Row("inbox", values),)))
        row = InboxRow(
            Claimed(row_id, lease), self.ana.company_id, rail, kind, str(row_id), subject, None, port.encode(says), at, 1
        )
        done = await self.cast.runner.act(self.ana.company_id, inbox_handlers.inbox_verbs(PLACE)[kind](row))
        assert isinstance(done, Done), done

    async def deliver(self, answers: Mapping[UUID, list[int]]) -> None:
        """Attempts of each event until its receiver has given these answers."""
        left = {event: list(codes) for event, codes in answers.items()}
        (endpoint, *_) = await self.column("SELECT endpoint FROM deliveries")
        async with self.cast.database.session(self.ana.company_id) as session:
            while any(left.values()):
                claimed = await store.claim(session, Destination(self.ana.company_id, endpoint), self.cast.id(), 50)
                ended = []
                for one in claimed:
                    code, plan = left[one.id].pop(0), one.plan_attempts + 1
                    failed = EventStatus.FAILED if plan == 5 else EventStatus.RETRYING
                    status = EventStatus.DELIVERED if code == 200 else failed
                    wait = timedelta(0) if left[one.id] else None
                    ended.append(Attempted(one, status, code, "", 1, wait))
                assert len(await store.finish(session, self.ana.company_id, ended)) == len(claimed)
