"""Every route, tried by everybody who must be refused there; what is refused changes nothing."""

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from unittest.mock import Mock
from uuid import uuid4

import pytest
from tests.in_one import all_tried, in_one_test

from lastro.api_kit.routes import Route
from lastro.app import wiring
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.orders import Installation

from .asking import Ask
from .examples import EXAMPLES, PUBLIC, everywhere
from .strangers import ISSUER, Client, Town, writes_nothing
from .tree import ROOMS, ROOT

# The tables do not depend on what the house is made of, so that they can be read before there is one.
_NOBODYS = Mock(place=Installation(Mock(), ISSUER, sandbox=True))
ROUTES = {r.operation: r for r in wiring.routes(_NOBODYS)}

WITHOUT_RIGHT = ("no token", "no bearer", "broken", "expired", "wrong signature", "unknown key", "wrong audience",
                 "wrong issuer", "unknown client", "another company's client")  # fmt: skip
MALFORMED = ("x", "0", "%00", "..%2f", "'", "upper case", "in braces", "without hyphens", "á" * 300)

# What says by name that an account or an order of its body is not there (contract.md §1, §4); everything else says 404.
BY_NAME = {"create_payout", "create_order_payin", "create_static_qrcode", "create_refund", "upload_account_document"}
# What takes all in, and says later of each line that its account is not there: whosever it is, the same.
LATER = {"create_payout_plan"}

# What a request that can be made once is answered when it was made before, where that is no 409.
USED = {"confirm_key": (400,), "confirm_key_claim": (400,), "answer_key_claim": (400,)}

HERE = "127.0.0.0/8"  # where the requests of the town come from
ELSEWHERE = "203.0.113.0/24"

# An operation at each of its paths: whoever is refused at one is refused at the others.
WAYS = {
    (r.operation if path == r.path else f"{r.operation} at {path}"): replace(r, path=path, same_at=())
    for r in ROUTES.values()
    for path in r.paths
}

# What names an object, and looks at it.
NAMING = [w for w, r in WAYS.items() if EXAMPLES[r.operation].kind is not None and r.operation not in LATER]
every_route = in_one_test("operation", ROUTES, str)
every_way = in_one_test("way", WAYS, str)


def asked(town: Town, route: Route, object_id: str | None = None) -> Ask:
    example = EXAMPLES[route.operation]
    return example.ask(object_id or town.objects.get(example.kind or "", ""))


def token_of(town: Town, why: str) -> str | None:
    stranger = new_signing_key(lambda n: bytes(range(n)))
    hour_ago = time.time() - 3601
    match why:
        case "no token" | "no bearer":
            return None
        case "broken":
            return town.token(town.ana)[:-8] + "AAAAAAAA"
        case "expired":
            return town.token(town.ana, now_machine=hour_ago)
        case "wrong signature":
            return town.token(town.ana, key=SigningKey(town.tokens.kid, stranger.private))
        case "unknown key":
            return town.token(town.ana, key=stranger)
        case "wrong audience":
            return town.token(town.ana, audience="api://somebody-else")
        case "wrong issuer":
            return town.token(town.ana, issuer="https://somebody.example")
        case "unknown client":
            return town.token(replace(town.ana, client_id="lc_0000000000000000000000"))
        case "another company's client":
            return town.token(Client(town.dora.company_id, town.ana.client_id))
    raise AssertionError(why)


def without_cases(routes: Iterable[Route]) -> list[str]:
    """What is wrong with the tables that strangers are made of: they say of each operation how it is asked."""
    wrong = []
    for route in routes:
        example = EXAMPLES.get(route.operation)
        if example is None:
            wrong.append(f"{route.operation} is new: say in tests/house/examples.py how it is asked")
        elif example.kind is None and "{" in route.path:
            wrong.append(f"{route.operation} names something of a company: say in its example of which kind it is")
        elif example.kind is not None and _asks(route, "one") == _asks(route, "another"):
            wrong.append(f"the example of {route.operation} does not use the id that it is given")
    return wrong


