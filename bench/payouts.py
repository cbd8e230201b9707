"""How fast payouts are created over HTTP, beside the same write by pgbench; and what one busy account costs."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Rounds
from bench.house import Payee
from bench.ledger import ACCOUNTS, Book, opened
from bench.load import UNIQUE, asking
from bench.orders import Http, connections_held, floor_of, in_turns

from lastro import ledger
from lastro.core.db import Database
from lastro.core.ids import Chance

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from uuid import UUID

    from bench.house import House

FABIOS = "300003"  # the account outside that the simulated bank credits
_KEY = "fabio@fora.example"
_RECEIVER = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
# What was created here is for nobody: no worker of a later part is to send it, or to ask about it.
_SET_ASIDE = (
    "UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'aside' WHERE due_at IS NOT NULL",
    "UPDATE payouts SET ask_at = NULL WHERE ask_at IS NOT NULL",
)


def to_account(payee: Payee, port: int, account: str = UNIQUE) -> str:
    """One request to pay an account at another bank, each time another one."""
    place = {"ispb": "99999030", "branchNumber": "0001", "accountNumber": account, "accountType": "CHECKING_ACCOUNT"}
    return _text(payee, port, {"paymentData": {"bankAccount": place}, "receiver": _RECEIVER})


def to_key(payee: Payee, port: int) -> str:
    """One request to pay a key of the directory, each time the same."""
    return _text(payee, port, {"paymentData": {"pixKey": _KEY}})


def _text(payee: Payee, port: int, way: dict[str, Any]) -> str:
    content = {
        "externalId": f"repasse-{port}-{UNIQUE}",
        "accountId": str(payee.account_id),
        "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "12.34"},
        "description": "Repasse das vendas da semana",
        **way,
    }
    return asking("POST", "/order/v1/banking/order-payouts", payee, port, content)


async def enrich(house: House) -> None:
    """Gives every account that pays plenty of money."""
    accounts: dict[UUID, list[ledger.LedgerAccount]] = {}
    for p in house.payees:
        accounts.setdefault(p.company_id, []).append(ledger.customer(p.company_id, p.account_id, "BRL"))
    database = Database(house.settings.app, size=2)
    try:
        for company_id, theirs in accounts.items():
            await Book(database, company_id, Chance(os.urandom), theirs).enrich()
    finally:
        await database.close()


async def throughput(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Creates per second of one API process by account and by key, and of pgbench, in turns."""
    await enrich(house)
    port, payees = house.settings.port, house.payees
    async with house.api() as api, _set_aside(house):
        by_account = Http(house, {port: [to_account(p, port) for p in payees]}, [api.pid])
        by_key = Http(house, {port: [to_key(p, port) for p in payees]}, [api.pid])
        for each in (by_account, by_key):
            await each.run(1)
            each.forget()
        connections = await connections_held(house)
        # pgbench's rows differ by what must differ; their receiver may be one.
        floor = await floor_of(house, connections, [to_account(p, port, FABIOS) for p in payees])
        ways: dict[str, Callable[[], Any]] = {
            "floor": lambda: floor.run(connections, seconds),
            "account": lambda: by_account.run(seconds),
            "key": lambda: by_key.run(seconds),
        }
        rates = await in_turns(house, ways, rounds)
    base, held = Rounds(tuple(rates["floor"])), f"{connections} connections; "
    return [
        Figure("create a payout to an account", "/s", Rounds(tuple(rates["account"])), base, 0.25,
               note=held + by_account.cost),
        Figure("create a payout to a key", "/s", Rounds(tuple(rates["key"])), base, 0.25, note=held + by_key.cost),
    ]  # fmt: skip


async def hot_account(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Creates per second from one account alone, beside a thousand of the same company, in turns."""
    database = Database(house.settings.app, size=2)
    try:
        book = await opened(house, database)
    finally:
        await database.close()
    port, first = house.settings.port, house.payees[0]
    pay = [Payee(book.company_id, a.account_id, first.client, first.token) for a in book.accounts if a.account_id]
    async with house.api() as api, _set_aside(house):

        def paying(payees: Sequence[Payee]) -> Http:
            return Http(house, {port: [to_account(p, port) for p in payees]}, [api.pid])

        spread, hot = paying(pay), paying(pay[:1])
        for each in (spread, hot):
            await each.run(1)
            each.forget()
        ways = {"spread": lambda: spread.run(seconds), "hot": lambda: hot.run(seconds)}
        rates = await in_turns(house, ways, rounds)
    over = Rounds(tuple(rates["spread"]))
    note = f"floor: from {ACCOUNTS} accounts of the company; {hot.cost}"
    return [Figure("payouts all from one account", "/s", Rounds(tuple(rates["hot"])), over, 0.6, note=note)]


@asynccontextmanager
async def _set_aside(house: House) -> AsyncIterator[None]:
    yield
    for sql in _SET_ASIDE:
        await house.as_superuser(sql)
