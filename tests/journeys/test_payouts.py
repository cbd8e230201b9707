"""Money is sent: by key, by account, by QR, in parts, and whatever the network does; its own record says the same."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tests.in_one import in_one_test

from .play import Answer, Play, cents
from .stage import until

PATH = "/order/v1/banking/order-payouts"
FABIO = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
HELENA = {"name": "Helena Bloqueada", "document": {"type": "CPF", "number": "13579246828"}}
PLACE = {"branchNumber": "0001", "accountNumber": "300003", "accountType": "CHECKING_ACCOUNT"}
FIRST_ASK = timedelta(seconds=11)  # a little after the network is asked what became of a payment


def wish(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    return {
        "externalId": f"payout-{uuid4()}", "accountId": play.account["id"], "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": amount}, "description": "Salary", **given,
    }  # fmt: skip


def place(**other: Any) -> dict[str, Any]:
    """Fabio's account, but for what is other."""
    receiver = other.pop("receiver", FABIO)
    bank = {} if "bankNumber" in other else {"ispb": "99999030"}
    return {"paymentData": {"bankAccount": {**PLACE, **bank, **other}}, "receiver": receiver}


async def ask(play: Play, amount: str, **given: Any) -> Answer:
    return await play.call("POST", PATH, wish(play, amount, **given), key=str(uuid4()))


async def create(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    answer = await ask(play, amount, **given)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def shown(play: Play, payout: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await play.call("GET", f"{PATH}/{payout['id']}")).json
    return found


async def becomes(play: Play, payout: dict[str, Any], *statuses: str) -> dict[str, Any]:
    """The payout once it has the last of these, having had no others meanwhile."""

    async def look() -> dict[str, Any] | None:
        found = await shown(play, payout)
        assert found["status"] in ("PENDING", *statuses), found
        return found if found["status"] == statuses[-1] else None

    found = await until(look, f"{statuses[-1]} of {payout['id']}")
    assert found is not None
    return found


async def events(play: Play, payout: dict[str, Any]) -> list[str]:
    rows = await play.books.fetch(
        "SELECT type FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at, id", payout["id"]
    )
    return [row["type"].removeprefix("ORDER-PAYOUT.") for row in rows]


async def sends(play: Play, payout: dict[str, Any]) -> list[int]:
    """How often the message of each of its transfers was taken in hand."""
    sql = "SELECT sends FROM outbox WHERE reference_id IN (SELECT id FROM payouts WHERE $1::text::uuid IN (id, batch_id))"
    return [row["sends"] for row in await play.books.fetch(sql, payout["id"])]


async def taken(play: Play, payout: dict[str, Any]) -> None:
    """Returns when the network has been told."""
    await play.wait_for("SELECT true FROM outbox WHERE network_id = $1 AND outcome = 'sent'", payout["endToEndId"])


# ── the ways ──


@in_one_test("key", ["fabio@fora.example", "98765432100", "+5511987654321", "99999030000110"])
async def test_by_key(play: Play, key: str) -> None:
    before = await play.balance()
    payout = await create(play, "12.34", paymentData={"pixKey": key})
    assert payout["status"] == "PENDING"
    assert payout["endToEndId"].startswith("E99999010")
    found = await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("12.34")
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["amount"]) == ("SETTLED", "12.34")
    assert found["paidAt"] == record["settledAt"]


@in_one_test("bank", [{"ispb": "99999030"}, {"bankNumber": "992"}], ids=["ispb", "bankNumber"])
async def test_by_account(play: Play, bank: dict[str, str]) -> None:
    payout = await create(play, "23.45", **place(**bank))
    await becomes(play, payout, "PAID")
    record = await play.statement(payout["endToEndId"])
    assert (record["status"], record["amount"], record["receiverIspb"]) == ("SETTLED", "23.45", "99999030")


@in_one_test("amount", [None, "34.56"])
async def test_by_static_qr(play: Play, amount: str | None) -> None:
    code = await play.act("/bank/outside/static-codes", {"txid": "MESA7", **({} if amount is None else {"amount": amount})})
    payout = await create(play, "34.56", paymentData={"qrcodeData": code["qrcodeData"]})
    await becomes(play, payout, "PAID")
    assert (await play.statement(payout["endToEndId"]))["txId"] == "MESA7"


