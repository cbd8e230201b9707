"""kill -9 in every gap of the other ways by which money comes and goes: TEDs, slips, vouchers, crypto, cards, plans, charges.

Each journey is walked by a client that insists, while the process dies in one gap, counted as in test_crashes.py. In the end
the books have each transfer once, the partner's own record says the same, and each event was told once.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from lastro.app import wiring
from lastro.config.settings import read

from . import test_cards as cards
from . import test_charging as charging
from . import test_plans as plans
from . import test_slips as slips
from . import test_teds as teds
from . import test_vouchers as vouchers
from .conftest import playing
from .play import CUSTOMER, ORDERS, Answer, Play
from .stage import Stage, until
from .test_authorizing import brl
from .test_crashes import dies_everywhere
from .test_plans import told
from .test_refunds import REFUNDS
from .test_rights import Operator


@pytest.fixture
async def scene(fragile: Stage) -> AsyncIterator[Play]:
    async with playing(fragile) as made:
        yield made


async def nothing(play: Play) -> None:
    """Of a journey that needs nothing to be there."""


@dataclass(frozen=True)
class Journey:
    """walk: plays it, with what prepare has made while nobody died. worker, api: how often at least each passes a gap."""

    walk: Callable[[Play, Any], Coroutine[Any, Any, None]]
    worker: Mapping[str, int]
    api: Mapping[str, int]
    prepare: Callable[[Play], Coroutine[Any, Any, Any]] = nothing


async def insist(ask: Callable[[], Awaitable[Answer]], status: int) -> Answer:
    """A client that repeats its request under its key until it is answered, and once more; it is answered the same."""

    async def attempt() -> Answer | None:
        try:
            answer = await ask()
        except (aiohttp.ClientError, OSError):
            return None
        assert answer.status in (status, 503), answer.body
        return answer if answer.status == status else None

    first = await until(attempt, "an answer")
    again = await until(attempt, "the same answer")
    assert first is not None
    assert again is not None
    assert again.body == first.body
    return first


async def compared(play: Play) -> None:
    """Returns when the days behind are compared with the networks: else a worker that starts would do it, and die of it."""
    worker = wiring.assemble(read(play.stage.environment), lambda _: None)
    try:
        await worker.reconciler.begin()
    finally:
        await worker.close()

    async def taken() -> bool:
        if not await play.books.fetchval("SELECT count(*) FROM statements WHERE state = 'TAKING'"):
            return True
        if not await play.books.fetchval("SELECT count(*) FROM statements WHERE due_at <= business_now()"):
            # Asked before the network had heard that the day is over, it has no statement, and is asked again later.
            await play.jump(timedelta(minutes=10))
        return False

    await until(taken, "the statements", 90.0)


async def dies(play: Play, name: str, gap: str, journey: Journey) -> None:
    """The process dies in the gap wherever the journey passes it: what a journey needs is there before anybody dies."""

    async def prepared() -> Any:
        found = await journey.prepare(play)
        await compared(play)
        return found

    ready = [await prepared()]

    async def walk(play: Play) -> int:
        await journey.walk(play, ready.pop() if ready else await journey.prepare(play))
        if not play.stage.runs_differently(name):  # another one has taken its place, and the next is yet to die
            ready.append(await prepared())
        return 1

    least = (journey.worker if name == "worker" else journey.api)[gap]
    try:
        await dies_everywhere(play, name, gap, walk, least, last_alone=True)
    finally:
        await play.stage.mend(name)
    await compared(play)


def each(journeys: Mapping[str, Journey], name: str) -> list[Any]:
    """A test's parameters: every gap of every journey that this process passes."""
    passed = {title: one.worker if name == "worker" else one.api for title, one in journeys.items()}
    return [pytest.param(journeys[title], gap, id=f"{title}-{gap}") for title, gaps in passed.items() for gap in gaps]


