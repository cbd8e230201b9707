"""Tokens of a bank, at a real server: asked for in each bank's style, once for all who wait, and few of them."""

import asyncio
import base64
import json
import threading
from typing import Any
from urllib.parse import parse_qs

import pytest
from structlog.testing import capture_logs

from lastro.rails.api_pix import BankLine, SetUpWrongly
from lastro.rails.api_pix.oauth import EARLY_SECONDS, REQUESTS_A_MINUTE

from .bank import Answer, Bank, Hand, Lined, token, transient

BASIC = "Basic " + base64.b64encode(b"client:very-secret").decode()


@pytest.mark.parametrize(
    ("dialect", "authorization", "media", "body"),
    [
        ("standard", BASIC, "application/x-www-form-urlencoded", {"grant_type": "client_credentials", "scope": "cob.read pix.read"}),
        ("efi", BASIC, "application/json", {"grant_type": "client_credentials"}),
        (
            "inter", None, "application/x-www-form-urlencoded",
            {"grant_type": "client_credentials", "scope": "cob.read pix.read", "client_id": "client", "client_secret": "very-secret"},
        ),
        (
            "sicoob", None, "application/x-www-form-urlencoded",
            {"grant_type": "client_credentials", "scope": "cob.read pix.read", "client_id": "client"},
        ),
    ],
)  # fmt: skip
async def test_a_token_is_asked_for_in_the_banks_style(
    bank: Bank, lined: Lined, dialect: str, authorization: str | None, media: str, body: dict[str, str]
) -> None:
    line = lined(dialect, scopes=("cob.read", "pix.read"), bank_account="123")
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    [wanted] = bank.token_requests
    assert (wanted.method, wanted.headers.get("Authorization"), wanted.headers["Content-Type"]) == (
        "POST",
        authorization,
        media,
    )
    read = (
        json.loads(wanted.body) if media.endswith("json") else {k: v[0] for k, v in parse_qs(wanted.body.decode()).items()}
    )
    assert read == body
    assert bank.requests[0].headers["Authorization"] == "Bearer token-1"


async def test_santanders_grant_stands_in_the_query(bank: Bank, lined: Lined) -> None:
    await lined("santander").ask("GET", "/pix", None, 5.0)
    assert bank.token_requests[0].path == "/oauth/token?grant_type=client_credentials"


async def test_fifty_at_once_ask_for_one_token(bank: Bank, lined: Lined) -> None:
    held = threading.Event()
    bank.tokens.append(Answer(body=token("one").body, held=held))
    line = lined()
    asked = [asyncio.create_task(line.ask("GET", f"/pix/{number}", None, 10.0)) for number in range(50)]
    while not bank.token_requests:
        await asyncio.sleep(0)
    held.set()
    answers = await asyncio.gather(*asked)
    assert [one.status for one in answers] == [200] * 50
    assert len(bank.token_requests) == 1
    assert {one.headers["Authorization"] for one in bank.requests} == {"Bearer one"}


async def test_who_gives_up_leaves_the_token_to_the_others(bank: Bank, lined: Lined) -> None:
    held = threading.Event()
    bank.tokens.append(Answer(body=token("one").body, held=held))
    line = lined()
    other = asyncio.create_task(line.ask("GET", "/pix", None, 10.0))
    hurried = await transient(line.ask("GET", "/cob", None, 0.05))
    assert (hurried.reason, hurried.is_on_its_way) == ("no answer within 0.05 s", False)
    held.set()
    assert (await other).status == 200
    assert len(bank.token_requests) == 1


def figures(bank: Bank, line: BankLine) -> tuple[int, float | None]:
    """How many tokens were asked for, and how old the present one is."""
    return len(bank.token_requests), line.tokens.age_seconds


async def test_a_token_is_used_until_shortly_before_its_end(bank: Bank, lined: Lined, clock: Hand) -> None:
    line = lined()
    assert figures(bank, line) == (0, None)
    await line.ask("GET", "/pix", None, 5.0)
    clock.at += 3600 - EARLY_SECONDS - 1
    await line.ask("GET", "/pix", None, 5.0)
    assert figures(bank, line) == (1, 3569.0)
    clock.at += 1
    await line.ask("GET", "/pix", None, 5.0)
    assert figures(bank, line) == (2, 0.0)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ({"expires_in": "300"}, 270),
        ({"expires_in": 40}, 20),
        ({"expires_in": None}, 270),
        ({"expires_in": "soon"}, 270),
        ({"expires_in": 1e30}, 86_370),
        ({"scope": "cob.read"}, 60),
    ],
)
async def test_the_life_of_a_token_as_banks_write_it(
    bank: Bank, lined: Lined, clock: Hand, told: dict[str, Any], seconds: float
) -> None:
    bank.tokens.append(token("one", **told))
    line = lined()
    for later, count in ((0.0, 1), (seconds - 1, 1), (seconds, 2)):
        clock.at = 1_000.0 + later
        await line.ask("GET", "/pix", None, 5.0)
        assert len(bank.token_requests) == count


async def test_a_refused_token_is_replaced_once(bank: Bank, lined: Lined) -> None:
    line = lined()
    bank.answers.append(Answer(401))
    body = b'{"valor":{"original":"1.00"}}'
    assert (await line.ask("PUT", "/cob/abc", body, 5.0)).status == 200
    assert [one.headers["Authorization"] for one in bank.requests] == ["Bearer token-1", "Bearer token-2"]
    assert [one.body for one in bank.requests] == [body, body]
    bank.answers += [Answer(401), Answer(401)]
    with capture_logs() as logs:
        refused = await transient(line.ask("GET", "/pix", None, 5.0))
    assert isinstance(refused, SetUpWrongly)
    assert (refused.cause, refused.is_on_its_way) == ("token", False)
    assert [(one["log_level"], one["kind"]) for one in logs] == [("critical", "token")]
    assert len(bank.requests) == 4


