"""The OpenAPI document: complete, valid, and true of what it shows."""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.http_contract import BrokenContractError, Contract, contract
from tests.in_one import in_one_test

from lastro.accounts import Institution
from lastro.api_kit.http import headers_of, refusal
from lastro.api_kit.routes import Answer, Doc, Route
from lastro.app import wiring
from lastro.core.errors import Kind, Refused
from lastro.orders import Installation
from lastro.orders.model import STATUSES
from lastro.web import openapi
from lastro.web.admission import WATCHED
from lastro.web.openapi.enumerations import with_names
from lastro.web.openapi.refusals import of_doc
from lastro.web.openapi.schemas import components
from lastro_sandbox.wiring import OPEN_PATHS

_PLACE = Installation(Institution("00000000", "Lastro", "0001"), "https://lastro.test", sandbox=True)
_NOBODYS = Mock(place=_PLACE)
ROUTES = {route.operation: route for route in wiring.routes(_NOBODYS)}
OPERATIONS = {said["operationId"]: (path, method, said) for path, method, said in contract().operations()}
OPEN = {o.operation: o for paths in (openapi.OPEN_PATHS, OPEN_PATHS) for item in paths.values() for o in item.values()}

every_route = in_one_test("operation", ROUTES, str)
every_operation = in_one_test("operation", OPERATIONS, str)


def test_the_document_is_openapi() -> None:
    OpenAPIV31SpecValidator(msgspec.json.decode(msgspec.json.encode(contract().document))).validate()


def test_it_says_the_same_each_time() -> None:
    first, second = (msgspec.json.encode(wiring.documented(_NOBODYS, OPEN_PATHS)) for _ in range(2))
    assert first == second
    assert msgspec.json.decode(first)["openapi"].startswith("3.1.")


def test_everything_that_is_served_is_in_it() -> None:
    served = {(path, route.method) for route in ROUTES.values() for path in route.paths}
    public = wiring.public(_NOBODYS)
    served |= {(path, method) for path, item in public.items() if path not in openapi.UNTOLD for method in item}
    in_sandboxes = {(path, method) for path, item in OPEN_PATHS.items() for method in item}
    told = {(path, method.upper()) for path, method, _ in contract().operations()}
    assert told == served | in_sandboxes
    assert set(openapi.UNTOLD) <= public.keys()


def test_the_sandboxs_own_paths_are_documented_as_they_are_served() -> None:
    from lastro_sandbox.wiring import paths  # noqa: PLC0415

    served = paths(Mock(network_url="http://127.0.0.1:1", partners={}, connections=()), Mock(), Mock(), Mock())
    # The guide at /start is pages for people, as the console is, and no operation.
    told = {p: item for p, item in served.items() if p != "/start" and not p.startswith("/start/")}
    assert {(p, m) for p, item in told.items() for m in item} == {(p, m) for p, item in OPEN_PATHS.items() for m in item}


def test_production_tells_nothing_of_a_sandbox() -> None:
    document = wiring.documented(_NOBODYS)
    assert not set(OPEN_PATHS) & document["paths"].keys()
    assert "sandbox" not in {tag["name"] for tag in document["tags"]}
    assert {"ClockForm", "StatusForm"} & document["components"]["schemas"].keys() == set()


def test_every_operation_has_a_name_of_its_own() -> None:
    told = [item["post"]["operationId"] for item in contract().document["webhooks"].values()]
    names = [*told, *(said["operationId"] for *_, said in contract().operations())]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch("[a-z]+(_[a-z]+)*", name)] == []
    for *_, said in contract().operations():
        same = said.get("x-same-as")
        assert same is None or OPERATIONS[same][2]["responses"] == said["responses"]