async def ted(play: Play, _: None) -> None:
    """The STR has it once, as it was ordered, and gives it back once."""
    before, body = await play.balance(), teds.wish(play, "12.34")
    payout = (await insist(partial(play.call, "POST", teds.PATH, body, key=str(uuid4())), 201)).json
    paid = await teds.becomes(play, payout, "PAID")
    assert before - await play.balance() == 1234
    given = await play.act("/bank/outside/ted-returns", {"numCtrlIf": await teds.number_of(play, payout), "code": 70})
    assert given["status"] == "SETTLED"
    await teds.becomes(play, payout, "REFUNDED")
    await play.rest()
    (record,) = await teds.at_the_str(play, payout)
    assert (record["status"], record["amount"], record["numCtrlStr"]) == ("SETTLED", "12.34", paid["controlNumber"])
    assert record["returned"]["numCtrlStr"] == given["numCtrlStr"]
    assert await teds.booked(play, payout) == [
        ("held", "TED_OUT", "CUST", "NET", 1234), ("posted", "TED_OUT", "CUST", "NET", 1234),
        ("moved", "TED_RETURNED", "NET", "CUST", 1234),
    ]  # fmt: skip
    assert await told(play, payout) == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.REFUNDED"]
    assert await play.balance() == before


async def slip(play: Play, _: None) -> None:
    """Its bank has the slip once and its payment once; settled on the next business day, it is credited once."""
    before = await play.balance()
    body = play.asking("123.45", customer={**CUSTOMER, "address": slips.ADDRESS}, paymentMethod="BOLETO")
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json

    async def paid() -> str | None:
        payment = await slips.pay(play, made)
        return payment["paymentId"] if payment["status"] == "PENDING" else None

    payment_id = await until(paid, "the slip at its bank")
    await play.becomes(made, "PENDING")
    await play.jump(timedelta(days=5))
    await play.becomes(made, "PAID")
    await play.rest()
    found = (await play.act("/slips?limit=1000", method="GET"))["data"]
    (record,) = [one for one in found if one["barcode"] == made["boleto"]["barcode"]]
    assert [(one["paymentId"], one["amount"], one["status"]) for one in record["payments"]] == [
        (payment_id, "123.45", "SETTLED")
    ]  # fmt: skip
    assert await teds.booked(play, made) == [("moved", "BOLETO_IN", "NET", "CUST", 12345)]
    assert await told(play, made) == ["ORDER-PAYIN.PAID"]
    assert await play.balance() - before == 12345


async def card(play: Play, _: None) -> None:
    """The acquirer charges it once and gives a part back once."""
    before = await cards.pesos(play)
    body = cards.asking(play, cards.details(cards.NUMBERS["good"]))
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json
    await play.becomes(made, "PAID")
    asked = {"orderId": made["id"], "externalId": made["externalId"], "amount": {"currency": "MXN", "value": "23.45"},
             "refundCode": "MD06"}  # fmt: skip
    refund = (await insist(partial(play.call, "POST", REFUNDS, asked, key=str(uuid4())), 201)).json
    await play.becomes(made, "PARTIAL_REFUNDED")
    await play.rest()
    there = await cards.at_the_acquirer(play, made)
    assert (there["status"], there["amount"]) == ("CAPTURED", "123.45")
    assert [(one["amount"], one["status"]) for one in there["returns"]] == [("23.45", "SETTLED")]
    assert await teds.booked(play, made) == [("moved", "CARD_IN", "NET", "CUST", 12345)]
    assert await teds.booked(play, refund) == [
        ("held", "CARD_REFUND", "CUST", "NET", 2345), ("posted", "CARD_REFUND", "CUST", "NET", 2345),
    ]  # fmt: skip
    assert await told(play, made) == ["ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED"]
    assert await cards.pesos(play) - before == 10000


