"""Money leaves an account with a floor in one way, and never more of it than there is."""

import asyncio
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds, KeyTaken, Taken
from lastro.core.money import Money
from lastro.core.write import LedgerAccount, Row, Stored, Transfer, Write
from lastro.ledger import balances_of


async def wins(cast: Cast, seller: Seller, *transfers: Transfer) -> bool:
    try:
        await commit(cast.database, Write(seller.company_id, transfers=transfers))
    except InsufficientFunds:
        return False
    return True


def out(cast: Cast, seller: Seller, minor: int, kind: str = "moved", pending: Transfer | None = None) -> Transfer:
    return cast.transfer(seller.customer, seller.clearing, minor, kind=kind, pending=pending)


async def free_and_held(cast: Cast, seller: Seller) -> tuple[int, int]:
    async with cast.database.session(seller.company_id) as session:
        (b,) = await balances_of(session, seller.company_id, [seller.account_id], "BRL")
    return b.available.minor, b.held.minor


@pytest.mark.parametrize("attempt", range(5))
@pytest.mark.parametrize("kind", ["moved", "held"])
async def test_of_two_draws_at_once_that_there_is_money_for_one_of_exactly_one_wins(
    cast: Cast, ana: Seller, kind: str, attempt: int
) -> None:
    """100 + 100 are credited and not folded; whoever sums the credits without the lock lets both draws of 150 through."""
    for _ in range(2):
        await cast.credit(ana, 100)
    assert sorted(await asyncio.gather(*(wins(cast, ana, out(cast, ana, 150, kind)) for _ in range(2)))) == [False, True]
    assert sum(await free_and_held(cast, ana)) == (50 if kind == "moved" else 200)


@pytest.mark.parametrize("more", [1, 99, 100])
async def test_the_second_draw_looks_again_after_it_has_waited(
    cast: Cast, ana: Seller, inside: Any, database: Any, more: int
) -> None:
    """It waits for the lock of the first, which leaves 50; meanwhile `more` has come that it did not see when it began."""
    for _ in range(2):
        await cast.credit(ana, 100)
    first = inside.transaction()
    await first.start()
    assert await inside.fetchval("SELECT draw($1, $2, '{150}', '{0}')", ana.company_id, [ana.customer.id])
    waiting = asyncio.create_task(wins(cast, ana, out(cast, ana, 150)))
    await _waits(database)
    await cast.credit(ana, more)
    await inside.execute(
        "INSERT INTO transfers (company_id, id, kind, debit_id, credit_id, amount_minor, currency, type, reference_id, created_at)"
        " VALUES ($1, $2, 'moved', $3, $4, 150, 'BRL', 'TEST', $2, now())",
        ana.company_id, cast.id(), ana.customer.id, ana.clearing.id,
    )  # fmt: skip
    await first.commit()
    assert await waiting is (more == 100)
    assert await free_and_held(cast, ana) == (0 if more == 100 else 50 + more, 0)


async def _waits(database: Any) -> None:
    """Returns when a session waits for a lock; the login itself may see that, the roles it takes on may not."""
    watches = await database.connect_everywhere()
    sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"
    async with asyncio.timeout(30):
        while not any([await watch.fetchval(sql) for watch in watches]):
            await asyncio.sleep(0.01)
    for watch in watches:
        await watch.close()


async def test_the_last_cent_can_be_drawn_and_not_one_more(cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 100)
    assert not await wins(cast, ana, out(cast, ana, 101))
    assert await wins(cast, ana, out(cast, ana, 60), out(cast, ana, 40))
    assert not await wins(cast, ana, out(cast, ana, 1))
    assert await free_and_held(cast, ana) == (0, 0)


async def test_two_draws_of_one_write_count_together(cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 100)
    assert not await wins(cast, ana, out(cast, ana, 60), out(cast, ana, 41, "held"))
    assert await free_and_held(cast, ana) == (100, 0)


async def test_a_hold_takes_from_what_is_free_until_it_ends(cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 100)
    hold, other = (out(cast, ana, minor, "held") for minor in (70, 30))
    assert await wins(cast, ana, hold)
    assert await free_and_held(cast, ana) == (30, 70)
    assert not await wins(cast, ana, out(cast, ana, 31))
    assert await wins(cast, ana, other)
    assert await wins(cast, ana, out(cast, ana, 70, "posted", hold))
    assert await free_and_held(cast, ana) == (0, 30)
    assert await wins(cast, ana, out(cast, ana, 30, "voided", other))
    assert await free_and_held(cast, ana) == (30, 0)


