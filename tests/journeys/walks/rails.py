"""TEDs, slips, vouchers, crypto, cards, plans and charges by a client that insists.

In the end the books have each transfer once, the partner's record says the same, and each event was told once.
"""

from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from tests.journeys import test_cards as cards
from tests.journeys import test_charging as charging
from tests.journeys import test_plans as plans
from tests.journeys import test_slips as slips
from tests.journeys import test_teds as teds
from tests.journeys import test_vouchers as vouchers
from tests.journeys.insisting import insist
from tests.journeys.play import CUSTOMER, ORDERS, Play
from tests.journeys.stage import until
from tests.journeys.test_authorizing import brl
from tests.journeys.test_plans import told
from tests.journeys.test_refunds import REFUNDS
from tests.journeys.test_rights import Operator


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
    found = (await play.act("/collecting/boleto?limit=1000", method="GET"))["data"]
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
