"""Many clients on few poor accounts, with credits, draws, holds and a folder at once; and a model that knows every cent."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from tests.cast import Cast, Seller
from tests.rooms.med.court import some_id

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.core.write import LedgerAccount, Transfer, Write
from lastro.ledger import Balance, balance_at, balances_of, company_balances
from lastro.med.actions.writing import born
from lastro.med.model import MedObject
from lastro.med.states import RECEIVER, REQUEST

FOLD = "SELECT fold($1, $2, 100)"
# One snapshot: what the ledger would say is free, beside what the transfers themselves say.
PROBE = """
SELECT b.credits_folded + credit_tail(b.company_id, b.ledger_account_id, b.fold_xid, NULL) - b.debits - b.held AS free,
       (SELECT coalesce(sum(CASE WHEN x.credit_id = b.ledger_account_id THEN amount_minor ELSE -amount_minor END), 0) FROM transfers x
         WHERE x.kind IN ('moved', 'posted') AND b.ledger_account_id IN (x.credit_id, x.debit_id))
       - (SELECT coalesce(sum(amount_minor), 0) FROM open_holds h WHERE h.debit_id = b.ledger_account_id) AS summed
  FROM balances b
"""


async def accounts_of(cast: Cast, ana: Seller, number: int) -> dict[UUID, LedgerAccount]:
    ids = [ana.account_id, *[UUID((await cast.open_account(ana.company_id))["id"]) for _ in range(number - 1)]]
    return {i: ledger.customer(ana.company_id, i, "BRL") for i in ids}


@dataclass
class Storm:
    """One company's poor accounts, and what has become of whatever was tried on them."""

    cast: Cast
    ana: Seller
    accounts: list[LedgerAccount]
    outcomes: Counter[str] = field(default_factory=Counter)
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    async def client(self, random: Random) -> None:
        holds: list[Transfer] = []
        for _ in range(40):
            transfer = self._any(random, holds)
            try:
                await commit(self.cast.database, Write(self.ana.company_id, transfers=(transfer,)))
            except InsufficientFunds:
                self.outcomes["refused"] += 1
                continue
            self.outcomes[transfer.kind] += 1
            if transfer.kind == "held":
                holds.append(transfer)

    def _any(self, random: Random, holds: list[Transfer]) -> Transfer:
        account, other = random.sample(self.accounts, 2)
        minor, clearing = random.randint(1, 60), self.ana.clearing
        act = random.choice(["credit", "credit", "moved", "held", "between", "end", "end"])
        if act == "end" and holds:
            hold = holds.pop(random.randrange(len(holds)))
            return structs.replace(hold, id=self.cast.id(), kind=random.choice(["posted", "voided"]), pending_id=hold.id)
        debit = clearing if act == "credit" else account
        credit = {"credit": account, "between": other}.get(act, clearing)
        return self.cast.transfer(debit, credit, minor, kind="held" if act == "held" else "moved")

    async def folder(self) -> None:
        while not self.is_over.is_set():
            async with self.cast.database.session(self.ana.company_id) as session:
                self.outcomes["folded"] += await session.value(FOLD, self.ana.company_id, 1)
            await asyncio.sleep(0.002)

    async def probe(self) -> None:
        while not self.is_over.is_set():
            async with self.cast.database.session(self.ana.company_id) as session:
                for row in await session.fetch(PROBE):
                    assert row["free"] == row["summed"] >= 0
            self.outcomes["probes"] += 1
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_storm_overdraws_nobody(cast: Cast, ana: Seller, seed: int) -> None:
    storm = Storm(cast, ana, list((await accounts_of(cast, ana, 3)).values()))
    watchers = [asyncio.create_task(storm.folder()), asyncio.create_task(storm.probe())]
    await asyncio.gather(*(storm.client(Random(f"{seed} {n}")) for n in range(8)))
    storm.is_over.set()
    await asyncio.gather(*watchers)
    outcomes = storm.outcomes
    # Whether something was folded meanwhile is not asked: another test's open transaction may hold the horizon all the while.
    assert min(outcomes[what] for what in ("refused", "moved", "held", "posted", "voided", "probes")) > 0, outcomes


@dataclass
class Book:
    """The brute-force model: every transfer there was, and what an account had at any time by going through them all."""

    transfers: list[Transfer] = field(default_factory=list)

    def balance(self, own: LedgerAccount, disputed: LedgerAccount, at: datetime) -> tuple[int, int, int]:
        """Available, held, blocked."""
        seen = [t for t in self.transfers if t.at <= at]
        ended = {t.pending_id for t in seen}

        def worth(account: LedgerAccount) -> int:
            moved = [t for t in seen if t.kind in ("moved", "posted")]
            return sum(t.amount.minor * ((t.credit == account) - (t.debit == account)) for t in moved)

        held = sum(t.amount.minor for t in seen if t.kind == "held" and t.debit == own and t.id not in ended)
        return worth(own) - held, held, worth(disputed)

    def open_holds(self) -> list[Transfer]:
        ended = {t.pending_id for t in self.transfers}
        return [t for t in self.transfers if t.kind == "held" and t.id not in ended]


