"""A partner whose statements say what a test writes, and a worker that takes them."""

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE, Cast
from tests.rooms.laws import paying_out
from tests.rooms.laws.world import World

from lastro.app import inbox_handlers
from lastro.app.reconciling import BOOKED
from lastro.core import work_queue
from lastro.core.db import Database, Dsn
from lastro.core.money import Money
from lastro.rails import handling, port
from lastro.rails.port import Claimed, InboxRow, NetworkMessage, StatementLine, StatementPage
from lastro.rails.port.statements import Totals
from lastro.reconciliation import LANE, Again, Reconciler
from lastro.reconciliation.actions.days import Begin
from lastro.standards.calendar import instant

# Days that are far ahead, each test's own: what others have settled lies today, and nothing settles before it was made.
_DAYS = (date(2041, 1, 1) + timedelta(days=10 * n) for n in itertools.count())

_ITEMS = "SELECT network_id, difference, state FROM statement_items WHERE company_id = $1 ORDER BY id"


def line(
    kind: str, name: str, cents: int, at: datetime, told: NetworkMessage, *, reference: str | None = None, line_id: str | None = None
) -> StatementLine:  # fmt: skip
    return StatementLine(line_id or f"{kind}-{name}", kind, name, reference, Money(cents, "BRL"), at, told)


@dataclass
class Paper:
    """A port.Statements. page: lines of a page. said: in place of the true number of lines. asked: the places asked for.

    opening: what there was before each day, in centavos; None: the partner tells no balances.
    """

    lines: dict[date, list[StatementLine]] = field(default_factory=dict)
    page: int = 50
    said: int | None = None
    asked: list[str | None] = field(default_factory=list)
    breaks_at: str | None = None
    opening: int | None = 0

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        self.asked.append(after)
        if day not in self.lines:
            return None
        if after is not None and after == self.breaks_at:
            self.breaks_at = None
            raise port.Transient("gone")
        every, place = self.lines[day], int(after or 0)
        came = sum(x.amount.minor for x in every if x.kind in port.INWARD)
        went = sum(x.amount.minor for x in every if x.kind not in port.INWARD)
        balances = (None, None) if self.opening is None else (self.opening, self.opening + came - went)
        opening, closing = (None if minor is None else Money(minor, "BRL") for minor in balances)
        said = len(every) if self.said is None else self.said
        totals = Totals(said, Money(came, "BRL"), Money(went, "BRL"), opening, closing)
        following = place + self.page
        return StatementPage(tuple(every[place:following]), totals, str(following) if following < len(every) else None)


