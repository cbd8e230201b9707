"""Whoever is refused is told so in one form, whatever was asked and wherever: status, Error body, headers, and nothing of ours."""

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import pytest
from tests.in_one import in_one_test

from lastro.api_kit import rendering
from lastro.api_kit.http import Response
from lastro.app import wiring
from lastro.core.errors import DatabaseAway, Stale
from lastro.web.application import application

from .bad_input import IDS
from .examples import EXAMPLES, PUBLIC, everywhere
from .strangers import Answer, Town
from .test_bad_input import ROUTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

CODES = {
    400: ("INVALID_REQUEST", "Request is not valid"),
    401: ("UNAUTHORIZED", "Unauthorized Request"),
    403: ("FORBIDDEN_ERROR", "Access denied"),
    404: ("NOT_FOUND", "Resource not found"),
    405: ("INVALID_REQUEST", "Request is not valid"),
    409: ("INVALID_REQUEST", "Request is not valid"),
    413: ("INVALID_REQUEST", "Request is not valid"),
    406: ("INVALID_REQUEST", "Request is not valid"),
    415: ("INVALID_REQUEST", "Request is not valid"),
    429: ("INVALID_REQUEST", "Request is not valid"),
    500: ("INTERNAL_ERROR", "Unexpected error"),
    503: ("INTERNAL_ERROR", "Not available now, try again later"),
}
BARE = frozenset({401, 403, 404, 429, 500, 503})  # their details are empty
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "BREW")
# Which answer in other words, and those words alone (contract.md §1).
RFC_6749 = "/oauth2/token"
LOCATIONS = ("/qr/v2/{token}", "/qr/v2/rec/{token}")
PAGES = ("/checkout/{token}", "/3ds/{token}")
SECRET = "/rails/{connection}/{secret}"  # any text is a secret, which only a POST is asked about
NAMED = {"token": "0" * 22, "name": "x.png", "page": "x", "connection": "efi1", "secret": "x" * 32}

BY_PATH: dict[str, set[str]] = {}
for _route in ROUTES.values():
    BY_PATH.setdefault(_route.path, set()).add(_route.method)


def assert_error(answer: Answer, status: int, *, head: bool = False) -> None:
    """In the interface's words, and with the headers of every answer."""
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"]
    if head:
        assert answer.body == b""
        return
    assert int(answer.headers["content-length"]) == len(answer.body)
    said = answer.json
    assert list(said) == ["error", "message", "details"]
    assert (said["error"], said["message"]) == CODES[status]
    for detail in said["details"]:
        assert list(detail) == ["field", "issue", "description"]
        assert all(isinstance(text, str) for text in detail.values())
        assert detail["issue"] in get_args(rendering.Issue)
    assert (said["details"] == []) == (status in BARE)


def bearer(town: Town) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {town.token(town.ana)}")]


# ── paths and methods ──


@in_one_test("method", METHODS, str)
async def test_a_path_that_is_nobodys_is_not_found(town: Town, method: str) -> None:
    for path in ("/nowhere", "/order", "/order/v2", "/order/v2/transparent/x/y/z", "/admin", "/.env", "/docs/../health", "*",
                 "/%", "/%zz", "/%00", "/%ff", "/health%00", "/health%20", "/Health", "/health;x=1", "/health.json", "/a" * 10_000):  # fmt: skip
        for headers in ([], bearer(town)):
            assert_error(await town.send_raw(method, path, headers), 404, head=method == "HEAD")


@in_one_test("path", [*BY_PATH, *PUBLIC], str)
async def test_a_path_has_one_spelling(town: Town, path: str) -> None:
    """Neither a last slash, nor two in a row, nor one in disguise leads where the path does."""
    target = path.format(**everywhere(town.objects["order"]), **NAMED)
    others = [
        target + "/",
        target + "//",
        "/" + target,
        target.replace("/", "//"),
        target.replace("/", "/./"),
        "/x/.." + target,
    ]
    if path not in (*LOCATIONS, *PAGES):  # they take any text as their token, and answer in words of their own
        others += [target + "%2F", "/%2f" + target[1:], target.replace("/", "%2F").replace("%2F", "/", 1)]
        if path != SECRET:
            await assert_is_no_id(town, path, target + "%20")
    for other in others:
        if other != target:
            assert_error(await town.send_raw("GET", other, bearer(town)), 404)


async def assert_is_no_id(town: Town, path: str, other: str) -> None:
    """Where ids stand beside the last part of `path`, `other` is one that nobody has, by each method; else it is nobody's."""
    beside = _shape(path).rpartition("/")[0] + "/{}"
    routes = {route.method: name for name, route in ROUTES.items() if _shape(route.path) == beside}
    answer = await town.send_raw("GET", other, bearer(town))
    if not routes or "GET" in routes:
        assert_error(answer, 404)
        return
    assert_error(answer, 405)
    assert answer.headers["allow"].split(", ") == list(routes)
    for method, name in routes.items():
        example = EXAMPLES[name]
        ask = example.ask(town.objects.get(example.kind or "", ""))
        headers = [*bearer(town), *([("content-type", ask.media)] if ask.content else [])]
        for spelled in (other, ROUTES[name].path.format(**ask.path) + "%20"):
            assert_error(await town.send_raw(method, spelled, headers, ask.content), 404)


