"""A subscription is made, authorized or declined at the payer's bank, and ended by either side: HTTP, worker, network."""

import secrets
from datetime import datetime, timedelta
from typing import Any

from tests.in_one import in_one_test

from lastro.standards.calendar import brasilia_day

from .play import Answer, Play, cents
from .stage import until

SUBSCRIPTIONS = "/order/v1/banking/subscriptions"
JOURNEY_2, JOURNEY_3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
PAYER = {"name": "Clara Costa", "document": {"type": "CPF", "number": "52998224725"}}
# Everything the merchant hears of a first charge that is paid with its subscription.
PAID = ["ORDER-PAYIN.PAID", "SUBSCRIPTION.ACCEPTED"]


def brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


def asking(play: Play, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
    """The body of a create."""
    code = f"{play.name}-{secrets.token_hex(4)}"
    asked: dict[str, Any] = {
        "accountId": play.account["id"], "type": journey, "allowChargeAfterDueDate": True, "allowAdjustToBusinessDay": True,
        "frequencyType": "MONTHLY", "startDate": "2099-01-10", "externalId": code,
        "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
        "webhookUrl": f"{play.stage.simulator_url}/merchant/webhooks/{code}",
    }  # fmt: skip
    if journey == JOURNEY_3:
        asked["initialCharge"] = {"pixKey": play.account["pixKey"], "amount": brl("29.90")}
    return asked | changes


async def make(play: Play, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
    answer = await play.call("POST", SUBSCRIPTIONS, asking(play, journey, **changes))
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def read(play: Play, made: dict[str, Any]) -> dict[str, Any]:
    answer = await play.call("GET", f"{SUBSCRIPTIONS}/{made['id']}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


async def becomes(play: Play, made: dict[str, Any], status: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        found = await read(play, made)
        return found if found["status"] == status else None

    return await until(look, f"subscription {status}") or {}


async def told(play: Play, made: dict[str, Any], *events: str) -> dict[str, Any]:
    """The bodies of what the merchant heard, by event, once these came and no others, each once."""

    async def look() -> list[dict[str, Any]]:
        came = await play.webhooks(made)
        return came if len(came) >= len(events) else []

    came = await until(look, f"webhooks {events}") or []
    assert sorted(one["eventType"] for one in came) == sorted(events)
    assert all(one["signatureValid"] is True for one in came)
    return {one["eventType"]: one["body"] for one in came}


async def authorize(play: Play, made: dict[str, Any], **says: Any) -> dict[str, Any]:
    found: dict[str, Any] = await play.act("/phone/authorize", {"qrcodeData": made["qrcodeData"], **says})
    return found


async def cancel(play: Play, made: dict[str, Any], **body: Any) -> Answer:
    return await play.call("POST", f"{SUBSCRIPTIONS}/{made['id']}/cancellations", body or None)


async def at_the_bank(play: Play, made: dict[str, Any]) -> str:
    """What the payer's bank holds of it."""
    found = await play.act(f"/phone/authorizations?idRec={made['providerId']}", method="GET")
    status: str = found["data"][-1]["status"]
    return status


async def test_a_payer_authorizes_without_paying(play: Play) -> None:
    made = await make(play, maxAmountFloor=brl("10.00"))
    below = await authorize(play, made, maximumAmount="9.99", payer=PAYER)
    assert (below["status"], below["code"]) == ("REJECTED", "BELOW_FLOOR"), "refused at the payer's side"
    assert (await read(play, made))["status"] == "PENDING_AUTHORIZATION"
    said = await authorize(play, made, maximumAmount="50.00", payer=PAYER)
    assert said["status"] == "AUTHORIZED"
    found = await becomes(play, made, "ACCEPTED")
    assert found["payer"]["document"] == PAYER["document"]
    body = (await told(play, made, "SUBSCRIPTION.ACCEPTED"))["SUBSCRIPTION.ACCEPTED"]
    assert body["data"]["payer"]["document"] == PAYER["document"]
    again = await authorize(play, made, payer=PAYER)
    assert again["status"] == "REJECTED"


async def test_our_side_refuses_what_the_payers_bank_lets_pass(play: Play) -> None:
    made = await make(play, maxAmountFloor=brl("10.00"))
    said = await authorize(play, made, maximumAmount="9.99", force=True)
    assert (said["status"], said["code"]) == ("REJECTED", "AP13")
    assert (await read(play, made))["status"] == "PENDING_AUTHORIZATION"
    assert (await authorize(play, made))["status"] == "AUTHORIZED"


@in_one_test("behaviour", ["lost-answer", "twice", "late"])
async def test_it_is_authorized_once_however_the_network_is(play: Play, behaviour: str) -> None:
    made = await make(play)
    await play.fault("authorization", behaviour, match={"idRec": made["providerId"]}, delay=5)
    saying = play.meanwhile(authorize(play, made))
    if behaviour == "late":
        await until(lambda: _is_asked(play, made), "the payer's word")
        await play.advance(advance="PT6S")
    assert (await saying)["status"] == "AUTHORIZED"
    await becomes(play, made, "ACCEPTED")
    await play.rest()
    await told(play, made, "SUBSCRIPTION.ACCEPTED")
    assert await at_the_bank(play, made) == "AUTHORIZED"


async def _is_asked(play: Play, made: dict[str, Any]) -> bool:
    found = await play.act(f"/phone/authorizations?idRec={made['providerId']}", method="GET")
    return bool(found["data"])


@in_one_test("journey", [JOURNEY_2, JOURNEY_3])
async def test_a_payer_declines(play: Play, journey: str) -> None:
    made = await make(play, journey)
    said = await play.act("/phone/decline", {"qrcodeData": made["qrcodeData"]})
    assert said["status"] == "DECLINED"
    await becomes(play, made, "REJECTED")
    first = ["ORDER-PAYIN.CANCELED"] if journey == JOURNEY_3 else []
    await told(play, made, *first, "SUBSCRIPTION.REJECTED")
    refused = await play.act("/phone/pay" if first else "/phone/authorize", {"qrcodeData": made["qrcodeData"]})
    assert refused["status"] == "REJECTED"


@in_one_test("behaviour", [None, "twice", "late", "lost-answer", "slow"])
async def test_paying_the_first_charge_authorizes(play: Play, behaviour: str | None) -> None:
    made, before = await make(play, JOURNEY_3), await play.balance()
    if behaviour is not None:
        await play.fault("payin", behaviour, match={"txId": made["initialCharge"]["conciliationId"]}, delay=0)
    paid = await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "payer": PAYER, "maximumAmount": "80.00"})
    assert paid["status"] == "SETTLED"
    found = await becomes(play, made, "ACCEPTED")
    order_id = made["initialCharge"]["orderId"]
    order = (await play.call("GET", f"/order/v2/transparent/{order_id}")).json
    assert (order["status"], order["endToEndId"], order["updatedAt"]) == ("PAID", paid["endToEndId"], found["updatedAt"])
    assert await play.balance() - before == cents("29.90")
    bodies = await told(play, made, *PAID)
    charge = {"id": order_id, "amount": brl("29.90"), "endToEndId": paid["endToEndId"]}
    assert bodies["SUBSCRIPTION.ACCEPTED"]["data"]["initialCharge"] == charge
    assert bodies["ORDER-PAYIN.PAID"]["subscription"] == {"id": made["id"], "code": made["externalId"]}
    await play.rest()
    assert await at_the_bank(play, made) == "AUTHORIZED"


async def test_neither_is_done_where_another_pays_than_the_one_who_was_named(play: Play) -> None:
    made = await make(play, JOURNEY_3, payer={"name": "Clara", "document": PAYER["document"]})
    paid = await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"]})
    assert (paid["status"], paid["code"]) == ("REJECTED", "BE17")
    assert (await read(play, made))["status"] == "PENDING_AUTHORIZATION"
    assert await at_the_bank(play, made) == "REJECTED"
    assert (await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "payer": PAYER}))["status"] == "SETTLED"
    await told(play, made, *PAID)