def dispute(cast: Cast, ana: Seller, account_id: UUID, transfer: Transfer) -> Write:
    """The refund request of the directory for which a transfer to an account's blocked part is made."""
    context = RequestContext(ana.company_id, datetime.now(UTC), cast.chance)
    nothing, later = Money(0, "BRL"), context.now + timedelta(days=1)
    one = MedObject(
        transfer.reference_id, "OPEN", 1, REQUEST, RECEIVER, account_id, some_id(), None, None,
        "OPERATIONAL_FLAW", transfer.amount, transfer.amount, nothing, None, None, (), None, later, later, context.now, context.now, context.now,
    )  # fmt: skip
    return born(one, ("request open",), context, context.now)


def shown(balance: Balance) -> tuple[int, int, int]:
    return balance.available.minor, balance.held.minor, balance.blocked.minor


@pytest.mark.parametrize("seed", range(4))
async def test_balances_are_those_of_the_model_now_and_at_every_moment(cast: Cast, ana: Seller, seed: int) -> None:
    random, book = Random(seed), Book()
    accounts = await accounts_of(cast, ana, 3)
    blocked = {i: ledger.blocked(ana.company_id, i, "BRL") for i in accounts}
    start = datetime.now(UTC) - timedelta(days=1)
    for step in range(60):
        account_id = random.choice(list(accounts))
        own, disputed = accounts[account_id], blocked[account_id]
        other = accounts[random.choice([i for i in accounts if i != account_id])]
        at = start + timedelta(seconds=random.randint(0, 1) + step)
        minor, holds = random.randint(1, 100), book.open_holds()
        act = random.choice(["credit", "credit", "out", "between", "hold", "end", "end", "block", "fold"])
        if act == "fold":
            async with cast.database.session(ana.company_id) as session:
                await session.fetch(FOLD, ana.company_id, random.choice([1, 3]))
            continue
        sides = {
            "credit": (ana.clearing, own), "out": (own, ana.clearing), "between": (own, other), "hold": (own, other),
            "end": (own, ana.clearing), "block": (own, disputed),
        }  # fmt: skip
        transfer = structs.replace(cast.transfer(*sides[act], minor, kind="held" if act == "hold" else "moved"), at=at)
        if act == "end" and holds:
            hold = random.choice(holds)
            transfer = structs.replace(
                hold, id=cast.id(), kind=random.choice(["posted", "voided"]), pending_id=hold.id, at=max(at, hold.at)
            )
        drawn = transfer.debit
        enough = not drawn.floor or transfer.pending_id is not None or any(
            book.balance(accounts[i], blocked[i], datetime.max.replace(tzinfo=UTC))[0] >= transfer.amount.minor
            for i in accounts if accounts[i] == drawn
        )  # fmt: skip
        write = Write(ana.company_id, transfers=(transfer,))
        if transfer.credit == disputed:
            write += dispute(cast, ana, account_id, transfer)
        try:
            await commit(cast.database, write)
        except InsufficientFunds:
            assert not enough
        else:
            assert enough
            book.transfers.append(transfer)

    ids = list(accounts)
    now = start + timedelta(days=1)
    async with cast.database.session(ana.company_id) as session:
        present = await balances_of(session, ana.company_id, ids, "BRL")
        assert [shown(b) for b in present] == [book.balance(accounts[i], blocked[i], now) for i in ids]
        assert [b.account_id for b in present] == ids, "in the order asked for"
        total = company_balances(present, "BRL")
        assert tuple(m.minor for m in total) == tuple(map(sum, zip(*map(shown, present), strict=True)))
        for moment in [
            start - timedelta(seconds=1),
            *(start + timedelta(seconds=random.randint(0, 61)) for _ in range(12)),
            now,
        ]:
            then = await balance_at(session, ana.company_id, ids, "BRL", moment)
            assert [shown(b) for b in then] == [book.balance(accounts[i], blocked[i], moment) for i in ids], moment


async def test_folding_changes_no_balance_and_folds_only_what_is_settled(cast: Cast, ana: Seller, inside: Any) -> None:
    for _ in range(5):
        await cast.credit(ana, 100)
    other = await cast.open_account(ana.company_id)
    await cast.credit(ana, 1, ledger.customer(ana.company_id, UUID(other["id"]), "BRL"))

    async def folded() -> list[int]:
        async with cast.database.session(ana.company_id) as session:
            rows = await session.fetch(
                "SELECT credits_folded FROM balances b JOIN ledger_accounts l ON l.id = b.ledger_account_id"
                " WHERE l.currency = 'BRL' ORDER BY 1 DESC"
            )
        return [r["credits_folded"] for r in rows]

    async def fold(least: int) -> int:
        async with cast.database.session(ana.company_id) as session:
            return int(await session.value(FOLD, ana.company_id, least))

    assert await folded() == [0, 0, 0, 0]
    writing = inside.transaction()
    await writing.start()
    await inside.execute("INSERT INTO parties (company_id, id, name) VALUES ($1, $2, 'x')", ana.company_id, cast.id())
    await cast.credit(ana, 7)
    while not await fold(5):  # another worker's open transaction on this server may hold the horizon for a moment
        await asyncio.sleep(0.02)
    assert await folded() == [500, 0, 0, 0], "what came after a transaction that is still open is not folded"
    await writing.rollback()
    while await folded() != [507, 1, 0, 0]:
        await fold(1)
        await asyncio.sleep(0.02)
    async with cast.database.session(ana.company_id) as session:
        (balance,) = await balances_of(session, ana.company_id, [ana.account_id], "BRL")
    assert balance.available.minor == 507
    assert await fold(1) == 0