def _shape(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


@in_one_test("path", BY_PATH, str)
@in_one_test("method", METHODS, str)
async def test_a_method_that_a_path_does_not_take_is_refused(town: Town, path: str, method: str) -> None:
    taken = BY_PATH[path] | ({"HEAD"} if "GET" in BY_PATH[path] else set())
    if method in taken:
        return
    target = path.format(**everywhere(town.objects["order"]))
    head = method == "HEAD"
    assert_error(await town.send_raw(method, target), 401, head=head)
    answer = await town.send_raw(method, target, bearer(town))
    assert_error(answer, 405, head=head)
    assert head or answer.problems == [("method", "NOT_ALLOWED")]
    assert set(answer.headers["allow"].split(", ")) == taken


@in_one_test("path", PUBLIC, str)
@in_one_test("method", METHODS, str)
async def test_so_is_one_that_a_path_without_token_does_not_take(town: Town, path: str, method: str) -> None:
    answer = await town.send_raw(method, path.format(**NAMED))
    if answer.status == 405:
        assert_error(answer, 405, head=method == "HEAD")
        taken = set(answer.headers["allow"].split(", "))
        assert method not in taken
        assert ("GET" in taken) == ("HEAD" in taken)


@in_one_test("operation", [name for name, route in ROUTES.items() if route.method == "GET"], str)
async def test_head_says_what_get_does_without_its_body(town: Town, operation: str) -> None:
    route, example = ROUTES[operation], EXAMPLES[operation]
    ask = example.ask(town.objects.get(example.kind or "", ""))
    target = route.path.format(**ask.path) + "?" + "&".join(f"{name}={value}" for name, value in ask.query.items())
    for given, headers in ((target, bearer(town)), (target, []), (target + "&unknown=1", bearer(town))):
        whole, head = await town.send_raw("GET", given, headers), await town.send_raw("HEAD", given, headers)
        assert (head.status, head.body) == (whole.status, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
        assert head.headers.keys() == whole.headers.keys()


@in_one_test("path", PUBLIC, str)
async def test_paths_without_token_answer_the_error_body_but_for_those_of_other_words(town: Town, path: str) -> None:
    for method, target, body, status in PUBLIC[path]:
        answer = await town.send_raw(method, target, [], body or b"")
        assert answer.status == status
        if status < 400:
            continue
        if path == RFC_6749 and status != 405:
            assert answer.json.keys() == {"error"}
        elif path in LOCATIONS:
            assert (answer.body, answer.headers["x-content-type-options"]) == (b"", "nosniff")
        elif path in PAGES and status == 404:
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
        else:
            assert_error(answer, status)
    for label in IDS.values():
        named = path.replace("{token}", label).replace("{name}", label).replace("{page}", label)
        if path not in (named, *LOCATIONS, *PAGES):
            assert_error(await town.send_raw("GET", named), 404)


async def test_before_it_is_asked_a_path_of_other_words_answers_like_any(town: Town) -> None:
    for path, method in ((RFC_6749, "POST"), *((each.format(token="0" * 22), "GET") for each in (*LOCATIONS, *PAGES))):
        assert_error(await town.send_raw(method, path, [("host", "evil.example")]), 400)
        assert_error(await town.send_raw(method, path, [("origin", "https://evil.example")]), 403)
    assert_error(await town.send_raw("POST", RFC_6749, [("content-encoding", "gzip")], b"x"), 415)
    assert_error(await town.send_raw("POST", RFC_6749, [], b"x" * (1024 * 1024 + 1)), 413)


# ── what fails ──

_SECRET = "postgresql://lastro:hunter2@db/lastro"


def failing(town: Town, errors: Sequence[BaseException]) -> Any:
    """The town's application, with a path that fails with the last of these."""

    async def fails(*_: object) -> Response:
        raise errors[-1]

    house = town.house
    paths: Mapping[str, Mapping[str, Callable[..., Awaitable[Response]]]] = {"/fails/{id}": {"GET": fails, "POST": fails}}
    return application(wiring.gate(house), wiring.operations(house), (), paths)


async def test_a_failure_tells_nothing(town: Town) -> None:
    errors: list[BaseException] = []
    asgi = failing(town, errors)
    for error, status in (
        (RuntimeError(_SECRET), 500), (KeyError(_SECRET), 500), (ValueError(_SECRET), 500), (RecursionError(_SECRET), 500),
        (UnicodeEncodeError("utf-8", _SECRET, 0, 1, "no"), 500), (DatabaseAway(_SECRET), 503), (Stale(_SECRET), 503),
    ):  # fmt: skip
        errors.append(error)
        for method in ("GET", "HEAD", "POST"):
            answer = await town.send_raw(method, f"/fails/x?{_SECRET}", [("x-request-id", "mine")], b"", asgi)
            assert_error(answer, status, head=method == "HEAD")
            assert answer.headers["x-request-id"] == "mine"
            assert answer.headers.get("retry-after") == ("1" if status == 503 else None), error
            assert "hunter2" not in str(answer), error


async def test_a_process_that_ends_says_come_again(town: Town) -> None:
    """What the request did is not known here; under its key it may be sent again."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    asgi = failing(town, [asyncio.CancelledError()])
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/fails/x",
        "raw_path": b"/fails/x", "query_string": b"", "root_path": "", "headers": [(b"host", b"lastro.test")], "client": None,
        "server": None, "state": {},
    }  # fmt: skip
    with pytest.raises(asyncio.CancelledError):
        await asgi(scope, receive, send)
    assert (sent[0]["status"], sent[1]["more_body"]) == (503, False)


async def test_what_the_framework_fails_at_tells_nothing_either(town: Town) -> None:
    """Where a path is found is not our code, and its errors are not our words."""
    asgi = failing(town, [RuntimeError()])
    asgi.asgi_router.handle_routing = _Broken()
    assert_error(await town.send_raw("GET", "/fails/x", [], b"", asgi), 500)


class _Broken:
    def __call__(self, **_: object) -> None:
        raise RuntimeError(_SECRET)
