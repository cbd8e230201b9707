"""Rights as an operator gives and takes them by commands, and as clients feel them in the next request."""

import asyncio
import json
import os
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.rooms.http_client.loopback import http as answered
from tests.rooms.http_client.loopback import read_request, receiver

from lastro.cli import perform
from lastro.companies import issue
from lastro.companies.tokens import SigningKey, jwks, new_signing_key, public_keys
from lastro.config.settings import read

from .play import ORDERS, Answer, Play
from .stage import until

BALANCE = "/order/v2/account/balance"
OUTSIDE = "https://login.example.com"


@dataclass
class Operator:
    """Commands typed beside the running service, and the calls of the clients that they make."""

    play: Play
    tokens: dict[str, str] = field(default_factory=dict)

    async def types(self, *words: str) -> Any:
        """The answer of a command, as JSON."""
        said: list[str] = []
        settings = read({**self.play.stage.environment, "LASTRO_NETWORK_URL": self.play.stage.simulator_url})
        await asyncio.to_thread(perform, (*words, "--json"), lambda: settings, said.append)
        return json.loads(said[0])

    async def company(self) -> dict[str, Any]:
        made: dict[str, Any] = await self.types("company", "add", f"Shop {self.play.name}")
        return made

    async def client(self, company: str, *rights: str) -> dict[str, str]:
        made: dict[str, str] = await self.types("client", "add", company, "shop", *rights)
        return made

    async def login(self, client: dict[str, str], **headers: str) -> Answer:
        asked = {"clientId": client["clientId"], "clientSecret": client["clientSecret"]}
        return await self.play.ask("POST", f"{self.play.stage.base_url}/auth/v1/token", asked, headers)

    async def bearer(self, client: dict[str, str]) -> dict[str, str]:
        answer = await self.login(client)
        assert answer.status == 200, answer.body
        return {"authorization": f"Bearer {answer.json['token']}"}

    async def asks(self, bearer: dict[str, str], path: str = BALANCE, body: Any = None, method: str = "GET") -> Answer:
        return await self.play.ask(method, self.play.stage.base_url + path, body, bearer)


@pytest.fixture
def operator(play: Play) -> Operator:
    return Operator(play)


async def test_a_company_comes_into_being_by_commands_and_is_paid(operator: Operator, play: Play) -> None:
    company = str((await operator.company())["number"])
    holder = ("--holder-type", "organization", "--name", "Padaria Sol", "--document", "11222333000181")
    reached = ("--email", "sol@example.com", "--phone", "+5511987654321")
    account = await operator.types("account", "open", company, *holder, *reached)
    key = (await operator.types("account", "add-key", account["number"]))["key"]
    assert (await operator.types("account", "show", account["id"]))["pixKeys"] == [key]
    await operator.types("account", "default", company, account["id"])
    bearer = await operator.bearer(await operator.client(company))
    order = await operator.asks(bearer, ORDERS, play.asking("7.50"), "PUT")
    assert order.status == 200, order.body
    assert (await play.pay(order.json))["status"] == "SETTLED"

    async def paid() -> bool:
        return bool((await operator.asks(bearer, f"{ORDERS}/{order.json['id']}")).json["status"] == "PAID")

    await until(paid, "paid")
    assert (await operator.asks(bearer, f"{BALANCE}?accountId={account['id']}")).json["available"]["value"] == "7.50"


async def test_a_revoked_client_is_refused_with_its_next_request(operator: Operator, play: Play) -> None:
    client = await operator.client("1")
    bearer = await operator.bearer(client)
    account = play.account["id"]
    for _ in range(3):  # from the second on this process decides from memory
        made = await operator.asks(bearer, ORDERS, play.asking(accountId=account), "PUT")
        assert made.status == 200
        play.made.append(made.json)
    await operator.types("client", "revoke", client["clientId"])
    assert (await operator.asks(bearer, ORDERS, play.asking(accountId=account), "PUT")).status == 401
    assert (await operator.asks(bearer)).status == 401
    assert (await operator.login(client)).status == 401


