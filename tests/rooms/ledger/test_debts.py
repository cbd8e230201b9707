"""What an account owes: nothing goes out that leaves less than that, and what comes in pays it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest
from msgspec import structs
from tests.cast import Cast, Seller

from lastro import ledger
from lastro.accounts import Collect
from lastro.core.commit import commit
from lastro.core.errors import InDebt, InsufficientFunds, Stale
from lastro.core.write import LedgerAccount, Transfer, Write
from lastro.ledger import Balance, balance_at, balances_of


@dataclass
class Books:
    """Ana's account and what she owes. A loss moves between LOSS and an account that no law adds up."""

    cast: Cast
    ana: Seller

    @property
    def lost(self) -> LedgerAccount:
        return ledger.loss(self.ana.company_id, self.ana.account_id, "BRL")

    async def write(self, *transfers: Transfer) -> str:
        """ok, or how it was refused."""
        try:
            await commit(self.cast.database, Write(self.ana.company_id, transfers=transfers))
        except (InsufficientFunds, Stale) as refused:
            return type(refused).__name__
        return "ok"

    def out(self, minor: int, kind: str = "moved", pending: Transfer | None = None) -> Transfer:
        return self.cast.transfer(self.ana.customer, self.ana.clearing, minor, kind=kind, pending=pending)

    def lose(self, minor: int) -> Transfer:
        return self.cast.transfer(self.lost, self.ana.clearing, minor)

    def pay_back(self, minor: int) -> Transfer:
        return self.cast.transfer(self.ana.customer, self.lost, minor)

    async def collect(self) -> None:
        await self.cast.runner.act(self.ana.company_id, Collect(self.ana.account_id, "BRL"))

    async def balance(self) -> Balance:
        async with self.cast.database.session(self.ana.company_id) as session:
            (found,) = await balances_of(session, self.ana.company_id, [self.ana.account_id], "BRL")
        return found


@pytest.fixture
def books(cast: Cast, ana: Seller) -> Books:
    return Books(cast, ana)


def seen(balance: Balance) -> tuple[int, int, int, int]:
    """Available, held, owed and covered."""
    return balance.available.minor, balance.held.minor, balance.owed.minor, balance.covered.minor


