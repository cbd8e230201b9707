"""Statements: a hundred thousand lines in their time and memory; twenty thousand mixed orders that end at nothing open."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from bench.figures import Figure, Rounds
from bench.methods import BROWSER, CARD

from lastro.api_kit.routes import Incoming
from lastro.app import networks, wiring
from lastro.app.inbox_handlers import inbox_verbs
from lastro.app.reconciling import BOOKED
from lastro.core.clock import BusinessClock
from lastro.core.concurrency import together
from lastro.core.db import Database
from lastro.core.errors import Refused
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.queue_worker import QueueWorker
from lastro.core.runner import Done, Runner
from lastro.orders.methods import known_method
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.port import NetworkMessage, StatementLine, StatementPage
from lastro.rails.port.statements import Totals
from lastro.reconciliation import LANE, Again, Reconciler
from lastro.reconciliation.actions.days import Begin
from lastro.standards.calendar import brasilia_day, day_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from bench.house import House

PAGE = 2000
_WIDTH = 8
_CENTS = 1000
_PAYMENTS = """
INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, settled_at, created_at,
                          updated_at)
SELECT '{company}', gen_random_uuid(), 'E12345678200001011200' || lpad(n::text, 11, '0'), 'SETTLED', 1000, '{at}', '{at}',
       '{at}', '{at}'
  FROM generate_series({first}, {last}) n
"""
_ADDRESS = {
    "state": "SP", "city": "São Paulo", "street": "Rua das Flores", "neighborhood": "Centro", "number": "10",
    "postalCode": "01001000",
}  # fmt: skip
_CUSTOMER = {
    "name": "Bento Braga", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
    "email": "bento@example.com", "phone": "+5511987654321", "address": _ADDRESS,
}  # fmt: skip
_PAYER = port.Payer("Bento Braga", "CPF", "11144477735", "87654321", "0002", "123456", "TRAN")
# By which method one order after the other is paid; None: a Pix that nobody has asked for. Rates are asked of the simulated
# partner, so that they are few.
_MIX = (
    *("PIX", "BOLETO", "SPEI", "DEPOSIT", "OXXO", "OXXOPAY", "PAYNET", "CREDIT_CARD", "PIX", None) * 3, "PIX", "BINANCE_PAY",
)  # fmt: skip
_NAMES = """
SELECT o.txid, i.rail, i.reference FROM orders o LEFT JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id
 WHERE o.company_id = $1 AND o.id = $2