async def test_a_payment_that_the_network_drops_authorizes_nothing(play: Play) -> None:
    made = await make(play, JOURNEY_3)
    await play.fault("payin", "reject", match={"txId": made["initialCharge"]["conciliationId"]})
    assert (await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"]}))["status"] == "REJECTED"
    await play.rest()
    assert (await read(play, made))["status"] == "PENDING_AUTHORIZATION"
    assert await at_the_bank(play, made) == "REJECTED"
    assert (await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"]}))["status"] == "SETTLED"
    await told(play, made, *PAID)


async def test_money_for_one_that_has_ended_goes_back(play: Play) -> None:
    made = await make(play, JOURNEY_3)
    await play.act("/phone/read", {"qrcodeData": made["qrcodeData"]})
    assert (await cancel(play, made)).status == 202
    refused = await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "force": True})
    assert (refused["status"], refused["code"]) == ("REJECTED", "BE17")
    await play.fault("payin", "late")
    paid = await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "force": True})
    assert paid["status"] == "SETTLED"
    await play.payment_becomes(paid["endToEndId"], "RETURNED")
    sides = [(kind, debit, credit) for kind, debit, credit, _ in await play.moved(paid["endToEndId"])]
    assert sides == [("moved", "NET", "SUSP"), ("held", "SUSP", "NET"), ("posted", "SUSP", "NET")]
    assert (await read(play, made))["status"] == "CANCELED"