async def came(play: Play, balance: int) -> bool:
    return await play.balance(dora=True) >= balance


@in_one_test("by", ["key", "account"])
async def test_to_an_account_of_another_company_here(play: Play, by: str) -> None:
    """No network sees it; both sides are told."""
    dora = (await play.call("GET", "/order/v1/banking/accounts", dora=True)).json["data"][0]
    bank = dora["bankAccountData"]
    owner = {"name": dora["fullName"], "document": dora["document"]}
    key = await play.books.fetchval("SELECT key FROM pix_keys WHERE account_id = $1::text::uuid", dora["id"])
    given = {"paymentData": {"pixKey": key}} if by == "key" else place(
        ispb="99999010", accountNumber=bank["accountNumber"], branchNumber=bank["branchNumber"], accountType="PAYMENT_ACCOUNT", receiver=owner
    )  # fmt: skip
    ours, theirs = await play.balance(), await play.balance(dora=True)
    payout = await create(play, "45.67", **given)
    await becomes(play, payout, "PAID")
    await until(lambda: came(play, theirs + 4567), "money on the other side, whose inbox is its own")
    assert (ours - await play.balance(), await play.balance(dora=True) - theirs) == (4567, 4567)
    assert (await play.act(f"/payments?endToEndId={payout['endToEndId']}", method="GET"))["data"] == []
    listed = (await play.call("GET", "/order/v2/transparent?limit=1", dora=True)).json["data"]
    assert [(o["status"], o["amount"]["value"]) for o in listed] == [("PAID", "45.67")]


async def test_what_is_asked_twice_is_paid_once(play: Play) -> None:
    body, key, before = wish(play, "56.78", **place()), str(uuid4()), await play.balance()
    answers = await asyncio.gather(*(play.call("POST", PATH, body, key=key) for _ in range(10)))
    made = {a.body for a in answers if a.status == 201}
    assert len(made) == 1
    assert {a.status for a in answers} <= {201, 409}
    assert (await play.call("POST", PATH, {**body, "description": "Other"}, key=key)).problem == (
        409, "idempotency-key", "CONFLICT",
    )  # fmt: skip
    assert (await play.call("POST", PATH, body, key=str(uuid4()))).problem == (409, "externalId", "DUPLICATE")
    payout = next(a.json for a in answers if a.status == 201)
    await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("56.78")
    again = await ask(play, "56.78", **place())
    assert again.headers["x-lastro-possible-duplicate"] == payout["id"]


# ── in parts ──


async def test_above_the_limit_in_parts_and_back_in_parts(play: Play) -> None:
    before = await play.balance()
    batch = await create(play, "31000.01", **place())
    parts = batch["batch"]["transactions"]
    assert [p["amount"] for p in parts] == ["15000.00", "15000.00", "1000.01"]
    found = await becomes(play, batch, "PAID")
    assert {p["status"] for p in found["batch"]["transactions"]} == {"PAID"}
    for part in parts:
        assert (await play.statement(part["endToEndId"]))["amount"] == part["amount"]
    assert before - await play.balance() == cents("31000.01")
    for part in parts[:2]:
        await play.act("/phone/return", {"endToEndId": part["endToEndId"]})
    await play.rest()
    assert (await shown(play, batch))["status"] == "PARTIAL_REFUNDED"
    await play.act("/phone/return", {"endToEndId": parts[2]["endToEndId"]})
    assert (await becomes(play, batch, "PARTIAL_REFUNDED", "REFUNDED"))["returnedAmount"] == "31000.01"
    assert await play.balance() == before
    assert await events(play, batch) == ["PAID", "PARTIAL_REFUNDED", "PARTIAL_REFUNDED", "REFUNDED"]


async def test_a_part_that_fails(play: Play) -> None:
    before = await play.balance()
    await play.fault("payout", "reject", code="AB09", match={"amount": "1000.02"})
    batch = await create(play, "16000.02", **place())
    found = await becomes(play, batch, "PARTIALLY_PAID")
    assert [(p["amount"], p["status"]) for p in found["batch"]["transactions"]] == [
        ("15000.00", "PAID"), ("1000.02", "ERROR"),
    ]  # fmt: skip
    assert found["batch"]["transactions"][1]["errorMessage"].startswith("AB09: ")
    assert before - await play.balance() == cents("15000.00")
    await play.act("/phone/return", {"endToEndId": found["batch"]["transactions"][0]["endToEndId"]})
    await becomes(play, batch, "PARTIALLY_PAID", "PARTIAL_REFUNDED")


