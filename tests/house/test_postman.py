"""The collection for Postman: every operation of the document once, with what it takes to be sent."""

import asyncio
import json
import re
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.house.test_openapi_pages import _NOBODYS

from lastro.api_kit.http import Response
from lastro.app import wiring
from lastro.core.rights import Peer
from lastro.web.openapi.postman import SCHEMA, collection
from lastro_sandbox import postman
from lastro_sandbox.postman import RUN, Environment
from lastro_sandbox.postman.playing import BY_HAND
from lastro_sandbox.postman.playing import operations as operations_of
from lastro_sandbox.postman.scripts import BY_HAND as BEFORE_BY_HAND
from lastro_sandbox.wiring import OPEN_PATHS

# The variables in a value, but those that Postman makes itself.
_USED = re.compile(r"(?:\{\{|raw:)(\w+)")


@cache
def document() -> dict[str, Any]:
    return wiring.documented(_NOBODYS)


@cache
def made() -> dict[str, Any]:
    return collection(document())


@cache
def sent() -> dict[tuple[str, str], Any]:
    return {
        (one["request"]["method"], "/" + "/".join(one["request"]["url"]["path"])): one["request"]
        for folder in made()["item"]
        for one in folder["item"]
    }


def operations() -> dict[tuple[str, str], Any]:
    return {
        (method.upper(), re.sub(r"\{(\w+)\}", r":\1", path)): operation
        for path, item in document()["paths"].items()
        for method, operation in item.items()
    }


def test_every_operation_stands_there_once() -> None:
    assert sent().keys() == operations().keys()
    assert sum(len(folder["item"]) for folder in made()["item"]) == len(sent())
    assert made()["info"]["schema"] == SCHEMA


def test_each_has_its_example_key_and_path() -> None:
    for where, operation in operations().items():
        request = sent()[where]
        content = operation.get("requestBody", {}).get("content", {})
        if "example" in content.get("application/json", {}):
            assert json.loads(request["body"]["raw"]) == content["application/json"]["example"], where
        assert ("body" in request) == bool(content), where
        keys = [h for h in request["header"] if h["key"] == "idempotency-key"]
        assert [h["value"] for h in keys if not h["disabled"]] == ["{{$guid}}"] * len(keys), where
        named = [part[1:] for part in request["url"]["path"] if part.startswith(":")]
        assert [v["key"] for v in request["url"].get("variable", ())] == named, where
        needed = [p["name"] for p in operation["parameters"] if p["in"] == "query" and p.get("required")]
        asked = parse_qsl(request["url"]["raw"].partition("?")[2], keep_blank_values=True)
        assert [name for name, _ in asked] == needed, where


def test_only_what_is_open_goes_without_a_token() -> None:
    for where, operation in operations().items():
        is_open = not any("bearer" in one for one in operation["security"])
        assert (sent()[where].get("auth") == {"type": "noauth"}) == is_open, where


def test_no_secret_stands_in_it() -> None:
    values = {variable["key"]: variable["value"] for variable in made()["variable"]}
    assert (values["clientId"], values["clientSecret"], values["token"]) == ("", "", "")


@cache
def in_sandbox() -> dict[str, Any]:
    return postman.collection(wiring.documented(_NOBODYS, OPEN_PATHS))


def run_of(collection: Mapping[str, Any]) -> list[str]:
    """The ids of what a run sends, in its order."""
    return [one["id"] for folder in collection["item"] if folder["name"] != BY_HAND for one in folder["item"]]


def left_out(collection: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What stands in the collection and is sent by hand alone."""
    return [one for folder in collection["item"] if folder["name"] == BY_HAND for one in folder["item"]]


def test_every_operation_of_a_sandbox_has_its_place_in_the_run_or_a_reason_why_not() -> None:
    placed = list(operations_of(RUN))
    assert len(set(placed)) == len(placed)
    document = wiring.documented(_NOBODYS, OPEN_PATHS)
    assert set(placed) == {one["operationId"] for item in document["paths"].values() for one in item.values()}
    assert run_of(in_sandbox()) == [name for name in placed if name not in RUN.by_hand]
    assert {one["id"] for one in left_out(in_sandbox())} == RUN.by_hand.keys()


def test_what_is_new_is_left_out_of_the_run() -> None:
    document = wiring.documented(_NOBODYS, OPEN_PATHS)
    (new,) = (one for one in document["paths"]["/health"].values())
    paths = {**document["paths"], "/new": {"get": {**new, "operationId": "read_new"}}}
    collected = postman.collection({**document, "paths": paths})
    assert run_of(collected) == run_of(in_sandbox())
    assert "read_new" in {one["id"] for one in left_out(collected)}


def test_what_the_run_leaves_out_is_sent_by_hand_alone() -> None:
    for one in left_out(in_sandbox()):
        (script,) = (event["script"]["exec"] for event in one["event"] if event["listen"] == "prerequest")
        assert "\n".join(script) == BEFORE_BY_HAND
        assert one["description"] in RUN.by_hand.values()
    assert {"rotate_webhook_secret", "delete_key"} <= RUN.by_hand.keys()
    values = {variable["key"]: variable["value"] for variable in in_sandbox()["variable"]}
    assert (values["byHand"], values["clientSecret"]) == ("no", "")


def test_each_request_of_the_run_holds_its_answer_against_the_document() -> None:
    for folder in in_sandbox()["item"]:
        for one in folder["item"]:
            (script,) = (event["script"]["exec"] for event in one["event"] if event["listen"] == "test")
            assert "as documented" in "\n".join(script), one["name"]


def test_a_variable_is_handed_on_before_it_is_used() -> None:
    known = {"baseUrl", "simulatorUrl", "clientId", "clientSecret", "accountId", "accountNumber", "pixKey"}
    for chapter in RUN.chapters:
        for step in chapter.steps:
            known |= step.sets.keys()
            for act in step.first:
                assert set(_USED.findall(json.dumps([act.url, act.body]))) <= known, step.operation
                known |= act.keep.keys()
            values = json.dumps([dict(step.path), dict(step.query), dict(step.body), step.sends, step.file])
            assert set(_USED.findall(values)) <= known, step.operation
            known |= step.keep.keys()


def test_only_this_machine_is_given_the_secret(tmp_path: Path) -> None:
    sandbox = {
        "baseUrl": "http://127.0.0.1:1", "simulatorUrl": "http://127.0.0.1:2", "clientId": "lc_x", "clientSecret": "lsk_x",
        "accounts": [{"id": "a", "number": "1", "pixKey": "k"}],
    }  # fmt: skip
    given = Environment(tmp_path)

    async def ask(address: str, **headers: str) -> Response:
        scope: Any = {"state": {"peer": Peer(ip_address(address))}}
        return await given.answer(scope, b"", {k.replace("_", "-").encode(): v.encode() for k, v in headers.items()})

    assert asyncio.run(ask("127.0.0.1")).status == 503, "the demo data is not laid"
    (tmp_path / "sandbox.json").write_text(json.dumps(sandbox), encoding="utf-8")
    for address, headers in (("192.0.2.7", {}), ("127.0.0.1", {"sec_fetch_site": "cross-site"})):
        refused = asyncio.run(ask(address, **headers))
        assert (refused.status, b"lsk_x" in refused.body) == (403, False)
    answer = asyncio.run(ask("::1"))
    values = {one["key"]: one for one in json.loads(answer.body)["values"]}
    assert (values["clientSecret"]["value"], values["clientSecret"]["type"]) == ("lsk_x", "secret")
    assert (b"cache-control", b"no-store") in answer.headers
