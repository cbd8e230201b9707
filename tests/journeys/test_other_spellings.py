"""Clients of other platforms go on here: each flow in their spelling, from the token to the money.

docs/guides/switching.md tells what they may change nothing of; the facts are those of real clients.
"""

import os
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from lastro.accounts.opening.docs import CREATE
from lastro.standards.documents import is_cnpj

from .play import Answer, Play
from .stage import until
from .test_opening import ACCOUNTS, becomes, photo, somebody, upload

PAYINS = "/order/v1/banking/order-payins"
PAYOUTS = "/order/v1/banking/order-payouts"
TOOL = "/order-tools/v1/order/status"
V3 = "/order/v3/transparent"
CUSTOMER = {
    "fullName": "Bento Braga", "type": "INDIVIDUAL", "document": {"type": "CPF", "number": "12345678909"},
    "email": "bento@example.com", "phone": "+5511987654321", "birth": "1990-05-17", "country": "BR",
    "address": {
        "state": "SP", "city": "Sao Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "1", "zipCode": "01310-100",
    },
}  # fmt: skip


def order(play: Play, **more: Any) -> dict[str, Any]:
    code = f"{play.name}-{os.urandom(4).hex()}"
    made = {
        "code": code, "paymentMethod": "PIX", "additionalInfo": "A book", "notificationUrl": _hook(play, code),
        "amount": {"currency": "BRL", "value": 10.5}, **more,
    }  # fmt: skip
    return {"order": made, "customer": CUSTOMER}


def _hook(play: Play, name: str) -> str:
    return f"{play.stage.simulator_url}/merchant/webhooks/{name}"


async def test_a_token_is_had_for_any_scope(play: Play) -> None:
    client = play.stage.client(dora=False)
    for scope in (f"api://{client['clientId']}/.default", "api://8a0f3f7c-95a4-4e1d-9b3a-0a4f6f0c1d2e/.default", "api://x"):
        answer = await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", {**client, "scopes": [scope]})
        assert (answer.status, answer.json["expiresIn"]) == (200, 3600), scope
    for wrong in ("x", "api://", "api:///.default", "api://a b", 1, None):
        answer = await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", {**client, "scopes": [wrong]})
        assert (answer.status, answer.json["details"][0]["field"]) == (400, "scopes"), wrong


async def test_an_order_is_made_read_paid_and_given_back(play: Play) -> None:
    body = order(play)
    made = await play.call("PUT", V3, body)
    assert made.status == 200, made.body
    shown = made.json
    assert shown["code"] == shown["externalId"] == body["order"]["code"]
    assert (shown["description"], shown["additionalInfo"]) == ("A book", "A book")
    assert [shown[name] for name in ("feeFix", "feeVar", "feeAdd")] == list(shown["fees"].values())
    assert (await play.call("PUT", TOOL, {"id": shown["id"], "status": "PAID"})).json["status"] == "PAID"
    names = (
        shown["id"],
        f"{shown['id']}?externalId={shown['code']}",
        shown["code"],
        f"{shown['code']}?externalId={shown['code']}",
    )
    for name in names:
        read = await play.call("GET", f"{PAYINS}/{name}")
        assert (read.status, read.json["id"], read.json["status"]) == (200, shown["id"], "PAID"), name
    assert (await play.call("GET", f"{PAYINS}/{shown['id']}?externalId=another")).status == 404
    assert (await play.call("GET", f"{V3}/{shown['id']}")).json["payer"]["name"]
    wish = {"orderId": shown["id"], "externalId": f"{play.name}-back", "amount": {"currency": "BRL", "value": "4.00"}}
    for word in ("RECEIVER_REQUEST", "SOMETHING_OF_THEIRS"):
        back = await play.call(
            "POST", "/order/v1/banking/order-refunds", {**wish, "refundCode": word, "externalId": word[:4] + play.name}
        )
        assert (back.status, back.json["refundCode"], back.json["networkRefundCode"]) == (201, word, "MD06"), back.body

        async def given_back(refund_id: str = back.json["id"]) -> dict[str, Any] | None:
            found = (await play.call("GET", f"/order/v1/banking/order-refunds/{refund_id}")).json
            return found if found["status"] != "PENDING" else None

        ended = await until(given_back, "given back") or {}
        assert (ended["status"], ended["refundCode"]) == ("PAID", word)


