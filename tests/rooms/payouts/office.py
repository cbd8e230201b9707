"""An office: Ana's company with money, a directory and a bank outside, and what their network says of her payouts."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import Cast, Seller

from lastro import orders
from lastro.accounts import Institution, OwnFirst
from lastro.app import inbox_handlers
from lastro.banks import Banks
from lastro.core import work_queue
from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds, NotYet, Problem, Refused, Stale
from lastro.core.money import Money
from lastro.core.runner import Done, Reply, RequestContext
from lastro.core.write import Row, Write
from lastro.payouts import CHILD_MOVED, Begin, CancelPayout, Ways
from lastro.payouts.actions.create import MakePayout
from lastro.payouts.actions.read import ReadPayout
from lastro.payouts.model import BankAccount, PayeePerson, PayoutWish
from lastro.rails import port
from lastro.rails.handling import LANE
from lastro.rails.port import Asking, Charge, Claimed, InboxRow, KeyEntry, NoCharge, NoEntry
from lastro.standards.calendar import brasilia_day

HERE = Institution("99999010", "LASTRO SANDBOX IP", "0001", "990")  # as the list of banks knows us
PLACE = orders.Installation(HERE, "http://lastro.test", sandbox=True)
FABIO = PayeePerson("Fabio de Fora", "CPF", "24681357928")
FORA = BankAccount("99999030", None, "CHECKING_ACCOUNT", "0001", "300003")
KEY = "fabio@fora.example"
DEAF = replace(LANE, only=f"kind <> '{CHILD_MOVED}'")  # a worker that tells no batch of its children
_OUTBOX = work_queue.Queue("outbox", only="rail = 'pix'")


@dataclass
class Outside:
    """The directory of the network, and the locations of other banks. asked: the keys that were looked up.

    meanwhile: happens once, while the directory is asked.
    """

    entries: dict[str, KeyEntry | NoEntry | Exception] = field(default_factory=dict)
    charges: dict[str, Charge | NoCharge] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def entry(self, key: str, asking: Asking) -> KeyEntry | NoEntry:
        assert asking.end_to_end_id.startswith(f"E{HERE.ispb}")
        self.asked.append(key)
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            await act()
        found = self.entries.get(key, NoEntry("NotFound"))
        if isinstance(found, Exception):
            raise found
        return found

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        assert now.tzinfo is not None
        return self.charges[location]


def entry_of(key: str, key_type: str = "EMAIL", *, ispb: str = FORA.ispb or "", account: str = FORA.account) -> KeyEntry:
    """A key of Fabio's."""
    return KeyEntry(
        key, key_type, FABIO.name, FABIO.document_type, FABIO.document_number, ispb, "0001", account, "CHECKING_ACCOUNT"
    )


def giving_back(payout: Mapping[str, Any], cents: int, return_id: str | None = None) -> port.PaymentReturned:
    """What the network says when the receiver gives back."""
    return_id = return_id or f"D{FORA.ispb}{os.urandom(12).hex()[:23]}"
    return port.PaymentReturned(payout["endToEndId"], return_id, Money(cents, "BRL"), "MD06", datetime.now(UTC))


