"""Every field of every body, times everything that can be wrong with it: a clear no, or a reason why not; and nothing changes."""

import re
from functools import cache
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import msgspec
import pytest
from msgspec import inspect
from tests import drawn
from tests.in_one import in_one_test

from lastro.api_kit.forms import Form
from lastro.api_kit.routes import Route
from lastro.app import wiring
from lastro.orders import Installation
from lastro.web.openapi.refusals import ANY_HEADER, ANY_QUERY, of_route

from .bad_input import BODIES, DEEP, TYPES, Bad, Field, body, fields, line, unread, values
from .bad_input_kept import DRAGS, ENDING, IDS, KEPT, NEVER, STORED, good
from .examples import EXAMPLES
from .strangers import ISSUER, Answer, Town, writes_nothing

ROUTES = {r.operation: r for r in wiring.routes(Mock(place=Installation(Mock(), ISSUER, sandbox=True)))}
WITH_FORM = [r for r in ROUTES.values() if r.doc.form is not None]
WITH_BODY = [r for r in ROUTES.values() if r.method != "GET" and not (r.doc.bodies and r.doc.form is None)]
FIELDS = [pytest.param(r, f, id=f"{r.operation} {f.name}") for r in WITH_FORM for f in fields(r)]
ALWAYS = frozenset({"missing", "null"})  # tried; of the other values a part is drawn
ODD = [
    pytest.param(r, f, id=f"{r.operation} {f.name}")
    for r in WITH_FORM
    for f in fields(r)
    if f.name in KEPT.get(r.operation, ())
]


def headers(town: Town, content_type: str | None = "application/json") -> list[tuple[str, str]]:
    given = [("authorization", f"Bearer {town.token(town.ana)}")]
    return given if content_type is None else [*given, ("content-type", content_type)]


async def sent(town: Town, route: Route, content: bytes, content_type: str | None = "application/json") -> Answer:
    ask = EXAMPLES[route.operation].ask(town.objects.get(EXAMPLES[route.operation].kind or "", ""))
    given = [*headers(town, content_type), *key_of(route)]
    return await town.send_raw(route.method, line(route, ask), given, content)


def key_of(route: Route) -> list[tuple[str, str]]:
    """A new one, where the operation wants one."""
    return [("idempotency-key", str(uuid4()))] if route.key == "required" else []


def taken(route: Route) -> tuple[int, ...]:
    """How a good request is answered."""
    return (route.success, *route.also, *((409,) if route.operation in ENDING else ()))


@cache
def declared(operation: str) -> frozenset[tuple[str, str]]:
    """Field and issue of every refusal that an operation's documentation tells of."""
    return frozenset((r.field, r.issue) for r in of_route(ROUTES[operation]))


def assert_declared(route: Route, answer: Answer) -> None:
    """What an operation can be refused for stands in its documentation."""
    for said, issue in answer.problems:
        name = re.sub(r"\[\d+\]", "[]", said)
        assert {(name, issue), (ANY_QUERY, issue), (ANY_HEADER, issue)} & declared(route.operation), (
            f"{route.operation} never said {name} {issue}"
        )


def is_about(field: Field, name: str) -> bool:
    """Whether a detail names the field, what it stands in, or (of an object) what is missing in it."""
    inside = isinstance(field.kind, inspect.StructType | inspect.ListType) and name.startswith(
        (f"{field.name}.", f"{field.name}[")
    )
    return inside or name in ("body", *field.above)


def assert_refused(route: Route, field: Field, bad: Bad, answer: Answer) -> None:
    what = f"{route.operation} {field.name} {bad.label}: {answer.status} {answer.body!r:.300}"
    if field.name in IDS.get(route.operation, ()) and answer.status == 404:
        assert answer.json["details"] == [], what
        return
    assert answer.status == 400, what
    drags = DRAGS.get(route.operation, {}).get(field.name, frozenset())
    named = [name for name, issue in answer.problems if (name, issue) not in drags]
    assert named, what
    assert all(is_about(field, name) for name in named), what
    assert len(named) == 1 or all(name.startswith((f"{field.name}.", f"{field.name}[")) for name in named), what
    assert len(answer.body) < 2000, "the answer grows with the question"
    assert_declared(route, answer)


async def assert_kept(town: Town, route: Route, answer: Answer, bad: Bad) -> None:
    """The very text is in the database."""
    found = await town.admin.fetchrow(STORED[route.operation], answer.json.get("id") or answer.json["accountRequestId"])
    assert found is not None
    kept = [leaf for column in found if column for leaf in _leaves(msgspec.json.decode(column))]
    assert bad.text in kept, (bad.label, kept)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    return [value]


@in_one_test("route", WITH_FORM, ids=lambda r: r.operation)
async def test_the_good_request_has_every_field(town: Town, route: Route) -> None:
    """So that each field has good neighbours, and what is refused is refused for itself."""
    whole, before = good(town, route), await town.written()
    assert (await sent(town, route, msgspec.json.encode(whole))).status in taken(route)
    if route.operation in STORED:
        assert await town.written() != before, "what never changes proves nothing"
    for field in fields(route):
        here: Any = whole
        for part in field.path:
            here = here[int(part)] if isinstance(here, list) else (here or {}).get(part)
        never = NEVER.get(route.operation, {})
        assert (here is None) == (field.name in never), f"{field.name}: give it a good value in bad_input_kept.py"


def test_the_tables_name_fields() -> None:
    for table in (NEVER, DRAGS, IDS, KEPT):
        for operation, named in table.items():
            assert set(named) <= {field.name for field in fields(ROUTES[operation])}