async def test_the_same_request_in_another_spelling_is_the_same_request(play: Play) -> None:
    theirs = order(play)
    ours = {
        "order": {
            **theirs["order"],
            "externalId": theirs["order"]["code"],
            "description": theirs["order"]["additionalInfo"],
        },
        "customer": {**CUSTOMER, "name": CUSTOMER["fullName"]},
    }
    del ours["order"]["code"], ours["order"]["additionalInfo"], ours["customer"]["fullName"]
    key = os.urandom(8).hex()
    first = await play.call("PUT", V3, theirs, key=key)
    again = await play.call("PUT", V3, ours, key=key)
    assert (first.status, again.status, again.body) == (200, 200, first.body)
    elsewhere = await play.call("PUT", "/order/v2/transparent", ours, key=key)
    assert (elsewhere.status, elsewhere.body) == (200, first.body), "two paths are one operation"
    other = await play.call("PUT", V3, {**ours, "order": {**ours["order"], "description": "Another book"}}, key=key)
    assert other.status == 409


async def test_two_spellings_that_disagree_are_refused_and_nothing_is_made(play: Play) -> None:
    body = order(play)
    body["order"]["externalId"] = f"{play.name}-other"
    answer = await play.call("PUT", V3, body)
    assert problems(answer) == [("order.externalId", "MUTUALLY_EXCLUSIVE"), ("order.code", "MUTUALLY_EXCLUSIVE")]
    for code in (body["order"]["code"], body["order"]["externalId"]):
        assert (await play.call("GET", f"{V3}?externalId={code}")).json["data"] == []
    body = order(play, code="x" * 65)
    assert problems(await play.call("PUT", V3, body)) == [("order.code", "TOO_LONG")]


async def business_now(play: Play) -> datetime:
    now: datetime = await play.books.fetchval("SELECT business_now()")
    return now


def problems(answer: Answer) -> list[tuple[str, str]]:
    return [(p["field"], p["issue"]) for p in answer.json["details"]]


async def test_a_statement_is_had_between_two_instants(play: Play) -> None:
    account = play.account["id"]
    paid = (await play.call("PUT", V3, order(play))).json
    await play.call("PUT", TOOL, {"id": paid["id"], "status": "PAID"})

    async def entries(start: datetime, end: datetime) -> list[str]:
        span = f"startDate={start:%Y-%m-%dT%H:%M:%SZ}&endDate={end:%Y-%m-%dT%H:%M:%SZ}"
        answer = await play.call("GET", f"{ACCOUNTS}/{account}/statements?{span}&operation=in&limit=100")
        assert answer.status == 200, answer.body
        return [one.get("orderId", "") for one in answer.json["data"]]

    async def is_there() -> list[str] | None:
        now = await business_now(play)
        found = await entries(now - timedelta(hours=1), now + timedelta(hours=1))
        return found if paid["id"] in found else None

    assert await until(is_there, "the entry")
    now = await business_now(play)
    assert paid["id"] not in await entries(now - timedelta(days=2), now - timedelta(days=1))
    balance = (await play.call("GET", f"/order/v2/account/balance?accountId={account}")).json
    assert (balance["balance"], balance["provisioned"]) == (balance["available"], balance["held"])
    company = (await play.call("GET", "/account/v1/holder/company/balance?accountType=PAYMENT")).json
    assert company["balance"] == company["available"]
    reserve = (await play.call("GET", "/account/v1/holder/company/balance?accountType=RESERVE")).json
    assert reserve["balance"]["value"] == "0.00"


