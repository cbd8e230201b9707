"""Cycles are charged: HTTP, worker and network, through the days that a charge takes; its end is told once."""

from datetime import date, datetime, timedelta
from typing import Any

from tests.in_one import in_one_test

from lastro.standards.calendar import brasilia_day

from .play import Play
from .stage import until
from .test_authorizing import authorize, becomes, brl, make

# Charges of these amounts end so, where three tries after the due date are allowed: the payment's status, and its attempts'.
ENDS = {
    "29.90": ("PAID", ["PAID"]),
    "7004.02": ("PAID", ["REJECTED", "PAID"]),
    "7004.03": ("ERROR", ["REJECTED"]),
    "7004.06": ("PAID", ["PAID"]),
    "7004.07": ("PAID", ["PAID"]),
    "7004.08": ("EXPIRED", ["EXPIRED"] * 4),
    "7004.09": ("PAID", ["EXPIRED", "PAID"]),
    "7004.10": ("ERROR", ["REJECTED"]),
    "7004.14": ("PAID", ["REJECTED", "PAID"]),
    "7004.15": ("PAID", ["REJECTED"] * 7 + ["PAID"]),  # four times in the morning, three in the evening
    "7004.12": ("PAID", ["PAID"]),
}


async def today(play: Play) -> date:
    answer = await play.ask("GET", f"{play.stage.base_url}/sandbox/clock")
    return brasilia_day(datetime.fromisoformat(answer.json["now"]))


async def accepted(play: Play, **changes: Any) -> dict[str, Any]:
    """A subscription whose charges are settled on their due dates, whatever day that is."""
    terms: dict[str, Any] = {"startDate": (await today(play)).isoformat(), "allowAdjustToBusinessDay": False}
    made = await make(play, **terms, **changes)
    await authorize(play, made)
    return await becomes(play, made, "ACCEPTED")


async def charged(play: Play, subscription: dict[str, Any], days: int, **wish: Any) -> dict[str, Any]:
    due = await today(play) + timedelta(days=days)
    body = {"externalId": "one", "dueDate": due.isoformat(), **wish}
    answer = await play.call("PUT", f"/public/v1/banking/subscriptions/{subscription['id']}/payments", body)
    assert answer.status == 200, answer.body
    made: dict[str, Any] = answer.json
    return made


async def shown(play: Play, payment: dict[str, Any]) -> dict[str, Any]:
    path = f"/public/v1/banking/subscriptions/{payment['subscriptionId']}/payments/{payment['id']}"
    found: dict[str, Any] = (await play.call("GET", path)).json
    return found


async def is_at_the_bank(play: Play, payment: dict[str, Any]) -> dict[str, Any]:
    """The payment once the payer's bank has scheduled it."""

    async def look() -> dict[str, Any] | None:
        found = await shown(play, payment)
        return found if found["attempts"][-1]["status"] == "SCHEDULED" else None

    return await until(look, "scheduled") or {}


async def events_of(play: Play, subscription: dict[str, Any]) -> list[str]:
    """What the merchant was told of it and of its charges, in order."""
    return [one["eventType"] for one in await play.webhooks(subscription)]


async def test_each_charge_ends_as_its_bank_says(play: Play) -> None:
    """All of them in the same days, so that each has to find its own way."""
    subscriptions = {amount: await accepted(play) for amount in ENDS}
    payments = {amount: await charged(play, s, 5, amount=brl(amount)) for amount, s in subscriptions.items()}
    before = await play.balance()
    await play.advance(advance="P14D")
    for amount, (status, attempts) in ENDS.items():
        found = await shown(play, payments[amount])
        assert (found["status"], [one["status"] for one in found["attempts"]]) == (status, attempts), amount
        order = await play.shown({"id": found["orderId"]})
        assert order["status"] == status
        last = "ORDER-PAYIN.PAID" if status == "PAID" else f"SUBSCRIPTION-PAYMENT.{status}"
        unpaid = ["SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"] * sum(one in {"REJECTED", "EXPIRED"} for one in attempts)
        wanted = ["SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION-PAYMENT.SCHEDULED", *unpaid, last]
        assert sorted(await events_of(play, subscriptions[amount])) == sorted(wanted)
        if status == "PAID":
            assert (await play.statement(found["attempts"][-1]["endToEndId"]))["status"] == "SETTLED"
            told = [one["body"] for one in await play.webhooks(subscriptions[amount]) if one["eventType"] == last]
            assert told[0]["subscription"]["scheduledPayment"]["id"] == found["id"]
    paid = sum(int(amount.replace(".", "")) for amount, (status, _) in ENDS.items() if status == "PAID")
    assert await play.balance() - before == paid
    for subscription in subscriptions.values():
        await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