def test_no_list_of_words_stands_there_twice() -> None:
    """A generated client has one type of each, and a name for it."""
    document = msgspec.json.decode(msgspec.json.encode(contract().document))
    found = [place for place, part in _parts(document) if isinstance(part.get("enum"), list)]
    lists = document["components"]["schemas"]
    named = {f"/components/schemas/{name}": one["enum"] for name, one in lists.items() if "enum" in one}
    assert set(found) == set(named), "a list of words without a name"
    assert len({frozenset(words) for words in named.values()}) == len(named)
    assert all(len(words) > 1 and all(isinstance(word, str) for word in words) for words in named.values())
    assert {"OrderStatus", "PayoutStatus", "SubscriptionStatus", "EventType", "PixKeyType"} <= lists.keys()
    assert lists["OrderStatus"]["enum"] == list(STATUSES)
    assert lists["Order"]["properties"]["status"] == {"$ref": "#/components/schemas/OrderStatus"}


def test_a_list_that_stands_twice_has_to_be_named() -> None:
    words = {"type": "string", "enum": ["UP", "DOWN"]}
    types = {name: {"type": "object", "properties": {"way": dict(words)}} for name in ("Lift", "Stairs")}
    with pytest.raises(ValueError, match=re.escape("['Lift.way', 'Stairs.way'] allow the same words")):
        with_names({"paths": {}, "components": {"schemas": types}})
    del types["Stairs"]
    made = with_names({"paths": {}, "components": {"schemas": types}})["components"]["schemas"]
    assert made["LiftWay"] == words
    assert made["Lift"]["properties"] == {"way": {"$ref": "#/components/schemas/LiftWay"}}
    with pytest.raises(ValueError, match=re.escape("named as a type is: ['LiftWay']")):
        with_names({"paths": {}, "components": {"schemas": {**types, "LiftWay": {"type": "object"}}}})


def test_pages_show_words_in_their_places() -> None:
    document = contract().document
    shown = openapi.without_names(document)
    status = shown["components"]["schemas"]["Order"]["properties"]["status"]
    assert status == {"type": "string", "enum": list(STATUSES)}
    assert "OrderStatus" not in shown["components"]["schemas"]


def test_one_of_several_types_is_told_by_a_field() -> None:
    """Where types have a field by which they are told apart, the document says which; generated clients read it."""
    entries = contract().document["components"]["schemas"]["Timeline"]["properties"]["entries"]["items"]
    assert entries["discriminator"]["propertyName"] == "kind"
    assert {one["$ref"] for one in entries["oneOf"]} == set(entries["discriminator"]["mapping"].values())
    for place, part in _parts(contract().document):
        types = [one["$ref"].rpartition("/")[2] for one in part.get("oneOf", ()) if "$ref" in one]
        assert len(types) < 2 or "discriminator" in part, place


def test_patterns_are_for_readers_of_units_too() -> None:
    """Many take a text as UTF-16, and cannot read a range beyond the first 65,536 characters."""
    patterns = [part["pattern"] for _, part in _parts(contract().document) if isinstance(part.get("pattern"), str)]
    assert len(patterns) > 50
    assert [pattern for pattern in patterns if any(ord(sign) > 0xFFFF for sign in pattern)] == []
    name = next(p for p in patterns if r"\u200d" in p)
    for text, is_good in (("Ana 🏳️", True), ("A️na", False), ("👩‍🚀", True), ("A‍na", False)):
        assert bool(re.search(name, text)) == is_good


