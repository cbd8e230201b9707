"""The sweep that takes what accounts owe: where somebody was active, everywhere, and past what is in its way."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.cast import INSTITUTION, Cast, Seller

from lastro import ledger
from lastro.core import notify, work_queue
from lastro.core.commit import commit
from lastro.core.errors import Stale
from lastro.core.runner import Runner
from lastro.core.write import Write
from lastro.med import Stand
from lastro.worker.collecting import ALL_EVERY_SECONDS, UNNAMED_EVERY_SECONDS, Collecting
from lastro_sandbox.clock import Pending


async def lose(cast: Cast, seller: Seller, minor: int, account_id: UUID | None = None) -> None:
    lost = ledger.loss(seller.company_id, account_id or seller.account_id, "BRL")
    await commit(cast.database, Write(seller.company_id, transfers=(cast.transfer(lost, seller.clearing, minor),)))


async def owed(cast: Cast, seller: Seller) -> list[int]:
    async with cast.database.session(seller.company_id) as session:
        rows = await session.fetch("SELECT b.owed FROM balances b JOIN ledger_accounts l ON l.id = ledger_account_id"
                                   " WHERE l.code = 'CUST' AND l.currency = 'BRL' ORDER BY 1")  # fmt: skip
    return [row["owed"] for row in rows]


@pytest.fixture
def heard() -> list[work_queue.Worked]:
    return []


@pytest.fixture
def sweep(cast: Cast, database: Any, heard: list[work_queue.Worked]) -> Collecting:
    return Collecting(cast.database, cast.database, cast.runner, Stand(INSTITUTION), heard.append)


async def test_it_looks_where_somebody_was_active(cast: Cast, ana: Seller, sweep: Collecting, heard: Any) -> None:
    dora = await cast.dora()
    for seller in (ana, dora):
        await lose(cast, seller, 70)
        await cast.credit(seller, 50)
    await sweep.active()
    assert (await owed(cast, ana), await owed(cast, dora)) == ([70], [70])
    sweep.seen("events", ana.company_id)
    assert await sweep.active() is False
    assert (await owed(cast, ana), await owed(cast, dora)) == ([20], [70])
    (done,) = heard
    assert (done.queue, done.kind, done.company_id, done.objects) == ("due", "collecting", ana.company_id, (ana.account_id,))
    await cast.credit(ana, 50)
    await sweep.active()
    assert await owed(cast, ana) == [20], "once seen is once looked"


async def test_a_hint_that_names_nobody_is_of_all(cast: Cast, ana: Seller, sweep: Collecting) -> None:
    """So it comes of more than fifty companies at once, and under load all the time: all are looked at, but not each time."""
    dora = await cast.dora()
    for seller in (ana, dora):
        await lose(cast, seller, 70)
        await cast.credit(seller, 50)
    signals = notify.Signals()
    signals.listen(sweep.seen)
    notify._ring(signals, notify._payload({notify.EVENTS: {ana.company_id, dora.company_id, *(uuid4() for _ in range(50))}}))
    await sweep.active()
    assert (await owed(cast, ana), await owed(cast, dora)) == ([20], [20])
    await cast.credit(dora, 50)
    sweep.seen(notify.EVENTS, None)
    await sweep.active()
    assert await owed(cast, dora) == [20], "all were looked at just now"
    sweep._swept_at -= UNNAMED_EVERY_SECONDS
    await sweep.active()
    assert await owed(cast, dora) == [0], "it is remembered until then"


async def test_the_sandbox_counts_a_debt_that_can_be_paid_as_pending(own_cast: Cast, heard: list[work_queue.Worked]) -> None:
    """Of all companies: what others have due ends while this looks."""
    ana = await own_cast.ana()
    sweep = Collecting(own_cast.database, own_cast.database, own_cast.runner, Stand(INSTITUTION), heard.append)
    pending = Pending(own_cast.database, own_cast.database, ())
    await lose(own_cast, ana, 70)
    before = await pending.count()
    await own_cast.credit(ana, 50)
    assert await pending.count() == before + 1
    sweep.seen("events", ana.company_id)
    await sweep.active()
    assert await pending.count() == before, "what cannot be paid yet is not pending"


def test_what_is_owed_is_taken_within_the_minute_of_the_law() -> None:
    """The sweep of all has to come by, and to come through, before law_what_is_owed_is_taken_at_rest says that it did not."""
    assert ALL_EVERY_SECONDS <= 30


async def test_every_account_that_has_something_pays(cast: Cast, ana: Seller, sweep: Collecting) -> None:
    poor, rich = [UUID((await cast.open_account(ana.company_id))["id"]) for _ in range(2)]
    for account_id in (ana.account_id, poor, rich):
        await lose(cast, ana, 70, account_id)
    await cast.credit(ana, 10)
    await cast.credit(ana, 500, ledger.customer(ana.company_id, rich, "BRL"))
    await sweep.of(ana.company_id)
    assert await owed(cast, ana) == [0, 60, 70]
    rows = await bookings(cast, ana)
    assert sorted(rows, key=str) == sorted([(ana.account_id, 10), (rich, 70)], key=str)


async def bookings(cast: Cast, seller: Seller) -> list[tuple[UUID, int]]:
    async with cast.database.session(seller.company_id) as session:
        rows = await session.fetch("SELECT reference_id, amount_minor FROM transfers WHERE type = 'LOSS_RECOVERED'")
    return [(row["reference_id"], row["amount_minor"]) for row in rows]


@pytest.mark.parametrize("trouble", [Stale("overtaken"), RuntimeError("a bug")])
async def test_one_accounts_trouble_stops_no_other(
    cast: Cast, ana: Seller, heard: Any, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    other = UUID((await cast.open_account(ana.company_id))["id"])
    for account_id in (ana.account_id, other):
        await lose(cast, ana, 70, account_id)
        await cast.credit(ana, 70, ledger.customer(ana.company_id, account_id, "BRL"))

    class Troubled(Runner):
        async def act(self, company_id: UUID, verb: Any, *by: Any) -> Any:
            if verb.account_id == ana.account_id and not heard:
                raise trouble
            return await super().act(company_id, verb, *by)

    runner = Troubled(cast.database, cast.runner._clock, cast.chance)
    sweep = Collecting(cast.database, cast.database, runner, Stand(INSTITUTION), lambda _: None)
    await sweep.of(ana.company_id)
    assert await owed(cast, ana) == [0, 70]
    heard.append(None)  # the trouble is over
    await sweep.active()
    assert await owed(cast, ana) == ([0, 0] if isinstance(trouble, Stale) else [0, 70]), (
        "what was overtaken is looked at again"
    )
    await sweep.of(ana.company_id)
    assert await owed(cast, ana) == [0, 0]