async def test_fifty_refused_at_once_get_one_new_token(bank: Bank, lined: Lined) -> None:
    line = lined()
    await line.ask("GET", "/pix", None, 5.0)
    bank.dead.add("token-1")
    answers = await asyncio.gather(*(line.ask("GET", f"/pix/{number}", None, 10.0) for number in range(50)))
    assert [one.status for one in answers] == [200] * 50
    assert len(bank.token_requests) == 2


async def test_tokens_are_asked_for_so_often_at_most(bank: Bank, lined: Lined, clock: Hand) -> None:
    """A bank whose every token is refused is not asked until it blocks us."""
    line = lined()
    bank.answers += [Answer(401)] * 100
    for _ in range(20):
        await transient(line.ask("GET", "/pix", None, 5.0))
    assert len(bank.token_requests) == REQUESTS_A_MINUTE
    spent = await transient(line.ask("GET", "/pix", None, 5.0))
    assert (spent.reason, spent.retry_after_seconds, spent.is_on_its_way) == (
        "a token was asked for a moment ago",
        60,
        False,
    )
    clock.at += 60
    await transient(line.ask("GET", "/pix", None, 5.0))
    assert len(bank.token_requests) > REQUESTS_A_MINUTE


async def test_a_bank_that_gives_no_token_is_asked_less_and_less(bank: Bank, lined: Lined, clock: Hand) -> None:
    """However many wait, and soon again: an outage of seconds does not cost a minute."""
    line = lined()
    asked_at = []
    for _ in range(64):
        before = len(bank.token_requests)
        bank.tokens[:] = [Answer(503)]
        for _ in range(3):
            away = await transient(line.ask("GET", "/pix", None, 5.0))
            assert not away.is_on_its_way
        if len(bank.token_requests) > before:
            asked_at.append(clock.at - 1_000)
        clock.at += 1
    assert asked_at == [0, 1, 3, 7, 15, 31, 63]
    bank.tokens.clear()
    clock.at = 1_095
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    bank.dead.add("token-8")
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200, "after one that was given there is no pause"


async def test_fewer_scopes_than_asked_are_told_and_used(bank: Bank, lined: Lined) -> None:
    bank.tokens.append(token("one", scope="cob.read  cob.write"))
    line = lined(scopes=("cob.read", "cob.write", "pix.read"))
    with capture_logs() as logs:
        assert (await line.ask("GET", "/cob", None, 5.0)).status == 200
    [told] = logs
    assert (told["event"], told["log_level"], told["kind"], told["cause"]) == (
        "bank.set_up_wrongly",
        "critical",
        "scopes",
        "pix.read",
    )
    assert line.tokens.missing() == {"pix.read"}
    assert line.troubles == {"scopes"}


async def test_a_bank_that_names_no_scopes_gave_those_asked(bank: Bank, lined: Lined) -> None:
    line = lined()
    with capture_logs() as logs:
        await line.ask("GET", "/cob", None, 5.0)
    assert (logs, line.tokens.missing(), line.troubles) == ([], frozenset(), frozenset())


@pytest.mark.parametrize(
    ("answer", "cause", "detail"),
    [
        (Answer(400, b'{"error":"invalid_client"}'), "client", "HTTP status 400 invalid_client"),
        (Answer(401, b"<html>very-secret</html>"), "client", "HTTP status 401"),
        (Answer(403, b'{"error":"client very-secret is unknown"}'), "client", "HTTP status 403"),
        (Answer(302, headers={"Location": "https://elsewhere.example"}), "address", "HTTP status 302 for a token"),
        (Answer(503), None, "the token was answered with HTTP status 503"),
        (Answer(429), None, "the token was answered with HTTP status 429"),
        (Answer(200, b"<html>"), None, "the answer holds no token"),
        (Answer(200, b'{"token":"x"}'), None, "the answer holds no token"),
        (Answer(200, b'{"access_token":""}'), None, "the answer holds no token that can be sent"),
        (Answer(200, b'{"access_token":"a\\r\\nX-Other: b"}'), None, "the answer holds no token that can be sent"),
    ],
)
async def test_no_token(bank: Bank, lined: Lined, answer: Answer, cause: str | None, detail: str) -> None:
    bank.tokens.append(answer)
    with capture_logs() as logs:
        told = await transient(lined().ask("GET", "/pix", None, 5.0))
    assert not told.is_on_its_way
    assert [one["kind"] for one in logs] == ([] if cause is None else [cause])
    assert told.reason == (detail if cause is None else f"{cause}: {detail}")
    assert "very-secret" not in f"{logs}{told}"
    assert bank.requests == []


@pytest.mark.parametrize("status", [429, 503])
async def test_a_pause_that_the_bank_asks_for_is_kept(bank: Bank, lined: Lined, clock: Hand, status: int) -> None:
    """The first pause of our own would be a second."""
    line = lined()
    bank.tokens.append(Answer(status, headers={"Retry-After": "600"}))
    told = await transient(line.ask("GET", "/pix", None, 5.0))
    assert (told.retry_after_seconds, told.is_on_its_way) == (600, False)
    clock.at += 599
    told = await transient(line.ask("GET", "/pix", None, 5.0))
    assert (told.retry_after_seconds, len(bank.token_requests)) == (1, 1)
    clock.at += 1
    await line.ask("GET", "/pix", None, 5.0)
    assert len(bank.token_requests) == 2