def _parts(part: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document with its place; no examples."""
    if isinstance(part, Mapping):
        yield place, dict(part)
        for name, value in part.items():
            if name not in {"example", "examples"}:
                yield from _parts(value, f"{place}/{name}")
    elif isinstance(part, list | tuple):
        for number, value in enumerate(part):
            yield from _parts(value, f"{place}/{number}")


@every_operation
def test_every_operation_says_what_it_does(operation: str) -> None:
    *_, said = OPERATIONS[operation]
    assert said["summary"]
    assert not said["summary"].endswith(".")
    assert said["description"].startswith(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    assert set(said["tags"]) <= {tag["name"] for tag in contract().document["tags"]}
    assert all(p["description"] for p in said["parameters"])


@every_route
def test_every_route_shows_what_it_takes_and_gives(operation: str) -> None:
    route, (_, _, said) = ROUTES[operation], OPERATIONS[operation]
    doc = route.doc
    is_empty = doc.answer is None and not doc.media
    assert is_empty == (route.success == 204), "what is its answer made of?"
    assert doc.answer is None or issubclass(doc.answer, Answer)
    if doc.answer is not None:
        content = said["responses"][str(route.success)]["content"]["application/json"]
        assert content["example"], "show an answer"
        contract().valid(operation, content["schema"], content["example"])
    if doc.form is not None:
        body = said["requestBody"]["content"]["application/json"]
        assert body["example"], "show a request"
        contract().valid(operation, body["schema"], body["example"])
    assert (said["security"], said["x-permission"]) == ([{"bearer": []}], route.permission)
    assert [p["name"] for p in said["parameters"] if p["in"] == "query"] == [q.name for q in route.queries]


@every_route
def test_every_refusal_says_why_and_what_to_do(operation: str) -> None:
    declared = ROUTES[operation].doc.refusals
    assert all(r.cause.endswith(".") and r.cure.endswith(".") for r in declared)
    assert all(bool(r.field) == bool(r.issue) for r in declared)
    assert len({(r.kind, r.field, r.issue) for r in declared}) == len(declared)


@every_operation
def test_a_word_of_a_query_that_must_be_given_says_so(operation: str) -> None:
    """Else neither a client's types nor a call to be pasted has it."""
    *_, said = OPERATIONS[operation]
    lacking = {
        r["field"] for one in said["responses"].values() for r in one.get("x-refusals", ()) if r["issue"] == "REQUIRED"
    }
    for one in (p for p in said["parameters"] if p["in"] == "query" and p["name"] in lacking):
        is_sometimes = (operation, one["name"]) == ("read_statement", "startDate")  # of a file
        assert one.get("required", False) is not is_sometimes, one["name"]


@every_operation
def test_who_may_be_turned_away_is_told_so(operation: str) -> None:
    """By the head alone, before anybody looks what is asked (web/admission.py): in the interface's own words, and for how long."""
    path, method, said = OPERATIONS[operation]
    for kind in (Kind.UNAVAILABLE,) if path in WATCHED else (Kind.UNAVAILABLE, Kind.TOO_MANY):
        answer = refusal(Refused(kind, retry_after_seconds=1))
        headers = {name.decode(): value.decode() for name, value in headers_of(answer, b"1")}
        contract().holds(method.upper(), path, answer.status, headers, answer.body)
    assert path not in WATCHED or "429" not in said["responses"]


@every_operation
def test_every_error_is_shown(operation: str) -> None:
    *_, said = OPERATIONS[operation]
    for status, response in said["responses"].items():
        found = contract().resolved(response)
        assert found["description"]
        for content in found.get("content", {}).values():
            if "example" in content:
                contract().valid(f"{operation} {status}", content["schema"], content["example"])
    assert {"400", "403", "500"} <= said["responses"].keys()


@in_one_test("notice", wiring.EVENT_TYPES, ids=lambda notice: notice.name)
def test_every_event_is_shown(notice: Any) -> None:
    said = contract().document["webhooks"][notice.name]["post"]
    headers = {p["name"]: p["example"] for p in said["parameters"]}
    contract().told(notice.name, headers, notice.example)
    for name, value in notice.always.items():
        said_there = notice.example[name]
        assert said_there == value if isinstance(value, str) else said_there.items() >= value.items()
    assert notice.summary
    assert notice.description.endswith(".")


def test_two_types_may_not_share_a_name() -> None:
    here = type("Order", (Answer,), {"__annotations__": {"id": str}, "__module__": "here"})
    there = type("Order", (Answer,), {"__annotations__": {"id": int}, "__module__": "there"})
    with pytest.raises(ValueError, match="two types are called Order"):
        components([here, there])


def test_what_is_null_and_what_is_left_out_are_told_apart() -> None:
    schemas = contract().document["components"]["schemas"]
    assert schemas["PayInNotification"]["properties"]["paidAt"]["type"] == ["string", "null"]
    assert "paidAt" in schemas["PayInNotification"]["required"]
    assert schemas["Order"]["properties"]["paidAt"]["type"] == "string"
    assert "paidAt" not in schemas["Order"]["required"]
    order = schemas["OrderForm"]["properties"]
    assert order["accountId"]["type"] == ["string", "null"]
    assert order["amount"] == {"$ref": "#/components/schemas/Amount", "description": order["amount"]["description"]}


def _currencies(schema: str, field: str) -> list[str]:
    """Which currencies a field of money may be in."""
    schemas = contract().document["components"]["schemas"]
    said = schemas[schema]["properties"][field]
    kind = said.get("$ref") or next(one["$ref"] for one in said["anyOf"] if "$ref" in one)
    return _words(schemas[kind.rpartition("/")[2]]["properties"]["currency"])


def _words(said: dict[str, Any]) -> list[str]:
    if "const" in said:
        return [said["const"]]
    found: list[str] = contract().resolved(said)["enum"]
    return found


def test_currencies_are_those_that_can_be() -> None:
    schemas = contract().document["components"]["schemas"]
    interfaces = ["BRL", "USD", "ARS", "EUR", "CLP", "COP", "MXN", "PEN", "BUSD", "USDT"]
    for payout in ("CreatedPayout", "FullPayout", "PayoutReceipt"):
        assert _words(schemas[payout]["properties"]["currency"]) == interfaces
    reais = {
        "CreatePayout": "amount", "CreateSubscription": "fixedAmount", "InitialChargeForm": "amount",
        "SchedulePayment": "amount", "CreatePayIn": "amount", "CreateStaticCode": "amount", "Subscription": "maxAmountFloor",
        "InitialCharge": "amount", "NotifiedCharge": "amount", "NotifiedPayment": "amount", "SubscriptionPayment": "amount",
        "PayOutNotification": "amount", "StaticQrcode": "amount", "PlanTotals": "amount",
        "MethodLimits": "transaction",
    }  # fmt: skip
    assert {form: _currencies(form, field) for form, field in reais.items()} == {form: ["BRL"] for form in reais}
    for of_either in ("CreatedOrder", "PayIn", "PayInNotification", "Refund", "Entry"):
        assert _currencies(of_either, "amount") == ["BRL", "MXN"]
    assert _currencies("OrderForm", "amount") == ["BRL", "MXN"]
    assert _currencies("Balance", "available") == _words(schemas["Balance"]["properties"]["currency"])


def test_ids_are_uuids_in_paths() -> None:
    said = [p for *_, one in OPERATIONS.values() for p in one["parameters"] if p["in"] != "header"]
    ids = [p for p in said if p["name"] in {"id", "paymentId", "referenceId"} or p["name"].endswith("Id")]
    others = {"externalId", "endToEndId"}
    assert {p["schema"].get("format") for p in ids if p["name"] not in others and p["in"] == "path"} == {"uuid"}


def test_a_key_that_has_to_be_a_uuid_is_told_as_one() -> None:
    *_, confirm = OPERATIONS["confirm_key"]
    (key,) = (p for p in confirm["parameters"] if p["name"] == "idempotency-key")
    assert (key["schema"], key["required"]) == ({"type": "string", "format": "uuid"}, True)
    *_, create = OPERATIONS["create_payout"]
    (key,) = (p for p in create["parameters"] if p["name"] == "idempotency-key")
    assert "format" not in key["schema"]


def test_what_a_form_refuses_by_itself_is_told() -> None:
    route = ROUTES["create_order"]
    told = {(r.field, r.issue) for r in of_doc(route.doc)}
    assert {
        ("order", "REQUIRED"), ("order.externalId", "TOO_LONG"), ("order.expiration", "OUT_OF_RANGE"),
        ("order.amount.value", "OUT_OF_RANGE"), ("customer.document.type", "INVALID"), ("customer.birthDate", "INVALID"),
    } <= told  # fmt: skip
    assert ("customer", "INVALID") in told
    assert ("order.accountId", "TOO_LONG") not in told


# ── the checker itself: what is not as documented is seen ──

_HEADERS = {"x-request-id": "1", "content-type": "application/json", "ratelimit-limit": "9", "ratelimit-remaining": "8",
            "ratelimit-reset": "1"}  # fmt: skip
_PATH = "/order/v2/transparent/0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"


def hold(status: int, body: Any, method: str = "GET", path: str = _PATH, **headers: str | None) -> None:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {name: value for name, value in {**_HEADERS, **told}.items() if value is not None}
    contract().holds(method, path, status, given, msgspec.json.encode(body))


def refused(field: str, issue: str) -> dict[str, Any]:
    detail = {"field": field, "issue": issue, "description": "why"}
    return {"error": "INVALID_REQUEST", "message": "Request is not valid", "details": [detail]}


def shown() -> dict[str, Any]:
    return copy.deepcopy(dict(ROUTES["read_order"].doc.response or {}))


def test_an_answer_as_documented_is_let_pass() -> None:
    hold(200, shown())
    hold(404, {"error": "NOT_FOUND", "message": "Resource not found", "details": []})
    hold(400, refused("host", "NOT_ALLOWED"))
    hold(400, refused("colour", "NOT_ALLOWED"), path=f"{_PATH}?colour=blue")
    hold(405, refused("method", "NOT_ALLOWED"), method="DELETE", allow="GET")
    hold(404, {"error": "NOT_FOUND", "message": "Resource not found", "details": []}, path="/nowhere")


@pytest.mark.parametrize(
    ("status", "body", "more"),
    [
        (200, shown() | {"colour": "blue"}, {}),
        (200, shown() | {"pix": shown()["pix"] | {"colour": "blue"}}, {}),
        (200, {k: v for k, v in shown().items() if k != "status"}, {}),
        (200, shown() | {"paidAt": None}, {}),
        (200, shown() | {"id": "1"}, {}),
        (200, shown(), {"x_request_id": None}),
        (200, shown(), {"ratelimit_limit": "many"}),
        (200, shown(), {"x_new": "1"}),
        (200, shown(), {"content_type": "text/plain"}),
        (201, shown(), {}),
        (409, refused("status", "CONFLICT"), {}),
        (400, refused("order.bank", "NOT_ALLOWED"), {}),
        (400, refused("colour", "NOT_ALLOWED"), {}),
        (400, refused("host", "INVALID"), {}),
        (404, refused("id", "INVALID"), {}),
        (401, {"error": "WHO", "message": "", "details": []}, {}),
        (200, shown(), {"path": "/nowhere"}),
        (405, refused("method", "INVALID"), {"method": "DELETE"}),
    ],
)
def test_an_answer_that_is_not_documented_is_seen(status: int, body: Any, more: dict[str, Any]) -> None:
    with pytest.raises(BrokenContractError):
        hold(status, body, **more)


def test_a_delivery_that_is_not_documented_is_seen() -> None:
    notice = wiring.EVENT_TYPES[0]
    said = contract().document["webhooks"][notice.name]["post"]
    headers = {p["name"]: p["example"] for p in said["parameters"]}
    bad: list[tuple[str, dict[str, str], Any]] = [
        ("ORDER-PAYIN.LOST", headers, notice.example),
        (notice.name, headers, dict(notice.example) | {"colour": "blue"}),
        (notice.name, headers, dict(notice.example) | {"status": "EXPIRED"}),
        (notice.name, headers, {k: v for k, v in notice.example.items() if k != "controlNumber"}),
        (notice.name, {k: v for k, v in headers.items() if k != "webhook-signature"}, notice.example),
        (notice.name, headers | {"x-colour": "blue"}, notice.example),
        (notice.name, headers | {"x-signature-sha256": "sha256=5E"}, notice.example),
    ]
    for event, given, body in bad:
        with pytest.raises(BrokenContractError):
            contract().told(event, given, body)


def test_a_route_that_says_nothing_is_seen() -> None:
    route = Route("GET", "/new", "read_new", "orders:read", Mock(), Doc("Read what is new"))
    document = openapi.document("https://lastro.test", "1", [route], {}, ())
    assert "content" not in document["paths"]["/new"]["get"]["responses"]["200"]
    with pytest.raises(BrokenContractError):
        Contract(document).holds("GET", "/new", 200, _HEADERS, b'{"a":1}')