async def test_tokens_are_revoked_and_new_ones_count(operator: Operator) -> None:
    client = await operator.client("1")
    bearer = await operator.bearer(client)
    assert (await operator.asks(bearer)).status == 200
    await operator.types("client", "revoke-tokens", client["clientId"])
    assert (await operator.asks(bearer)).status == 401
    assert (await operator.asks(await operator.bearer(client))).status == 200


async def test_permissions_are_taken_and_given(operator: Operator, play: Play) -> None:
    client = await operator.client("1")
    bearer = await operator.bearer(client)
    made = await operator.asks(bearer, ORDERS, play.asking(accountId=play.account["id"]), "PUT")
    play.made.append(made.json)
    await operator.types("client", "permit", client["clientId"], "accounts:read")
    refused = await operator.asks(bearer, ORDERS, play.asking(accountId=play.account["id"]), "PUT")
    assert (refused.status, refused.json["error"], refused.json["details"]) == (403, "FORBIDDEN_ERROR", [])
    assert (await operator.asks(bearer)).status == 200


async def test_a_client_is_bound_to_networks(operator: Operator, play: Play) -> None:
    client, account = await operator.client("1"), play.account["id"]
    bearer = await operator.bearer(client)
    for _ in range(2):
        made = await operator.asks(bearer, ORDERS, play.asking(accountId=account), "PUT")
        play.made.append(made.json)
    await operator.types("client", "networks", client["clientId"], "203.0.113.0/24")
    for answer in (
        await operator.asks(bearer, ORDERS, play.asking(accountId=account), "PUT"),
        await operator.asks(bearer),
        await operator.asks({**bearer, "x-forwarded-for": "203.0.113.7"}),  # nobody's word but a proxy's, and there is none
    ):
        assert (answer.status, answer.json["error"]) == (403, "FORBIDDEN_ERROR")
    wrong = await operator.login({**client, "clientSecret": "lsk_wrong"})
    assert (await operator.login(client)).body == wrong.body
    assert (await operator.login(client)).status == wrong.status == 401
    await operator.types("client", "networks", client["clientId"], "127.0.0.0/8")
    assert (await operator.asks(bearer)).status == 200
    assert (await operator.login(client)).status == 200


async def test_a_client_that_asks_too_often_waits(operator: Operator) -> None:
    client = await operator.client("1", "--requests-per-minute", "5")
    bearer = await operator.bearer(client)
    answers = [await operator.asks(bearer) for _ in range(8)]
    admitted = [a for a in answers if a.status == 200]
    refused = [a for a in answers if a.status == 429]
    # The first is counted by what every client has: whose it is becomes known with it.
    assert (len(admitted), len(refused)) in {(6, 2), (5, 3)}
    assert admitted[-1].headers["ratelimit-limit"] == "5"
    assert admitted[-1].headers["ratelimit-remaining"] == "0"
    assert 0 < int(refused[0].headers["retry-after"]) <= 12
    assert refused[0].json["error"] == "INVALID_REQUEST"
    await operator.types("client", "limit", client["clientId"], "100000")
    await until(lambda: _status(operator, bearer, 200), "the new limit")
    assert (await operator.asks(bearer)).headers["ratelimit-limit"] == "100000"


async def _status(operator: Operator, bearer: dict[str, str], status: int) -> bool:
    return (await operator.asks(bearer)).status == status


async def test_two_secrets_while_one_takes_over(operator: Operator) -> None:
    client = await operator.client("1")
    fresh = await operator.types("client", "rotate-secret", client["clientId"])
    assert [(await operator.login(c)).status for c in (client, fresh)] == [200, 200]
    last = await operator.types("client", "rotate-secret", client["clientId"], "--overlap", "0")
    assert [(await operator.login(c)).status for c in (client, fresh, last)] == [401, 401, 200]