"""
# What is wrong with a line, or was not told to us: one in ten.
_MISTAKES = ("missing", "late", "twice", "amount", "reference", "unheard")


@dataclass
class Paper:
    """A partner whose statements are made when they are asked for, a page at a time."""

    count: int
    line: Callable[[int], StatementLine]

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        """The page that begins at a place."""
        place = int(after or 0)
        lines = tuple(self.line(n) for n in range(place, min(place + PAGE, self.count)))
        came, none = Money(self.count * _CENTS, "BRL"), Money(0, "BRL")
        following = place + PAGE
        return StatementPage(
            lines, Totals(self.count, came, none, none, came), str(following) if following < self.count else None
        )


@dataclass
class Book:
    """A partner whose statements are a list for each day."""

    currency: str = "BRL"
    lines: dict[date, list[StatementLine]] = field(default_factory=dict)

    async def statement(self, day: date, after: str | None) -> StatementPage | None:
        """The page that begins at a place; a day of which nothing is known is empty."""
        every, place = self.lines.get(day, []), int(after or 0)
        came, none = Money(sum(line.amount.minor for line in every), self.currency), Money(0, self.currency)
        following = place + PAGE
        rest = str(following) if following < len(every) else None
        return StatementPage(tuple(every[place:following]), Totals(len(every), came, none, none, came), rest)


@dataclass
class Office:
    """A worker's parts, in this process."""

    house: House
    database: Database
    work: Database
    runner: Runner
    chance: Chance
    inbox: Inbox

    @classmethod
    def of(cls, house: House) -> Office:
        """Over connections of its own."""
        database, work = Database(house.settings.app, size=12), Database(house.settings.work, size=4)
        chance = Chance(os.urandom)
        runner = Runner(database, BusinessClock(time.monotonic), chance)
        return cls(house, database, work, runner, chance, Inbox(database, work, chance, house.settings.ispb))

    async def institution(self) -> UUID:
        """The company whose statements are."""
        async with self.work.session() as session:
            found: UUID = await session.value("SELECT company_id FROM company_numbers WHERE number = 0")
        return found

    async def take(self, rails: Mapping[str, port.Statements], day: date, *, anew: bool = False) -> float:
        """Seconds until the statements of a day are taken."""

        async def owners(told: Sequence[NetworkMessage]) -> Mapping[str, UUID]:
            return (await self.inbox.owners(told))[1]

        institution = await self.institution()
        reconciler = Reconciler(self.database, self.work, self.runner, rails, BOOKED, owners)
        for rail in rails:
            await self.runner.act(institution, Again(rail, day, "bench") if anew else Begin(rail, [day]))
        begun = time.perf_counter()
        lane = QueueWorker(LANE, self.database, self.work, self.chance, reconciler.row, at_once=2)
        while await self._untaken(institution):
            await lane.drain()
        return time.perf_counter() - begun

    async def _untaken(self, institution: UUID) -> int:
        async with self.database.session(institution) as session:
            left: int = await session.value(
                "SELECT count(*) FROM statements WHERE company_id = $1 AND state = 'TAKING'", institution
            )
        return left

    async def counted(self, sql: str) -> int:
        """A number out of every company."""
        return int((await self.house.as_superuser(sql))[0][0])

    async def close(self) -> None:
        """Ends its connections."""
        await self.database.close()
        await self.work.close()


def _noon(day: date) -> datetime:
    return day_bounds(day)[0] + timedelta(hours=12)


