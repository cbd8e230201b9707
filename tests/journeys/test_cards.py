"""Orders paid by card from end to end: charged, challenged, declined, silent, taken back; and no number anywhere."""

import base64
import random
import secrets
from typing import Any

from tests.house import canary
from tests.in_one import in_one_test
from tests.laws import connected

from lastro.core.db import Dsn
from lastro.standards.check_digits import modulo_10
from lastro_sim.card.numbers import BY_NUMBER

from .play import ORDERS, Answer, Play, cents
from .stage import until

ADDRESS = {
    "state": "CDMX", "city": "Ciudad de México", "street": "Reforma", "neighborhood": "Centro", "number": "10",
    "postalCode": "06000",
}  # fmt: skip
CUSTOMER = {"name": "Benito", "entityType": "INDIVIDUAL", "document": {"type": "RFC", "number": "GODE561231GR8"},
            "email": "benito@example.com", "phone": "+525512345678", "address": ADDRESS}  # fmt: skip
BROWSER = {
    "userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900,
    "screenWidth": 1440, "timeZoneOffset": 360, "javascriptEnabled": True,
}  # fmt: skip
NUMBERS = {plays: number for number, plays in BY_NUMBER.items()}
# How an order ends whose card plays so, where nobody is asked and the company takes no risk.
ENDS = {
    "good": "PAID", "attempted": "PAID", "not-authenticated": "ERROR", "unavailable": "ERROR", "rejected": "ERROR",
    "informational": "ERROR", "decline-51": "ERROR", "decline-57": "ERROR",
}  # fmt: skip


def details(number: str, cvv: str = "123", **card: Any) -> dict[str, Any]:
    typed = {"holderName": "Benito", "holderDocument": "GOD*******", "number": number, "cvv": cvv, "expiry": "12/49", **card}
    return {"creditCard": typed, "browser": BROWSER}


def asking(play: Play, paid_by: dict[str, Any], value: str = "123.45", **order: Any) -> dict[str, Any]:
    amount = {"currency": "MXN", "value": value}
    return play.asking(None, customer=CUSTOMER, paymentMethod="CREDIT_CARD", amount=amount, paymentDetails=paid_by, **order)


async def order(play: Play, plays: str, value: str = "123.45") -> dict[str, Any]:
    answer = await play.call("PUT", ORDERS, asking(play, details(NUMBERS[plays]), value))
    assert answer.status == 200, answer.body
    made: dict[str, Any] = answer.json
    return made


async def at_the_acquirer(play: Play, made: dict[str, Any]) -> dict[str, Any]:
    """The payment as its acquirer has it."""
    (found,) = (await play.act(f"/cards?number={made['externalId']}", method="GET"))["data"]
    shown: dict[str, Any] = found
    return shown


async def pesos(play: Play) -> int:
    answer = await play.call("GET", f"/order/v2/account/balance?accountId={play.account['id']}&currency=MXN")
    return cents(answer.json["available"]["value"])


async def test_a_card_is_charged_refunded_and_taken_back(play: Play) -> None:
    before, made = await pesos(play), await order(play, "good")
    shown = await play.becomes(made, "PAID")
    assert (await pesos(play) - before, shown["threeDs"]["status"]) == (12345, "AUTHENTICATED")
    body = await play.told(made, "ORDER-PAYIN.PAID")
    assert (body["amount"], body["paidAt"]) == ({"currency": "MXN", "value": "123.45"}, shown["paidAt"])
    refund = {"orderId": made["id"], "externalId": made["externalId"], "amount": {"currency": "MXN", "value": "23.45"},
              "refundCode": "MD06"}  # fmt: skip
    assert (await play.call("POST", "/order/v1/banking/order-refunds", refund)).status == 201
    await play.becomes(made, "PARTIAL_REFUNDED")
    reference = (await at_the_acquirer(play, made))["reference"]
    assert (await play.act(f"/cards/{reference}/chargeback", {"amount": "100.00"}))["status"] == "TAKEN"
    await play.becomes(made, "REFUNDED")
    told = await play.told(made, "ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REFUNDED")
    assert (told["refundedAmount"]["value"], await pesos(play)) == ("123.45", before)
    there = await at_the_acquirer(play, made)
    assert [len(there[name]) for name in ("returns", "chargebacks")] == [1, 1]