# ── the network says no ──


@in_one_test(
    ("given", "code"),
    [
        ({"paymentData": {"pixKey": "conta-bloqueada@fora.example"}}, "AC06"),
        ({"paymentData": {"pixKey": "conta-encerrada@fora.example"}}, "AC07"),
        (place(accountNumber="300005", receiver=HELENA), "AC07"),
        (place(accountNumber="399999"), "AC03"),
        (place(receiver=HELENA), "BE01"),
        (place(accountType="SAVINGS_ACCOUNT"), "AC14"),
    ],
    ids=["blocked key", "closed key", "closed", "unknown", "holder", "type"],
)
async def test_an_account_that_cannot_be_paid(play: Play, given: dict[str, Any], code: str) -> None:
    before = await play.balance()
    payout = await create(play, "67.89", **given)
    found = await becomes(play, payout, "ERROR")
    assert found["errorCode"] == code
    assert found["errorMessage"].startswith(f"{code}: ")
    assert await play.balance() == before
    assert await events(play, payout) == ["ERROR"]


@in_one_test("code", ["AB03", "AM02", "DS04", "ED05", "RR04", "ZZ99"])
async def test_every_class_of_refusal_is_an_end(play: Play, code: str) -> None:
    """Of the network, of the amount, of the order, of the settlement, of the law, and one that nobody knows."""
    await play.fault("payout", "reject", code=code, match={"amount": "78.90"})
    payout = await create(play, "78.90", **place())
    assert (await becomes(play, payout, "ERROR"))["errorCode"] == code
    assert await sends(play, payout) == [1], "what was refused is not sent again"


# ── the network does not say what it did ──


@in_one_test("behaviour", ["lost-answer", "slow", "twice", "down"])
async def test_paid_once_whatever_happens_on_the_way(play: Play, behaviour: str) -> None:
    before = await play.balance()
    await play.fault("payout", behaviour, match={"amount": "90.12"})
    payout = await create(play, "90.12", **place())
    await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("90.12")
    assert (await play.statement(payout["endToEndId"]))["status"] == "SETTLED"
    assert await events(play, payout) == ["PAID"]


@in_one_test("amount", ["91.23", "7001.03"], ids=["fault", "magic"])
async def test_an_end_that_only_who_asks_is_told(play: Play, amount: str) -> None:
    if amount == "91.23":
        await play.fault("payout", "timeout", match={"amount": amount})
    payout = await create(play, amount, **place())
    await taken(play, payout)
    assert (await shown(play, payout))["status"] == "PENDING"
    await play.jump(FIRST_ASK)
    await becomes(play, payout, "PAID")
    assert await sends(play, payout) == [1]


async def test_given_back_before_the_end_was_told(play: Play) -> None:
    """The return arrives while the payment's end is still to be asked for: it waits for it, and is booked behind it."""
    before = await play.balance()
    await play.fault("payout", "timeout", match={"amount": "92.34"})
    payout = await create(play, "92.34", **place())
    await taken(play, payout)
    await until(lambda: settled(play, payout), "the settlement")
    await play.act("/phone/return", {"endToEndId": payout["endToEndId"], "amount": "2.34"})
    await play.wait_for("SELECT true FROM inbox WHERE subject = $1 AND kind = 'payment.returned'", payout["endToEndId"])
    await play.jump(FIRST_ASK)
    await becomes(play, payout, "PAID", "PARTIAL_REFUNDED")
    await play.rest()
    assert before - await play.balance() == cents("90.00")
    assert await events(play, payout) == ["PAID", "PARTIAL_REFUNDED"]


async def settled(play: Play, payout: dict[str, Any]) -> bool:
    found = (await play.act(f"/payments?endToEndId={payout['endToEndId']}", method="GET"))["data"]
    return bool(found) and found[0]["status"] == "SETTLED"


# ── what comes back, and who is told ──