@dataclass
class Desk:
    """Ana's company stands for the institution, too: whose row a statement is makes no difference to its lines."""

    world: World
    work: Database
    paper: Paper = field(default_factory=Paper)
    day: date = field(default_factory=lambda: next(_DAYS))

    @classmethod
    async def open(cls, cast: Cast, work: Dsn) -> "Desk":
        made = cls(World(cast, await cast.ana(), await cast.dora()), Database(work, size=2))
        await cast.credit(made.world.ana, 10_000_000)
        return made

    @property
    def cast(self) -> Cast:
        return self.world.cast

    @property
    def company(self) -> UUID:
        return self.world.ana.company_id

    def at(self, days: int = 0) -> datetime:
        """Noon of its day, or of one after it."""
        return instant(self.day + timedelta(days=days), time(12))

    def reconciler(self, paper: Paper | None = None) -> Reconciler:
        async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
            return {one.network_id: self.company for one in told}

        rails = dict.fromkeys(("pix", "ted", "boleto", "card"), paper or self.paper)
        return Reconciler(self.cast.database, self.work, self.cast.runner, rails, BOOKED, owners)

    async def begin(self, days: int = 0, rail: str = "pix") -> None:
        await self.cast.runner.act(self.company, Begin(rail, [self.day + timedelta(days=days)]))

    async def turn(self, reconciler: Reconciler | None = None) -> bool:
        """One turn of a worker at every statement that is due; whether there was one."""
        rows = await work_queue.claim(self.cast.database, LANE, self.company, self.cast.id(), 10)
        for row in rows:
            await (reconciler or self.reconciler()).row(row)
        return bool(rows)

    async def take(self, lines: Sequence[StatementLine], days: int = 0, rail: str = "pix") -> None:
        """The statement of its day, or of one after it, says this, and is taken."""
        self.paper.lines[self.day + timedelta(days=days)] = list(lines)
        await self.begin(days, rail)
        await self.turn()

    async def again(self, lines: Sequence[StatementLine], days: int = 0, rail: str = "pix") -> None:
        """The same, issued anew."""
        day = self.day + timedelta(days=days)
        self.paper.lines[day] = list(lines)
        await self.cast.act(self.company, Again(rail, day, "bia"))
        await self.turn()

    async def on_worked(self) -> None:
        """What lies in the inbox is handled."""
        while rows := await work_queue.claim(self.cast.database, handling.LANE, self.company, self.cast.id(), 50):
            for r in rows:
                row = InboxRow(
                    Claimed(r["id"], r["lease_token"]), self.company, r["rail"], r["kind"], r["network_id"], r["subject"],
                    r["txid"], bytes(r["body"]), r["received_at"], 1,
                )  # fmt: skip
                await self.cast.runner.act(self.company, inbox_handlers.inbox_verbs(PLACE)[r["kind"]](row))

    async def items(self) -> dict[str, tuple[str, str]]:
        """By id in the network: difference and state."""
        async with self.cast.database.session(self.company) as session:
            rows = await session.fetch(_ITEMS, self.company)
        return {r["network_id"]: (r["difference"], r["state"]) for r in rows}

    async def value(self, sql: str, *arguments: Any) -> Any:
        async with self.cast.database.session(self.company) as session:
            return await session.value(sql, *arguments)

    # ── movements, each as the line that its statement has of it ──

    async def came(self, name: str, *, heard: bool = True, cents: int = 1000) -> StatementLine:
        """A Pix for no order."""
        says = {"txid": None, "settled_at": self.at(), "accepted_at": self.at(), "amount": Money(cents, "BRL")}
        arrival = await self.world.arrival(name, **says)
        if heard:
            await self.world.told(port.PIX_SETTLED, arrival)
        told = NetworkMessage(
            port.PIX_SETTLED, "", arrival.end_to_end_id, port.encode(arrival), account=arrival.receiver_account
        )
        return line(port.IN, arrival.end_to_end_id, cents, self.at(), told)

    async def ordered(self, name: str, *, settled: bool | None = True) -> StatementLine:
        """A Pix for an order. settled None: its end is not told yet; False: it is told to have failed."""
        await self.world.create(name)
        arrival = await self.world.arrival(name)
        await self.world.told(port.PIX_ASK, arrival)
        e2e = arrival.end_to_end_id
        if settled is not None:
            end = port.PixFinal(e2e, settled, None if settled else "AB03", self.at() if settled else None)
            await self.world.told(port.PIX_FINAL, end)
        body = port.encode(replace_settled(arrival, self.at()))
        return line(port.IN, e2e, 1000, self.at(), NetworkMessage(port.PIX_SETTLED, "", e2e, body), reference=arrival.txid)

    async def left(self, name: str, *, settled: bool | None = True) -> StatementLine:
        """A payout of 10.00, as for an order."""
        await paying_out.make(self.world, name, 1000)
        e2e = self.world.names[f"{name}_e2e"]
        if settled is not None:
            more: dict[str, Any] = {
                "settled": settled,
                "code": None if settled else "AC07",
                "settled_at": self.at() if settled else None,
            }
            await paying_out.told(self.world, name, port.PAYMENT_FINAL, port.PaymentFinal, **more)
        final = port.PaymentFinal(e2e, settled=True, settled_at=self.at())
        return line(port.OUT, e2e, 1000, self.at(), NetworkMessage(port.PAYMENT_FINAL, "", e2e, port.encode(final)))

    async def came_back(self, name: str, of: StatementLine, *, heard: bool = True) -> StatementLine:
        """4.00 of a payout."""
        return_id = f"D99999030{os.urandom(12).hex()[:23]}"
        back = port.PaymentReturned(of.network_id, return_id, Money(400, "BRL"), "MD06", self.at())
        if heard:
            await paying_out.heard(self.world, self.company, port.PAYMENT_RETURNED, back, of.network_id)
        told = NetworkMessage(port.PAYMENT_RETURNED, "", of.network_id, port.encode(back))
        return line(port.RETURN_IN, return_id, 400, self.at(), told, reference=of.network_id)

    async def went_back(self, name: str, *, heard: bool = True) -> tuple[StatementLine, StatementLine]:
        """Money for nobody, and its return."""
        arrival = await self.world.arrival(name, receiver_account="999999999", txid=None, settled_at=self.at())
        await self.world.told(port.PIX_SETTLED, arrival)
        e2e = arrival.end_to_end_id
        return_id = await self.value(
            "SELECT r.return_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id"
            " WHERE p.end_to_end_id = $1",
            e2e,
        )
        end = port.ReturnFinal(return_id, e2e, settled=True, settled_at=self.at())
        if heard:
            await self.world.told(port.RETURN_FINAL, end)
        came = line(port.IN, e2e, 1000, self.at(), NetworkMessage(port.PIX_SETTLED, "", e2e, port.encode(arrival)))
        told = NetworkMessage(port.RETURN_FINAL, "", return_id, port.encode(end))
        return came, line(port.RETURN_OUT, return_id, 1000, self.at(), told, reference=e2e)


def replace_settled(arrival: port.PixArrival, at: datetime) -> port.PixArrival:
    """The same Pix, told as money that is in."""
    return msgspec.structs.replace(arrival, settled_at=at)
