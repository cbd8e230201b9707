import re
from typing import Any
from urllib.parse import quote

import pytest
from tests.in_one import in_one_test

from .official.directory import delete, refusal
from .stage import ACCOUNT, OWNER, Sim, registered_key

# Another participant asks: about its own keys none does.
LOOK_UP = {"PI-RequestingParticipant": "99999020", "PI-PayerId": "11222333000181", "PI-EndToEndId": "E" * 32}
REQUEST = {"requestId": "r1", "reason": "USER_REQUESTED", "type": "EVP", "owner": OWNER, "account": ACCOUNT}


async def test_the_outside_keys_it_starts_with(sim: Sim) -> None:
    data = (await sim.http.get("/directory")).json()["data"]
    assert len(data) >= 6
    assert {one["type"] for one in data[:5]} == {"CPF", "CNPJ", "PHONE", "EMAIL", "EVP"}
    assert {one["status"] for one in data[:5]} == {"ACTIVE"}
    data = [one for one in data if one["bank"]["ispb"] != "99999040"]  # of the first customer of the companies' bank
    assert {one["bank"]["ispb"] for one in data} == {"99999030"}
    assert data[-1]["status"] == "BLOCKED"


async def test_creating_is_idempotent(sim: Sim) -> None:
    first, second = await registered_key(sim), await registered_key(sim)
    assert first == second
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first)
    other = await sim.ask("POST", "/dict/v2/entries", REQUEST | {"account": ACCOUNT | {"account": "27"}})
    assert refusal(other) == (400, "RequestIdAlreadyUsed")
    listed = (await sim.http.get("/directory")).json()["data"]
    assert listed[-1]["key"] == first
    assert listed[-1]["owner"] == OWNER


async def test_look_up_and_delete(sim: Sim, key: str) -> None:
    found = await sim.ask("GET", f"/dict/v2/entries/{key}", **LOOK_UP)
    assert found.status_code == 200
    assert found.json()["owner"] == OWNER
    assert found.json()["account"] == ACCOUNT
    assert (await sim.ask("GET", f"/dict/v2/entries/{key}")).status_code == 400
    assert (await sim.http.get(f"/dict/v2/entries/{key}", headers=LOOK_UP)).status_code == 401
    assert (await delete(sim, key)).status_code == 200
    assert refusal(await sim.ask("GET", f"/dict/v2/entries/{key}", **LOOK_UP)) == (404, "NotFound")
    assert refusal(await delete(sim, key)) == (404, "NotFound")


@pytest.mark.parametrize("key", ["a/b@c.example", "a//b@c.example", "a/../b@c.example", "/@c.example"])
async def test_a_key_with_a_slash_is_a_key(sim: Sim, key: str) -> None:
    path = f"/dict/v2/entries/{quote(key, safe='')}"
    assert refusal(await sim.ask("GET", path, **LOOK_UP)) == (404, "NotFound")
    made = await sim.ask("POST", "/dict/v2/entries", REQUEST | {"type": "EMAIL", "key": key})
    assert made.status_code == 201
    assert (await sim.ask("GET", path, **LOOK_UP)).json()["key"] == key
    body = {"key": key, "participant": "99999010", "reason": "USER_REQUESTED"}
    assert (await sim.ask("POST", f"{path}/delete", body)).status_code == 200


@in_one_test(
    ("change", "field"),
    [
        ({"requestId": None}, "requestId"),
        ({"requestId": "x" * 37}, "requestId"),
        ({"type": "IBAN"}, "type"),
        ({"type": 1}, "type"),
        ({"type": "EMAIL"}, "key"),
        ({"type": "EMAIL", "key": "Not@Lower.example"}, "key"),
        ({"key": "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a21"}, "key"),
        ({"owner": None}, "owner"),
        ({"owner": "Ana"}, "owner"),
        ({"owner": {"name": "Ana", "document": "123"}}, "owner.document"),
        ({"owner": {"name": "Ana", "document": {"type": "CPF", "number": "123"}}}, "owner.document.number"),
        ({"account": ACCOUNT | {"ispb": "99999030"}}, "account.ispb"),
        ({"account": ACCOUNT | {"branch": "12345"}}, "account.branch"),
        ({"account": ACCOUNT | {"account": "1-9"}}, "account.account"),
        ({"account": ACCOUNT | {"accountType": "X"}}, "account.accountType"),
        ({"account": ACCOUNT | {"openedAt": "today"}}, "account.openedAt"),
    ],
)
async def test_malformed_requests(sim: Sim, change: dict[str, Any], field: str) -> None:
    answered = await sim.ask("POST", "/dict/v2/entries", REQUEST | change)
    assert refusal(answered) == (400, "EntryInvalid")
    assert field in [one["property"] for one in answered.json()["violations"]]


async def test_tests_can_add_outside_keys(sim: Sim) -> None:
    made = await sim.act("/directory", {"key": "+5521999990000", "owner": {"name": "Gil", "document": "11144477735"}})
    assert (made["type"], made["owner"]["name"], made["bank"]["ispb"]) == ("PHONE", "Gil", "99999030")
    random = await sim.act("/directory", {"type": "EVP", "status": "BLOCKED"})
    assert random["status"] == "BLOCKED"
    again = await sim.http.post("/directory", json={"key": "+5521999990000"})
    assert again.status_code == 409
    paid = await sim.act("/phone/transfer", {"key": "+5521999990000", "amount": "1"})
    assert paid["status"] == "SETTLED"