async def test_an_account_is_opened_by_the_terms_as_a_file(play: Play) -> None:
    terms = (await play.call("GET", f"{ACCOUNTS}/terms?holderType=INDIVIDUAL")).json
    file = await play.ask("GET", terms["url"])
    assert (file.status, file.body[:5]) == (200, b"%PDF-")
    cpf = somebody()
    wish = {name: (CREATE.request or {})[name] for name in ("holderType", "fullName", "email", "phone", "address")}
    wish["address"] = {**wish["address"], "zipCode": wish["address"]["postalCode"]}
    del wish["address"]["postalCode"]
    wish |= {
        "country": "BR", "birthdate": "1990-05-17", "document": {"type": "CPF", "number": cpf}, "alias": "Minha conta",
        "acceptance": {"fileName": terms["fileName"]},
    }  # fmt: skip
    made = await play.call("POST", ACCOUNTS, wish)
    assert made.status == 201, made.body
    request = await becomes(play, made.json, "PENDING_DOCUMENTS")
    assert (request["step"], request["alias"], request["externalId"]) == (
        "PENDING_DOCUMENTS",
        "Minha conta",
        made.json["accountRequestId"],
    )
    await upload(play, made.json, "documentHolder", photo(1))
    await upload(play, made.json, "documentHolder", photo(2))  # the other side: it replaces nothing
    await upload(play, made.json, "selfieHolder", photo(3))
    pages = await play.books.fetch(
        "SELECT slot, replaced_at FROM account_documents WHERE request_id = $1::text::uuid ORDER BY page",
        made.json["accountRequestId"],
    )
    assert sorted((row["slot"], row["replaced_at"]) for row in pages) == [
        ("documentHolder", None), ("documentHolder", None), ("selfieHolder", None),
    ]  # fmt: skip
    await upload(play, made.json, "pepDeclaration", photo(4))
    await becomes(play, made.json, "ANALYSIS")
    await play.advance(advance="PT2M")
    opened = await becomes(play, made.json, "APPROVED")

    async def is_complete() -> bool | None:
        return (await play.call("GET", f"{ACCOUNTS}/requests/{request['accountRequestId']}")).json[
            "step"
        ] == "COMPLETED" or None

    assert opened["step"] in ("PENDING_PIX_KEY", "COMPLETED")
    assert await until(is_complete, "the first key")


async def test_a_list_of_webhooks_is_written_back_as_it_was_read(play: Play) -> None:
    hook = "/order/v1/webhook"
    before = (await play.call("GET", hook)).json
    url = _hook(play, play.name)
    try:
        made = (
            await play.call("PUT", hook, {"events": [{"event": "ORDER-PAYIN.PAID", "url": url}], "mode": "REPLACE"})
        ).json
        assert [one["event"] for one in made["events"] if "url" in one] == ["ORDER-PAYIN.PAID"]
        assert made["status"] == "ACTIVE"
        again = (await play.call("PUT", hook, {"events": made["events"], "mode": "REPLACE"})).json
        assert (again["changed"], again["updatedAt"]) == ([], made["updatedAt"])
    finally:
        await play.call("PUT", hook, {"events": before["events"], "mode": "REPLACE"})


async def test_a_request_to_close_is_listed_in_their_words(play: Play) -> None:
    account = play.account["id"]
    asked = (await play.call("POST", f"{ACCOUNTS}/{account}/close-request", {"closeRequestReason": "Moving"})).json
    assert asked["closeAccountRequestId"] == asked["id"]
    listed = (
        await play.call("POST", f"{ACCOUNTS}/close-requests/paged/list", {"skip": 0, "take": 1, "requireTotalCount": True})
    ).json
    assert listed["data"][0] | {"status": "CANCELLED"} == listed["data"][0]
    assert listed["data"][0]["closeAccountRequestId"] == asked["id"]
    assert listed["totalCount"] >= 1
    without = (await play.call("POST", f"{ACCOUNTS}/close-requests/paged/list", {"skip": listed["totalCount"]})).json
    assert without == {"data": []}


async def test_the_sandbox_leads_payouts_too(play: Play) -> None:
    for amount, status, after in (
        ("2.00", "PAID", "PAID"), ("7001.01", "REJECTED", "ERROR"), ("2.00", "REFUNDED", "REFUNDED"),
        ("2.00", "PARTIAL_REFUNDED", "PARTIAL_REFUNDED"),
    ):  # fmt: skip
        payout = await payout_of(play, amount)
        if after in ("REFUNDED", "PARTIAL_REFUNDED"):
            assert (await play.call("PUT", TOOL, {"id": payout["id"], "status": "PAID"})).json["status"] == "PAID"
        answer = await play.call("PUT", TOOL, {"id": payout["id"], "status": status})
        assert (answer.status, answer.json.get("status")) == (200, after), answer.body
    paid = await payout_of(play, "2.00")
    refused = await play.call("PUT", TOOL, {"id": paid["id"], "status": "REJECTED"})
    assert problems(refused) == [("status", "CONFLICT")]


