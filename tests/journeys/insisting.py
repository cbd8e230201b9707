"""Whole journeys of people who do not give up: they go on when a process dies under them, and end as all others."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp
from tests.journeys.play import ORDERS, Answer, Play
from tests.journeys.stage import until

GOES_BACK = [("moved", "NET", "SUSP", 1000), ("held", "SUSP", "NET", 1000), ("posted", "SUSP", "NET", 1000)]
_STORY = "SELECT state, count(*) FROM pix_payments WHERE order_id = $1::text::uuid GROUP BY state"
_BOOKED = "SELECT coalesce(sum(amount_minor), 0) FROM transfers WHERE reference_id = $1::text::uuid AND kind = 'moved'"
_BOTH = """
SELECT s.status, o.status FROM subscriptions s JOIN orders o ON o.company_id = s.company_id AND o.id = s.order_id
 WHERE s.id = $1::text::uuid
"""


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


async def pay_in_full(play: Play, order: dict[str, Any]) -> tuple[str, int]:
    """A payer who tries again when the network has given up on a receiver that was away for too long.

    The endToEndId of the payment that settled, and how many it took.
    """
    tries = 0

    async def attempt() -> str | None:
        nonlocal tries
        tries += 1
        paid = await play.pay(order, force=True)
        if paid["status"] == "PENDING":
            end = await until(lambda: ended(play, paid["endToEndId"]), "the payment's end")
            paid = {**paid, **(end or {})}
        return paid["endToEndId"] if paid["status"] == "SETTLED" else None

    return await until(attempt, "a payment", 90.0) or "", tries


async def ended(play: Play, end_to_end_id: str) -> dict[str, Any] | None:
    record = await play.statement(end_to_end_id)
    return record if record["status"] != "PENDING" else None


async def journey(play: Play, _: None = None) -> int:
    """An order, asked for by a client that insists and paid by a payer who does; then everything is as it must be.

    How many payments it took.
    """
    before = await play.balance()
    order = (await insist(partial(play.call, "PUT", ORDERS, play.asking("10.00"), key=secrets.token_hex(8)), 200)).json
    end_to_end_id, tries = await pay_in_full(play, order)
    assert (await play.becomes(order, "PAID"))["endToEndId"] == end_to_end_id
    came = await until(lambda: play.webhooks(order), "the webhook")
    await play.rest()
    assert await play.balance() - before == 1000
    states = {r[0]: r[1] for r in await play.books.fetch(_STORY, order["id"])}
    assert states.pop("SETTLED") == 1
    assert set(states) <= {"FAILED", "REFUSED"}  # attempts that the network had given up on
    assert await play.books.fetchval(_BOOKED, order["id"]) == 1000
    assert await play.books.fetchval("SELECT count(*) FROM orders WHERE external_id = $1", order["externalId"]) == 1
    came = await play.webhooks(order)
    assert {w["eventType"] for w in came} == {"ORDER-PAYIN.PAID"}
    assert len({(w["eventId"], w["sequence"], str(w["body"])) for w in came}) == 1
    assert all(w["signatureValid"] for w in came)
    return tries


async def return_journey(play: Play, _: None = None) -> int:
    """Money for nobody that is already in; it goes back once. One payment is all it takes."""
    await play.fault("payin", "late")
    payment = await play.act("/phone/transfer", {"account": {"branch": "0001", "account": "999999999"}, "amount": "10.00"})
    assert payment["status"] == "SETTLED"
    await play.payment_becomes(payment["endToEndId"], "RETURNED")
    await play.rest()
    assert await play.moved(payment["endToEndId"]) == GOES_BACK
    record = await play.statement(payment["endToEndId"])
    assert [(r["amount"], r["status"]) for r in record["returns"]] == [("10.00", "SETTLED")]
    return 1


async def authorizing_journey(play: Play, _: None = None) -> int:
    """A subscription whose first charge is paid by a payer who insists: paid and authorized together, at every moment.

    How many payments it took.
    """
    code = f"{play.name}-{secrets.token_hex(4)}"
    asked = {
        "accountId": play.account["id"], "type": "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT", "allowChargeAfterDueDate": True,
        "allowAdjustToBusinessDay": True, "frequencyType": "MONTHLY", "startDate": "2099-01-10", "externalId": code,
        "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
        "webhookUrl": f"{play.stage.simulator_url}/merchant/webhooks/{code}",
        "initialCharge": {"pixKey": play.account["pixKey"], "amount": {"currency": "BRL", "value": "10.00"}},
    }  # fmt: skip
    answer = await play.call("POST", "/order/v1/banking/subscriptions", asked)
    assert answer.status == 201, answer.body
    made, before = answer.json, await play.balance()
    watching = asyncio.create_task(_both_or_neither(play, made["id"]))
    tries = (await pay_in_full(play, {"pix": {"qrcodeData": made["qrcodeData"]}}))[1]
    await watching
    came = await until(lambda: _heard(play, made, 2), "the webhooks") or []
    await play.rest()
    assert await play.balance() - before == 1000
    came = await play.webhooks(made)
    assert {one["eventType"] for one in came} == {"ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"}
    assert len({(one["eventId"], one["sequence"], str(one["body"])) for one in came}) == 2
    return tries


async def _both_or_neither(play: Play, subscription_id: str) -> None:
    """Returns when it is paid and authorized; at no moment is it one of the two."""

    async def look() -> bool:
        states: tuple[str, ...] = tuple(await play.books.fetchrow(_BOTH, subscription_id) or ())
        assert states in {("PENDING_AUTHORIZATION", "INITIAL"), ("ACCEPTED", "PAID")}, states
        return "PAID" in states

    await until(look, "both", 90.0, always_often=True)


async def _heard(play: Play, made: dict[str, Any], count: int) -> list[dict[str, Any]]:
    came = await play.webhooks(made)
    return came if len({one["eventId"] for one in came}) >= count else []


async def dead(play: Play, name: str) -> None:
    async def look() -> bool:
        return not play.stage.is_running(name)

    await until(look, f"the end of {name}", 600.0)
