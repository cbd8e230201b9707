"""Both ways to a token as HTTP sees them: who asks too often, from where, and what an answer gives away."""

import base64
import json
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.cast import Cast, Seller

from lastro.api_kit.http import Response
from lastro.api_kit.rate_limits import Limits
from lastro.companies import BindNetworks, Login, SigningKeys
from lastro.companies.tokens import new_signing_key
from lastro.core.rights import Peer
from lastro.web.public import Tokens

HOME = "203.0.113.7"


@dataclass
class Routes:
    tokens: Tokens
    now: list[float]

    async def ours(self, body: Any, source: str | None = HOME) -> Response:
        return await self.tokens.ours(_scope(source), json.dumps(body).encode(), {b"content-type": b"application/json"})

    async def oauth(self, body: str, source: str | None = HOME, **headers: bytes) -> Response:
        given = {name.encode(): value for name, value in headers.items()}
        return await self.tokens.oauth(_scope(source), body.encode(), given)


def _scope(source: str | None) -> Any:
    return {"state": {"peer": Peer(None if source is None else ip_address(source))}}


@pytest.fixture
def routes(cast: Cast) -> Routes:
    keys = SigningKeys((new_signing_key(cast.chance.bytes),), (), b"")
    login = Login(cast.database, lambda: keys, "https://lastro.test", cast.chance.bytes)
    now = [0.0]
    return Routes(Tokens(login, Limits(3, lambda: now[0])), now)


def credentials(ana: Seller) -> dict[str, str]:
    return {"clientId": ana.client.client_id, "clientSecret": ana.client.secret}


async def test_who_asks_too_often_waits_whichever_way_it_asks(routes: Routes, ana: Seller) -> None:
    wrong = {"clientId": ana.client.client_id, "clientSecret": "lsk_guess"}
    assert [(await routes.ours(wrong)).status for _ in range(2)] == [401, 401]
    assert (await routes.oauth("grant_type=password")).status == 400
    refused = await routes.ours(credentials(ana))
    assert (refused.status, dict(refused.headers)[b"retry-after"]) == (429, b"20")
    assert json.loads(refused.body)["error"] == "INVALID_REQUEST"
    refused = await routes.oauth("grant_type=client_credentials")
    assert (refused.status, json.loads(refused.body)) == (429, {"error": "temporarily_unavailable"})
    assert dict(refused.headers)[b"retry-after"] == b"20"
    assert (await routes.ours(credentials(ana), "203.0.113.8")).status == 200
    routes.now[0] += 20
    assert (await routes.ours(credentials(ana))).status == 200


async def test_a_network_of_ipv6_is_one_caller(routes: Routes, ana: Seller) -> None:
    """Whoever has one such address has 2^64 of them to guess from."""
    sources = ["2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:0:1::", "2001:db8::4", "2001:db8:0:1::1", HOME, None]
    assert [(await routes.ours(credentials(ana), s)).status for s in sources] == [200, 200, 200, 429, 200, 200, 200]


async def test_from_outside_its_networks_a_right_secret_is_a_wrong_one(routes: Routes, cast: Cast, ana: Seller) -> None:
    await cast.act(ana.company_id, BindNetworks(ana.client.client_id, ("198.51.100.0/24",)))
    right, wrong = (
        await routes.ours(credentials(ana)),
        await routes.ours({**credentials(ana), "clientSecret": "lsk_x"}, "::1"),
    )
    assert (right.status, right.body, right.headers) == (wrong.status, wrong.body, wrong.headers)
    assert right.status == 401
    form = urlencode(
        {"grant_type": "client_credentials", "client_id": ana.client.client_id, "client_secret": ana.client.secret}
    )
    assert json.loads((await routes.oauth(form)).body) == {"error": "invalid_client"}
    assert (await routes.oauth(form, "198.51.100.1")).status == 200
    assert (await routes.ours(credentials(ana), "198.51.100.2")).status == 200


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("", "invalid_request"),
        ("grant_type=client_credentials&grant_type=client_credentials", "invalid_request"),
        ("grant_type=client_credentials&client_id=a&client_id=b", "invalid_request"),
        ("grant_type=password", "unsupported_grant_type"),
        ("grant_type=client_credentials&scope=everything", "invalid_scope"),
    ],
)
async def test_what_oauth_refuses_before_it_looks(routes: Routes, body: str, error: str) -> None:
    answer = await routes.oauth(body)
    assert (answer.status, json.loads(answer.body)) == (400, {"error": error})
    assert dict(answer.headers)[b"cache-control"] == b"no-store"


async def test_a_client_in_basic(routes: Routes, ana: Seller) -> None:
    pair = base64.b64encode(f"{ana.client.client_id}:{ana.client.secret}".encode())
    for value, status in ((b"Basic " + pair, 200), (b"basic " + pair, 200), (b"Basic %%%", 401)):
        assert (await routes.oauth("grant_type=client_credentials", authorization=value)).status == status
        routes.now[0] += 60
