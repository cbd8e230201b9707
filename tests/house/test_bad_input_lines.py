"""Every parameter, header and id of every operation, times everything that can be wrong with it; and nothing changes."""

import re
from uuid import uuid4

import pytest
from tests import drawn
from tests.in_one import in_one_test

from lastro.api_kit.routes import Query, Route

from .asking import Ask
from .bad_input import IDS, KEYS, PARAMETERS, REQUEST_IDS, TOKENS, line, spellings
from .bad_input_kept import ALONE, ASKED, IDS_ASKED
from .examples import EXAMPLES, everywhere
from .strangers import Answer, Town, writes_nothing
from .test_bad_input import ROUTES, assert_declared, key_of

QUERIES = [pytest.param(r, q, id=f"{r.operation} {q.name}") for r in ROUTES.values() for q in r.queries]
WITH_ID = [r for r in ROUTES.values() if "{id}" in r.path]
every_route = in_one_test("route", ROUTES.values(), lambda r: r.operation)


def asked(town: Town, route: Route) -> Ask:
    example = EXAMPLES[route.operation]
    return example.ask(town.objects.get(example.kind or "", ""))


async def sent(town: Town, route: Route, target: str, *headers: tuple[str, str]) -> Answer:
    given = [("content-type", asked(town, route).media), *headers]
    if not any(name == "authorization" for name, _ in headers):
        given.append(("authorization", f"Bearer {town.token(town.ana)}"))
    if not any(name == "idempotency-key" for name, _ in headers):
        given += key_of(route)
    return await town.send_raw(route.method, target, given, asked(town, route).content)


# ── parameters ──


def is_id(query: Query) -> bool:
    return query.name in IDS_ASKED


@writes_nothing
@in_one_test("route, query", QUERIES)
async def test_a_bad_parameter_is_refused_by_name(town: Town, route: Route, query: Query) -> None:
    """Or it is a text to look for, and says so in the table; or an id, which answers as an unknown one does."""
    others = [(name, value) for name, value in asked(town, route).query.items() if name != query.name]
    as_unknown = None
    if is_id(query):
        as_unknown = await sent(town, route, line(route, asked(town, route), query=[*others, (query.name, str(uuid4()))]))
    for label, value in drawn.some(f"{route.operation} {query.name}", list(PARAMETERS.items()), 3):
        answer = await sent(town, route, line(route, asked(town, route), query=[*others, (query.name, value)]))
        what = f"{route.operation} {query.name} {label}: {answer.status} {answer.body!r:.300}"
        if as_unknown is not None and answer.status != 400:
            assert answer.told == as_unknown.told, what
        elif label in ASKED.get(route.operation, {}).get(query.name, ()):
            assert answer.status == (404 if route.operation in ALONE else route.success), what
        else:
            assert (answer.status, [name for name, _ in answer.problems]) == (400, [query.name]), what
            assert_declared(route, answer)
        if is_id(query):
            assert answer.status != 400 or label in ("not UTF-8", "half a character"), what


@in_one_test("route, query", QUERIES)
async def test_a_parameter_stands_once(town: Town, route: Route, query: Query) -> None:
    for twice in ("a", "desc", "1", ""):
        answer = await sent(town, route, f"{route.path}?{query.name}={twice}&{query.name}={twice}&{query.name}=x")
        assert answer.status == 400
        assert [p for p in answer.problems if p[0] == query.name] in ([(query.name, "DUPLICATE")], [(query.name, "INVALID")])
        assert_declared(route, answer)


@writes_nothing
@every_route
async def test_a_parameter_nobody_knows_is_refused_by_name(town: Town, route: Route) -> None:
    """Of a request that is good otherwise, with no more parameters than it needs."""
    ask = asked(town, route)
    needed = [(q.name, ask.query[q.name]) for q in route.queries if q.is_required]
    target = line(route, ask, query=needed) + ("&" if needed else "?")
    for given, named in {
        "unknown=1": "unknown", "Limit=1": "Limit", "limit%20=1": "limit ", "%6Cimit%5B%5D=1": "limit[]", "=1": "query", "%00=1": "query",
        "%FF=1": "query", "%ED%A0%80=1": "query", "a%0Ab=1": "query", "unknown": "unknown", "unknown=1&unknown=2": "unknown",
        "%F0%9F%98%80=1": "\U0001f600", f"{'a' * 5000}=1": "a" * 64, "%E2%80%AE=1": "query", "\xe9=1".encode().decode("latin-1"): "query",
    }.items():  # fmt: skip
        answer = await sent(town, route, target + given)
        assert (answer.status, answer.problems) == (400, [(named, "NOT_ALLOWED")]), given
        assert_declared(route, answer)
    many = await sent(town, route, target + "&".join(f"a{n}=1" for n in range(1_000)))
    assert (many.status, len(many.problems)) == (400, 20)


# ── headers ──


@writes_nothing
@in_one_test("route", [r for r in ROUTES.values() if r.key != "none"], ids=lambda r: r.operation)
async def test_a_bad_key_is_refused_by_name(town: Town, route: Route) -> None:
    target = line(route, asked(town, route))
    for label, key in {**KEYS, "one too long": "a" * (route.key_longest + 1)}.items():
        answer = await sent(town, route, target, ("idempotency-key", key))
        issue = "TOO_LONG" if len(key) > route.key_longest else "INVALID"
        assert (answer.status, answer.problems) == (400, [("idempotency-key", issue)]), label
        assert_declared(route, answer)


