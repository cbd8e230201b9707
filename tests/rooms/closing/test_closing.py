"""Closing an account, on real rows: what stands in its way, what races with it, and how what hangs on it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Seller
from tests.rooms.keys.claiming import claim_news, told
from tests.rooms.orders.test_arrivals import arrives
from tests.rooms.payouts.office import Office
from tests.rooms.subscriptions.bank import Bank

from lastro import ledger
from lastro.accounts import Why
from lastro.closing import Close
from lastro.core.commit import commit
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.core.write import Transfer, Write
from lastro.rails.port import CLAIM_CANCEL, Permanent, Transient

from .counter import READ, WHY, Counter


@pytest.fixture
async def bank(counter: Counter) -> Bank:
    return Bank(counter.desk)


async def gone(counter: Counter, minor: int, currency: str = "BRL") -> None:
    """So much of what the account has leaves it, or comes where it is below zero."""
    own = ledger.customer(counter.ana.company_id, counter.ana.account_id, currency)
    fees = ledger.fees(counter.ana.company_id, currency)
    debit, credit = (own, fees) if minor > 0 else (fees, own)
    cast = counter.cast
    at = cast.transfer(fees, own, 1)
    moved = Transfer(at.id, "moved", debit, credit, Money(abs(minor), currency), "TEST", at.reference_id, at.at)
    await commit(cast.database, Write(counter.ana.company_id, transfers=(moved,)))


# ── granted ──


async def test_an_account_that_has_nothing_closes_at_once_and_is_cleared(counter: Counter, database: Any) -> None:
    made = await counter.answered(key="k")
    assert (made["status"], made["closeRequestReason"], "obstacles" in made) == ("REQUESTED", WHY, False)
    assert await counter.status() == "CLOSED"
    assert await counter.told() == [("ACTIVE", "CLOSED", "CLOSE_REQUESTED", WHY)]
    again = await counter.close(key="k")
    assert isinstance(again, Reply)
    assert again.replayed
    assert await counter.work(made["id"]) == 2, "its key, and the end"
    assert counter.directory.deleted == [(counter.ana.pix_key, "ACCOUNT_CLOSURE")]
    read = await counter.read(made["id"])
    assert (read["status"], read["createdAt"]) == ("COMPLETED", made["createdAt"])
    await counter.at_rest(database)


async def test_a_second_closing_is_refused(counter: Counter) -> None:
    made = await counter.answered()
    refused = await counter.close()
    assert refused == Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", "is CLOSED already"),))
    assert isinstance(await counter.operator_closes(), Refused)
    await counter.work(made["id"])
    assert await counter.work(made["id"]) == 0
    for trigger in ("block", "unblock"):
        assert isinstance(await counter.changes(trigger), Refused), "for ever"


async def test_an_operator_closes_a_blocked_account(counter: Counter) -> None:
    assert isinstance(await counter.changes("block", Why("COURT_ORDER", "Order 7", "Olga")), Done)
    assert isinstance(await counter.changes("block"), Refused)
    assert isinstance(await counter.operator_closes(), Done)
    assert await counter.told() == [
        ("ACTIVE", "INACTIVE", "COURT_ORDER", "Order 7"), ("INACTIVE", "CLOSED", "HOLDER_REQUEST", "HOLDER_REQUEST"),
    ]  # fmt: skip
    kept = await counter.shop.column(
        "SELECT reason FROM history WHERE machine = 'accounts' AND from_state <> '' ORDER BY version"
    )
    assert kept == ["COURT_ORDER: Order 7 (by Olga)", "HOLDER_REQUEST (by Olga)"], "who it was is not told to clients"


async def test_nobody_elses_account_is_there(counter: Counter) -> None:
    dora, caio = await counter.cast.dora(), await counter.cast.caio(counter.ana)
    made = await counter.answered()
    nobody = Refused(Kind.NOT_FOUND)
    assert await counter.close(by=dora.client) == nobody
    assert await counter.close(of="x") == nobody
    assert await counter.ask(READ, by=dora.client, id=made["id"]) == nobody
    assert await counter.ask(READ, id="x") == nobody
    refused = await counter.close(by=caio)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.FORBIDDEN


# ── refused ──


async def with_money(counter: Counter) -> list[tuple[str, Any]]:
    await gone(counter, -1)
    await gone(counter, -700, "MXN")
    return [("AVAILABLE", "0.01 BRL"), ("AVAILABLE", "7.00 MXN")]


async def with_a_payout(counter: Counter) -> list[tuple[str, Any]]:
    await (await counter.office(1000)).make(1000)
    return [("HELD", "10.00 BRL"), ("PAYOUTS", 1)]


async def with_a_scheduled_payout(counter: Counter) -> list[tuple[str, Any]]:
    office = await counter.office()
    await office.make(1000, scheduled_on=office.tomorrow())
    return [("PAYOUTS", 1)]


async def with_a_batch(counter: Counter) -> list[tuple[str, Any]]:
    office = await counter.office(2500)
    await office.limit(transaction=1000)
    await office.make(2500)
    return [("HELD", "25.00 BRL"), ("PAYOUTS", 1)]


async def with_a_refund(counter: Counter) -> list[tuple[str, Any]]:
    order = await counter.shop.paid(1000)
    await counter.shop.back(order, 1000)
    return [("HELD", "10.00 BRL"), ("REFUNDS", 1)]


async def with_a_debt(counter: Counter) -> list[tuple[str, Any]]:
    ana = counter.ana
    owed = counter.cast.transfer(ledger.loss(ana.company_id, ana.account_id, "BRL"), ana.clearing, 500)
    await commit(counter.cast.database, Write(ana.company_id, transfers=(owed,)))
    return [("OWED", "5.00 BRL")]


async def with_money_let_in(counter: Counter) -> list[tuple[str, Any]]:
    bank = Bank(counter.desk)
    assert await bank.asks(bank.paying(await counter.desk.make("AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"))) is None
    return [("PAYMENTS", 1)]


async def with_a_scheduled_payment(counter: Counter) -> list[tuple[str, Any]]:
    desk = counter.desk
    made = await desk.make(startDate=desk.day(5))
    assert await Bank(desk).authorizes(made) is None
    body = {"externalId": "P1", "dueDate": desk.day(6), "amount": {"currency": "BRL", "value": "10.00"}}
    await desk.done("create_subscription_payment", body, id=made["id"])
    return [("SCHEDULED_PAYMENTS", 1)]


OBSTACLES: list[Callable[[Counter], Awaitable[list[tuple[str, Any]]]]] = [
    with_money, with_a_payout, with_a_scheduled_payout, with_a_batch, with_a_refund, with_a_debt,
    with_money_let_in, with_a_scheduled_payment,
]  # fmt: skip


@pytest.mark.parametrize("scene", OBSTACLES)
async def test_what_stands_in_the_way_is_said(counter: Counter, scene: Callable[[Counter], Awaitable[Any]]) -> None:
    expected = await scene(counter)
    assert await counter.obstacles() == expected
    assert await counter.told() == []
    sql = "SELECT status FROM account_close_requests"
    assert await counter.shop.column(sql) == ["REFUSED"]


async def test_blocked_money_stands_in_the_way(counter: Counter) -> None:
    ana, cast = counter.ana, counter.cast
    blocked = ledger.blocked(ana.company_id, ana.account_id, "BRL")
    await cast.credit(ana, 300, blocked)
    assert await counter.obstacles() == [("BLOCKED", "3.00 BRL")]
    await commit(cast.database, Write(ana.company_id, transfers=(cast.transfer(blocked, ana.clearing, 300),)))


async def test_once_it_is_gone_the_account_closes(counter: Counter) -> None:
    await gone(counter, -1)
    refused = await counter.answered()
    await gone(counter, 1)
    assert (await counter.answered())["status"] == "REQUESTED"
    assert (await counter.read(refused["id"]))["obstacles"] == refused["obstacles"]


# ── at the same moment ──


async def balance(counter: Counter) -> int:
    return (await counter.shop.money())[0]


async def test_a_credit_in_the_same_moment_comes_first_or_goes_back(counter: Counter) -> None:
    """Credits are appended without a lock: a closing that has read nothing must see one that commits before it does."""
    for n in range(6):
        account = await counter.cast.open_account(counter.ana.company_id)
        seller = Seller(
            counter.ana.company_id,
            counter.ana.number,
            UUID(account["id"]),
            account["number"],
            counter.ana.holder,
            "",
            counter.ana.client,
        )
        one = Counter(counter.cast, seller)
        arrival = await arrives(
            counter.cast, seller, end_to_end_id=f"E12345678202601311200{n:011}", settled_at=await _now(counter)
        )
        made, outcome = await asyncio.gather(
            one.answered(), one.shop.told("pix.settled", arrival, arrival.end_to_end_id), return_exceptions=False
        )
        assert outcome == "handled"
        has = await balance(one)
        assert (made["status"], await one.status(), has) in [("REFUSED", "ACTIVE", 1000), ("REQUESTED", "CLOSED", 0)], n


async def _now(counter: Counter) -> Any:
    (at,) = await counter.shop.column("SELECT business_now()")
    return at


async def test_what_a_closing_has_read_is_looked_at_again_behind_a_credit(counter: Counter) -> None:
    """The worst of these moments: the credit has not committed when the closing reads, and has when it writes."""
    verb_reads = asyncio.Event()

    class Late(Close):
        async def call_out(self, known: Any, context: Any) -> Any:
            if not verb_reads.is_set():
                verb_reads.set()
                await counter.shop.paid(1000)
            return known

    outcome = await counter.cast.runner.act(counter.ana.company_id, Late(counter.ana.account_id, Why("HOLDER_REQUEST")))
    assert isinstance(outcome, Done)
    assert b"AVAILABLE" in outcome.body
    assert await counter.status() == "ACTIVE"


async def test_a_payout_in_the_same_moment_is_made_or_the_account_closes(counter: Counter) -> None:
    for n in range(4):
        account = await counter.cast.open_account(counter.ana.company_id)
        seller = Seller(
            counter.ana.company_id,
            counter.ana.number,
            UUID(account["id"]),
            account["number"],
            counter.ana.holder,
            "",
            counter.ana.client,
        )
        one, office = Counter(counter.cast, seller), await Office.open(counter.cast, seller, 0)
        wish = office.wish(1000 + n, scheduled_on=office.tomorrow())  # it needs no money yet, so that money stands in no way
        made, reply = await asyncio.gather(one.answered(), office.ask(wish))
        if isinstance(reply, Refused):
            assert [(p.field, p.issue) for p in reply.problems] == [("accountId", "NOT_ALLOWED")]
            assert made["status"] == "REQUESTED"
        else:
            assert [one["type"] for one in made["obstacles"]] == ["PAYOUTS"]


async def test_many_closings_at_once_close_it_once(counter: Counter) -> None:
    outcomes = await asyncio.gather(*(counter.close() for _ in range(6)))
    assert sorted(type(one).__name__ for one in outcomes) == ["Refused"] * 5 + ["Reply"]
    assert len(await counter.told()) == 1


# ── what hangs on it ──


async def test_orders_subscriptions_and_keys_end_some_at_a_time(counter: Counter, bank: Bank, database: Any) -> None:
    desk = counter.desk
    orders = [await counter.shop.order(100 + n) for n in range(23)]
    accepted = await desk.make()
    assert await bank.authorizes(accepted) is None
    waiting = [await desk.make("AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT") for _ in range(5)]
    made = await counter.answered()
    assert await counter.work(made["id"]) == 4, "20 orders and 5 subscriptions; the rest; the key; the end"
    ended = await counter.shop.column("SELECT DISTINCT status FROM orders WHERE id = ANY ($1)", orders)
    assert ended == ["CANCELED"]
    assert {(await desk.read(one["id"]))["status"] for one in (accepted, *waiting)} == {"CANCELED"}
    (record,) = (await desk.read(accepted["id"]))["cancellations"]
    assert record["reason"] == "ACCOUNT_CLOSED"
    assert (await counter.read(made["id"]))["status"] == "COMPLETED"
    await counter.at_rest(database)


@pytest.mark.parametrize("says", [Transient("silent"), Permanent("EntryLocked", "no")])
async def test_a_directory_that_says_no_is_told_again(counter: Counter, says: Any) -> None:
    made = await counter.answered()
    counter.directory.says = says
    assert isinstance(await counter.step(made["id"]), Refused)
    assert ((await counter.read(made["id"]))["status"], await counter.status()) == ("REQUESTED", "CLOSED")
    counter.directory.says = None
    assert await counter.work(made["id"]) == 2


@pytest.mark.parametrize(("says", "freed"), [(Permanent("EntryLockedByClaim", "no"), [0, 2]), (Transient("silent"), [0])])
async def test_a_key_that_the_directory_keeps_stands_in_no_others_way(counter: Counter, says: Any, freed: list[int]) -> None:
    """One that it is silent about ends the step: the next would be silence too. What it has freed so far is written."""
    ana = counter.ana
    keys = [ana.pix_key, *[await counter.cast.add_key(ana.company_id, ana.account_id) for _ in range(2)]]
    made = await counter.answered()
    counter.directory.says, counter.directory.of_one = says, keys[1]
    assert isinstance(await counter.step(made["id"]), Done)
    assert counter.directory.deleted == [(keys[n], "ACCOUNT_CLOSURE") for n in freed]
    left = await counter.shop.column("SELECT key FROM pix_keys WHERE status = 'ACTIVE' ORDER BY created_at")
    assert left == [key for n, key in enumerate(keys) if n not in freed]
    assert isinstance(await counter.step(made["id"]), Refused)
    assert (await counter.read(made["id"]))["status"] == "REQUESTED", "not before the last key is gone"
    counter.directory.says = None
    assert await counter.work(made["id"]) == 2
    assert (await counter.read(made["id"]))["status"] == "COMPLETED"


async def test_a_key_that_the_directory_keeps_stands_in_no_claims_way(counter: Counter) -> None:
    ana, cast = counter.ana, counter.cast
    wanted = claim_news(
        f"+55119{cast.id().int % 10**8:08d}", "PHONE", claim_type="CLAIM_OWNERSHIP", account=ana.account_number
    )
    assert await told(cast, ana, wanted) == "handled"
    made = await counter.answered()
    counter.directory.says = Permanent("EntryLockedByClaim", "no")
    await counter.step(made["id"])
    sent = await counter.shop.column("SELECT kind FROM outbox WHERE reference_id = $1", wanted.claim_id)
    assert sent == [CLAIM_CANCEL]
    assert counter.directory.deleted == []
    assert (await counter.read(made["id"]))["status"] == "REQUESTED"
    assert await told(cast, ana, msgspec.structs.replace(wanted, status="CANCELLED", reason="ACCOUNT_CLOSURE")) == "handled"
    counter.directory.says = None
    await counter.work(made["id"])
    assert (await counter.read(made["id"]))["status"] == "COMPLETED"


async def test_two_workers_end_everything_once(counter: Counter) -> None:
    for n in range(5):
        await counter.shop.order(100 + n)
    made = await counter.answered()
    await asyncio.gather(counter.work(made["id"]), counter.work(made["id"]), return_exceptions=True)
    await counter.work(made["id"])
    assert await counter.shop.column("SELECT count(*) FROM events WHERE type = 'ORDER-PAYIN.CANCELED'") == [5]
    assert (await counter.read(made["id"]))["status"] == "COMPLETED"