@writes_nothing
@in_one_test("route, field", FIELDS)
async def test_a_bad_value_is_refused_by_name_and_changes_nothing(town: Town, route: Route, field: Field) -> None:
    kept = KEPT.get(route.operation, {}).get(field.name, frozenset())
    # What breaks the whole body breaks it at its beginning and at its end.
    tried = values(field) + (unread(field) if field in (fields(route)[0], fields(route)[-1]) else [])
    assert kept <= {bad.label for bad in tried}
    whole = good(town, route)
    always = [bad for bad in tried if bad.label in ALWAYS]
    others = [bad for bad in tried if bad.label not in kept | ALWAYS]
    for bad in [*always, *drawn.some(f"{route.operation} {field.name}", others, 3)]:
        if bad.label not in kept:
            assert_refused(route, field, bad, await sent(town, route, body(whole, field, bad)))


@in_one_test("route, field", ODD)
async def test_an_odd_value_that_is_kept_is_kept_as_it_is(town: Town, route: Route, field: Field) -> None:
    for bad in values(field):
        if bad.label in KEPT[route.operation][field.name]:
            answer = await sent(town, route, body(good(town, route), field, bad))
            assert answer.status in taken(route), (bad.label, answer.body)
            if bad.text is not None and route.operation in STORED:
                await assert_kept(town, route, answer, bad)
            if field.name.endswith("externalId") and route.operation in ("create_order", "create_order_payin"):
                # Both doors make orders, whose code is free for the other once the order has ended.
                over = ROUTES["cancel_order"].path.format(id=answer.json["id"])
                assert (await town.send_raw("POST", over, headers(town, None), b"")).status == 200


async def test_a_new_field_is_tried_by_itself(town: Town) -> None:
    """A field that takes everything is found by name, however deep it is."""

    class Inner(Form):
        colour: str

    class Loose(Form):
        inner: Inner

    route = Mock(operation="paint", doc=Mock(form=Loose))
    (_, colour) = fields(route)
    assert (colour.name, len(values(colour) + unread(colour)) > 40) == ("inner.colour", True)
    assert body({"inner": {"colour": "red"}}, colour, Bad("NaN", b"NaN")) == b'{"inner":{"colour":NaN}}'
    assert body({"inner": {"colour": "red"}}, colour, Bad("missing", None)) == b'{"inner":{}}'
    accepted = Answer(200, {}, b"{}")
    with pytest.raises(AssertionError):
        assert_refused(route, colour, Bad("NaN", b"NaN"), accepted)


@writes_nothing
@in_one_test("route", WITH_BODY, ids=lambda r: r.operation)
async def test_what_is_no_json_object_is_refused_and_changes_nothing(town: Town, route: Route) -> None:
    for label, content in {**BODIES, **({"nothing": b""} if route.doc.form and not route.may_be_empty else {})}.items():
        answer = await sent(town, route, content)
        issue = "INVALID" if content else "REQUIRED"
        assert (answer.status, answer.problems) == (400, [("body", issue)]), (label, answer.body)
        assert_declared(route, answer)
    too_large = await sent(town, route, b'{"a":"' + b"a" * (route.largest_body or 1024 * 1024) + b'"}')
    assert (too_large.status, too_large.problems) == (413, [("body", "TOO_LONG")])


@in_one_test("route", [r for r in WITH_FORM if r.may_be_empty], ids=lambda r: r.operation)
@in_one_test("content_type", [None, "application/json", "application/x-www-form-urlencoded", ""])
async def test_where_nothing_has_to_be_said_a_body_may_be_left_out(
    town: Town, route: Route, content_type: str | None
) -> None:
    ask = EXAMPLES[route.operation].ask("")
    to = line(route, ask, {**ask.path, "id": str(uuid4())})
    answer = await town.send_raw(route.method, to, [*headers(town, content_type), *key_of(route)], b"")
    nothing_named = 404 if "{" in route.path else route.success
    assert (answer.status, answer.problems) == (nothing_named, []), "it was read"


@writes_nothing
@in_one_test("route", WITH_BODY, ids=lambda r: r.operation)
async def test_what_is_not_sent_as_json_is_refused_and_changes_nothing(town: Town, route: Route) -> None:
    content = msgspec.json.encode(good(town, route))
    for label, content_type in TYPES.items():
        answer = await sent(town, route, content, content_type)
        assert (answer.status, answer.problems) == (415, [("content-type", "NOT_SUPPORTED")]), label
        assert_declared(route, answer)
    ask = EXAMPLES[route.operation].ask(town.objects.get(EXAMPLES[route.operation].kind or "", ""))
    for encoding in ("gzip", "identity, gzip", "br", "", "\xff"):
        answer = await town.send_raw(
            route.method, line(route, ask), [*headers(town), *key_of(route), ("content-encoding", encoding)], content
        )
        assert (answer.status, answer.problems) == (415, [("content-encoding", "NOT_SUPPORTED")]), encoding
        assert_declared(route, answer)


@pytest.mark.parametrize(
    "content_type", ["Application/JSON", "application/json;charset=UTF-8", 'application/json; charset="utf8"']
)
async def test_json_goes_by_more_names_than_one(town: Town, content_type: str) -> None:
    route = ROUTES["create_order"]
    answer = await sent(town, route, msgspec.json.encode(good(town, route)), content_type)
    assert answer.status == route.success


async def test_what_is_deep_or_unknown_is_ignored_within_bounds(town: Town) -> None:
    """32 is the depth of the whole body (security.md), and unknown fields are ignored (contract.md §1)."""
    route = ROUTES["create_order"]
    for more in (b'"unknown":' + DEEP[2:-2], b'"":null,"\\u0000":1e400,"__class__":{},"order ":[]'):
        answer = await sent(town, route, b"{" + more + b"," + msgspec.json.encode(good(town, route))[1:])
        assert answer.status == route.success, answer.body
