"""How the Python clients call: tokens, keys, retries, pages and errors, against a server that says what a test lets it say."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from lastro_client import ApiError, AsyncClient, Client, Conflict, InvalidRequest, LastroError, TooManyRequests, Unreachable
from lastro_client.models import CreateRefund

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Said = httpx.Response | Exception
PLACE = "https://pay.example"
REFUND: CreateRefund = {
    "orderId": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "externalId": "back-1", "refundCode": "MD06",
    "amount": {"currency": "BRL", "value": "1.00"},
}  # fmt: skip
INVALID = {
    "error": "INVALID_REQUEST", "message": "Request is not valid",
    "details": [{"field": "amount.value", "issue": "OUT_OF_RANGE", "description": "must be above zero"}],
}  # fmt: skip


@dataclass
class Server:
    """Answers in turn, and the last one from then on. tokens: how many it gave; waits: what the client waited."""

    answers: list[Said]
    asked: list[httpx.Request] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    tokens: int = 0
    lives: float = 3600.0
    time: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self.lock:
            if request.url.path == "/oauth2/token":
                self.tokens += 1
                return httpx.Response(200, json={"access_token": f"token-{self.tokens}", "expires_in": self.lives})
            self.asked.append(request)
            said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(said, Exception):
            raise said
        return said

    def client(self, **more: Any) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Client(PLACE, "lc_1", "lsk_1", http=http, sleep=self.waits.append, now=lambda: self.time, **more)

    def async_client(self) -> AsyncClient:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncClient(PLACE, "lc_1", "lsk_1", http=http, sleep=sleep, now=lambda: self.time)


def busy(status: int = 503, **headers: str) -> httpx.Response:
    body = {"error": "INTERNAL_ERROR", "message": "Away", "details": []}
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def done(**body: Any) -> httpx.Response:
    return httpx.Response(200, json=body)


def test_a_token_is_kept_and_renewed_before_its_end() -> None:
    server = Server([done(id="1")])
    client = server.client()
    for at in (0.0, 3539.0):
        server.time = at
        client.read_order("1")
    assert server.tokens == 1
    server.time = 3541.0
    client.read_order("1")
    assert (server.tokens, server.asked[-1].headers["authorization"]) == (2, "Bearer token-2")


def test_many_at_once_fetch_one_token() -> None:
    server = Server([done(id="1")])
    client = server.client()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(client.read_order, "12345678"))
    assert (server.tokens, len(server.asked)) == (1, 8)


async def test_many_tasks_fetch_one_token() -> None:
    server = Server([done(id="1")])
    async with server.async_client() as client:
        await asyncio.gather(*(client.read_order(name) for name in "12345678"))
    assert (server.tokens, len(server.asked)) == (1, 8)


def test_a_revoked_token_is_fetched_anew_once() -> None:
    server = Server([busy(401), done(id="1")])
    assert server.client().read_order("1")["id"] == "1"
    assert server.tokens == 2
    server = Server([busy(401)])
    with pytest.raises(ApiError, match="401"):
        server.client().read_order("1")
    assert (server.tokens, len(server.asked), server.waits) == (2, 2, [])


def test_a_key_is_made_and_kept_over_attempts() -> None:
    server = Server([httpx.ReadTimeout("slow"), busy(502), busy(500), done(id="1")])
    server.client().create_refund(REFUND)
    keys = {request.headers["idempotency-key"] for request in server.asked}
    ids = {request.headers["x-request-id"] for request in server.asked}
    assert (len(server.asked), len(keys), len(ids)) == (4, 1, 1)
    assert server.waits == sorted(server.waits)
    server.client().create_refund(REFUND, idempotency_key="mine")
    assert server.asked[-1].headers["idempotency-key"] == "mine"
    server.client().create_refund(REFUND)
    assert server.asked[-1].headers["idempotency-key"] not in keys


@pytest.mark.parametrize(
    ("said", "safe", "unsafe"),
    [
        (busy(503), 4, 1), (busy(500), 4, 1), (busy(429, retry_after="2"), 4, 4), (busy(409), 1, 1),
        (busy(409, retry_after="1"), 4, 1), (busy(400), 1, 1), (busy(429, retry_after="3600"), 1, 1),
        (httpx.ReadTimeout("slow"), 4, 1), (httpx.ConnectError("refused"), 4, 4),
    ],
)  # fmt: skip
def test_only_what_is_safe_is_sent_again(said: Said, safe: int, unsafe: int) -> None:
    calls: list[tuple[Callable[[Client], object], int]] = [
        (lambda client: client.read_order("1"), safe),
        (lambda client: client.create_refund(REFUND), safe),
        (lambda client: client.cancel_order("1", idempotency_key="k"), safe),
        (lambda client: client.delete_key("1", "2"), unsafe),
    ]
    for call, times in calls:
        server = Server([said])
        with pytest.raises(LastroError):
            call(server.client())
        assert len(server.asked) == times


def test_the_server_says_how_long_to_wait() -> None:
    server = Server([busy(429, retry_after="7"), done(id="1")])
    server.client().read_order("1")
    assert 7.0 <= server.waits[0] < 7.1


def test_a_refusal_names_field_and_cure_and_keeps_the_request() -> None:
    server = Server([httpx.Response(400, json=INVALID, headers={"x-request-id": "r-1"})])
    with pytest.raises(InvalidRequest) as caught:
        server.client().create_refund(REFUND, idempotency_key="k-1")
    error = caught.value
    assert (error.status, error.code, error.field, error.issue) == (400, "INVALID_REQUEST", "amount.value", "OUT_OF_RANGE")
    assert error.cure
    assert (error.request_id, error.idempotency_key) == ("r-1", "k-1")
    assert str(error) == (
        f"400 INVALID_REQUEST: Request is not valid: amount.value OUT_OF_RANGE: must be above zero → {error.cure} (request r-1)"
    )


def test_an_error_without_problems_has_a_cure_too() -> None:
    server = Server([busy(404)])
    with pytest.raises(ApiError) as caught:
        server.client().read_order("1")
    assert caught.value.cure
    assert caught.value.field == ""


def test_no_answer_says_with_which_key_to_go_on() -> None:
    server = Server([httpx.ReadTimeout("slow")])
    with pytest.raises(Unreachable) as caught:
        server.client(attempts=1).create_refund(REFUND)
    assert caught.value.idempotency_key == server.asked[0].headers["idempotency-key"]
    assert caught.value.request_id == server.asked[0].headers["x-request-id"]


def test_what_is_no_answer_of_lastros_is_an_error_all_the_same() -> None:
    for body in (b"<html>bad gateway</html>", b"[]", b"\xff"):
        with pytest.raises(ApiError, match="409 UNKNOWN"):
            Server([httpx.Response(409, content=body)]).client().read_order("1")
    assert issubclass(Conflict, ApiError)
    assert issubclass(TooManyRequests, ApiError)


def pages() -> list[Said]:
    first = {"limit": 1, "sort": "asc", "hasNext": True, "nextCursor": "c1", "data": [{"id": "1"}]}
    return [done(**first), done(**{**first, "hasNext": False, "nextCursor": "c2", "data": [{"id": "2"}]})]


def test_a_list_is_walked_page_by_page() -> None:
    server = Server(pages())
    found: Iterator[Any] = server.client().iterate_orders(status="PAID", sort="asc")
    assert next(found)["id"] == "1"
    assert len(server.asked) == 1
    assert [one["id"] for one in found] == ["2"]
    assert [dict(request.url.params) for request in server.asked] == [
        {"status": "PAID", "sort": "asc"}, {"status": "PAID", "sort": "asc", "cursor": "c1"},
    ]  # fmt: skip


async def test_a_list_is_walked_by_tasks_too() -> None:
    async with Server(pages()).async_client() as client:
        assert [one["id"] async for one in client.iterate_orders()] == ["1", "2"]


def test_an_id_cannot_lead_elsewhere() -> None:
    server = Server([done(id="1")])
    server.client().read_order("../accounts?x=1")
    assert server.asked[0].url.raw_path == b"/order/v2/transparent/..%2Faccounts%3Fx%3D1"


def test_a_wrong_secret_says_so() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(401, content=json.dumps({"error": "invalid_client"}), headers={"x-request-id": "r-2"})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    with pytest.raises(
        ApiError,
        match=r"401 invalid_client: No token: Look at the client's id and secret; .*\(request r-2\)",
    ):
        Client(PLACE, "lc_1", "lsk_secret", http=http).read_order("1")