async def voucher(play: Play, _: None) -> None:
    """Its network has the voucher once and its payment once; settled on the next business day, it is credited once."""
    before = await cards.pesos(play)
    amount = {"currency": "MXN", "value": "123.45"}
    body = play.asking("123.45", customer=vouchers.LUCIA, paymentMethod="OXXO", amount=amount)
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json
    await paid_there(play, made["cash"]["reference"])
    await play.becomes(made, "PENDING")
    await play.jump(timedelta(days=5))
    await play.becomes(made, "PAID")
    await play.rest()
    await is_paid_once(play, "oxxo", made["cash"]["reference"])
    assert await teds.booked(play, made) == [("moved", "OXXO_IN", "NET", "CUST", 12345)]
    assert await told(play, made) == ["ORDER-PAYIN.PAID"]
    assert await cards.pesos(play) - before == 12345


async def coin(play: Play, _: None) -> None:
    """Its partner has the quote once and its payment once; settled in minutes, it is credited once."""
    before = await play.balance()
    body = play.asking("123.45", paymentMethod="BINANCE_PAY")
    made = (await insist(partial(play.call, "PUT", ORDERS, body, key=str(uuid4())), 200)).json
    await paid_there(play, made["crypto"]["qrcodeData"])
    await play.becomes(made, "PENDING")
    await play.jump(timedelta(minutes=2))
    await play.becomes(made, "PAID")
    await play.rest()
    await is_paid_once(play, "crypto", made["crypto"]["qrcodeData"].rpartition("/")[2])
    assert await teds.booked(play, made) == [("moved", "CRYPTO_IN", "NET", "CUST", 12345)]
    assert await told(play, made) == ["ORDER-PAYIN.PAID"]
    assert await play.balance() - before == 12345


async def paid_there(play: Play, code: str) -> None:
    """Somebody pays it, once its partner knows of it."""

    async def known() -> bool:
        return (await play.ask("POST", f"{play.stage.simulator_url}/phone/read", {"qrcodeData": code})).status == 200

    await until(known, "what is to be paid at its partner")
    assert (await play.act("/phone/pay", {"qrcodeData": code}))["status"] == "PENDING"


async def is_paid_once(play: Play, partner: str, reference: str) -> None:
    """As the partner's own record says."""
    (item,) = (await play.act(f"/collecting/{partner}?reference={reference}", method="GET"))["data"]
    assert [(one["amount"], one["status"], one["returns"]) for one in item["payments"]] == [("123.45", "SETTLED", [])]


async def signer(play: Play) -> dict[str, str]:
    """Another client of the company, who has entered."""
    operator = Operator(play)
    return await operator.bearer(await operator.client("1"))


async def plan(play: Play, bearer: dict[str, str]) -> None:
    """Checked, signed by another client, applied: each of its payouts is made once and paid once."""
    name, before = f"{play.name}-{uuid4()}", await play.balance()
    head = "externalId,accountId,paymentMethod,amount,description,pixKey\n"
    rows = [f"{name}-{n},{play.account['id']},PIX,11.0{n},Salary,{plans.KEY}\n" for n in (1, 2)]
    made = (await insist(partial(plans.taken, play, "".join((head, *rows)).encode(), key=name), 202)).json
    ready = await plans.becomes(play, made, "VALIDATING", "READY")
    assert await play.balance() == before, "nothing has moved"
    one, signs = f"{plans.PATH}/{made['id']}", {**bearer, "idempotency-key": f"{name}-sign"}
    await insist(partial(Operator(play).asks, signs, f"{one}/approvals", {"hash": ready["hash"]}, "POST"), 201)
    await insist(partial(play.call, "POST", f"{one}/apply", key=f"{name}-apply"), 202)
    await plans.becomes(play, made, "APPLYING", "APPLIED")

    async def paid() -> list[dict[str, str]] | None:
        rows = await plans.result(play, made)
        return rows if {row["payoutStatus"] for row in rows} == {"PAID"} else None

    for row in await until(paid, "all paid") or []:
        record = await play.statement(row["endToEndId"])
        assert (record["status"], record["amount"]) == ("SETTLED", row["amount"])
    await play.rest()
    found = await play.books.fetch(
        "SELECT external_id, id::text FROM payouts WHERE external_id LIKE $1 ORDER BY 1", f"{name}-%"
    )
    assert [row["external_id"] for row in found] == [f"{name}-1", f"{name}-2"]
    for n, payout in enumerate(found, 1):
        moved = [(entry[0], entry[-1]) for entry in await teds.booked(play, dict(payout))]
        assert moved == [("held", 1100 + n), ("posted", 1100 + n)]
        assert await told(play, payout) == ["ORDER-PAYOUT.PAID"]
    assert await told(play, made) == ["READY", "APPROVED", "APPLIED"]
    assert before - await play.balance() == 2203