async def test_a_payer_passes_the_challenge_of_his_bank(play: Play) -> None:
    made = await order(play, "challenge")
    await play.becomes(made, "AUTHENTICATING")
    on = await play.ask("GET", made["threeDs"]["challengeUrl"])
    page = on.headers["location"]
    assert (on.status, page.startswith(f"{play.stage.simulator_url}/card/challenge/")) == (303, True)
    assert made["checkoutUrl"].encode() in (await play.ask("GET", page)).body
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert (await play.ask("POST", page, b"outcome=pass", form)).status == 303
    await play.becomes(made, "PAID")
    back = await play.ask("GET", made["threeDs"]["challengeUrl"])
    assert (back.status, back.headers["location"]) == (303, made["checkoutUrl"])
    assert b"1234" not in (await play.ask("GET", made["checkoutUrl"])).body.replace(b"123.45", b"")


async def test_the_tools_lead_an_order_by_card_where_its_bank_lets_it(play: Play) -> None:
    for wanted in ("PAID", "ERROR"):
        made = await order(play, "challenge")
        for status in ("AUTHENTICATING", wanted):
            led = await play.tool(made, status)
            assert (led.status, led.json.get("status")) == (200, status), led.body
        assert (await play.tool(made, "EXPIRED")).status == 409


@in_one_test("door", ["api", "tools"])
async def test_an_order_is_canceled_while_its_payer_is_asked(play: Play, door: str) -> None:
    """What the payer says afterwards charges nothing."""
    made = await order(play, "challenge")
    await play.becomes(made, "AUTHENTICATING")
    reference = (await at_the_acquirer(play, made))["reference"]
    if door == "api":
        led = await play.call("POST", f"/order/v2/transparent/{made['id']}/cancel", {})
    else:
        led = await play.tool(made, "CANCELED")
    assert (led.status, led.json["status"]) == (200, "CANCELED"), led.body
    await play.act(f"/cards/{reference}/challenge", {"outcome": "pass"})
    await play.advance(advance="PT20M")
    assert (await play.shown(made))["status"] == "CANCELED"
    assert (await at_the_acquirer(play, made))["status"] != "CAPTURED"
    await play.told(made, "ORDER-PAYIN.CANCELED")


async def test_each_card_ends_as_its_bank_says(play: Play) -> None:
    made = {plays: await order(play, plays) for plays in (*ENDS, "decoupled", "challenge")}
    for plays, status in ENDS.items():
        await play.becomes(made[plays], status)
    for plays in ("decoupled", "challenge"):
        await play.becomes(made[plays], "AUTHENTICATING")
    await play.advance(advance="PT1M")
    await play.becomes(made["decoupled"], "PAID")
    await play.advance(advance="PT15M")
    shown = await play.becomes(made["challenge"], "ERROR")
    assert shown["errorMessage"] == "3DS: no result within 15 minutes"
    declined = await play.shown(made["decline-57"])
    assert declined["errorMessage"].endswith("do not try this card again")
    assert (await at_the_acquirer(play, made["decline-57"]))["status"] == "DECLINED"


async def test_an_acquirer_that_loses_its_answer_charges_once(play: Play) -> None:
    await play.fault("credit_card", "lost-answer")
    made = [await order(play, "good", "1.11"), await order(play, "silent", "2.22")]
    await play.advance(advance="PT1M")
    for one in made:
        await play.becomes(one, "PAID")
    taken = [
        one["amount"] for one in (await play.act("/cards?limit=1000", method="GET"))["data"] if one["status"] == "CAPTURED"
    ]
    assert (taken.count("1.11"), taken.count("2.22")) == (1, 1)
    await play.fault("tokenizer", "down")
    refused = await play.call("PUT", ORDERS, asking(play, details(NUMBERS["good"])))
    assert (refused.status, refused.json["error"]) == (503, "INTERNAL_ERROR")


def spelled(number: str) -> dict[str, str]:
    """How the number of a card may look where somebody wrote it down; canary.spellings adds hex and base64 of each."""
    groups = [number[n : n + 4] for n in range(0, len(number), 4)]
    return {"plain": number, "in groups": " ".join(groups), "with hyphens": "-".join(groups), "reversed": number[::-1]}


