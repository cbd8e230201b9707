"""What a busy account costs: transfers all to one account, all from one, and spread over a thousand."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from bench.figures import Figure, Rounds
from bench.floor import Pgbench, Script, recording
from bench.house import open_account
from bench.orders import in_turns

from lastro import ledger
from lastro.app.networks import place_of
from lastro.core.clock import BusinessClock
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.runner import Runner
from lastro.core.write import Transfer, Write
from lastro.rails.port import PIX
from lastro.worker.upkeep import FOLD_EVERY_SECONDS, Upkeep

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from uuid import UUID

    from bench.floor import Sent
    from bench.house import House

ACCOUNTS = 1000
_CONNECTIONS = 8
_RICH = Money(10**15, "BRL")


@dataclass
class Book:
    """One company's accounts."""

    database: Database
    company_id: UUID
    chance: Chance
    accounts: list[ledger.LedgerAccount]

    def moved(self, debit: ledger.LedgerAccount, credit: ledger.LedgerAccount, amount: Money) -> Transfer:
        """A transfer between two accounts."""
        now = datetime.now(UTC)
        return Transfer(self.chance.uuid(now), "moved", debit, credit, amount, "BENCH", self.chance.uuid(now), now)

    async def enrich(self) -> None:
        """Gives each account plenty of money, already folded."""
        net = ledger.clearing(self.company_id, PIX, "BRL")
        write = Write(self.company_id, transfers=tuple(self.moved(net, a, _RICH) for a in self.accounts))
        await commit(self.database, write)
        async with self.database.session(self.company_id) as session:
            await session.value("SELECT fold($1, 1, $2)", self.company_id, 2 * len(self.accounts))

    async def statement(self) -> tuple[Sent, Sent]:
        """The write of one transfer from the first account to the second, twice."""
        with recording() as sent:
            for _ in range(2):
                transfer = self.moved(self.accounts[0], self.accounts[1], Money(1, "BRL"))
                await commit(self.database, Write(self.company_id, transfers=(transfer,)))
        return sent[-2], sent[-1]

    async def pgbench(self, house: House, name: str, debit: str, credit: str) -> Pgbench:
        """Transfers between these accounts, given as pgbench expressions of their numbers."""
        script = Script()
        script.set("d", debit)
        script.set("c", credit)
        named = {
            self.accounts[0].id: "(SELECT id FROM bench_accounts WHERE number = :d)",
            self.accounts[1].id: "(SELECT id FROM bench_accounts WHERE number = :c)",
        }
        script.lines.append(script.statement(*await self.statement(), named) + ";")
        return Pgbench(house, script.write(house.home / f"ledger-{name}.sql"))


async def hot_accounts(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Both busy cases against the spread one, with credits folded behind them as the worker does."""
    database = Database(house.settings.app, size=2)
    try:
        book = await opened(house, database)
        await _numbered(house, book)
        spread = "random(0, 499) * 2"
        runs = {
            "spread": await book.pgbench(house, "spread", spread, f"{spread} + 1"),
            "credit": await book.pgbench(house, "credit", spread, "1"),
            "debit": await book.pgbench(house, "debit", "0", f"{spread} + 1"),
        }
        offset = 0
        for each in runs.values():  # ids of the three must not meet
            each.runs, offset = offset, offset + 1000
        async with _folding(house, book):
            ways = {name: partial(run.run, _CONNECTIONS, seconds) for name, run in runs.items()}
            rates = await in_turns(house, ways, rounds)
    finally:
        await database.close()
    spread_over = Rounds(tuple(rates["spread"]))
    return [
        Figure("transfers all to one account", "/s", Rounds(tuple(rates["credit"])), spread_over, 0.9,
               note=f"floor: over {ACCOUNTS} accounts, {_CONNECTIONS} connections, folder running"),
        Figure("transfers all from one account", "/s", Rounds(tuple(rates["debit"])), spread_over, 0.25),
    ]  # fmt: skip


async def opened(house: House, database: Database) -> Book:
    """A thousand accounts of the first company, all with plenty of money."""
    chance, company_id = Chance(os.urandom), house.payees[0].company_id
    runner = Runner(database, BusinessClock(time.monotonic), chance)
    institution = place_of(house.settings).institution
    ids = [await open_account(runner, company_id, institution, f"Conta {n}") for n in range(ACCOUNTS)]
    book = Book(database, company_id, chance, [ledger.customer(company_id, each, "BRL") for each in ids])
    await book.enrich()
    return book


async def _numbered(house: House, book: Book) -> None:
    """Lets pgbench find the accounts by number."""
    rows = ", ".join(f"({number}, '{account.id}')" for number, account in enumerate(book.accounts))
    for sql in (
        "CREATE TABLE bench_accounts (number integer PRIMARY KEY, id uuid NOT NULL)",
        f"INSERT INTO bench_accounts VALUES {rows}",
        "GRANT SELECT ON bench_accounts TO lastro_app",
        "ANALYZE",
    ):
        await house.as_superuser(sql)


@asynccontextmanager
async def _folding(house: House, book: Book) -> AsyncIterator[None]:
    """The worker's folder, at the worker's pace."""
    work = Database(house.settings.work, size=1)
    upkeep = Upkeep(book.database, work)

    async def fold() -> None:
        while True:
            upkeep.seen("", book.company_id)
            await upkeep.fold_active()
            await asyncio.sleep(FOLD_EVERY_SECONDS)

    folding = asyncio.ensure_future(fold())
    try:
        yield
        if folding.done():
            folding.result()
    finally:
        folding.cancel()
        with suppress(asyncio.CancelledError):
            await folding
        await work.close()
