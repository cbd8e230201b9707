"""The collection for Postman: every operation of the document once, with what it takes to be sent."""

import json
import re
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from tests.house.test_openapi_pages import _NOBODYS

from lastro.app import wiring
from lastro.web.openapi.postman import SCHEMA, collection


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
