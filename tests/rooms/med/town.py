"""A town: who has paid and who was paid are both here, of two companies or of one, and a directory tells of their dispute."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from tests.cast import Cast, Seller
from tests.rooms.med.court import CHOSEN
from tests.rooms.payouts.office import HERE, PLACE, Office

from lastro import ledger, payouts
from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.runner import Done
from lastro.core.write import Write
from lastro.med import Decide, Fall, Stand
from lastro.payouts.model import BankAccount, PayeePerson
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.med import wire
from lastro.rails.sending import Sender

STAND = Stand(HERE, CHOSEN)


@dataclass
class Town:
    """What one test does. Ana has paid; dora was paid, who has a company of her own or an account of Ana's."""

    office: Office
    dora: Seller
    sender: Sender
    handler: Handler
    disputes: Inbox
    spi: Inbox
    recovery_id: UUID = field(default_factory=uuid4)
    told: int = 0

    @classmethod
    async def of(cls, cast: Cast, work: Database, *, is_one_company: bool) -> "Town":
        office = await Office.open(cast, await cast.ana())
        dora = await cast.dora()
        if is_one_company:
            other = await cast.open_account(office.ana.company_id, dora.holder)
            dora = Seller(
                office.ana.company_id, office.ana.number, UUID(other["id"]), other["number"], dora.holder, "", office.ana.client
            )  # fmt: skip
        book, med, spi = (
            Inbox(cast.database, work, cast.chance, HERE.ispb, rail) for rail in (port.BOOK, port.MED, port.PIX)
        )
        sender = Sender(
            cast.database, work, cast.runner, cast.chance, port.BOOK, Book(work, book), lambda _: None, payouts.HELD_BACK
        )
        handler = Handler(cast.database, work, cast.runner, cast.chance, inbox_handlers.inbox_verbs(PLACE))
        return cls(office, dora, sender, handler, med, spi)

    @property
    def sides(self) -> tuple[Seller, Seller]:
        return self.office.ana, self.dora

    async def carry(self) -> None:
        """Until nothing is due."""
        for _ in range(6):
            await self.sender.queue.drain()
            await self.handler.queue.drain()

    async def paid(self, cents: int = 1000) -> str:
        """Ana has paid dora, in our own books."""
        holder = self.dora.holder
        person = PayeePerson(holder.full_name, holder.document_type, holder.document_number)
        place = BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", self.dora.account_number)
        payout = await self.office.make(cents, person=person, place=place)
        await self.carry()
        return str(payout["endToEndId"])

    async def says(self, kind: str, times: int = 1, **fields: Any) -> None:
        """The directory tells of an object which has us on both sides, and what follows is done."""
        self.told += 1
        for _ in range(times):
            raw = msgspec.json.encode({"id": f"m-{self.told}", "type": "X", "sequence": self.told, kind: fields})
            message = wire.message_of(f"m-{self.told}", raw, HERE.ispb)
            await self.disputes.keep(list(wire.sides(message)))
        await self.handler.queue.drain()

    async def recovery(self, root: str, status: str, **more: Any) -> None:
        await self.says(
            "FundsRecovery", Id=str(self.recovery_id), Status=status, RootTransactionId=root, SituationType="SCAM",
            LastModified=_now(), ReporterParticipant=HERE.ispb, **more,
        )  # fmt: skip

    async def notice(self, object_id: UUID, name: str, status: str, root: str | None = None, **more: Any) -> None:
        fields = {"InfractionAmount": "10.00", **more}
        await self.says(
            "InfractionReport", Id=str(object_id), Status=status, TransactionId=name, RootTransactionId=root or name,
            Reason="REFUND_REQUEST", SituationType="SCAM", ReporterParticipant=HERE.ispb,
            CounterpartyParticipant=HERE.ispb, LastModified=_now(), FundsRecoveryId=str(self.recovery_id), **fields,
        )  # fmt: skip

    async def request(self, object_id: UUID, name: str, status: str, root: str | None = None, **more: Any) -> None:
        fields = {"RefundAmount": "10.00", **more}
        await self.says(
            "Refund", Id=str(object_id), Status=status, TransactionId=name, RootTransactionId=root or name,
            RefundReason="FRAUD", SituationType="SCAM", RequestingParticipant=HERE.ispb, ContestedParticipant=HERE.ispb,
            LastModified=_now(), FundsRecoveryId=str(self.recovery_id), **fields,
        )  # fmt: skip

    async def object(self, seller: Seller, directory_id: UUID) -> tuple[UUID, str, str, int, int]:
        """A side of an object: its id, role, status, what it blocks, and what was returned."""
        sql = (
            "SELECT id, role, status, blocked_minor, returned_minor FROM med_objects"
            " WHERE account_id = $1 AND coalesce(directory_id, id) = $2"
        )
        ((object_id, role, status, blocked, returned),) = await self.office.rows(
            sql, seller.account_id, directory_id, of=seller
        )
        return object_id, role, status, blocked, returned

    async def so(self, directory_id: UUID) -> list[tuple[str, str, int, int]]:
        """Both sides of an object, the payer's first, without their ids."""
        return [(await self.object(seller, directory_id))[1:] for seller in self.sides]

    async def decide(self, directory_id: UUID, verdict: str = "AGREED") -> None:
        """Who works for the institution has analysed dora's side."""
        object_id = (await self.object(self.dora, directory_id))[0]
        fraud = "MULE_ACCOUNT" if verdict == "AGREED" else None
        done = await self.office.cast.runner.act(self.dora.company_id, Decide(object_id, verdict, STAND, fraud))
        assert isinstance(done, Done), done

    async def falls(self, directory_id: UUID) -> None:
        """The time of dora's side has come."""
        object_id = (await self.object(self.dora, directory_id))[0]
        assert isinstance(await self.office.cast.runner.act(self.dora.company_id, Fall(object_id, STAND)), Done)

    async def spend(self, cents: int) -> None:
        """Dora pays so much to somebody elsewhere."""
        gone = self.office.cast.transfer(self.dora.customer, self.dora.clearing, cents)
        await commit(self.office.cast.database, Write(self.dora.company_id, transfers=(gone,)))

    async def blocked(self) -> int:
        """What of dora's account is blocked, by the ledger."""
        async with self.office.cast.database.session(self.dora.company_id) as session:
            (balance,) = await ledger.balances_of(session, self.dora.company_id, [self.dora.account_id], "BRL")
        return balance.blocked.minor

    async def tasks(self, kind: str) -> list[dict[str, Any]]:
        """What the directory is told of one kind by dora's company, in order."""
        sql = "SELECT body FROM outbox WHERE rail = 'med' AND kind = $1 ORDER BY created_at, id"
        return [msgspec.json.decode(body) for body in await self.office.column(sql, kind, of=self.dora)]

    async def events(self, seller: Seller, directory_id: UUID) -> list[tuple[str, str, str]]:
        """Type, status and role of each notification about a side of an object."""
        object_id = (await self.object(seller, directory_id))[0]
        sql = "SELECT type, body FROM events WHERE reference_id = $1 ORDER BY created_at, id"
        rows = await self.office.rows(sql, object_id, of=seller)
        told = [(row["type"], msgspec.json.decode(row["body"])) for row in rows]
        assert {body["referenceId"] for _, body in told} <= {str(object_id)}
        return [(kind, body["status"], body["role"]) for kind, body in told]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
