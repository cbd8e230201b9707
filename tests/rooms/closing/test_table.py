"""The table of docs/guides/account-status.md, every cell: what an account that is not ACTIVE may be asked, and what it gets."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.cast import INSTITUTION, PLACE
from tests.rooms.lists import answered
from tests.rooms.orders import cards, collecting, test_crypto, test_transfers
from tests.rooms.orders.test_arrivals import arrives, claimed, order
from tests.rooms.orders.test_other_doors import code, payin
from tests.rooms.orders.test_other_doors import send as asks
from tests.rooms.payouts.office import giving_back
from tests.rooms.plans.bureau import Bureau
from tests.rooms.subscriptions.bank import Bank

from lastro import ledger
from lastro.accounts import Settle
from lastro.core.errors import Problem, Refused
from lastro.core.money import Money
from lastro.keys import RegisterRandomKey
from lastro.orders import Ask
from lastro.payouts import HELD_BACK
from lastro.rails import port
from lastro.standards.brcode import decode
from lastro.standards.pix_ids import dynamic_txid

from .counter import Counter

CODE = {"INACTIVE": "AC06", "CLOSED": "AC07"}


@pytest.fixture(params=["INACTIVE", "CLOSED"])
def status(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def becomes(counter: Counter, status: str) -> None:
    await counter.cast.account_becomes(counter.ana.company_id, status, counter.ana.account_id)


def wrong(outcome: Any) -> list[tuple[str, str]]:
    assert isinstance(outcome, Refused), outcome
    return [(p.field, p.issue) for p in outcome.problems if isinstance(p, Problem)]


# ── what is asked for: refused, everywhere, as a value of the request ──


async def a_pix_order(counter: Counter) -> Any:
    shop = {
        "order": {
            "paymentMethod": "PIX", "description": "Flores", "notificationUrl": "https://shop.example.com/hook",
            "externalId": "1", "accountId": str(counter.ana.account_id), "amount": {"currency": "BRL", "value": "1.00"},
        },
        "customer": {"name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "52998224725"},
                     "email": "bento@example.com"},
    }  # fmt: skip
    return await asks(counter.cast, counter.ana.client, "create_order", shop)


async def a_slip(counter: Counter) -> Any:
    return await collecting.send(counter.shop, collecting.wish("BOLETO", accountId=str(counter.ana.account_id)))


async def a_voucher(counter: Counter) -> Any:
    return await collecting.send(counter.shop, collecting.wish("OXXO", accountId=str(counter.ana.account_id)))


async def a_crypto_order(counter: Counter) -> Any:
    return await test_crypto.send(counter.shop, collecting.Market(), accountId=str(counter.ana.account_id))


async def a_card(counter: Counter) -> Any:
    wish = cards.wish(accountId=str(counter.ana.account_id))
    return await cards.send(counter.shop, cards.Acquirer(), wish)


async def a_payin(counter: Counter) -> Any:
    return await asks(counter.cast, counter.ana.client, "create_order_payin", payin(counter.ana))


async def a_static_code(counter: Counter) -> Any:
    body = {"accountId": str(counter.ana.account_id), "pixKey": counter.ana.pix_key}
    return await asks(counter.cast, counter.ana.client, "create_static_qrcode", body)


async def a_payout(counter: Counter) -> Any:
    office = await counter.office()
    return await office.ask(office.wish(1))


async def a_scheduled_payout(counter: Counter) -> Any:
    office = await counter.office()
    return await office.ask(office.wish(1, scheduled_on=office.tomorrow()))


async def a_subscription(counter: Counter) -> Any:
    return await counter.desk.ask("create_subscription", counter.desk.body())


async def a_random_key(counter: Counter) -> Any:
    verb = RegisterRandomKey(counter.ana.account_id, counter.cast.id(), counter.directory)
    return await counter.cast.runner.act(counter.ana.company_id, verb)


async def a_settlement(counter: Counter) -> Any:
    verb = Settle(counter.ana.account_id, "spei", Money(1, "MXN"), "T-1", INSTITUTION)
    return await counter.cast.runner.act(counter.ana.company_id, verb)


CREATES: dict[Callable[[Counter], Awaitable[Any]], str] = {
    a_pix_order: "order.accountId", a_slip: "order.accountId", a_voucher: "order.accountId",
    a_crypto_order: "order.accountId", a_card: "order.accountId", a_payin: "accountId", a_static_code: "accountId",
    a_payout: "accountId", a_scheduled_payout: "accountId", a_subscription: "accountId", a_random_key: "accountId",
    a_settlement: "accountId",
}  # fmt: skip


async def test_nothing_new_is_made(counter: Counter, status: str) -> None:
    await becomes(counter, status)
    for create, field in CREATES.items():
        assert wrong(await create(counter)) == [(field, "NOT_ALLOWED")], create.__name__


async def test_a_line_of_a_plan_is_refused_when_it_is_checked_and_when_it_is_made(counter: Counter, status: str) -> None:
    bureau = await Bureau.open(counter.cast, counter.ana)
    approved = await bureau.approved([bureau.payout("2.00")])
    await becomes(counter, status)
    checked = await bureau.checked([bureau.payout("3.00")])
    (line,) = await bureau.lines(checked)
    assert (checked["status"], line["issues"][0]["field"], line["issues"][0]["issue"]) == (
        "INVALID",
        "accountId",
        "NOT_ALLOWED",
    )
    await bureau.apply(approved)
    await bureau.work()
    (line,) = await bureau.lines(approved)
    assert ((await bureau.read(approved))["status"], line["issues"][0]["issue"]) == ("FAILED", "NOT_ALLOWED")


async def test_no_charge_of_a_subscription_is_scheduled(counter: Counter) -> None:
    desk = counter.desk
    made = await desk.make(startDate=desk.day(5))
    assert await Bank(desk).authorizes(made) is None
    await becomes(counter, "INACTIVE")
    body = {"externalId": "P1", "dueDate": desk.day(6), "amount": {"currency": "BRL", "value": "10.00"}}
    assert await desk.refused("create_subscription_payment", body, id=made["id"]) == [("status", "CONFLICT")]
    assert (await desk.read(made["id"]))["status"] == "ACCEPTED", "it stays authorized"
    await becomes(counter, "ACTIVE")
    await desk.done("create_subscription_payment", body, id=made["id"])


# ── money that comes: refused where the network asks, given back where it is in already ──


async def asked(counter: Counter, **says: Any) -> str | None:
    """What we answer when the network asks about a Pix; None: yes."""
    arrival = await arrives(counter.cast, counter.ana, **says)
    verb = Ask(arrival, await claimed(counter.cast, counter.ana, arrival), PLACE)
    await counter.cast.runner.act(counter.ana.company_id, verb)
    (body,) = await counter.shop.column("SELECT body FROM outbox WHERE kind = 'pix.answer'")
    return port.pix_answer(bytes(body)).code


@pytest.mark.parametrize("to", ["key", "order", "static code"])
async def test_a_pix_is_refused(counter: Counter, status: str, to: str) -> None:
    says: dict[str, Any] = {"key": counter.ana.pix_key}
    if to == "order":
        says["txid"] = dynamic_txid(counter.ana.number, os.urandom(24))
        await order(counter.cast, counter.ana, says["txid"])
    elif to == "static code":
        says["txid"] = decode((await code(counter.cast, counter.ana))["qrcodeData"]).txid
    await becomes(counter, status)
    assert await asked(counter, **says) == CODE[status]


async def test_a_pix_that_is_in_already_goes_back(counter: Counter, status: str) -> None:
    await becomes(counter, status)
    (at,) = await counter.shop.column("SELECT business_now()")
    arrival = await arrives(counter.cast, counter.ana, settled_at=at)
    assert await counter.shop.told(port.PIX_SETTLED, arrival, arrival.end_to_end_id) == "handled"
    assert await counter.shop.column("SELECT state FROM pix_payments") == ["RETURNING"]
    assert await counter.shop.money() == (0, 0)


async def test_a_pix_that_was_let_in_before_is_credited(counter: Counter) -> None:
    """It stands in the way of closing, so that only a block can come between."""
    assert await asked(counter) is None
    await becomes(counter, "INACTIVE")
    assert await counter.obstacles() == [("PAYMENTS", 1)]
    (name,) = await counter.shop.column("SELECT end_to_end_id FROM pix_payments")
    (at,) = await counter.shop.column("SELECT business_now()")
    assert await counter.shop.told(port.PIX_FINAL, port.PixFinal(name, True, settled_at=at), name) == "handled"
    assert (await counter.shop.money())[0] == 1000


async def by_slip(counter: Counter) -> Callable[[], Awaitable[str]]:
    return await by_partner(counter, "BOLETO")


async def by_voucher(counter: Counter) -> Callable[[], Awaitable[str]]:
    return await by_partner(counter, "OXXO")


async def by_crypto(counter: Counter) -> Callable[[], Awaitable[str]]:
    return await by_partner(counter, "BINANCE_PAY")


async def by_partner(counter: Counter, method: str) -> Callable[[], Awaitable[str]]:
    made = await collecting.make(counter.shop, method)
    return lambda: collecting.settled(counter.shop, made)


async def by_spei(counter: Counter) -> Callable[[], Awaitable[str]]:
    made = await test_transfers.make(counter.shop)
    return lambda: test_transfers.came(counter.shop, made, "A", 10000)


async def by_card(counter: Counter) -> Callable[[], Awaitable[str]]:
    made = await cards.make(counter.shop, cards.Acquirer())
    await cards.result(counter.shop, made, "Y")
    return lambda: cards.captured(counter.shop, made)


@pytest.mark.parametrize("pays", [by_slip, by_voucher, by_spei, by_crypto, by_card])
async def test_what_a_partner_has_collected_goes_back(
    counter: Counter, status: str, pays: Callable[[Counter], Awaitable[Callable[[], Awaitable[str]]]]
) -> None:
    comes = await pays(counter)
    if pays is by_card and status == "CLOSED":
        assert await counter.obstacles() == [("ORDERS", 1)]  # while its card is being charged, nothing closes
    await becomes(counter, status)
    assert await comes() == "handled"
    assert await counter.shop.column("SELECT state FROM pix_payments") == ["RETURNING"]
    for currency in ("BRL", "MXN"):
        async with counter.cast.database.session(counter.ana.company_id) as session:
            found = await ledger.balances_of(session, counter.ana.company_id, [counter.ana.account_id], currency)
        assert found[0].available.minor == 0


async def test_a_card_whose_payer_confirms_too_late_is_not_charged(counter: Counter, status: str) -> None:
    made = await cards.make(counter.shop, cards.Acquirer())
    await becomes(counter, status)
    await cards.result(counter.shop, made, "Y")
    assert await cards.stands(counter.shop, made) == ("ERROR", "FAILED")
    assert "card.authorize" not in await cards.outbox(counter.shop)


# ── what goes out ──


async def test_what_was_not_sent_waits_and_goes_on_when_the_block_is_lifted(counter: Counter) -> None:
    office = await counter.office(10_000)
    payout = await office.make(1000)
    await becomes(counter, "INACTIVE")
    waits = f"SELECT count(*) FROM outbox WHERE due_at IS NOT NULL AND {HELD_BACK}"
    assert await office.column(waits) == [1]
    assert [kind for kind, _ in await counter.obstacles()] == ["AVAILABLE", "HELD", "PAYOUTS"]
    await becomes(counter, "ACTIVE")
    assert await office.column(waits) == [0]
    await office.settle(payout)
    assert await office.state(payout["id"]) == "PAID"


async def test_one_that_waits_too_long_expires(counter: Counter) -> None:
    office = await counter.office(10_000)
    payout = await office.make(1000)
    await becomes(counter, "INACTIVE")
    await office.rows("UPDATE payouts SET send_until = business_now() - interval '1 second' RETURNING 1")
    never = port.PaymentNever(payout["endToEndId"], 0)
    await office.store(port.PAYMENT_NEVER, never)
    await office.work()
    assert (await office.state(payout["id"]), await office.money()) == ("EXPIRED", (10_000, 0))


async def test_what_comes_back_of_a_payout(counter: Counter, status: str) -> None:
    """To a blocked account it is credited; of a closed one it stays in suspense, for people to look at."""
    office = await counter.office(1000)
    payout = await office.make(1000)
    await office.settle(payout)
    await becomes(counter, status)
    back = giving_back(payout, 400)
    outcome = await office.give_back(payout, 400, back.return_id)
    expected = ("handled", (400, 0), "PARTIAL_REFUNDED") if status == "INACTIVE" else (port.ALARMED, (0, 0), "PAID")
    assert (outcome, await office.money(), await office.state(payout["id"])) == expected
    unfit = await office.column("SELECT amount_minor FROM transfers WHERE type = 'PIX_RETURN_UNFIT'")
    assert unfit == ([] if status == "INACTIVE" else [400])


async def test_a_return_and_a_closing_in_the_same_moment(counter: Counter) -> None:
    office = await counter.office(1000)
    payout = await office.make(1000)
    await office.settle(payout)
    made, outcome = await asyncio.gather(counter.answered(), office.give_back(payout, 400))
    has = (await office.money())[0]
    assert (made["status"], outcome, has) in [("REFUSED", "handled", 400), ("REQUESTED", port.ALARMED, 0)]


async def test_a_blocked_account_gives_back_what_it_was_paid(counter: Counter) -> None:
    paid = await counter.shop.paid(1000)
    await becomes(counter, "INACTIVE")
    assert await counter.shop.ends(await counter.shop.back(paid, 1000)) == "handled"
    assert await counter.shop.stands(paid) == ("REFUNDED", 1000, ["PAID"])


async def test_reads_work(counter: Counter, status: str) -> None:
    ana, cast = counter.ana, counter.cast
    order_id = await counter.shop.order()
    await becomes(counter, status)
    shown = await answered(cast, ana.client, "read_account", id=str(ana.account_id))
    balance = await answered(cast, ana.client, "read_balance", {"accountId": str(ana.account_id)})
    assert (shown["status"], balance["available"]["value"]) == (status, "0.00")
    assert (await answered(cast, ana.client, "read_order", id=str(order_id)))["status"] == "INITIAL"