async def payout_of(play: Play, amount: str) -> dict[str, Any]:
    body = {
        "externalId": f"{play.name}-{os.urandom(4).hex()}", "accountId": play.account["id"], "paymentMethod": "PIX",
        "paymentData": {"pixKey": "fabio@fora.example"}, "amount": {"currency": "BRL", "value": amount}, "description": "x",
    }  # fmt: skip
    answer = await play.call("POST", PAYOUTS, body, key=os.urandom(8).hex())
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def test_a_card_pays_by_the_token_of_its_own_call(play: Play) -> None:
    card = {
        "holderName": "Ana Compradora", "holderDocument": "123********", "number": "4111111111111111", "cvv": "123",
        "expiry": "12/49",
    }  # fmt: skip
    token = await play.call("POST", "/order/v1/client-token-3ds/card-token", card)
    assert token.status == 201, token.body
    assert token.json["cardToken"] == token.json["token"] == token.json["card3DSToken"]
    browser = {
        "userAgent": "x", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900, "screenWidth": 600,
        "timeZoneOffset": 360, "javascriptEnabled": True,
    }  # fmt: skip
    details = {"card3DSToken": token.json["card3DSToken"], "browser": browser}
    body = order(
        play, paymentMethod="CREDIT_CARD", amount={"currency": "MXN", "value": "100.00"}, specialPaymentDetails=details
    )  # fmt: skip
    made = await play.call("PUT", V3, body)
    assert made.status == 200, made.body
    assert (await play.call("PUT", TOOL, {"id": made.json["id"], "status": "PAID"})).json["status"] == "PAID"
    assert await play.books.fetchval("SELECT count(*) FROM card_tokens WHERE name = $1", token.json["token"]) == 1


async def test_an_organization_is_asked_for_with_its_people(play: Play) -> None:
    """A document that nothing waits for is taken, and leaves the others missing."""
    terms = (await play.call("GET", f"{ACCOUNTS}/terms?holderType=ORGANIZATION")).json
    base = f"{int.from_bytes(os.urandom(4), 'big') % 10**8:08d}0001"
    number = next(cnpj for end in range(100) if is_cnpj(cnpj := f"{base}{end:02d}"))
    person = {
        "country": "BR", "fullName": "Rita Reis", "email": "rita@example.com", "phone": "+5511987654321",
        "birthdate": "1980-01-01", "documentNumber": "12345678909",
    }  # fmt: skip
    wish = {
        **{name: (CREATE.request or {})[name] for name in ("email", "phone", "address")}, "country": "BR", "fullName": "Loja",
        "holderType": "ORGANIZATION", "birthdate": "2010-01-01", "document": {"type": "CNPJ", "number": number},
        "representatives": [person], "acceptance": {"fileName": terms["fileName"]},
    }  # fmt: skip
    made = await play.call("POST", ACCOUNTS, wish)
    assert made.status == 201, made.body
    missing = (await becomes(play, made.json, "PENDING_DOCUMENTS"))["missingRequiredDocuments"]
    extra = await upload(play, made.json, "partnerProofAddress", photo(5))
    assert (extra.status, extra.json["missingRequiredDocuments"]) == (201, missing)
    kept = await play.books.fetchrow(
        "SELECT name, document_number FROM parties WHERE id = (SELECT representative_ids[1] FROM account_requests"
        " WHERE id = $1::text::uuid)", made.json["accountRequestId"],
    )  # fmt: skip
    assert tuple(kept or ()) == ("Rita Reis", "12345678909")
    person |= {"documentNumber": "12345678900"}
    wrong = await play.call("POST", ACCOUNTS, wish)
    assert problems(wrong) == [("representatives[0].documentNumber", "INVALID")]


async def test_a_phones_code_and_a_dispute_are_asked_for_in_their_words(play: Play) -> None:
    key = f"+55119{int.from_bytes(os.urandom(4), 'big') % 10**8:08d}"
    path = f"{ACCOUNTS}/{play.account['id']}/keys"
    code = await play.call("POST", path, {"type": "PHONE", "key": key, "channel": "whatsapp"})
    assert code.status == 202, code.body
    payout = await payout_of(play, "2.00")
    paid = (await play.call("PUT", TOOL, {"id": payout["id"], "status": "PAID"})).json
    body = {"endToEndId": paid["endToEndId"], "situationType": "UNKNOWN"}
    contested = await play.call(
        "POST", f"/order/v1/banking/med/accounts/{play.account['id']}", body, key=str(uuid4())
    )  # fmt: skip
    assert contested.status == 201, contested.body
