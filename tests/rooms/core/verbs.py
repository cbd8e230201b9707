"""Verbs as small as they can be, to see what the runner does with any verb."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from tests.cast import INSTITUTION, Cast, Seller
from tests.rooms.orders.cards import Acquirer, charged_back, paid
from tests.rooms.orders.shop import Shop

from lastro import ledger
from lastro.accounts import Settle
from lastro.api_kit.routes import render
from lastro.core.commit import commit
from lastro.core.db import Session
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.machine import Machine
from lastro.core.money import Money
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Event, Row, Transfer, Write
from lastro.orders import EVENT_TYPES, ORDERS
from lastro.payouts import PAYOUTS
from lastro.rails.port import CollectionOrder, Person, collection_message
from lastro.reconciliation import ITEMS, STATEMENTS


def order_values(seller: Seller, order_id: UUID, at: datetime, **more: Any) -> dict[str, Any]:
    """The columns of an order that must have a value."""
    return {
        "id": order_id, "account_id": seller.account_id, "external_id": str(order_id), "origin": "TRANSPARENT",
        "payment_method": "PIX", "currency": "BRL", "amount_minor": 1000, "final_amount_minor": 1000, "description": "Flores",
        "expires_at": at + timedelta(days=1), "created_at": at, "updated_at": at, **more,
    }  # fmt: skip


def born_statement(cast: Cast, at: datetime) -> tuple[Row, ...]:
    """A statement of its first line, which differs."""
    statement, made = cast.id(), {"created_at": at, "updated_at": at}
    line = {
        "line_id": "1", "statement_id": statement, "rail": "pix", "day": at.date(), "kind": "IN", "network_id": "E1",
        "currency": "BRL",
    }  # fmt: skip
    kept = {"id": cast.id(), "edition": 1, "amount_minor": 1, "settled_at": at, "verdict": "UNKNOWN", "created_at": at}
    return (
        *STATEMENTS.born({"id": statement, "rail": "pix", "day": at.date(), "due_at": at, **made}, at, ("begin",)),
        Row("statement_lines", {**line, **kept}),
        *ITEMS.born({"id": cast.id(), "difference": "UNKNOWN", **line, **made}, at, ("differ",)),
    )


def ended(order_id: UUID, status: str, code: str | None = None) -> bytes:
    """What the event of such an order's end says. code: the order's, its id where none is given."""
    amount = {"currency": "BRL", "value": "10.00"}
    example = next(notice.example for notice in EVENT_TYPES if notice.name == f"ORDER-PAYIN.{status}")
    return render({**example, "id": str(order_id), "code": code or str(order_id), "amount": amount})


def born_order(seller: Seller, order_id: UUID, at: datetime, **more: Any) -> tuple[Row, ...]:
    return ORDERS.born(order_values(seller, order_id, at, **more), at)


def born_payout(seller: Seller, payout_id: UUID, receiver_id: UUID, at: datetime) -> tuple[Row, ...]:
    """The rows of a payout for tomorrow, for which nothing is held yet."""
    values = {
        "id": payout_id, "account_id": seller.account_id, "external_id": str(payout_id), "idempotency_key": str(payout_id),
        "payment_method": "PIX", "rail": "pix", "initiation": "MANUAL", "currency": "BRL", "amount_minor": 1000,
        "description": "Bread", "receiver_id": receiver_id, "start_at": at + timedelta(days=1), "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    return PAYOUTS.born(values, at, ("create", "accept"))


@dataclass(frozen=True)
class Thing:
    """A row as it was read, for Machine.move."""

    id: UUID
    state: str
    version: int


def move_of(machine: Machine, thing_id: UUID, state: str, version: int, trigger: str, at: datetime, **sets: Any) -> Any:
    return machine.move(Thing(thing_id, state, version), trigger, at, **sets)


async def nothing(*_: object) -> None:
    pass


@dataclass
class Tell(Act[str]):
    """Writes one event and answers with its id. `meanwhile` happens between the reading and the decision."""

    remembered: str | None = None
    meanwhile: Callable[[], Awaitable[None]] = nothing
    with_parts: Callable[[RequestContext], Write] | None = None
    reads: int = 0
    decided: list[str] = field(default_factory=list)

    def from_cache(self) -> str | None:
        return self.remembered

    async def read(self, session: Session, context: RequestContext) -> str:
        self.reads += 1
        return "read"

    async def call_out(self, known: str, context: RequestContext) -> str | Refused:
        await self.meanwhile()
        return known

    def decide(self, known: str, context: RequestContext) -> Done | Refused:
        self.decided.append(known)
        event = Event(context.chance.uuid(context.now), "TEST", context.chance.uuid(context.now), None, b"{}", context.now)
        write = Write(context.company_id, events=(event,))
        if self.with_parts is not None:
            write += self.with_parts(context)
        return Done(write, render({"id": str(event.id)}), event.id)


@dataclass
class Refuse(Tell):
    """Says no. counts: what is written all the same."""

    counts: Write | None = None

    def decide(self, known: str, context: RequestContext) -> Done | Refused:
        self.decided.append(known)
        return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", "no"),), self.counts)


class Already(Tell):
    """Says yes, and that there is nothing left to do."""

    def decide(self, known: str, context: RequestContext) -> Done:
        return Done(None, render({"id": "already"}))


@dataclass
class Pay(Act[None]):
    """Draws on an account: what leaves an account with a floor."""

    cast: Cast
    seller: Seller
    minor: int
    decided: int = 0

    async def read(self, session: Session, context: RequestContext) -> None:
        return None

    def decide(self, known: None, context: RequestContext) -> Done:
        self.decided += 1
        transfer = self.cast.transfer(self.seller.customer, self.seller.clearing, self.minor)
        return Done(Write(context.company_id, transfers=(transfer,)), render({"id": str(transfer.id)}), transfer.id)


async def count(cast: Cast, seller: Seller, table: str) -> int:
    async with cast.database.session(seller.company_id) as session:
        return int(await session.value(f"SELECT count(*) FROM {table}"))


async def take_back_a_card(cast: Cast, seller: Seller) -> None:
    """An order paid by card, whose issuer takes the money back: a row in each table of cards."""
    shop = Shop(cast, seller)
    await charged_back(shop, await paid(shop, Acquirer()))


async def settle_pesos(cast: Cast, seller: Seller, at: datetime) -> None:
    """An account's pesos are paid out elsewhere: a row of settlements."""
    fees, own = ledger.fees(seller.company_id, "MXN"), ledger.customer(seller.company_id, seller.account_id, "MXN")
    earned = Transfer(cast.id(), "moved", fees, own, Money(1, "MXN"), "TEST", cast.id(), at)
    await commit(cast.database, Write(seller.company_id, transfers=(earned,)))
    await cast.act(seller.company_id, Settle(seller.account_id, "spei", Money(1, "MXN"), "T-1", INSTITUTION))


