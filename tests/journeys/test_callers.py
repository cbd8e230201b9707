"""Who may call: tokens both ways, a revoked client, another company."""

import base64
import json
import time
from typing import Any

from tests.cast import Cast

from .play import ORDERS, Answer, Play

SCOPE = "api://app-order-prd"


async def oauth(play: Play, fields: str, **headers: str) -> Answer:
    sent = {"content-type": "application/x-www-form-urlencoded", **headers}
    async with play.http.post(f"{play.stage.base_url}/oauth2/token", data=fields.encode(), headers=sent) as answer:
        return Answer(answer.status, answer.headers, await answer.read())


async def admits(play: Play, token: str) -> int:
    return (
        await play.ask("GET", f"{play.stage.base_url}/order/v2/account/balance", None, {"authorization": f"Bearer {token}"})
    ).status


async def test_a_token_as_json(play: Play) -> None:
    client = play.stage.client()
    answer = await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", {**client, "scopes": [f"{SCOPE}/.default"]})
    assert answer.status == 200
    assert (answer.json["tokenType"], answer.json["expiresIn"]) == ("Bearer", 3600)
    assert await admits(play, answer.json["token"]) == 200
    wrong = await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", {**client, "clientSecret": "lsk_wrong"})
    assert (wrong.status, wrong.json["error"], wrong.json["details"]) == (401, "UNAUTHORIZED", [])
    assert await admits(play, answer.json["token"][:-4] + "AAAA") == 401
    assert await admits(play, "") == 401


async def test_a_token_by_oauth2(play: Play) -> None:
    client = play.stage.client()
    in_body = f"grant_type=client_credentials&client_id={client['clientId']}&client_secret={client['clientSecret']}"
    basic = base64.b64encode(f"{client['clientId']}:{client['clientSecret']}".encode()).decode()
    for answer in (
        await oauth(play, f"{in_body}&scope={SCOPE}"),
        await oauth(play, "grant_type=client_credentials", authorization=f"Basic {basic}"),
    ):
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
        assert (answer.json["token_type"], answer.json["expires_in"], answer.json["scope"]) == ("Bearer", 3600, SCOPE)
        assert await admits(play, answer.json["access_token"]) == 200
    for fields, error in (("grant_type=password", "unsupported_grant_type"), (f"{in_body}&scope=all", "invalid_scope")):
        answer = await oauth(play, fields)
        assert (answer.status, answer.json["error"]) == (400, error)
    wrong = await oauth(play, in_body + "x")
    assert (wrong.status, wrong.json["error"]) == (401, "invalid_client")
    assert wrong.headers["www-authenticate"].startswith("Basic")


async def test_a_token_verifies_by_the_published_keys(play: Play) -> None:
    await play.balance()
    header, claims, _ = ((s + "==") for s in play.tokens[play.stage.client()["clientId"]].split("."))
    keys = (await play.ask("GET", f"{play.stage.base_url}/.well-known/jwks.json")).json["keys"]
    assert json.loads(base64.urlsafe_b64decode(header))["kid"] in {k["kid"] for k in keys}
    said = json.loads(base64.urlsafe_b64decode(claims))
    assert (said["company"], said["aud"]) == (play.stage.sandbox["companyId"], SCOPE)
    assert abs(said["exp"] - time.time() - 3600) < 120  # machine time, wherever the business clock stands


async def test_a_revoked_client_is_refused_at_once(play: Play) -> None:
    cast = Cast.of(play.stage.dsn("lastro_app"), size=1)
    company_id = await play.books.fetchval("SELECT $1::text::uuid", play.stage.sandbox["companyId"])
    try:
        made = await cast.add_client(company_id, "gone tomorrow")
        client = {"clientId": made.client_id, "clientSecret": made.secret}
        token = (await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", client)).json["token"]
        headers = {"authorization": f"Bearer {token}"}
        for _ in range(2):  # the second is decided from memory
            order = await play.ask("PUT", play.stage.base_url + ORDERS, play.asking(), headers)
            play.made.append(order.json)
        async with cast.database.session(company_id) as session:
            await session.fetch(
                "UPDATE clients SET revoked_at = machine_now(), version = version + 1 WHERE company_id = $1 AND client_id = $2",
                company_id, made.client_id,
            )  # fmt: skip
        refused = await play.ask("PUT", play.stage.base_url + ORDERS, play.asking(), headers)
        assert (refused.status, refused.json["error"]) == (401, "UNAUTHORIZED")
        assert await admits(play, token) == 401
        assert (await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", client)).status == 401
    finally:
        await cast.close()


async def test_what_is_anas_is_not_there_for_dora(play: Play) -> None:
    order = await play.order()
    await play.tool(order, "CANCELED")
    await play.told(order, "ORDER-PAYIN.CANCELED")
    event = (await play.webhooks(order))[0]["eventId"]
    nowhere = "01a1fbcf-296c-70f9-8ca2-a1087e5736af"
    calls: list[tuple[str, str, str, Any]] = [
        ("GET", ORDERS + "/{}", order["id"], None),
        ("POST", ORDERS + "/{}/cancel", order["id"], {}),
        ("POST", "/order/v1/webhook/events/{}/resend", event, {}),
        ("GET", "/order/v2/account/balance?accountId={}", play.account["id"], None),
    ]
    for method, path, mine, body in calls:
        answers = [await play.call(method, path.format(i), body, dora=True) for i in (mine, nowhere, "nonsense")]
        assert [a.status for a in answers] == [404] * 3, path
        assert len({a.body for a in answers}) == 1, path
        assert (await play.call(method, path.format(mine), body)).status in {200, 202, 409}, path
    for account_id in (play.account["id"], nowhere, "nonsense"):
        assert (await play.call("PUT", ORDERS, play.asking(accountId=account_id), dora=True)).status == 404
    assert (await play.call("PUT", ORDERS, play.asking(pixKey=play.account["pixKey"]), dora=True)).problem == (
        400, "order.pixKey", "INVALID",
    )  # fmt: skip
    assert (await play.tool(order, "PAID", dora=True)).status == 404
    listed = await play.call("GET", "/order/v1/webhook/events", dora=True)
    assert listed.json["data"] == []


async def test_two_companies_may_use_the_same_code_and_key(play: Play) -> None:
    asked = play.asking(externalId=f"both-{play.name}")
    answers = [await play.call("PUT", ORDERS, asked, dora=dora, key=play.name) for dora in (False, True)]
    assert [a.status for a in answers] == [200, 200]
    assert answers[0].json["id"] != answers[1].json["id"]
    play.made.append(answers[0].json)
    assert (await play.call("POST", f"{ORDERS}/{answers[1].json['id']}/cancel", {}, dora=True)).status == 200