@in_one_test("behaviour", [None, "twice"])
async def test_its_payer_takes_it_back(play: Play, behaviour: str | None) -> None:
    made = await make(play, JOURNEY_3)
    await play.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "payer": PAYER})
    if behaviour is not None:
        await play.fault("cancellation", behaviour, match={"idRec": made["providerId"]})
    assert (await play.act(f"/phone/authorizations/{made['providerId']}/cancel", {}))["status"] == "CANCELED"
    found = await becomes(play, made, "CANCELED")
    (record,) = found["cancellations"]
    assert (record["status"], record["reason"]) == ("ACCEPTED", "REQUESTED_BY_PAYER")
    assert record["requestedBy"] == {"document": PAYER["document"]}
    await play.rest()
    bodies = await told(play, made, *PAID, "SUBSCRIPTION.CANCELED")
    assert bodies["SUBSCRIPTION.CANCELED"]["data"]["reason"] == "REQUESTED_BY_PAYER"
    assert len((await read(play, made))["cancellations"]) == 1


@in_one_test("behaviour", [None, "twice", "lost-answer", "down", "timeout"])
async def test_the_payers_bank_is_asked_to_end_what_was_authorized(play: Play, behaviour: str | None) -> None:
    made = await make(play)
    assert (await authorize(play, made))["status"] == "AUTHORIZED"
    await becomes(play, made, "ACCEPTED")
    if behaviour is not None:
        await play.fault("cancellation", behaviour, match={"idRec": made["providerId"]})
    answer = await cancel(play, made, reason="FRAUD_SUSPECTED")
    assert (answer.status, answer.json["status"]) == (202, "PENDING")
    if behaviour == "timeout":
        await play.rest()
        assert (await cancel(play, made)).problem == (409, "status", "CONFLICT")
        await play.advance(advance="PT11S")  # told only to who asks
    found = await becomes(play, made, "CANCELED")
    assert [(one["status"], one["reason"]) for one in found["cancellations"]] == [("ACCEPTED", "FRAUD_SUSPECTED")]
    await play.rest()
    await told(play, made, "SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.CANCELED")
    assert await at_the_bank(play, made) == "CANCELED"


async def test_the_payers_bank_may_say_no_and_be_asked_again(play: Play) -> None:
    made = await make(play)
    await authorize(play, made)
    await becomes(play, made, "ACCEPTED")
    await play.fault("cancellation", "reject", match={"idRec": made["providerId"]})
    await cancel(play, made)
    await play.rest()
    found = await read(play, made)
    (record,) = found["cancellations"]
    assert (found["status"], record["status"], record["errorCode"]) == ("ACCEPTED", "REJECTED", "AP13")
    assert await at_the_bank(play, made) == "AUTHORIZED"
    assert (await cancel(play, made)).status == 202
    await becomes(play, made, "CANCELED")


async def test_what_the_network_would_not_process_may_be_asked_for_anew(play: Play) -> None:
    made = await make(play)
    await authorize(play, made)
    await becomes(play, made, "ACCEPTED")
    await play.fault("cancellation", "unprocessed", match={"idRec": made["providerId"]})
    assert (await cancel(play, made)).status == 202
    await play.rest()
    assert (await cancel(play, made)).problem == (409, "status", "CONFLICT"), "a copy of it might have arrived"
    await play.advance(advance="PT11S")  # who asks hears that nobody knows it
    found = await read(play, made)
    (record,) = found["cancellations"]
    assert (found["status"], record["status"], record["errorCode"]) == ("ACCEPTED", "ERROR", "admi.002")
    assert await at_the_bank(play, made) == "AUTHORIZED"
    assert (await cancel(play, made)).status == 202
    await becomes(play, made, "CANCELED")


async def test_it_ends_with_its_last_day(play: Play) -> None:
    now = (await play.ask("GET", f"{play.stage.base_url}/sandbox/clock")).json["now"]
    today = brasilia_day(datetime.fromisoformat(now))
    made = await make(play, startDate=today.isoformat(), endDate=(today + timedelta(days=1)).isoformat())
    await authorize(play, made)
    assert (await becomes(play, made, "ACCEPTED"))["nextActions"][-1]["action"] == "END"
    await play.advance(advance="P2D")
    found = await read(play, made)
    assert (found["status"], found["cancellations"][0]["reason"]) == ("CANCELED", "RECURRENCE_ENDED")
    ended = brasilia_day(datetime.fromisoformat(found["updatedAt"]))
    assert ended == today + timedelta(days=2), "as soon as its last day is over"
    await told(play, made, "SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.CANCELED")