async def make_slip(cast: Cast, seller: Seller, at: datetime) -> None:
    """An order by slip: a row of instruments, and the message that registers it."""
    order, day = cast.id(), at.date()
    told = CollectionOrder(
        str(order), Money(1000, "BRL"), Person("Bento", "CPF", "1"), Person("Ana", "CPF", "2"), "x", "x", at, day, day, "x"
    )
    rows = (
        *born_order(seller, order, at, payment_method="BOLETO", ends_at=at + timedelta(days=9)),
        Row("instruments", {"order_id": order, "rail": "boleto", "reference": str(order), "code": "x", "due": day, "payable_until": day}),
    )  # fmt: skip
    message = collection_message("boleto", told, order, cast.id(), at)
    await commit(cast.database, Write(seller.company_id, rows=rows, messages=(message,)))


def erased(cast: Cast, event_id: UUID, at: datetime) -> tuple[Row, Row]:
    """As if somebody had been erased from an event whose body is now an empty object."""
    erasure = cast.id()
    done = {"id": erasure, "reference": "1", "erased_by": "ana", "erased": "{}", "kept": "{}", "created_at": at}
    left = sha256(b"{}").digest()
    of_body = {"event_id": event_id, "number": 1, "erasure_id": erasure, "sha256": b"", "left_sha256": left}
    return Row("erasures", done), Row("erased_bodies", of_body)
