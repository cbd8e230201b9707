"""What a request says besides its body, and all that is wrong with it at once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from unittest.mock import Mock

import msgspec
from tests.in_one import in_one_test

from lastro.api_kit import forms
from lastro.api_kit.http import refusal
from lastro.api_kit.routes import NOT_FOUND, Doc, Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.web import operations

LIMIT, SORT = Query("limit", "", {"type": "integer"}), Query("sort", "", {"type": "string"})


class Wheel(forms.Form):
    size: Annotated[int, msgspec.Meta(ge=1)]
    maker: str | None = None


class Cart(forms.Form):
    """Fields in another order than the alphabet's."""

    name: str
    wheels: list[Wheel]
    axle: Wheel | None = None
    colour: str | None = None


class Paint(forms.Form):
    """Nothing has to be said."""

    colour: str | None = None


def parse(_: Incoming) -> Refused:
    raise AssertionError


def route(*queries: Query, form: type[forms.Form] | None = None, key: str = "none") -> Route:
    return Route(
        "POST", "/carts", "make_cart", "carts:write", parse, Doc("Make", form=form), key=key, key_longest=8, queries=queries
    )


def read(text: str, *queries: Query) -> tuple[dict[str, str], list[tuple[str, str]]]:
    problems: list[Problem] = []
    found = operations._query(text.encode("latin-1"), route(*queries), problems)
    return found, [(p.field, p.issue) for p in problems]


@in_one_test(
    ("text", "found", "wrong"),
    [
        ("", {}, []),
        ("limit=1&sort=asc", {"limit": "1", "sort": "asc"}, []),
        ("limit=", {"limit": ""}, []),
        ("limit", {"limit": ""}, []),
        ("limit=%31+%C3%A9", {"limit": "1 \xe9"}, []),
        ("&&limit=1&", {"limit": "1"}, []),
        ("limit=1&limit=1", {"limit": "1"}, [("limit", "DUPLICATE")]),
        ("limit=1&limit=1&limit=2", {"limit": "1"}, [("limit", "DUPLICATE")]),
        ("limit=%FF&limit=1", {"limit": ""}, [("limit", "DUPLICATE")]),
        ("limit=%FF", {"limit": ""}, [("limit", "INVALID")]),
        ("limit=\xe9", {"limit": ""}, [("limit", "INVALID")]),
        ("limit=%ED%A0%80", {"limit": ""}, [("limit", "INVALID")]),
        ("colour=red&colour=blue&x=1", {}, [("colour", "NOT_ALLOWED"), ("x", "NOT_ALLOWED")]),
        ("%FF=1&%00=2&=3", {}, [("query", "NOT_ALLOWED")]),
        ("Limit=1", {}, [("Limit", "NOT_ALLOWED")]),
        ("limit%3D1", {}, [("limit=1", "NOT_ALLOWED")]),
        ("limit=1;sort=asc", {"limit": "1;sort=asc"}, []),
    ],
)
def test_a_query(text: str, found: Mapping[str, str], wrong: list[tuple[str, str]]) -> None:
    assert read(text, LIMIT, SORT) == (found, wrong)


def test_a_query_is_not_answered_at_any_length() -> None:
    _, wrong = read("&".join(f"a{n}=1" for n in range(1000)))
    assert len(wrong) == 20
    assert len(read("a" * 5000 + "=1")[1][0][0]) == 64


@in_one_test(
    ("needed", "given", "key", "issue"),
    [
        ("none", b"anything \xff", None, None),
        ("optional", None, None, None),
        ("required", None, None, "REQUIRED"),
        ("optional", b"k-1", "k-1", None),
        ("required", b"12345678", "12345678", None),
        ("optional", b"123456789", None, "TOO_LONG"),
        ("optional", b"", None, "INVALID"),
        ("optional", b"a b", None, "INVALID"),
        ("optional", b"\xc3\xa9", None, "INVALID"),
        ("optional", b"a\x7f", None, "INVALID"),
        ("required", b"a\n", None, "INVALID"),
    ],
)
def test_a_key(needed: str, given: bytes | None, key: str | None, issue: str | None) -> None:
    problems: list[Problem] = []
    headers = {} if given is None else {b"idempotency-key": given}
    assert operations._idempotency_key(headers, route(key=needed), problems) == key
    assert [(p.field, p.issue) for p in problems] == ([] if issue is None else [("idempotency-key", issue)])


@in_one_test(
    ("given", "taken"),
    [
        (b"application/json", True), (b"Application/JSON ; charset=UTF-8", True), (b'application/json;charset="utf-8"', True),
        (b"application/json; charset=utf8", True), (b"application/json; boundary=x", True), (b"", False), (b"text/json", False),
        (b"application/json+x", False), (b"application/json; charset=latin-1", False), (b"application/json; charset=", False),
        (b"application/json; CHARSET=utf-16", False), (b'application/json; charset=""', False), (b"\xff", False),
    ],
)  # fmt: skip
def test_a_content_type(given: bytes, taken: bool) -> None:
    assert (operations._wrong_type({b"content-type": given}, route()) is None) == taken


