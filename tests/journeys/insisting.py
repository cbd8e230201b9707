"""Whole journeys of people who do not give up: they go on when a process dies under them, and end as all others."""

import secrets
from typing import Any

import aiohttp
from tests.journeys.play import ORDERS, Answer, Play
from tests.journeys.stage import until

GOES_BACK = [("moved", "NET", "SUSP", 1000), ("held", "SUSP", "NET", 1000), ("posted", "SUSP", "NET", 1000)]
_STORY = "SELECT state, count(*) FROM pix_payments WHERE order_id = $1::text::uuid GROUP BY state"
_BOOKED = "SELECT coalesce(sum(amount_minor), 0) FROM transfers WHERE reference_id = $1::text::uuid AND kind = 'moved'"


async def insist(play: Play, asked: dict[str, Any], key: str) -> Answer:
    """A client that repeats its request under its key until it is answered."""

    async def attempt() -> Answer | None:
        try:
            answer = await play.call("PUT", ORDERS, asked, key=key)
        except (aiohttp.ClientError, OSError):
            return None
        return answer if answer.status == 200 else None

    answer = await until(attempt, "an answer")
    assert answer is not None
    return answer


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


async def journey(play: Play) -> int:
    """An order, asked for by a client that insists and paid by a payer who does; then everything is as it must be.

    How many payments it took.
    """
    asked, key = play.asking("10.00"), secrets.token_hex(8)
    before = await play.balance()
    first = await insist(play, asked, key)
    again = await insist(play, asked, key)
    assert again.body == first.body
    order = first.json
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


async def return_journey(play: Play) -> int:
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


async def dead(play: Play, name: str) -> None:
    async def look() -> bool:
        return not play.stage.is_running(name)

    await until(look, f"the end of {name}", 600.0)