async def test_an_amount_above_the_maximum_is_told_at_once_and_charged_anew(play: Play) -> None:
    made = await make(play, startDate=(await today(play)).isoformat(), allowAdjustToBusinessDay=False)
    await play.act("/phone/authorize", {"qrcodeData": made["qrcodeData"], "maximumAmount": "50.00"})
    subscription = await becomes(play, made, "ACCEPTED")
    payment = await charged(play, subscription, 5, amount=brl("50.01"))
    await play.rest()
    found = await shown(play, payment)
    assert (found["status"], found["errorCode"], found["attempts"][0]["kind"]) == ("ERROR", "AM02", "AGND")
    (told,) = [
        one["body"]["data"] for one in await play.webhooks(subscription) if one["eventType"].endswith("ATTEMPT_FAILED")
    ]
    assert told["attempt"] == found["attempts"][0]
    (coming,) = told["nextActions"]
    assert coming["action"] == "SCHEDULE_PAYMENT"
    assert coming["firstDueDate"] <= payment["dueDate"] <= coming["lastDueDate"]
    another = await charged(play, subscription, 5, externalId="two", amount=brl("50.00"))
    await play.advance(advance="P5D")
    assert (await shown(play, another))["status"] == "PAID"
    page = await play.call("GET", f"/order/v1/banking/subscriptions/{subscription['id']}/story")
    tries = [one for one in page.json["entries"] if one.get("object") == "chargeAttempt"]
    assert [(one["tried"], one["day"]) for one in tries if "tried" in one] == [("AGND", payment["adjustedDueDate"])] * 2
    assert [one["cure"] for one in tries if "cure" in one] == [found["attempts"][0]["errorCure"]]
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


@in_one_test("by", ["receiver", "payer"])
async def test_a_charge_that_is_called_off_is_never_collected(play: Play, by: str) -> None:
    subscription = await accepted(play)
    payment = await charged(play, subscription, 4, amount=brl("29.90"))
    at_bank = await is_at_the_bank(play, payment)
    if by == "receiver":
        path = f"/public/v1/banking/subscriptions/{subscription['id']}/payments/{payment['id']}/cancel"
        assert (await play.call("POST", path, {})).status == 202
    else:
        await play.act("/phone/cancel-charge", {"endToEndId": at_bank["attempts"][0]["endToEndId"]})
    await play.rest()
    assert (await shown(play, payment))["status"] == "CANCELED"
    await play.advance(advance="P6D")
    found = await shown(play, payment)
    assert (found["status"], [one["status"] for one in found["attempts"]]) == ("CANCELED", ["CANCELED"])
    wanted = ["SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION-PAYMENT.CANCELED", "SUBSCRIPTION-PAYMENT.SCHEDULED"]
    assert sorted(await events_of(play, subscription)) == sorted(wanted)
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


async def test_what_the_network_would_not_process_is_sent_or_asked_for_anew(play: Play) -> None:
    subscription = await accepted(play)
    match = {"idRec": subscription["providerId"]}
    await play.fault("charge", "unprocessed", match=match)
    payment = await charged(play, subscription, 5, amount=brl("29.90"))
    await play.advance(advance="PT2H")
    found = await is_at_the_bank(play, payment)
    assert [one["status"] for one in found["attempts"]] == ["REJECTED", "SCHEDULED"]
    assert found["attempts"][0]["errorMessage"] == "admi.002: the network would not process it"
    path = f"/public/v1/banking/subscriptions/{subscription['id']}/payments/{payment['id']}/cancel"
    await play.fault("cancellation", "unprocessed", match=match)
    assert (await play.call("POST", path, {})).status == 202
    await play.rest()
    assert (await play.call("POST", path, {})).problem == (409, "status", "CONFLICT")
    await play.advance(advance="PT11S")
    found = await shown(play, payment)
    assert (found["status"], found["cancelErrorCode"]) == ("SCHEDULED", "admi.002")
    assert (await play.call("POST", path, {})).status == 202
    await play.rest()
    assert (await shown(play, payment))["status"] == "CANCELED"
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


async def test_no_cancellation_overtakes_the_charge_that_it_is_about(play: Play) -> None:
    """The network is away when the charge is made and called off at once: nothing of it is ever collected."""
    subscription = await accepted(play)
    await play.fault("charge", "down", times=3, match={"idRec": subscription["providerId"]})
    payment = await charged(play, subscription, 4, amount=brl("29.90"))
    path = f"/public/v1/banking/subscriptions/{subscription['id']}/payments/{payment['id']}/cancel"
    assert (await play.call("POST", path, {})).status in (200, 202)
    await play.advance(advance="P6D")
    assert (await shown(play, payment))["status"] == "CANCELED"
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})