async def test_given_back_in_parts_and_told_of_each(play: Play) -> None:
    before, path = await play.balance(), f"/payouts/{play.name}"
    names = [f"ORDER-PAYOUT.{s}" for s in ("PAID", "PARTIAL_REFUNDED", "REFUNDED")]
    url = f"{play.stage.simulator_url}/merchant/webhooks{path}"
    await hooks(play, [{"event": n, "url": url, "active": True} for n in names])
    try:
        payout = await create(play, "93.45", paymentData={"pixKey": "fabio@fora.example"})
        await becomes(play, payout, "PAID")
        await play.act("/phone/return", {"endToEndId": payout["endToEndId"], "amount": "3.45", "reason": "BE08"})
        found = await becomes(play, payout, "PAID", "PARTIAL_REFUNDED")
        assert (found["returnedAmount"], before - await play.balance()) == ("3.45", cents("90.00"))
        await play.act("/phone/return", {"endToEndId": payout["endToEndId"]})
        await becomes(play, payout, "PARTIAL_REFUNDED", "REFUNDED")
        assert await play.balance() == before
        more = await play.act("/phone/return", {"endToEndId": payout["endToEndId"], "amount": "0.01"})
        assert more["status"] == "REJECTED"
        await play.rest()
        assert await events(play, payout) == ["PAID", "PARTIAL_REFUNDED", "REFUNDED"]
        heard = [h for h in await play.webhooks({"externalId": path.removeprefix("/")}) if h["body"]["id"] == payout["id"]]
        assert [h["eventType"] for h in heard] == names
        assert all(h["signatureValid"] is True for h in heard)
        assert [h["body"].get("returnedAmount", {}).get("value") for h in heard] == [None, "3.45", "93.45"]
        assert {h["body"]["code"] for h in heard} == {payout["externalId"]}
    finally:
        await hooks(play, [{"event": n, "url": url, "active": False} for n in names])


async def hooks(play: Play, told: list[dict[str, Any]]) -> None:
    answer = await play.call("PUT", "/order/v1/webhook", {"events": told})
    assert answer.status == 200, answer.body


async def test_a_copy_that_is_refused_is_no_end(play: Play) -> None:
    """The first had no answer and is unknown to who asks; the second is refused, since it is there; then it settles."""
    await play.fault("payout", "unseen", delay=1.5)
    before = await play.balance()
    payout = await create(play, "93.47", **place())
    await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("93.47")
    assert await events(play, payout) == ["PAID"]


# ── taken back, and for another day ──


async def test_taken_back_before_its_day(play: Play) -> None:
    before = await play.balance()
    payout = await create(play, "94.56", scheduledDate=await tomorrow(play), **place())
    canceled = await play.call("POST", f"{PATH}/{payout['id']}/cancel", {})
    assert (canceled.status, canceled.json["status"]) == (200, "CANCELED")
    assert (await play.call("POST", f"{PATH}/{payout['id']}/cancel", {})).problem == (409, "status", "CONFLICT")
    assert await play.balance() == before
    assert await events(play, payout) == ["CANCELED"]


async def test_sent_on_its_day(play: Play) -> None:
    before, day = await play.balance(), await tomorrow(play)
    payout = await create(play, "96.78", scheduledDate=day, **place())
    await play.rest()
    assert (await shown(play, payout))["scheduledDate"] == day
    assert await play.balance() == before
    await play.advance(advance="P1D")
    await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("96.78")


async def tomorrow(play: Play) -> str:
    day = await play.books.fetchval("SELECT ((business_now() AT TIME ZONE 'America/Sao_Paulo')::date + 1)::text")
    return str(day)


async def test_the_list_finds_it_again(play: Play) -> None:
    payout = await create(play, "97.89", **place())
    await becomes(play, payout, "PAID")
    for query in (f"externalId={payout['externalId']}", f"endToEndId={payout['endToEndId']}"):
        page = (await play.call("GET", f"{PATH}?{query}&status=PAID&accountId={play.account['id']}")).json
        assert [row["id"] for row in page["data"]] == [payout["id"]]
        assert (await play.call("GET", f"{PATH}?{query}&status=ERROR")).json["data"] == []
        assert (await play.call("GET", f"{PATH}?{query}", dora=True)).json["data"] == []
    assert (await play.call("GET", f"{PATH}/{payout['id']}", dora=True)).status == 404