def _asks(route: Route, object_id: str) -> str:
    ask = EXAMPLES[route.operation].ask(object_id)
    body = {**(ask.body or {}), **(ask.body or {}).get("order", {})}
    named = {k: v for k, v in body.items() if k not in ("order", "externalId")}
    in_form = (ask.form or b"").count(object_id.encode()) and object_id
    return f"{route.path.format(**ask.path)}{ask.query}{named}{in_form}"


def test_every_route_has_its_cases() -> None:
    assert without_cases(ROUTES.values()) == []


@pytest.mark.parametrize(
    ("operation", "path", "says"),
    [
        ("pay_anybody", "/order/v2/anything", "is new"),
        ("list_orders", "/order/v2/anything/{id}", "of which kind"),
        ("read_balance", "/order/v2/anything", ""),
    ],
)
def test_a_new_route_without_its_cases_is_seen(operation: str, path: str, says: str) -> None:
    fake = replace(ROUTES["read_order"], operation=operation, path=path)
    wrong = without_cases((*ROUTES.values(), fake))
    assert [one for one in wrong if says and says in one] == wrong
    assert len(wrong) == bool(says)


def test_every_example_is_of_a_route() -> None:
    assert EXAMPLES.keys() == ROUTES.keys()
    assert PUBLIC.keys() == wiring.public(_NOBODYS).keys()


def test_the_routes_of_every_room_are_wired() -> None:
    wired = (ROOT / "src/lastro/app/wiring.py").read_text(encoding="utf-8")
    offered = [
        room for room in ROOMS if '"routes"' in (ROOT / "src/lastro" / room / "__init__.py").read_text(encoding="utf-8")
    ]
    assert [room for room in offered if f"{room}.routes(" not in wired] == []


@every_way
async def test_who_may_ask_is_answered(town: Town, way: str) -> None:
    """The example is good, so that what follows is refused for who asks and nothing else.

    What can be done once, and was done at the operation's first path, is a conflict at the others: it is the same there too.
    """
    route = WAYS[way]
    answer = await town.send(route, asked(town, route), town.token(town.ana))
    done = () if way == route.operation else USED.get(route.operation, (409,))
    assert answer.status_code in (route.success, *done), answer.text


@writes_nothing
@every_way
async def test_who_is_not_known_is_refused(town: Town, way: str) -> None:
    route = WAYS[way]
    for why in WITHOUT_RIGHT:
        headers = {"authorization": "Basic YTpi"} if why == "no bearer" else {}
        answer = await town.send(route, asked(town, route), token_of(town, why), headers)
        assert (answer.status_code, answer.json()) == (
            401,
            {"error": "UNAUTHORIZED", "message": "Unauthorized Request", "details": []},
        ), why


@in_one_test(
    ("column", "value"), [("revoked_at", "machine_now()"), ("tokens_valid_after", "machine_now() + interval '1 hour'")]
)
async def test_who_was_let_in_and_is_no_more_is_refused(town: Town, column: str, value: str) -> None:
    """At once, with a token that was good a moment ago."""
    client = await town.client(town.ana.company_id)
    token = town.token(client)
    await all_tried((way, partial(assert_let_in, town, way, client)) for way in WAYS)
    await changed(town, client, f"{column} = {value}")
    before = await town.written()

    async def refused(route: Route) -> None:
        assert (await town.send(route, asked(town, route), token)).status_code == 401

    await all_tried((way, partial(refused, route)) for way, route in WAYS.items())
    await town.assert_as(before)


@writes_nothing
@every_way
async def test_who_lacks_the_permission_is_refused(town: Town, way: str) -> None:
    await assert_told(town, way, town.powerless[WAYS[way].permission], 403)


async def test_what_is_written_all_the_same_is_seen(town: Town) -> None:
    @writes_nothing
    async def writing(town: Town) -> None:
        await town.client(town.ana.company_id)

    with pytest.raises(AssertionError, match=r"written to: .*'clients': .*shop"):
        await writing(town=town)


