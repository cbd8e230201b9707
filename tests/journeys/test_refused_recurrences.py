"""A recurrence that the network refuses, at once or after it took it: its subscription is made, and ends in ERROR."""

import re
from typing import Any

from tests.in_one import in_one_test

from .play import ORDERS, Play
from .test_authorizing import JOURNEY_2, JOURNEY_3, SUBSCRIPTIONS, asking, authorize, becomes, brl, make, read, told

# A debtor for each test: a fault is for all that the sandbox does meanwhile.
DEBTORS = {JOURNEY_2: "39053344705", JOURNEY_3: "71428793860"}


@in_one_test("journey", DEBTORS)
async def test_its_create_answers_error_and_makes_no_order(play: Play, journey: str) -> None:
    debtor = {"name": "Bento Braga", "document": {"type": "CPF", "number": DEBTORS[journey]}}
    await play.fault("recurrence", "reject", code="AP09", match={"document": DEBTORS[journey]})
    asked = asking(play, journey, debtor=debtor)
    answer = await play.call("POST", SUBSCRIPTIONS, asked, key=asked["externalId"])
    made: dict[str, Any] = answer.json
    assert (answer.status, made["status"], "initialCharge" in made) == (201, "ERROR", journey == JOURNEY_3)
    again = await play.call("POST", SUBSCRIPTIONS, asked, key=asked["externalId"])
    assert (again.status, again.json) == (201, made)
    shown = await read(play, made)
    assert [one["status"] for one in shown["statusHistory"]] == ["INITIAL", "ERROR"]
    assert (shown["qrcode"]["data"], shown["nextActions"]) == (made["qrcodeData"], [])
    assert shown.get("initialCharge") == made.get("initialCharge")
    if journey == JOURNEY_3:
        assert made["initialCharge"].keys() == {"expireDateTime", "conciliationId", "amount"}
        assert made["initialCharge"]["amount"] == brl("29.90")
    body = (await told(play, made, "SUBSCRIPTION.ERROR"))["SUBSCRIPTION.ERROR"]
    assert body["data"] == {"id": made["id"], "externalId": made["externalId"], "status": "ERROR"}
    assert (await play.call("GET", f"{ORDERS}?externalId={made['externalId']}")).json["data"] == []
    (token,) = re.findall(r"/qr/v2/rec/([0-9A-Za-z]{22})", made["qrcodeData"])
    assert (await play.ask("GET", f"{play.stage.base_url}/qr/v2/rec/{token}")).status == 410
    refused = await play.call("POST", f"{SUBSCRIPTIONS}/{made['id']}/cancellations")
    assert refused.problem == (409, "status", "CONFLICT")
    assert (await make(play, journey, debtor=debtor))["status"] == "PENDING_AUTHORIZATION"


@in_one_test(("journey", "code", "delay"), [(JOURNEY_2, None, 0), (JOURNEY_3, "AP14", 0), (JOURNEY_3, None, 5)])
async def test_one_that_is_refused_afterwards_ends_in_error(play: Play, journey: str, code: str | None, delay: int) -> None:
    document = {(JOURNEY_2, 0): "86288366757", (JOURNEY_3, 0): "16899535009", (JOURNEY_3, 5): "29537995593"}[journey, delay]
    said = {} if code is None else {"code": code}
    await play.fault("recurrence", "unprocessed", match={"document": document}, delay=delay, **said)
    made = await make(play, journey, debtor={"name": "Bento Braga", "document": {"type": "CPF", "number": document}})
    assert made["status"] == "PENDING_AUTHORIZATION", "it was taken"
    if delay:
        assert (await read(play, made))["status"] == "PENDING_AUTHORIZATION"
        await play.advance(advance=f"PT{delay + 1}S")
    shown = await becomes(play, made, "ERROR")
    assert [one["status"] for one in shown["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION", "ERROR"]
    assert shown["nextActions"] == []
    first = ["ORDER-PAYIN.ERROR"] if journey == JOURNEY_3 else []
    bodies = await told(play, made, *first, "SUBSCRIPTION.ERROR")
    data = bodies["SUBSCRIPTION.ERROR"]["data"]
    assert (data["id"], data["status"], "reason" in data) == (made["id"], "ERROR", False)
    if journey == JOURNEY_3:
        order_id = made["initialCharge"]["orderId"]
        assert shown["initialCharge"]["orderId"] == data["initialCharge"]["id"] == order_id
        order = (await play.call("GET", f"{ORDERS}/{order_id}")).json
        failed = bodies["ORDER-PAYIN.ERROR"]
        assert (order["status"], failed["id"]) == ("ERROR", order_id)
        assert failed["message"] == f"Order failed: {order['errorMessage']}"
    assert (await play.act("/phone/authorize", {"qrcodeData": made["qrcodeData"]}))["status"] == "REJECTED"
    (token,) = re.findall(r"/qr/v2/rec/([0-9A-Za-z]{22})", made["qrcodeData"])
    assert (await play.ask("GET", f"{play.stage.base_url}/qr/v2/rec/{token}")).status == 410


async def test_nobody_authorizes_it(play: Play) -> None:
    debtor = {"name": "Bento Braga", "document": {"type": "CPF", "number": "46877185072"}}
    await play.fault("recurrence", "reject", match={"document": "46877185072"})
    made = await make(play, debtor=debtor)
    assert made["status"] == "ERROR"
    assert (await authorize(play, made))["status"] == "REJECTED"


async def test_a_network_that_is_away_refuses_nothing(play: Play) -> None:
    debtor = {"name": "Bento Braga", "document": {"type": "CPF", "number": "15350946056"}}
    await play.fault("recurrence", "down", match={"document": "15350946056"})
    assert (await make(play, debtor=debtor))["status"] == "PENDING_AUTHORIZATION"