@pytest.mark.parametrize("ends", [("posted", "posted"), ("posted", "voided"), ("voided", "posted"), ("voided", "voided")])
async def test_a_hold_ends_once(cast: Cast, ana: Seller, ends: tuple[str, str]) -> None:
    await cast.credit(ana, 100)
    holds = [out(cast, ana, 40, "held") for _ in range(2)]  # a second one, so that there is enough held for a second end
    assert await wins(cast, ana, *holds)
    assert await wins(cast, ana, out(cast, ana, 40, ends[0], holds[0]))
    before = await free_and_held(cast, ana)
    with pytest.raises(Taken):
        await wins(cast, ana, out(cast, ana, 40, ends[1], holds[0]))
    assert await free_and_held(cast, ana) == before


async def test_who_waits_for_an_equal_request_holds_no_balance(cast: Cast, ana: Seller, inside: Any, database: Any) -> None:
    """A balance is locked last: what is under way under a taken key keeps nobody else from the account's money."""
    await cast.credit(ana, 100)
    at = datetime.now(UTC)
    answer = Stored("act", "k", b"f", 200, b"{}", ana.account_id, "week", at)
    async with inside.transaction():
        sql = "INSERT INTO answers VALUES ($1, 'act', 'k', 'f', 200, '{}', $2, 'week', $3)"
        await inside.execute(sql, ana.company_id, ana.account_id, at)
        twin = Write(ana.company_id, transfers=(out(cast, ana, 10),), stored=(answer,))
        waiting = asyncio.create_task(commit(cast.database, twin))
        await _waits(database)
        assert await asyncio.wait_for(wins(cast, ana, out(cast, ana, 30)), 5)
    with pytest.raises(KeyTaken):
        await waiting
    assert await free_and_held(cast, ana) == (70, 0)


async def test_accounts_without_a_floor_are_not_locked(cast: Cast, ana: Seller, inside: Any) -> None:
    """Credits and debits of clearing and fees go on while somebody holds every balance."""
    async with inside.transaction():
        await inside.execute("SELECT 1 FROM balances FOR UPDATE")
        await cast.credit(ana, 100)
        assert await wins(
            cast, ana, cast.transfer(ana.clearing, ana.suspense, 5), cast.transfer(ana.suspense, ana.clearing, 5)
        )


async def test_draws_on_several_accounts_lock_in_one_order(cast: Cast, ana: Seller) -> None:
    """Money goes round among three accounts from all sides at once: nobody waits for a lock in a circle."""
    others = [await cast.open_account(ana.company_id) for _ in range(2)]
    accounts = [ana.customer, *(ledger.customer(ana.company_id, UUID(o["id"]), "BRL") for o in others)]
    for account in accounts:
        await cast.credit(ana, 1000, account)
    random = Random(7)

    def around() -> tuple[Transfer, ...]:
        order = random.sample(accounts, 3)
        return tuple(cast.transfer(order[n], order[(n + 1) % 3], 1) for n in range(3))

    results = await asyncio.gather(*(wins(cast, ana, *around()) for _ in range(100)))
    assert all(results), "a deadlock would have been raised as Stale"


async def test_the_rows_of_an_account_are_derived_and_belong_to_it(cast: Cast, ana: Seller, inside: Any) -> None:
    found = await inside.fetch(
        "SELECT l.id, l.code, b.ledger_account_id IS NOT NULL AS has_floor FROM ledger_accounts l LEFT JOIN balances b ON b.ledger_account_id = l.id WHERE account_id = $1",
        ana.account_id,
    )
    made: list[LedgerAccount] = [
        f(ana.company_id, ana.account_id, currency)
        for currency in ledger.CURRENCIES
        for f in (ledger.customer, ledger.blocked, ledger.loss)
    ]
    assert {tuple(r) for r in found} == {(a.id, a.code, a.floor) for a in made}
    assert (
        len(
            {
                a.id
                for a in (
                    *made,
                    ana.pix,
                    ana.clearing,
                    ana.suspense,
                    ledger.transit(ana.company_id, "BRL"),
                )
            }
        )
        == 10
    )
    assert ledger.customer(ana.company_id, ana.account_id, "USD").id != ana.customer.id
    with pytest.raises(Taken):
        await commit(
            cast.database,
            Write(
                ana.company_id, rows=(Row("ledger_accounts", {"id": ana.customer.id, "code": "CUST", "currency": "BRL"}),)
            ),
        )


async def test_available_is_what_the_wire_says(cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 12345)
    async with cast.database.session(ana.company_id) as session:
        (balance,) = await balances_of(session, ana.company_id, [ana.account_id], "BRL")
        (other,) = await balances_of(session, ana.company_id, [ana.account_id], "USD")
    assert (str(balance.available), str(balance.held), str(balance.blocked)) == ("123.45", "0.00", "0.00")
    assert other.available == Money(0, "USD")