async def test_keys_rotate_under_a_running_service(operator: Operator, play: Play) -> None:
    client = await operator.client("1")
    before = await operator.bearer(client)
    first = await _published(play, "jwks")
    rotated = (await operator.types("keys", "rotate", "token"))["kid"]
    assert rotated in first, "it was published before it signs"
    assert (await operator.asks(before)).status == 200
    # A key that this process has never heard of: looked for when a token names it.
    await operator.types("keys", "rotate", "token")
    third = next(k["kid"] for k in await operator.types("keys", "list") if k["purpose"] == "token" and k["state"] == "signs")
    assert third not in first
    await play.stage.restart("api")  # another process, which signs with it
    after = await operator.bearer(client)
    assert [(await operator.asks(bearer)).status for bearer in (before, after)] == [200, 200]
    assert third in await _published(play, "jwks")
    await operator.types("keys", "rotate", "location")
    order = await play.order()
    assert (await play.pay(order))["status"] == "SETTLED"
    await play.becomes(order, "PAID")


async def _published(play: Play, name: str) -> list[str]:
    found = await play.ask("GET", f"{play.stage.base_url}/.well-known/{name}.json")
    return [key["kid"] for key in found.json["keys"]]


@dataclass
class Issuer:
    """The outside issuer's keys, as it publishes them now."""

    keys: list[SigningKey]

    async def behave(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(answered(json.dumps(jwks(public_keys(self.keys))).encode()))
            await writer.drain()


async def test_an_outside_issuers_clients_have_the_same_rights(operator: Operator, play: Play) -> None:
    key, stranger = new_signing_key(os.urandom), new_signing_key(os.urandom)
    subject = f"shop|{secrets.token_hex(4)}"
    company_id = play.stage.sandbox["companyId"]

    def bearer(signer: SigningKey = key, **changes: Any) -> dict[str, str]:
        claims = {"issuer": OUTSIDE, "client_id": subject, "company_id": company_id, "jti": "j", "now_machine": time.time()}
        return {"authorization": f"Bearer {issue(signer, **(claims | changes))}"}

    issuer = Issuer([key])
    async with receiver(issuer.behave) as server:
        url = f"http://127.0.0.1:{server.port}/keys"
        await play.stage.restart("api", LASTRO_OUTSIDE_ISSUER=OUTSIDE, LASTRO_OUTSIDE_JWKS_URL=url)
        try:
            assert (await operator.asks(bearer())).status == 401, "nobody has let it in yet"
            client = (await operator.types("client", "trust", "1", subject, "Shop"))["clientId"]
            assert (await operator.asks(bearer())).status == 200
            for wrong in (
                bearer(stranger), bearer(issuer=OUTSIDE + "/"), bearer(audience="api://other"),
                bearer(company_id=play.stage.sandbox["accounts"][0]["id"]), bearer(company_id="1"),
                bearer(client_id=play.stage.client()["clientId"]), bearer(client_id=client),
                bearer(now_machine=time.time() - 4000), bearer(now_machine=time.time() + 600),
            ):  # fmt: skip
                assert (await operator.asks(wrong)).status == 401
            await operator.types("client", "permit", client, "orders:read", "--company", "1")
            assert (await operator.asks(bearer())).status == 403
            await operator.types("client", "permit", client, "accounts:read", "--company", "1")
            await operator.types("client", "networks", client, "203.0.113.0/24", "--company", "1")
            assert (await operator.asks(bearer())).status == 403
            await operator.types("client", "networks", client, "--anywhere", "--company", "1")
            assert (await operator.asks(bearer())).status == 200
            assert (await operator.login({"clientId": client, "clientSecret": ""})).status == 401
            await operator.types("client", "revoke", client, "--company", "1")
            assert (await operator.asks(bearer())).status == 401
        finally:
            await play.stage.restart("api")
    assert (await operator.asks(bearer())).status == 401