@writes_nothing
@in_one_test("route", [r for r in ROUTES.values() if r.key == "required"], ids=lambda r: r.operation)
async def test_a_missing_key_is_refused_by_name(town: Town, route: Route) -> None:
    """Of a request that is good otherwise."""
    ask = asked(town, route)
    given = [("content-type", ask.media), ("authorization", f"Bearer {town.token(town.ana)}")]
    answer = await town.send_raw(route.method, line(route, ask), given, ask.content)
    assert (answer.status, answer.problems) == (400, [("idempotency-key", "REQUIRED")])
    assert_declared(route, answer)


@in_one_test("route", [r for r in ROUTES.values() if r.key == "none"], ids=lambda r: r.operation)
async def test_a_key_where_none_is_taken_is_ignored(town: Town, route: Route) -> None:
    target = line(route, asked(town, route))
    for key in KEYS.values():
        answer = await sent(town, route, target, ("idempotency-key", key))
        assert answer.status == route.success or (route.method, answer.status) == ("DELETE", 409)  # it is gone already


@writes_nothing
@every_route
async def test_a_bad_token_is_refused(town: Town, route: Route) -> None:
    target = line(route, asked(town, route))
    good = town.token(town.ana)
    tried = {**TOKENS, "cut": f"Bearer {good[:-1]}", "with more": f"Bearer {good}A", "padded": f"Bearer {good}=", "another alphabet": "Bearer " + good.replace(".", "+."),
             "without signature": "Bearer " + good.rpartition(".")[0] + ".", "Basic": f"Basic {good}", "alone": good, "behind a comma": f"Bearer a, Bearer {good}"}  # fmt: skip
    told = {(await sent(town, route, target, ("authorization", token))).told[:2] for token in tried.values()}
    assert told == {(401, b'{"error":"UNAUTHORIZED","message":"Unauthorized Request","details":[]}')}


@writes_nothing
@every_route
async def test_a_header_stands_once(town: Town, route: Route) -> None:
    target = line(route, asked(town, route))
    token = f"Bearer {town.token(town.ana)}"
    for name, value in {
        "authorization": token, "content-type": "application/json", "content-length": "2", "content-encoding": "identity",
        "idempotency-key": "a", "x-request-id": "a", "host": "lastro.test", "origin": "http://lastro.test",
    }.items():  # fmt: skip
        answer = await sent(town, route, target, (name, value), (name, value))
        assert (answer.status, answer.problems) == (400, [(name, "DUPLICATE")]), name
        assert_declared(route, answer)


@writes_nothing
@every_route
async def test_a_bad_name_or_origin_is_refused(town: Town, route: Route) -> None:
    target = line(route, asked(town, route))
    for host in (
        "",
        "evil.example",
        "lastro.test.",
        "lastro.test:1",
        "lastro.test@evil.example",
        "\xe9",
        "lastro.test, lastro.test",
    ):
        answer = await sent(town, route, target, ("host", host))
        assert (answer.status, answer.problems) == (400, [("host", "NOT_ALLOWED")]), host
        assert_declared(route, answer)
    for origin in (
        "",
        "null",
        "https://evil.example",
        "https://lastro.test.evil.example",
        "lastro.test",
        "ftp://lastro.test",
        "\xe9",
    ):
        answer = await sent(town, route, target, ("origin", origin))
        assert (answer.status, answer.json["error"], answer.problems) == (403, "FORBIDDEN_ERROR", []), origin


@every_route
async def test_a_request_id_that_cannot_be_printed_is_replaced(town: Town, route: Route) -> None:
    target = route.path.format(**everywhere(str(uuid4()))) + "?unknown=1"
    for label, given in REQUEST_IDS.items():
        answer = await sent(town, route, target, ("x-request-id", given))
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"]), label
    for given in ("a", "a" * 128, "!~"):
        assert (await sent(town, route, target, ("x-request-id", given))).headers["x-request-id"] == given


# ── ids ──


@writes_nothing
@in_one_test("route", WITH_ID, ids=lambda r: r.operation)
async def test_what_is_no_id_of_ours_is_not_there(town: Town, route: Route) -> None:
    """Unknown, malformed, another company's: the same bytes."""
    own = asked(town, route).path["id"]
    unknown = await sent(town, route, route.path.format(**everywhere(str(uuid4()))))
    assert (unknown.status, unknown.problems) == (404, [])
    for label, text in {**IDS, **spellings(own)}.items():
        answer = await sent(town, route, route.path.format(**everywhere(text)))
        # With a slash in it the path is another one, whose answer has no other form to be had in.
        assert _but_vary(answer) == _but_vary(unknown), (label, answer.body)


def _but_vary(answer: Answer) -> tuple[int, bytes, dict[str, str]]:
    status, body, headers = answer.told
    return status, body, {name: value for name, value in headers.items() if name != "vary"}


@in_one_test("route", WITH_ID, ids=lambda r: r.operation)
async def test_an_id_that_is_not_there_does_not_hide_what_else_is_wrong(town: Town, route: Route) -> None:
    """What can be known without a look-up comes first, and is the same whatever the id is."""
    token = f"Bearer {town.token(town.dora)}"
    told = set()
    for text in (asked(town, route).path["id"], str(uuid4()), "x", "%00"):
        answer = await sent(town, route, route.path.format(**everywhere(text)) + "?unknown=1", ("authorization", token))
        told.add(answer.told[:2])
        assert (answer.status, answer.problems) == (400, [("unknown", "NOT_ALLOWED")])
    assert len(told) == 1