@dataclass
class Office:
    """What one test does. Ana has `cents` to begin with."""

    cast: Cast
    ana: Seller
    outside: Outside
    ways: Ways

    @classmethod
    async def open(cls, cast: Cast, ana: Seller, cents: int = 10_000_000) -> "Office":
        outside = Outside({KEY: entry_of(KEY)})
        ways = Ways(HERE, OwnFirst(cast.database, HERE, outside), outside, Banks(sandbox=True))
        if cents:
            await cast.credit(ana, cents)
        return cls(cast, ana, outside, ways)

    # ── clients ──

    def wish(self, cents: int = 1234, **wish: Any) -> PayoutWish:
        """To Fabio's account, unless another way is given."""
        values: dict[str, Any] = {
            "external_id": os.urandom(8).hex(), "account_id": self.ana.account_id, "method": "PIX",
            "amount": Money(cents, "BRL"), "description": "Salary",
        }  # fmt: skip
        if not wish.keys() & {"key", "qr", "place"}:
            values |= {"person": FABIO, "place": FORA}
        return PayoutWish(**{**values, **wish})

    async def ask(self, wish: PayoutWish, key: str | None = None) -> Reply | Refused:
        key = key or os.urandom(8).hex()
        call: dict[str, Any] = {"operation": "create_payout", "permission": "payouts:write", "status": 201}
        return await self.cast.run(
            self.ana.client, MakePayout(wish, key, self.ways), key=key, request=wish.external_id.encode(), **call
        )

    async def make(self, cents: int = 1234, **wish: Any) -> dict[str, Any]:
        """A payout that must be made, as it is answered."""
        reply = await self.ask(self.wish(cents, **wish))
        assert isinstance(reply, Reply), reply
        made: dict[str, Any] = msgspec.json.decode(reply.body)
        return made

    async def refused(self, wish: PayoutWish) -> Problem:
        """The one thing that is wrong with it."""
        refused = await self.ask(wish)
        assert isinstance(refused, Refused), refused
        (problem,) = refused.problems
        return problem

    async def cancel(self, payout_id: str) -> Reply | Refused:
        verb = CancelPayout(UUID(payout_id), HERE)
        return await self.cast.run(self.ana.client, verb, operation="cancel_payout", permission="payouts:write")

    async def read(self, payout_id: str) -> dict[str, Any]:
        reply = await self.cast.run(
            self.ana.client, ReadPayout(UUID(payout_id)), operation="read_payout", permission="payouts:read"
        )
        assert isinstance(reply, Reply), reply
        read: dict[str, Any] = msgspec.json.decode(reply.body)
        return read

    # ── the network ──

    async def told(self, kind: str, says: Any, subject: str | None = None, *, is_answer: bool = False) -> str:
        """The network says it, and what follows is done; what the message was settled with."""
        row_id = await self.store(kind, says, subject, is_answer=is_answer)
        await self.work()
        (outcome,) = await self.column("SELECT outcome FROM inbox WHERE id = $1", row_id)
        return str(outcome)

    async def store(self, kind: str, says: Any, subject: str | None = None, *, is_answer: bool = False) -> UUID:
        """is_answer: we have asked about it."""
        row_id, at = self.cast.id(), datetime.now(UTC)
        values = {
            "id": row_id, "rail": "pix", "kind": kind, "network_id": f"{port.ASKED if is_answer else ''}{row_id}", "subject": subject or says.subject,
            "body": port.encode(says), "received_at": at, "due_at": at,
        }  # fmt: skip
        await commit(self.cast.database, Write(self.ana.company_id, rows=(Row("inbox", values),)))
        return row_id

    async def work(self, company_id: UUID | None = None, rounds: int = 200, lane: work_queue.Queue = LANE) -> None:
        """Handles the inbox of a company, Ana's if none is named, as a worker would, until nothing is due.

        lane: another one, where something is to stay behind.
        """
        company_id = company_id or self.ana.company_id
        verbs = inbox_handlers.inbox_verbs(PLACE)
        for _ in range(rounds):
            rows = await work_queue.claim(self.cast.database, lane, company_id, self.cast.id(), 50)
            if not rows:
                return
            for r in rows:
                claimed = Claimed(r["id"], r["lease_token"])
                row = InboxRow(
                    claimed, company_id, r["rail"], r["kind"], r["network_id"], r["subject"], r["txid"], bytes(r["body"]),
                    r["received_at"], r["sends"],
                )  # fmt: skip
                try:
                    done = await self.cast.runner.act(company_id, verbs[r["kind"]](row))
                except (NotYet, Stale):
                    await work_queue.release(self.cast.database, lane, r, timedelta(0))
                else:
                    assert isinstance(done, Done), done
        raise AssertionError("the inbox has no end")

    def final(
        self, payout: Mapping[str, Any], code: str | None = None, at: datetime | None = None
    ) -> tuple[str, port.PaymentFinal]:
        """The network's word of a payout, or of a transfer of a batch: paid, or a code why not."""
        settled_at = (at or datetime.now(UTC)) if code is None else None
        return port.PAYMENT_FINAL, port.PaymentFinal(payout["endToEndId"], code is None, code, settled_at)

    async def settle(self, payout: Mapping[str, Any], at: datetime | None = None) -> str:
        return await self.told(*self.final(payout, at=at))

    async def refuse(self, payout: Mapping[str, Any], code: str = "AC07") -> str:
        return await self.told(*self.final(payout, code))

    async def give_back(self, payout: Mapping[str, Any], cents: int, return_id: str | None = None) -> str:
        return await self.told(port.PAYMENT_RETURNED, giving_back(payout, cents, return_id))

    async def claim_messages(self, limit: int = 100) -> list[Any]:
        """A worker takes what is to be sent in hand."""
        return await work_queue.claim(self.cast.database, _OUTBOX, self.ana.company_id, self.cast.id(), limit)

    async def begin(self, payout_id: str) -> None:
        """The day of a scheduled payout has come."""
        sql = "UPDATE payouts SET start_at = business_now() WHERE company_id = tenant() AND (id = $1 OR batch_id = $1) RETURNING 1"
        assert await self.column(sql, UUID(payout_id))
        done = await self.cast.runner.act(self.ana.company_id, Begin(UUID(payout_id), self.ways))
        assert isinstance(done, Done), done

    async def begin_at(self, payout_id: str, at: datetime) -> bool:
        """A worker finds it at that time; whether anything was done."""
        company, verb = self.ana.company_id, Begin(UUID(payout_id), self.ways)
        while True:
            context = RequestContext(company, at, self.cast.chance)
            async with self.cast.database.session(company) as session:
                known = await verb.read(session, context)
            outcome = verb.decide(await verb.call_out(known, context), context)
            if outcome.write is None:
                return False
            try:
                await commit(self.cast.database, outcome.write)
            except InsufficientFunds as short:
                again = verb.on_insufficient_funds(short)
                assert isinstance(again, Begin)
                verb = again
                continue
            return True

    # ── what is so ──

    async def rows(self, sql: str, *arguments: Any, of: Seller | None = None) -> list[Any]:
        async with self.cast.database.session((of or self.ana).company_id) as session:
            return list(await session.fetch(sql, *arguments))

    async def column(self, sql: str, *arguments: Any, of: Seller | None = None) -> list[Any]:
        return [row[0] for row in await self.rows(sql, *arguments, of=of)]

    async def state(self, payout_id: str) -> str:
        (status,) = await self.column("SELECT status FROM payouts WHERE id = $1::text::uuid", payout_id)
        return str(status)

    async def children(self, payout_id: str) -> list[str]:
        """The states of a batch's transfers, in order."""
        return await self.column("SELECT status FROM payouts WHERE batch_id = $1::text::uuid ORDER BY sequence", payout_id)

    async def money(self, of: Seller | None = None) -> tuple[int, int]:
        """What the account has available, and what is held."""
        seller = of or self.ana
        sql = (
            "SELECT b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held,"
            " b.held FROM balances b WHERE b.ledger_account_id = $1"
        )
        ((available, held),) = await self.rows(sql, seller.customer.id, of=seller)
        return available, held

    async def events(self, payout_id: str) -> list[str]:
        return await self.column(
            "SELECT type FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at, id", payout_id
        )

    async def used(self) -> dict[str, int]:
        """What is used of the account's limits."""
        return {r["kind"]: r["used_minor"] for r in await self.rows("SELECT kind, used_minor FROM quotas")}

    async def limit(
        self, transaction: int = 1_500_000, day: int | None = 100_000_000, night: int | None = None, method: str = "PIX"
    ) -> None:
        """Limits of the account's own."""
        row = {
            "account_id": self.ana.account_id, "payment_method": method, "transaction_minor": transaction, "day_minor": day,
            "night_minor": night,
        }  # fmt: skip
        await commit(self.cast.database, Write(self.ana.company_id, rows=(Row("account_limits", row),)))

    async def fee(self, cents: int) -> None:
        """What a payout costs."""
        await self.cast.set_fees(self.ana.company_id, cents, direction="OUT")

    async def account_becomes(self, status: str) -> None:
        """The account is blocked, unblocked or closed."""
        await self.cast.account_becomes(self.ana.company_id, status, self.ana.account_id)

    def tomorrow(self) -> Any:
        return brasilia_day(datetime.now(UTC)) + timedelta(days=1)

    async def now(self) -> datetime:
        (at,) = await self.column("SELECT business_now()")
        return datetime.fromtimestamp(at.timestamp(), UTC)

    def id_of(self, payout: Mapping[str, Any]) -> UUID:
        return UUID(payout["id"])
