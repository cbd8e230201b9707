"""Who plays in tests: Ana sells, Bento pays, Caio is on Ana's team, Dora must be refused.

Everything here is founded through the verbs that an installation uses; nothing is a stand-in of our own code.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self
from uuid import UUID

import msgspec

from lastro import ledger
from lastro.accounts import Holder, Institution, OpenAccount, Why, accounts_of, changed
from lastro.closing import CLOSE_REQUESTS
from lastro.companies import PERMISSIONS, AddClient, FoundCompany, Price, SetFees, currency_of
from lastro.core.clock import BusinessClock
from lastro.core.commit import commit
from lastro.core.db import PLANNED_ONCE, Database, Dsn
from lastro.core.errors import Refused
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import Call, Done, Reply, RequestContext, Runner, Verb
from lastro.core.secrets import KeyRing
from lastro.core.write import LedgerAccount, Row, Transfer, Write
from lastro.keys import KEYS
from lastro.orders import DeclareConnection, DepositBank, Installation, KeepForeign, Transfers
from lastro.orders.methods import METHODS
from lastro.rails.port import PIX, RAILS, ForeignPayment, Payer

INSTITUTION = Institution("12345678", "Lastro Instituicao de Pagamento", "0001", "999")
TRANSFERS = Transfers(
    "990180",
    (
        DepositBank("banco-um", "991", "99999020", "0001", "BANCO UM"),
        DepositBank("banco-dois", "992", "99999030", "0002", "BANCO DOIS"),
    ),
)
PLACE = Installation(INSTITUTION, "http://lastro.test", sandbox=True, methods=frozenset(METHODS), transfers=TRANSFERS)
ANA = Holder("ORGANIZATION", "Ana Flores Ltda", "CNPJ", "11222333000181", "ana@example.com", "+5511999990000")
DORA = Holder("INDIVIDUAL", "Dora Dias", "CPF", "52998224725", "dora@example.com", "+5511999990001")
BENTO = Payer("Bento Braga", "CPF", "11144477735", "87654321", "0002", "123456", "TRAN")


_TURNS = {"INACTIVE": "block", "ACTIVE": "unblock", "CLOSED": "close"}


@dataclass(frozen=True, slots=True)
class Client:
    """A machine that calls for a company. Its token is as old as `token_issued_at` says."""

    company_id: UUID
    client_id: str
    secret: str
    token_issued_at: float

    def call(
        self,
        operation: str = "act",
        *,
        key: str | None = None,
        permission: str = "orders:write",
        request: bytes = b"same",
        status: int = 200,
    ) -> Call:
        return Call(self.company_id, self.client_id, self.token_issued_at, permission, operation, key, request, status)


@dataclass(frozen=True, slots=True)
class Seller:
    """A company with an account, a random key that leads to it and a client that may do everything."""

    company_id: UUID
    number: int
    account_id: UUID
    account_number: str
    holder: Holder
    pix_key: str
    client: Client

    @property
    def customer(self) -> LedgerAccount:
        """What we owe its account."""
        return ledger.customer(self.company_id, self.account_id, "BRL")

    @property
    def pix(self) -> LedgerAccount:
        """Of Pix: what moves there has a payment behind it."""
        return ledger.clearing(self.company_id, PIX, "BRL")

    @property
    def clearing(self) -> LedgerAccount:
        """Where tests move money from and to that needs nothing behind it: no law adds up what we have earned."""
        return ledger.fees(self.company_id, "BRL")

    @property
    def suspense(self) -> LedgerAccount:
        return ledger.suspense(self.company_id, "BRL")


@dataclass
class Cast:
    """One database as the app's role, and the verbs on it."""

    database: Database
    chance: Chance = field(default_factory=lambda: Chance(os.urandom))
    key_ring: KeyRing = field(default_factory=lambda: KeyRing.generate("test", os.urandom))
    runner: Runner = field(init=False)
    companies: list[UUID] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.runner = self.another_process()

    @classmethod
    def of(cls, app: Dsn, *, size: int = 10, settings: Mapping[str, str] | None = None) -> Self:
        return cls(Database(app, size=size, settings={**PLANNED_ONCE, **(settings or {})}))

    def another_process(self) -> Runner:
        """A runner that remembers nothing yet."""
        return Runner(self.database, BusinessClock(time.monotonic), self.chance)

    def id(self) -> UUID:
        return self.chance.uuid(datetime.now(UTC))

    async def act(self, company_id: UUID, verb: Verb[Any]) -> Any:
        """The answer of a verb of administration, which must be a yes."""
        done = await self.runner.act(company_id, verb)
        assert isinstance(done, Done), done
        return msgspec.json.decode(done.body)

    async def found(self, name: str, holder: Holder = ANA, company_id: UUID | None = None, **company: Any) -> Seller:
        """A company that can sell."""
        company_id = company_id or self.id()
        self.companies.append(company_id)
        made = await self.act(company_id, FoundCompany(name, self.key_ring, RAILS, **company))
        account = await self.open_account(company_id, holder)
        account_id = UUID(account["id"])
        pix_key = await self.add_key(company_id, account_id)
        client = await self.add_client(company_id, name)
        return Seller(company_id, made["number"], account_id, account["number"], holder, pix_key, client)

    async def open_account(self, company_id: UUID, holder: Holder = ANA) -> dict[str, Any]:
        account: dict[str, Any] = await self.act(company_id, OpenAccount(INSTITUTION, holder))
        return account

    async def set_fees(
        self, company_id: UUID, fixed: int = 0, basis_points: int = 0, additional: int = 0, *, direction: str = "IN",
        method: str = "PIX", payer: str | None = None, since: datetime | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """What a method costs from now on, or from an instant on; amounts in the minor unit of its currency."""
        currency = currency_of(method)
        price = Price(direction, method, Money(fixed, currency), basis_points, Money(additional, currency), payer)
        plan: dict[str, Any] = await self.act(company_id, SetFees(price, since))
        return plan

    async def add_client(self, company_id: UUID, name: str, permissions: tuple[str, ...] = PERMISSIONS) -> Client:
        made = await self.act(company_id, AddClient(name, permissions))
        return Client(company_id, made["clientId"], made["clientSecret"], time.time())

    async def add_key(self, company_id: UUID, account_id: UUID) -> str:
        """A random key, as if the directory had made it."""
        key, now = self.id(), datetime.now(UTC)
        row = {
            "id": key, "account_id": account_id, "type": "RANDOM", "key": str(key), "created_at": now, "updated_at": now,
            "possessed_at": now,
        }  # fmt: skip
        own = Row("own_keys", {"key": row["key"], "account_id": account_id})
        await commit(self.database, Write(company_id, rows=(*KEYS.born(row, now), own)))
        return str(key)

    async def connect(self, seller: Seller, rail: str, *keys: str) -> None:
        """A connection of the seller's company, at whose bank these Pix keys lead to its account."""
        declared = DeclareConnection(rail, dict.fromkeys(keys, seller.account_number))
        assert isinstance(await self.runner.act(seller.company_id, declared), Done)

    async def paid_at_a_bank(self, seller: Seller) -> None:
        """A connection of the seller's company, and a payment there that no order of its own asked for."""
        await self.connect(seller, f"bank{seller.number}", "shop@example.com")
        at = datetime.now(UTC)
        found = ForeignPayment(f"bank{seller.number}", "E12345678202601311200foreign0001", Money(700, "BRL"), at)
        await self.runner.act(seller.company_id, KeepForeign([found]))

    async def account_becomes(self, company_id: UUID, status: str, account_id: UUID | None = None) -> None:
        """An account of the company, or each of them, is blocked, unblocked or closed, whatever stands in the way of that."""
        async with self.database.session(company_id) as session:
            found = await accounts_of(session, company_id, None if account_id is None else [account_id])
            context = RequestContext(company_id, await session.value("SELECT business_now()"), self.chance)
        for account in found:
            write = changed(account, _TURNS[status], Why("OPERATOR_DECISION"), context)
            if status == "CLOSED":
                row = {
                    "id": self.id(), "account_id": account.id, "reason_code": "OPERATOR_DECISION", "created_at": context.now,
                    "updated_at": context.now,
                }  # fmt: skip
                write += Write(company_id, rows=CLOSE_REQUESTS.born(row, context.now, ("request",)))
            await commit(self.database, write)

    async def ana(self) -> Seller:
        return await self.found("Ana")

    async def caio(self, ana: Seller) -> Client:
        """He may look at what Ana's company does, and change nothing."""
        return await self.add_client(ana.company_id, "Caio", tuple(p for p in PERMISSIONS if p.endswith(":read")))

    async def dora(self) -> Seller:
        """Another company: whatever is Ana's must be as if it were not there."""
        return await self.found("Dora", DORA)

    async def run(self, client: Client, verb: Verb[Any], **call: Any) -> Reply | Refused:
        return await self.runner.run(client.call(**call), verb)

    def transfer(
        self,
        debit: LedgerAccount,
        credit: LedgerAccount,
        minor: int,
        *,
        kind: str = "moved",
        pending: Transfer | None = None,
    ) -> Transfer:
        reference = self.id() if pending is None else pending.reference_id
        pending_id = None if pending is None else pending.id
        return Transfer(
            self.id(), kind, debit, credit, Money(minor, "BRL"), "TEST", reference, datetime.now(UTC), pending_id
        )

    async def credit(self, seller: Seller, minor: int, account: LedgerAccount | None = None) -> Transfer:
        """Money comes in from the network."""
        transfer = self.transfer(seller.clearing, account or seller.customer, minor)
        await commit(self.database, Write(seller.company_id, transfers=(transfer,)))
        return transfer

    async def close(self) -> None:
        await self.database.close()