@in_one_test(
    ("method", "form", "may"),
    [("POST", Paint, True), ("POST", Wheel, False), ("POST", None, False), ("PUT", Paint, False), ("PATCH", Paint, False)],
)
def test_a_body_may_be_left_out_where_a_post_has_nothing_that_must_be_said(
    method: str, form: type[forms.Form] | None, may: bool
) -> None:
    assert replace(route(form=form), method=method).may_be_empty == may


# ── all at once ──


def problem(field: str, issue: str = "INVALID") -> Problem:
    return Problem(field, issue, "")


def together(at: Route, of_query: list[Problem], of_headers: list[Problem], parsed: Any) -> tuple[Kind, list[str]] | Any:
    outcome = operations._together(at, of_query, of_headers, parsed)
    return (outcome.kind, [p.field for p in outcome.problems]) if isinstance(outcome, Refused) else outcome


KEY = problem("idempotency-key", "TOO_LONG")


def test_nothing_wrong_is_the_verb() -> None:
    verb = Mock()
    assert together(route(), [], [], verb) is verb
    assert operations._together(route(), [], [], NOT_FOUND) is NOT_FOUND


def test_the_order_is_query_headers_body() -> None:
    parsed = Refused(
        Kind.INVALID, tuple(problem(f) for f in ("colour", "axle.size", "wheels[1].size", "wheels[0].maker", "name"))
    )
    at = route(LIMIT, SORT, form=Cart)
    kind, fields = together(at, [problem("odd"), problem("sort"), problem("limit")], [KEY], parsed)
    assert kind is Kind.INVALID
    assert fields == [
        "limit", "sort", "odd", "idempotency-key", "name", "wheels[0].maker", "wheels[1].size", "axle.size", "colour",
    ]  # fmt: skip


def test_without_a_body_what_is_parsed_is_the_query() -> None:
    parsed = Refused(Kind.INVALID, (problem("sort"), problem("limit"), problem("strange")))
    assert together(route(LIMIT, SORT), [problem("odd")], [KEY], parsed)[1] == [
        "limit", "sort", "odd", "idempotency-key", "strange",
    ]  # fmt: skip


def test_a_field_has_one_problem_and_hides_what_is_in_it() -> None:
    parsed = Refused(
        Kind.INVALID, (problem("wheels"), problem("wheels[0].size"), problem("axle"), problem("axle.size"), problem("axle"))
    )
    assert together(route(form=Cart), [], [], parsed)[1] == ["wheels", "wheels[0].size", "axle"]
    parsed = Refused(Kind.INVALID, (problem("limit"),))
    assert together(route(LIMIT), [problem("limit", "DUPLICATE")], [], parsed)[1] == ["limit"]
    # A parameter and a field of one name are two things.
    assert together(route(form=Cart), [problem("name")], [], Refused(Kind.INVALID, (problem("name"),)))[1] == [
        "name",
        "name",
    ]


@in_one_test("parsed", [Mock(), NOT_FOUND, Refused(Kind.CONFLICT, (problem("name"),))])
def test_what_can_be_known_without_a_look_up_goes_before_what_is_not_there(parsed: Any) -> None:
    """So that an id that is malformed and one that is unknown are told the same."""
    assert together(route(LIMIT, form=Cart), [problem("limit")], [KEY], parsed) == (
        Kind.INVALID,
        ["limit", "idempotency-key"],
    )


def test_the_bytes_do_not_depend_on_the_order_in_which_they_were_found() -> None:
    found = [problem(f) for f in ("colour", "name", "axle.maker", "axle.size")]
    told = {
        refusal(Refused(Kind.INVALID, forms.in_order(given, Cart))).body
        for given in (found, found[::-1], found[2:] + found[:2])
    }
    assert len(told) == 1


@in_one_test("raw", [b"1e400", b"-1e400", b"1" + b"0" * 400 + b".5"])
def test_a_number_beyond_all_measure_is_not_nothing(raw: bytes) -> None:
    """A request under a used key with it in place of null is another request; and it is no text either."""
    seen = msgspec.json.encode(forms.parsed(b'{"a":%s}' % raw), order="sorted")
    assert seen != msgspec.json.encode(forms.parsed(b'{"a":null}'), order="sorted")
    assert not isinstance(forms.parsed(b'{"a":%s}' % raw)["a"], str)


@in_one_test(
    ("raw", "issue"),
    [
        (b"0", "OUT_OF_RANGE"), (b"1e400", "OUT_OF_RANGE"), (b"1.5", "INVALID"), (b'"1"', "INVALID"),
        (b"true", "INVALID"), (b"null", "REQUIRED"),
    ],
)  # fmt: skip
def test_a_number_is_too_large_or_none(raw: bytes, issue: str) -> None:
    _, problems = forms.read(b'{"size":%s}' % raw, Wheel)
    assert [(p.field, p.issue) for p in problems] == [("size", issue)]