async def test_who_calls_from_elsewhere_is_refused(town: Town) -> None:
    """A client that is bound to networks calls from them alone: whatever it asks, with whatever is wrong in it."""
    client = await one_more(town, f"allowed_networks = '{{{ELSEWHERE}}}'")
    before = await town.written()
    await all_tried((way, partial(assert_told, town, way, client, 403)) for way in WAYS)
    await town.assert_as(before)
    await changed(town, client, f"allowed_networks = '{{{ELSEWHERE},{HERE}}}'")
    await all_tried((way, partial(assert_let_in, town, way, client)) for way in WAYS)


async def test_who_asks_too_often_is_refused(town: Town) -> None:
    """As soon as its number is known here, which its first request tells; then nothing is looked at, right or wrong."""
    client = await one_more(town, "requests_per_minute = 1")
    first, before = ROUTES["list_banks"], await town.written()

    async def refused(way: str) -> None:
        for _ in range(3):
            answer = await town.send(first, asked(town, first), town.token(client))
            if answer.status_code == 429:
                break
        assert 0 < int(answer.headers["retry-after"]) <= 60
        assert (answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]) == ("1", "0")
        await assert_told(town, way, client, 429)

    await all_tried((way, partial(refused, way)) for way in WAYS)
    await town.assert_as(before)
    assert (await town.send(first, asked(town, first), town.token(town.ana))).status_code == first.success


async def assert_told(town: Town, way: str, client: Client, status: int) -> None:
    """The same no to a good request, to one for what is not there, and to a broken one."""
    route, token = WAYS[way], town.token(client)
    error, message = ("FORBIDDEN_ERROR", "Access denied") if status == 403 else ("INVALID_REQUEST", "Request is not valid")
    for ask in (asked(town, route), asked(town, route, str(uuid4())), Ask(everywhere("x"), {"unknown": "x"}, {})):
        answer = await town.send(route, ask, token)
        assert (answer.status_code, answer.json()) == (status, {"error": error, "message": message, "details": []})


async def assert_let_in(town: Town, way: str, client: Client) -> None:
    route = WAYS[way]
    answer = await town.send(route, asked(town, route), town.token(client))
    assert answer.status_code in (route.success, *USED.get(route.operation, (409,))), answer.text


async def one_more(town: Town, columns: str) -> Client:
    """Another client of Ana's, that nobody has heard of yet."""
    client = await town.client(town.ana.company_id)
    await changed(town, client, columns)
    return client


async def changed(town: Town, client: Client, columns: str) -> None:
    change = f"UPDATE clients SET {columns}, version = version + 1 WHERE company_id = $1 AND client_id = $2"
    assert await town.admin.execute(change, client.company_id, client.client_id) == "UPDATE 1"


@in_one_test("way", [way for way in WAYS if way not in NAMING], str)
async def test_what_names_nothing_shows_nothing_of_another_company(town: Town, way: str) -> None:
    route = WAYS[way]
    answer = await town.send(route, asked(town, route), town.token(town.dora))
    assert answer.status_code == route.success
    assert not [i for i in town.objects.values() if i in answer.text]


@writes_nothing
@in_one_test("way", NAMING, str)
async def test_what_belongs_to_another_company_is_not_there(town: Town, way: str) -> None:
    """Byte for byte as what never was: nobody learns that it exists."""
    route, token = WAYS[way], town.token(town.dora)
    others = await town.send(route, asked(town, route), token)
    unknown = await town.send(route, asked(town, route, str(uuid4())), token)
    nobodys = await town.send(route, asked(town, route, str(uuid4())), town.token(town.ana))
    status = 400 if route.operation in BY_NAME else 404
    assert (others.status_code, unknown.status_code, nobodys.status_code) == (status, status, status)
    assert others.content == unknown.content == nobodys.content


def names_more(route: Route) -> bool:
    """Whether an operation of an account names something beside it."""
    ask = EXAMPLES[route.operation].ask("")
    return "{accountId}" in route.path and (len(ask.path) > 1 or "endToEndId" in (ask.body or {}))