async def charge(play: Play, subscription: dict[str, Any]) -> None:
    """The payer's bank schedules it once and pays it once."""
    before, due = await play.balance(), await charging.today(play) + timedelta(days=5)
    path = f"/public/v1/banking/subscriptions/{subscription['id']}/payments"
    body = {"externalId": "one", "dueDate": due.isoformat(), "amount": brl("29.90")}
    made = (await insist(partial(play.call, "PUT", path, body, key=str(uuid4())), 200)).json
    scheduled = await charging.is_at_the_bank(play, made)
    order, name = {"id": scheduled["orderId"]}, scheduled["attempts"][-1]["endToEndId"]

    async def there() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await play.act(f"/charges?idRec={subscription['providerId']}", method="GET"))["data"]
        return found

    (waits,) = await there()
    await play.jump(datetime.fromisoformat(waits["nextTryAt"]) - await teds.now(play))
    await play.becomes(order, "PAID")
    await play.rest()
    shown = await charging.shown(play, made)
    assert (shown["status"], [(one["endToEndId"], one["status"]) for one in shown["attempts"]]) == ("PAID", [(name, "PAID")])
    assert [(one["endToEndId"], one["amount"]) for one in await there()] == [(name, "29.90")]
    record = await play.statement(name)
    assert (record["status"], record["amount"]) == ("SETTLED", "29.90")
    assert await teds.booked(play, order) == [("moved", "PIX_IN", "NET", "CUST", 2990)]
    assert await told(play, order) == ["ORDER-PAYIN.PAID"]
    assert await told(play, made) == ["SUBSCRIPTION-PAYMENT.SCHEDULED"]
    assert await play.balance() - before == 2990


JOURNEYS = {
    "ted": Journey(
        ted,
        {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 3, "outbox.sent": 1},
        {"run.decided": 1, "commit.sent": 1},
        teds.in_session,
    ),
    "slip": Journey(
        slip,
        {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 4, "outbox.sent": 1},
        {"run.decided": 1, "commit.sent": 1},
    ),
    "card": Journey(
        card,
        {"run.decided": 3, "commit.sent": 3, "inbox.stored": 3, "lane.claimed": 8, "outbox.sent": 3},
        {"run.decided": 2, "commit.sent": 2},
    ),
    "voucher": Journey(
        voucher,
        {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 4, "outbox.sent": 1},
        {"run.decided": 1, "commit.sent": 1},
    ),
    "coin": Journey(
        coin,
        {"run.decided": 2, "commit.sent": 2, "inbox.stored": 2, "lane.claimed": 4, "outbox.sent": 1},
        {"run.decided": 1, "commit.sent": 1},
    ),
    "plan": Journey(
        plan,
        {"run.decided": 6, "commit.sent": 6, "lane.claimed": 4, "outbox.sent": 2},
        {"run.decided": 3, "commit.sent": 3},
        signer,
    ),
    "charge": Journey(
        charge,
        {"run.decided": 3, "commit.sent": 3, "inbox.stored": 3, "lane.claimed": 6, "outbox.sent": 2},
        {"run.decided": 1, "commit.sent": 1},
        charging.accepted,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("journey", "gap"), each(JOURNEYS, "worker"))
async def test_the_worker_may_die_anywhere(scene: Play, journey: Journey, gap: str) -> None:
    await dies(scene, "worker", gap, journey)


@pytest.mark.parametrize(("journey", "gap"), each(JOURNEYS, "api"))
async def test_the_api_may_die_anywhere(scene: Play, journey: Journey, gap: str) -> None:
    await dies(scene, "api", gap, journey)
