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
from lastro.base.clock import BusinessClock
from lastro.base.commit import commit
from lastro.base.db import Database
from lastro.base.ids import Chance
from lastro.base.money import Money
from lastro.base.run import Runner
from lastro.base.write import Transfer, Write
from lastro.doors.upkeep import FOLD_EVERY_SECONDS, Upkeep
from lastro.doors.wiring import place_of
from lastro.rails.port import PIX

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from uuid import UUID

    from bench.floor import Sent
    from bench.house import House

_ACCOUNTS = 1000
_CONNECTIONS = 8
_RICH = Money(10**15, "BRL")


@dataclass
class _Book:
    """One company's accounts, all with plenty of money."""

    house: House
    database: Database
    company_id: UUID
    chance: Chance
    accounts: list[ledger.LedgerAccount]

    def moved(self, debit: ledger.LedgerAccount, credit: ledger.LedgerAccount, amount: Money) -> Transfer:
        now = datetime.now(UTC)
        return Transfer(self.chance.uuid(now), "moved", debit, credit, amount, "BENCH", self.chance.uuid(now), now)

    async def statement(self) -> tuple[Sent, Sent]:
        """The write of one transfer from the first account to the second, twice."""
        with recording() as sent:
            for _ in range(2):
                transfer = self.moved(self.accounts[0], self.accounts[1], Money(1, "BRL"))
                await commit(self.database, Write(self.company_id, transfers=(transfer,)))
        return sent[-2], sent[-1]

    async def pgbench(self, name: str, debit: str, credit: str) -> Pgbench:
        """Transfers between these accounts, given as pgbench expressions of their numbers."""
        script = Script()
        script.set("d", debit)
        script.set("c", credit)
        named = {
            self.accounts[0].id: "(SELECT id FROM bench_accounts WHERE number = :d)",
            self.accounts[1].id: "(SELECT id FROM bench_accounts WHERE number = :c)",
        }
        script.lines.append(script.statement(*await self.statement(), named) + ";")
        return Pgbench(self.house, script.write(self.house.home / f"ledger-{name}.sql"))


async def hot_accounts(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Both busy cases against the spread one, with credits folded behind them as the worker does."""
    database = Database(house.settings.app, size=2)
    try:
        book = await _book(house, database)
        spread = "random(0, 499) * 2"
        runs = {
            "spread": await book.pgbench("spread", spread, f"{spread} + 1"),
            "credit": await book.pgbench("credit", spread, "1"),
            "debit": await book.pgbench("debit", "0", f"{spread} + 1"),
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
               note=f"floor: over {_ACCOUNTS} accounts, {_CONNECTIONS} connections, folder running"),
        Figure("transfers all from one account", "/s", Rounds(tuple(rates["debit"])), spread_over, 0.25),
    ]  # fmt: skip


async def _book(house: House, database: Database) -> _Book:
    chance, company_id = Chance(os.urandom), house.payees[0].company_id
    runner = Runner(database, BusinessClock(time.monotonic), chance)
    institution = place_of(house.settings).institution
    opened = [await open_account(runner, company_id, institution, f"Conta {n}") for n in range(_ACCOUNTS)]
    book = _Book(house, database, company_id, chance, [ledger.customer(company_id, a, "BRL") for a in opened])
    net = ledger.clearing(company_id, PIX, "BRL")
    await commit(database, Write(company_id, transfers=tuple(book.moved(net, a, _RICH) for a in book.accounts)))
    async with database.session(company_id) as session:
        await session.value("SELECT fold($1, 1, $2)", company_id, 2 * _ACCOUNTS)
    rows = ", ".join(f"({number}, '{account.id}')" for number, account in enumerate(book.accounts))
    for sql in (
        "CREATE TABLE bench_accounts (number integer PRIMARY KEY, id uuid NOT NULL)",
        f"INSERT INTO bench_accounts VALUES {rows}",
        "GRANT SELECT ON bench_accounts TO lastro_app",
        "ANALYZE",
    ):
        await house.as_superuser(sql)
    return book


@asynccontextmanager
async def _folding(house: House, book: _Book) -> AsyncIterator[None]:
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