@writes_nothing
@in_one_test("way", [way for way, route in WAYS.items() if names_more(route)], str)
async def test_below_ones_own_account_nothing_of_another_company_is_there(town: Town, way: str) -> None:
    """Dora's account, and what is named beside it is Ana's: her key, claim, code, or the payment that she contests."""
    route = WAYS[way]
    own = await town.admin.fetchval("SELECT id::text FROM accounts WHERE company_id = $1 LIMIT 1", town.dora.company_id)
    ask = asked(town, route)
    answer = await town.send(route, replace(ask, path={**ask.path, "accountId": own}), town.token(town.dora))
    assert answer.status_code in (400, 404), answer.text
    assert not [one for kind, one in town.objects.items() if one in answer.text and kind != "account"]


@writes_nothing
@in_one_test("way", NAMING, str)
async def test_what_is_no_id_is_not_there(town: Town, way: str) -> None:
    route = WAYS[way]
    own = town.objects[EXAMPLES[route.operation].kind or ""]
    spelled = {"upper case": own.upper(), "in braces": f"{{{own}}}", "without hyphens": own.replace("-", "")}
    for text in MALFORMED:
        answer = await town.send(route, asked(town, route, spelled.get(text, text)), town.token(town.ana))
        unknown = await town.send(route, asked(town, route, str(uuid4())), town.token(town.ana))
        status = 400 if route.operation in BY_NAME else 404
        assert (answer.status_code, answer.content) == (status, unknown.content), (text, answer.text)


@writes_nothing
@every_way
async def test_pages_of_others_and_other_names_are_refused(town: Town, way: str) -> None:
    route, token = WAYS[way], town.token(town.ana)
    assert (await town.send(route, asked(town, route), token, {"host": "rebound.example"})).status_code == 400
    assert (await town.send(route, asked(town, route), token, {"origin": "https://evil.example"})).status_code == 403
    assert (await town.send(route, asked(town, route), token, {"origin": "null"})).status_code == 403


@writes_nothing
@in_one_test("path", PUBLIC, str)
async def test_paths_without_token_tell_nothing(town: Town, path: str) -> None:
    for method, target, body, status in PUBLIC[path]:
        answer = await town.http.request(method, target, content=body)
        assert answer.status_code == status, (target, answer.text)
        assert not [i for i in town.objects.values() if i in answer.text]
        foreign = await town.http.request(method, target, content=body, headers={"host": "rebound.example"})
        assert foreign.status_code == 400


def test_no_path_is_a_sandboxs() -> None:
    # A delivery that a client asks for, in production too (contract.md §7).
    paths = {*(path for r in ROUTES.values() for path in r.paths), *PUBLIC} - {"/order/v1/webhook/test"}
    assert not [
        p
        for p in paths
        if any(word in p.lower() for word in ("sandbox", "simul", "clock", "debug", "test", "demo", "tools"))
    ]


@cache
def docs() -> str:
    return "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md"))


@every_route
def test_every_route_is_documented(operation: str) -> None:
    route = ROUTES[operation]
    assert f"{route.method} {route.path}" in docs(), f"docs/ never names `{route.method} {route.path}`"


def test_what_the_tables_name_is_right() -> None:
    for route in ROUTES.values():
        assert route.key in ("required", "optional", "none")
        assert (route.key == "none") == (route.method in ("GET", "DELETE")), route.operation
        reads = route.method == "GET" or route.operation == "list_account_closes"  # a list that is asked for by a body
        assert route.permission.endswith(":read") == reads, route.operation
    assert len({(r.method, r.path) for r in ROUTES.values()}) == len(ROUTES)


async def test_an_operation_is_the_same_at_each_of_its_paths(town: Town) -> None:
    twice = [route for route in ROUTES.values() if route.same_at]
    reads = [route for route in twice if route.method == "GET"]
    assert {route.operation for route in reads} == {
        "list_subscription_payments", "read_subscription_payment", "read_med", "read_order", "list_orders",
    }  # fmt: skip
    for route in reads:
        ways = [way for way in WAYS.values() if way.operation == route.operation]
        answers = [await town.send(way, asked(town, way), town.token(town.ana)) for way in ways]
        assert len(answers) == 2
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
    assert {route.operation for route in twice if route not in reads} == {
        "create_subscription_payment", "cancel_subscription_payment", "retry_subscription_payment", "upload_account_document",
        "create_order", "cancel_order",
    }  # fmt: skip
    assert len(WAYS) == len(ROUTES) + len(twice)
