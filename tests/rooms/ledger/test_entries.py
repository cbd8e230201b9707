"""Entries: every transfer once, in order of time, never below zero, and what they say an account had is what it had."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from tests.cast import Cast, Seller

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.write import LedgerAccount, Transfer, Write
from lastro.ledger import balance_at

from .test_storm import Book, Storm, accounts_of, shown

LONG_AGO = datetime.now(UTC) - timedelta(days=1)
SECOND = timedelta(seconds=1)


async def enter(cast: Cast, seller: Seller, until: datetime | None = None, reach: int = 100) -> None:
    """Until everything before that moment is entered; transactions of other tests may hold it up for a while."""
    until = datetime.now(UTC) - SECOND if until is None else until
    async with cast.database.session(seller.company_id) as session:
        while True:
            await ledger.post_entries(session, seller.company_id, reach)
            done = await session.value(
                "SELECT entered_until > $2 FROM entry_cursors WHERE company_id = $1", seller.company_id, until
            )
            if done:
                return
            await asyncio.sleep(0.01)


async def written(cast: Cast, seller: Seller, *transfers: Transfer) -> None:
    for transfer in transfers:
        await commit(cast.database, Write(seller.company_id, transfers=(transfer,)))


async def earn_long_ago(cast: Cast, seller: Seller) -> None:
    """A credit that is entered."""
    await written(cast, seller, structs.replace(cast.transfer(seller.clearing, seller.customer, 1), at=LONG_AGO))
    await enter(cast, seller, LONG_AGO)


async def entries(cast: Cast, seller: Seller, account: LedgerAccount) -> list[tuple[int, int, int, int, datetime]]:
    """side, amount, balance, held, created_at; in order."""
    async with cast.database.session(seller.company_id) as session:
        rows = await session.fetch(
            "SELECT side, amount_minor, balance_minor, held_minor, created_at FROM entries WHERE ledger_account_id = $1 ORDER BY number",
            account.id,
        )
    return [tuple(r) for r in rows]


def at(seconds: float) -> datetime:
    return LONG_AGO + timedelta(seconds=seconds)


async def test_an_entry_says_what_the_account_had_afterwards(cast: Cast, ana: Seller) -> None:
    own, blocked = ana.customer, ledger.blocked(ana.company_id, ana.account_id, "BRL")
    hold = structs.replace(cast.transfer(own, ana.clearing, 30, kind="held"), at=at(2))
    given_up = structs.replace(cast.transfer(own, ana.clearing, 5, kind="held"), at=at(3))
    await written(
        cast, ana,
        structs.replace(cast.transfer(ana.clearing, own, 100), at=at(1)), hold, given_up,
        structs.replace(cast.transfer(own, ana.clearing, 30, kind="posted", pending=hold), at=at(4)),
        structs.replace(cast.transfer(own, ana.clearing, 5, kind="voided", pending=given_up), at=at(5)),
        structs.replace(cast.transfer(own, blocked, 20), at=at(6)),
        structs.replace(cast.transfer(blocked, own, 20), at=at(7)),
    )  # fmt: skip
    await enter(cast, ana)
    assert await entries(cast, ana, own) == [
        (1, 100, 100, 0, at(1)), (0, 30, 100, 30, at(2)), (0, 5, 100, 35, at(3)), (-1, 30, 70, 5, at(4)), (0, 5, 70, 0, at(5)),
        (-1, 20, 50, 0, at(6)), (1, 20, 70, 0, at(7)),
    ]  # fmt: skip
    assert await entries(cast, ana, blocked) == [(1, 20, 20, 0, at(6)), (-1, 20, 0, 0, at(7))]


async def test_what_is_of_one_instant_follows_by_microseconds_and_is_never_cut(cast: Cast, ana: Seller) -> None:
    alike = tuple(structs.replace(cast.transfer(ana.clearing, ana.customer, n), at=at(1)) for n in range(1, 8))
    await commit(cast.database, Write(ana.company_id, transfers=alike))
    await enter(cast, ana, reach=3)
    found = await entries(cast, ana, ana.customer)
    assert [e[4] for e in found] == [at(1) + n * timedelta(microseconds=1) for n in range(7)]
    assert found[-1][2] == sum(range(1, 8))


@pytest.mark.parametrize("reach", [2, 100])
async def test_what_takes_is_entered_behind_what_gave(cast: Cast, ana: Seller, reach: int) -> None:
    """The debit was decided first, and written when the credit was there."""
    own, clearing = ana.customer, ana.clearing
    await written(
        cast, ana,
        structs.replace(cast.transfer(clearing, own, 10), at=at(0)),
        structs.replace(cast.transfer(clearing, own, 100), at=at(1.4)),
        structs.replace(cast.transfer(own, clearing, 105), at=at(1)),
        structs.replace(cast.transfer(clearing, own, 2), at=at(1.2)),
        structs.replace(cast.transfer(own, clearing, 3), at=at(1.1)),
    )  # fmt: skip
    await enter(cast, ana, reach=reach)
    microsecond = timedelta(microseconds=1)
    assert [(side * minor, left, when) for side, minor, left, _, when in await entries(cast, ana, own)] == [
        (10, 10, at(0)), (-3, 7, at(1.1)), (2, 9, at(1.2)), (100, 109, at(1.4)), (-105, 4, at(1.4) + microsecond),
    ]  # fmt: skip


@pytest.mark.parametrize("reach", [2, 100])
async def test_what_rests_on_what_is_entered_later_is_entered_behind_that(cast: Cast, ana: Seller, reach: int) -> None:
    """From one account here to the next, and out: the first debit goes behind its credit, and so do those that rest on it."""
    first, second, third = (await accounts_of(cast, ana, 3)).values()
    clearing, microsecond = ana.clearing, timedelta(microseconds=1)
    await written(
        cast, ana,
        structs.replace(cast.transfer(clearing, first, 100), at=at(1.4)),
        structs.replace(cast.transfer(first, second, 90), at=at(1)),
        structs.replace(cast.transfer(second, third, 80), at=at(1.2)),
        structs.replace(cast.transfer(third, clearing, 70), at=at(1.3)),
        structs.replace(cast.transfer(third, clearing, 10), at=at(1.1)),
    )  # fmt: skip
    await enter(cast, ana, reach=reach)
    found = [
        [(side * minor, left) for side, minor, left, *_ in await entries(cast, ana, one)] for one in (first, second, third)
    ]
    assert found == [[(100, 100), (-90, 10)], [(90, 90), (-80, 10)], [(80, 80), (-10, 70), (-70, 0)]]
    assert all(e[4] <= at(1.4) + 5 * microsecond for e in await entries(cast, ana, third))


async def test_what_takes_waits_for_a_credit_that_is_not_proven(cast: Cast, ana: Seller) -> None:
    own, clearing = ana.customer, ana.clearing
    async with cast.database.session(ana.company_id) as session:
        await ledger.post_entries(session, ana.company_id)
        marked = await session.value("SELECT marked_at FROM entry_cursors")
    proven = marked - SECOND
    credit = structs.replace(cast.transfer(clearing, own, 100), at=proven + 0.3 * SECOND)
    await written(cast, ana, structs.replace(cast.transfer(clearing, own, 1), at=proven - SECOND), credit)
    await written(cast, ana, structs.replace(cast.transfer(own, clearing, 50), at=proven - 0.5 * SECOND))
    async with cast.database.session(ana.company_id) as session:
        while not await ledger.post_entries(session, ana.company_id):
            await asyncio.sleep(0.01)
        until = await session.value("SELECT entered_until FROM entry_cursors")
    assert until == proven - 0.5 * SECOND, "what takes waits, and all from there on"
    assert [e[1] for e in await entries(cast, ana, own)] == [1]
    await enter(cast, ana, credit.at)
    assert [(e[0] * e[1], e[2]) for e in await entries(cast, ana, own)] == [(1, 1), (100, 101), (-50, 51)]


async def test_nothing_is_entered_that_something_older_may_come_before(cast: Cast, ana: Seller, inside: Any) -> None:
    """As long as a transaction is open that may have been decided earlier."""
    writing = inside.transaction()
    await writing.start()
    await inside.execute("INSERT INTO parties (company_id, id, name) VALUES ($1, $2, 'x')", ana.company_id, cast.id())
    await written(cast, ana, structs.replace(cast.transfer(ana.clearing, ana.customer, 7), at=at(1)))
    async with cast.database.session(ana.company_id) as session:
        assert [await ledger.post_entries(session, ana.company_id) for _ in range(3)] == [0, 0, 0]
    await writing.rollback()
    await enter(cast, ana, at(1))
    assert [e[1] for e in await entries(cast, ana, ana.customer)] == [7]


async def test_two_workers_enter_nothing_twice(cast: Cast, ana: Seller) -> None:
    for n in range(40):
        await written(cast, ana, structs.replace(cast.transfer(ana.clearing, ana.customer, 1), at=at(n)))
    await asyncio.gather(*(enter(cast, ana, reach=7) for _ in range(4)))
    assert [e[2] for e in await entries(cast, ana, ana.customer)] == list(range(1, 41))


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_storm_is_entered_whole(cast: Cast, ana: Seller, seed: int) -> None:
    """Laws say the rest when the test ends: dense, adding up, each transfer once, never below zero."""
    storm = Storm(cast, ana, list((await accounts_of(cast, ana, 3)).values()))

    async def entering() -> None:
        async with cast.database.session(ana.company_id) as session:
            while not storm.is_over.is_set():
                await ledger.post_entries(session, ana.company_id, 20)
                await asyncio.sleep(0.02)

    beside = asyncio.create_task(entering())
    await asyncio.gather(*(storm.client(Random(f"{seed} {n}")) for n in range(8)))
    last = datetime.now(UTC)
    storm.is_over.set()
    await beside
    await enter(cast, ana, last)
    async with cast.database.session(ana.company_id) as session:
        assert await session.value("SELECT count(*) FROM entries") > 0


async def balances(cast: Cast, seller: Seller, ids: Sequence[UUID], moment: datetime) -> list[tuple[int, int, int]]:
    async with cast.database.session(seller.company_id) as session:
        return [shown(b) for b in await balance_at(session, seller.company_id, ids, "BRL", moment)]


@pytest.mark.parametrize("entered", [0, 20, 60])
async def test_a_past_balance_is_the_models_whatever_is_entered(cast: Cast, ana: Seller, entered: int) -> None:
    random, book = Random(entered), Book()
    soon = datetime.now(UTC) + timedelta(hours=1)

    def moment_of(n: int) -> datetime:
        return at(n) if n <= entered else soon + n * SECOND  # what is entered is never followed by something older

    accounts = await accounts_of(cast, ana, 2)
    disputed = {i: ledger.blocked(ana.company_id, i, "BRL") for i in accounts}
    for n in range(1, 61):
        account_id = random.choice(list(accounts))
        own = accounts[account_id]
        sides = random.choice([(ana.clearing, own), (own, ana.clearing), (own, disputed[account_id])])
        kind = "held" if sides[1] == ana.clearing and random.random() < 0.5 else "moved"
        transfer = structs.replace(cast.transfer(*sides, random.randint(1, 9), kind=kind), at=moment_of(n))
        holds = [h for h in book.open_holds() if h.kind == "held"]
        if holds and random.random() < 0.3:
            hold = random.choice(holds)
            transfer = structs.replace(
                hold, id=cast.id(), kind=random.choice(["posted", "voided"]), pending_id=hold.id, at=moment_of(n)
            )
        elif sides[0] == own and book.balance(own, disputed[account_id], moment_of(n))[0] < transfer.amount.minor:
            transfer = structs.replace(transfer, kind="moved", debit=ana.clearing, credit=own)
        await written(cast, ana, transfer)
        book.transfers.append(transfer)
        if n == entered:
            await enter(cast, ana)
    for moment in (at(0), *(moment_of(random.randint(0, 61)) for _ in range(12)), moment_of(70)):
        assert await balances(cast, ana, list(accounts), moment) == [
            book.balance(accounts[i], disputed[i], moment) for i in accounts
        ], moment
    for account_id, own in accounts.items():  # nothing is disputed
        left = book.balance(own, disputed[account_id], moment_of(99))[2]
        if left:
            await written(cast, ana, structs.replace(cast.transfer(disputed[account_id], own, left), at=moment_of(99)))