def in_base64(number: str) -> dict[str, str]:
    """Its three alignments inside longer base64, without what its neighbours decide."""
    found = {}
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + number.encode()).decode().rstrip("=")
        found[f"base64 {shift}"] = text[4 if shift else 0 : -2]
    return found


async def tokens_of(play: Play, typed: dict[str, Any], key: str) -> list[Answer]:
    """Makes tokens of a card without an order: one, one twice under a key that an order has too, and none of a bad one."""
    token = "/order/v1/client-token-3ds/card-token"
    made = [await play.call("POST", token, typed, key=one) for one in (None, key, key)]
    assert [answer.status for answer in made] == [201, 201, 201]
    assert made[1].body == made[2].body != made[0].body
    return [*made, await play.call("POST", token, typed | {"expiry": typed["number"], "brand": "VISA"})]


async def test_no_number_of_a_card_is_kept_or_told(play: Play) -> None:
    chance = random.Random(secrets.randbits(64))
    bare = "37" + "".join(chance.choice("0123456789") for _ in range(12))
    number = f"{bare}{modulo_10(bare)}"
    # The last four of a card may be told, of this one and of those that others pay with: no code looks like them.
    shown = {told[-4:] for told in (number, *BY_NUMBER)}
    cvv = chance.choice([code for code in map(str, range(1000, 10_000)) if code not in shown])
    good = details(number, cvv)
    asked = asking(play, good)
    key = secrets.token_hex(8)
    answers = [await play.call("PUT", ORDERS, asked, key=key) for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 200]
    made = answers[0].json
    await play.becomes(made, "PAID")
    answers += await tokens_of(play, good["creditCard"], key)
    saved = {"cardToken": made["card"]["cardToken"], "browser": BROWSER}
    answers.append(await play.call("PUT", ORDERS, asking(play, saved)))
    for wrong in (
        {"cvv": f"{cvv}9"},
        {"expiry": number},
        {"brand": "VISA"},
        {"holderDocument": number[:4]},
        {"expiry": "01/20"},
    ):
        answers.append(await play.call("PUT", ORDERS, asking(play, details(number, **wrong))))
        assert answers[-1].status == 400, answers[-1].body
    answers.append(await play.call("PUT", ORDERS, {**asked, "creditCard": good["creditCard"]}, key=key))
    broken = b'{"order": {"paymentDetails": {"creditCard": {"number": "%s", "cvv": "%s"' % (number.encode(), cvv.encode())
    answers.append(await play.call("PUT", ORDERS, broken))
    await play.fault("tokenizer", "reject")
    answers.append(await play.call("PUT", ORDERS, asking(play, good)))
    await play.fault("tokenizer", "down")
    answers.append(await play.call("PUT", ORDERS, asking(play, good)))
    answers += [await play.ask("GET", made[page]) for page in ("checkoutUrl",)]
    answers.append(await play.call("GET", f"{ORDERS}?externalId={made['externalId']}"))
    await play.rest()
    marks = {**spelled(number), **in_base64(number), "security code": f'"{cvv}"', "its name": '"cvv"'}
    books = await connected(Dsn(play.stage.environment["LASTRO_DATABASE_URL"]))
    found = await canary.in_database(books, marks)
    assert {name: where for name, where in found.items() if where} == {}
    assert [name for answer in answers for name in canary.in_text(answer.body, marks)] == []
    assert canary.in_files(play.stage.home, marks) == []
    # The search finds what is there: a number that somebody wrote into a description, and into a file.
    planted = await play.call("PUT", ORDERS, asking(play, saved, description=f"card {number}"))
    assert planted.status == 200

    async def seen() -> bool:
        return "orders.description" in (await canary.in_database(books, marks))["plain"]

    await until(seen, "the planted number")
    await books.close()
    leak = play.stage.home / "leak.txt"
    leak.write_text(" ".join(number[n : n + 4] for n in range(0, len(number), 4)), encoding="utf-8")
    try:
        assert len(canary.in_files(play.stage.home, {"in groups": marks["in groups"]})) == 1
    finally:
        leak.unlink()