async def lines(house: House, count: int) -> list[Figure]:
    """A day of so many payments of sixteen companies, all as the books have them: seconds, and what memory grows by."""
    office, day = Office.of(house), brasilia_day(datetime.now(UTC)) - timedelta(days=400)
    try:
        owned, at = sorted({p.company_id for p in house.payees}), _noon(day)
        numbers = await _account_numbers(office)
        each = count // len(owned)
        for n, company in enumerate(owned):
            await house.as_superuser(
                _PAYMENTS.format(company=company, at=at.isoformat(), first=n * each, last=(n + 1) * each - 1)
            )
        await house.as_superuser("ANALYZE pix_payments")

        def line(n: int) -> StatementLine:
            name, account = f"E12345678200001011200{n:011d}", numbers[owned[min(n // each, len(owned) - 1)]]
            body = port.encode(_arrival(name, None, account, at))
            return StatementLine(
                f"IN-{n}",
                port.IN,
                name,
                None,
                Money(_CENTS, "BRL"),
                at,
                NetworkMessage(port.PIX_SETTLED, "", name, body, account=account),
            )

        paper = Paper(each * len(owned), line)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = await office.take({port.PIX: paper}, day)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        found = await office.counted("SELECT count(*) FROM statement_items")
        if found or await office.counted("SELECT count(*) FROM statement_lines WHERE verdict = 'MATCHED'") != paper.count:
            raise RuntimeError(f"{found} differences of a day without any")
    finally:
        await office.close()
    return [
        Figure(f"statement of {paper.count:,} lines", "s", Rounds((seconds,)), None, 60, 40, at_most=True, digits=1),
        Figure("  memory that it takes more", "MB", Rounds((grown,)), None, 100, 60, at_most=True),
    ]


async def mixed(house: House, count: int, seed: int = 7) -> list[Figure]:
    """Orders by every method, and Pix for no order, one in ten of them wrong in a statement or never told to us."""
    office, chance = Office.of(house), random.Random(seed)
    day = brasilia_day(datetime.now(UTC)) - timedelta(days=1)
    try:
        good = await _movements(office, count, day)
        mistakes = {line.line_id: chance.choice(_MISTAKES) for _, line in good if chance.random() < 0.1}
        heard = [line for _, line in good if mistakes.get(line.line_id) != "unheard"]
        await _on_worked(office, [])  # of the cards that are to be charged
        await _on_worked(office, [replace(line.told, network_id=f"news:{line.line_id}") for line in heard])
        books = {rail: Book(port.RAILS[rail]) for rail in {of for of, _ in good}}
        for rail, line in good:
            books[rail].lines.setdefault(day, []).extend(_wrong(line, mistakes.get(line.line_id)))
        seconds = await office.take(books, day)
        found = await office.counted("SELECT count(*) FROM statement_items")
        await _on_worked(office, [])
        late = {line.line_id for _, line in good if mistakes.get(line.line_id) == "late"}
        for rail, book in books.items():
            book.lines[day + timedelta(days=1)] = [line for of, line in good if of == rail and line.line_id in late]
            book.lines[day] = [line for of, line in good if of == rail and line.line_id not in late]
        await office.take(books, day + timedelta(days=1))
        await office.take(books, day, anew=True)
        left = await office.counted("SELECT count(*) FROM statement_items WHERE state = 'OPEN'")
        broken = await office.counted(f"SELECT count(*) FROM law_a_reconciled_day_is_in_the_ledger WHERE day = '{day}'")
        if found != len(mistakes) or broken:
            raise RuntimeError(
                f"{found} differences found of {len(mistakes)}; {broken} companies' days are not in the ledger"
            )
    finally:
        await office.close()
    what = f"{len(good):,} mixed orders, {found:,} mistakes"
    return [
        Figure(what, "s", Rounds((seconds,)), None, 60, 40, at_most=True, digits=1),
        Figure("  left unexplained", "", Rounds((float(left),)), None, 0, 0, at_most=True),
    ]  # fmt: skip


async def _account_numbers(office: Office) -> dict[UUID, str]:
    """By account, and by company one of its accounts'."""
    rows = await office.house.as_superuser("SELECT company_id, account_id, number FROM account_numbers ORDER BY number")
    return {row[name]: row["number"] for name in ("company_id", "account_id") for row in rows}


def _arrival(name: str, txid: str | None, account: str, at: datetime) -> port.PixArrival:
    return port.PixArrival(
        f"S{name}", name, txid, Money(_CENTS, "BRL"), at, _PAYER, "0001", account, None, None, "QRDN", settled_at=at
    )


async def _movements(office: Office, count: int, day: date) -> list[tuple[str, StatementLine]]:
    """By rail: orders by each method as often as _MIX has it, the others Pix that nobody has asked for."""
    at, numbers = _noon(day), await _account_numbers(office)
    accounts = {p.account_id: p.company_id for p in office.house.payees}
    plan = [(_MIX[n % len(_MIX)], *list(accounts.items())[n // len(_MIX) % len(accounts)]) for n in range(count)]
    create = {r.operation: r for r in wiring.routes(await _opened(office))}["create_order"]
    cards = await _kept_cards(office, create, accounts)

    async def made(one: tuple[int, tuple[str | None, UUID, UUID]]) -> tuple[str, StatementLine]:
        n, (method, account_id, company) = one
        name = f"E87654321{day:%Y%m%d}1200{n:011d}"
        if method is None:
            return port.PIX, _line(name, None, _arrival(name, None, numbers[account_id], at))
        details = {"cardToken": cards[company], "browser": BROWSER} if method == "CREDIT_CARD" else None
        told = await _ordered(office, create, company, account_id, method, f"mixed-{n}", details)
        async with office.database.session(company) as session:
            row = await session.row(_NAMES, company, UUID(told["id"]))
        assert row is not None, "it was made a moment ago"
        if row["rail"] is not None:
            if row["rail"] == port.CARD:
                await _hear_of_card(office, row["reference"])
            return row["rail"], _paid(row["rail"], f"P{n:011d}", row["reference"], at)
        txid = row["txid"]
        return port.PIX, _line(name, txid, _arrival(name, txid, numbers[account_id], at))

    return await together(list(enumerate(plan)), made, _WIDTH)


async def _opened(office: Office) -> wiring.AppContext:
    return await wiring.open_house(office.house.settings, office.database, lambda _: None)


def _line(name: str, txid: str | None, arrival: port.PixArrival) -> StatementLine:
    told = NetworkMessage(port.PIX_SETTLED, "", name, port.encode(arrival), txid, arrival.receiver_account)
    return StatementLine(f"IN-{name}", port.IN, name, txid, arrival.amount, arrival.accepted_at, told)


def _paid(rail: str, name: str, reference: str, at: datetime) -> StatementLine:
    amount = Money(_CENTS, port.RAILS[rail])
    body = port.encode(port.Collected(name, reference, amount, at, at))
    told = NetworkMessage(port.COLLECTION_SETTLED, "", reference, body, rail=rail, instrument=reference)
    return StatementLine(f"IN-{name}", port.IN, name, reference, amount, at, told)


async def _ordered(
    office: Office, create: Any, company: UUID, account_id: UUID, method: str, code: str, details: dict[str, Any] | None
) -> dict[str, Any]:
    """An order as it is answered."""
    order = {
        "externalId": code, "paymentMethod": method, "description": "Flores", "accountId": str(account_id),
        "amount": {"currency": known_method(method).currency, "value": "10.00"},
        "notificationUrl": "https://merchant.example/hook",
    }  # fmt: skip
    body = {"order": order if details is None else order | {"paymentDetails": details}, "customer": _CUSTOMER}
    verb: Any = create.parse(Incoming(company, {}, {}, msgspec.json.encode(body), body, code))
    done = verb if isinstance(verb, Refused) else await office.runner.act(company, verb)
    if not isinstance(done, Done):
        raise TypeError(f"an order was refused: {done}")
    made: dict[str, Any] = msgspec.json.decode(done.body)
    return made


async def _kept_cards(office: Office, create: Any, accounts: Mapping[UUID, UUID]) -> dict[UUID, str]:
    """A token of a card of each company, made by an order that is never charged."""
    found = {}
    for company, account_id in {company: account_id for account_id, company in accounts.items()}.items():
        details = {"creditCard": CARD, "browser": BROWSER}
        made = await _ordered(office, create, company, account_id, "CREDIT_CARD", "card", details)
        found[company] = made["card"]["cardToken"]
    return found


async def _hear_of_card(office: Office, reference: str) -> None:
    """Its payer was authenticated, so that it is being charged."""
    body = port.encode(port.CardAuthenticated(reference, "Y"))
    told = NetworkMessage(
        port.CARD_AUTHENTICATED, f"authenticated:{reference}", reference, body, rail=port.CARD, instrument=reference
    )
    await office.inbox.keep([told])


def _wrong(line: StatementLine, mistake: str | None) -> list[StatementLine]:
    """What a statement has in its place. Of what has no reference, another one is none."""
    if mistake in ("missing", "late"):
        return []
    if mistake == "twice":
        return [line, replace(line, line_id=f"{line.line_id}-2")]
    if mistake == "amount" or (mistake == "reference" and line.reference is None):
        return [replace(line, amount=line.amount + Money(1, line.amount.currency))]
    return [replace(line, reference="OTHER")] if mistake == "reference" else [line]


async def _on_worked(office: Office, told: list[NetworkMessage]) -> None:
    """These messages, and all that lies in the inbox, are handled."""
    for begin in range(0, len(told), 500):
        await office.inbox.keep(told[begin : begin + 500])
    place = networks.place_of(office.house.settings)
    verbs = inbox_verbs(place, office.house.settings.charging)
    handler = Handler(office.database, office.work, office.runner, office.chance, verbs)
    while await office.counted("SELECT count(*) FROM inbox WHERE due_at IS NOT NULL"):
        await handler.queue.drain()
        await asyncio.sleep(0.05)