@pytest.mark.parametrize(
    ("has", "owes", "takes", "outcome"),
    [
        (0, 70, 1, "InDebt"), (69, 70, 1, "InDebt"), (70, 70, 1, "InsufficientFunds"), (100, 70, 30, "ok"),
        (100, 70, 31, "InsufficientFunds"), (100, 0, 100, "ok"), (100, 0, 101, "InsufficientFunds"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["moved", "held"])
@pytest.mark.parametrize("is_folded", [False, True])
async def test_what_goes_out_leaves_what_is_owed(
    books: Books, has: int, owes: int, takes: int, outcome: str, kind: str, is_folded: bool
) -> None:
    if has:
        await books.cast.credit(books.ana, has)
    if owes:
        assert await books.write(books.lose(owes)) == "ok"
    if is_folded and has:
        await fold(books)
    assert await books.write(books.out(takes, kind)) == outcome


async def fold(books: Books) -> None:
    async with asyncio.timeout(30):
        async with books.cast.database.session(books.ana.company_id) as session:
            while not await session.value("SELECT fold($1, 1, 100)", books.ana.company_id):
                await asyncio.sleep(0.02)  # another test's open transaction holds the horizon for a moment


async def test_what_was_held_before_goes_on(books: Books) -> None:
    """Its money was there: it goes out, or is given back, and what comes back is for what is owed."""
    await books.cast.credit(books.ana, 100)
    holds = [books.out(40, "held") for _ in range(2)]
    assert await books.write(*holds) == "ok"
    assert await books.write(books.lose(70)) == "ok"
    assert seen(await books.balance()) == (0, 80, 70, 20)
    assert await books.write(books.out(40, "posted", holds[0])) == "ok"
    assert await books.write(books.out(40, "voided", holds[1])) == "ok"
    assert seen(await books.balance()) == (0, 0, 70, 60)
    await books.collect()
    assert seen(await books.balance()) == (0, 0, 10, 0)


@pytest.mark.parametrize(
    ("has", "owes", "left"),
    [(0, 70, (0, 0, 70, 0)), (20, 70, (0, 0, 50, 0)), (70, 70, (0, 0, 0, 0)), (90, 70, (20, 0, 0, 0))],
)
async def test_it_is_taken_as_far_as_it_is_there(books: Books, has: int, owes: int, left: tuple[int, ...]) -> None:
    assert await books.write(books.lose(owes)) == "ok"
    if has:
        await books.cast.credit(books.ana, has)
    before = await books.balance()
    assert (before.available.minor, before.covered.minor) == (left[0], min(has, owes)), "it is not available before either"
    await books.collect()
    assert seen(await books.balance()) == left
    await books.collect()
    assert seen(await books.balance()) == left, "once"


async def test_nobody_pays_more_than_is_owed(books: Books) -> None:
    await books.cast.credit(books.ana, 100)
    assert await books.write(books.pay_back(1)) == "Stale", "decided again, there is nothing to pay"
    assert await books.write(books.lose(30)) == "ok"
    assert await books.write(books.pay_back(31)) == "Stale"
    assert await books.write(books.pay_back(30)) == "ok"
    assert seen(await books.balance()) == (70, 0, 0, 0)


async def test_nobody_pays_what_is_not_there(books: Books) -> None:
    await books.cast.credit(books.ana, 20)
    assert await books.write(books.lose(30)) == "ok"
    assert await books.write(books.pay_back(21)) == "InDebt"
    assert await books.write(books.pay_back(20)) == "ok"


async def test_one_write_takes_what_there_is_and_owes_the_rest(books: Books) -> None:
    await books.cast.credit(books.ana, 40)
    assert await books.write(books.out(40), books.lose(60)) == "ok"
    assert seen(await books.balance()) == (0, 0, 60, 0)


async def test_whoever_collects_at_once_takes_it_once(books: Books) -> None:
    assert await books.write(books.lose(70)) == "ok"
    await books.cast.credit(books.ana, 100)
    await asyncio.gather(*(books.collect() for _ in range(6)))
    assert seen(await books.balance()) == (30, 0, 0, 0)


async def test_another_account_of_the_company_owes_nothing(books: Books, cast: Cast, ana: Seller) -> None:
    await cast.credit(ana, 100)
    other = await cast.open_account(ana.company_id)
    lost = ledger.loss(ana.company_id, UUID(other["id"]), "BRL")
    assert await books.write(cast.transfer(lost, ana.clearing, 50)) == "ok"
    assert seen(await books.balance()) == (100, 0, 0, 0)
    assert await books.write(books.out(100)) == "ok"


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_comes_and_goes_it_adds_up_to_the_cent(books: Books, seed: int) -> None:
    """Against a model that knows every cent, now and at every moment; the laws look at the rows themselves."""
    random, free, held, owed = Random(seed), 0, 0, 0
    start = datetime.now(UTC) - timedelta(days=1)
    then: list[tuple[datetime, tuple[int, int, int, int]]] = []
    holds: list[Transfer] = []
    for step in range(80):
        minor, act = random.randint(1, 60), random.choice(["in", "in", "lose", "out", "hold", "end", "pay", "fold"])
        at = start + timedelta(seconds=step)
        if act == "fold":
            async with books.cast.database.session(books.ana.company_id) as session:
                await session.fetch("SELECT fold($1, 1, 100)", books.ana.company_id)
            continue
        hold = holds.pop(random.randrange(len(holds))) if act == "end" and holds else None
        minor = hold.amount.minor if hold else min(free, owed) if act == "pay" else minor
        if not minor or (act == "end" and hold is None):
            continue
        kind = random.choice(["posted", "voided"]) if hold else "held" if act == "hold" else "moved"
        sides = {"in": (books.ana.clearing, books.ana.customer), "lose": (books.lost, books.ana.clearing)}
        sides["pay"] = (books.ana.customer, books.lost)
        debit, credit = sides.get(act, (books.ana.customer, books.ana.clearing))
        one = structs.replace(books.cast.transfer(debit, credit, minor, kind=kind, pending=hold), at=at)
        if hold:
            one = structs.replace(one, reference_id=hold.reference_id)
        said = await books.write(one)
        if act in ("out", "hold"):
            expected = "ok" if free - minor >= owed else "InDebt" if owed > free else "InsufficientFunds"
            assert said == expected, (step, free, owed, minor)
            if said != "ok":
                continue
        assert said == "ok", (step, act)
        free += {"in": minor, "out": -minor, "pay": -minor, "hold": -minor}.get(act, minor if kind == "voided" else 0)
        held += minor if act == "hold" else -minor if hold else 0
        owed += {"lose": minor, "pay": -minor}.get(act, 0)
        if act == "hold":
            holds.append(one)
        covered = min(free, owed)
        then.append((at, (free - covered, held, owed, covered)))
        assert seen(await books.balance()) == then[-1][1]
    async with books.cast.database.session(books.ana.company_id) as session:
        for at, expected_then in then:
            (found,) = await balance_at(session, books.ana.company_id, [books.ana.account_id], "BRL", at)
            assert seen(found) == expected_then, at


async def test_in_a_storm_nothing_goes_out_that_is_owed(books: Books) -> None:
    """Losses, credits, draws and collectors at once; the laws are looked at when it is over."""
    random = Random(5)
    said: list[str] = []

    async def one() -> None:
        for _ in range(25):
            act = random.choice(["in", "lose", "out", "collect"])
            if act == "in":
                await books.cast.credit(books.ana, random.randint(1, 50))
            elif act == "collect":
                with suppress(Stale):  # overtaken three times, as it may be here; the sweep comes again
                    await books.collect()
            else:
                minor = random.randint(1, 30)
                said.append(await books.write(books.lose(minor) if act == "lose" else books.out(minor)))

    await asyncio.gather(*(one() for _ in range(6)))
    assert {"ok", "InDebt"} <= set(said)
    await books.collect()
    assert (await books.balance()).covered.minor == 0


def test_what_clients_are_told_of_it() -> None:
    assert (InDebt.problem.field, InDebt.problem.issue) == ("accountId", "NOT_ALLOWED")
