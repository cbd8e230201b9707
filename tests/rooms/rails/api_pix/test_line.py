"""The line to a bank, at a real server: what becomes of each kind of answer, and what leaves the house."""

import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from lastro.core import trace
from lastro.core.secrets import Secret
from lastro.rails.api_pix import SetUpWrongly
from lastro.rails.api_pix.exchange import LARGEST_ANSWER_BYTES

from .bank import Answer, Bank, Hand, Lined, transient

DENIED = b'{"type":"https://pix.bcb.gov.br/api/v2/error/AcessoNegado","title":"Acesso Negado","status":403}'


@pytest.mark.parametrize("status", [200, 201, 202, 204, 400, 404, 409, 410, 413, 415, 422])
async def test_what_the_bank_says_of_an_object_is_handed_on(bank: Bank, lined: Lined, status: int) -> None:
    body = b"" if status in {202, 204} else b'{"txid":"abc"}'
    bank.answers.append(Answer(status, body))
    answer = await lined().ask("PUT", "/cob/abc", b"{}", 5.0)
    assert (answer.status, answer.body) == (status, body)


SOAP = b"<soap:Envelope/>"


@pytest.mark.parametrize(
    ("answer", "reason", "is_on_its_way"),
    [
        (Answer(408), "answered with HTTP status 408", True),
        (Answer(500, SOAP), "answered with HTTP status 500", True),
        (Answer(502, b"<html>"), "answered with HTTP status 502", True),
        (Answer(504, b""), "answered with HTTP status 504", True),
        (Answer(200, b"<html>"), "the answer is no JSON", True),
        (Answer(200, b""), "the answer is no JSON", True),
        (Answer(429), "asked too often", False),
    ],
)
async def test_what_is_no_answer(bank: Bank, lined: Lined, answer: Answer, reason: str, is_on_its_way: bool) -> None:
    bank.answers.append(answer)
    with capture_logs() as logs:
        told = await transient(lined().ask("GET", "/cob/abc", None, 5.0))
    assert (told.reason, told.is_on_its_way) == (reason, is_on_its_way)
    assert logs == []
    assert len(bank.requests) == 1, "nothing is tried again"


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("after", "seconds"), [("7", 7), ("100000", 3600), ("date", 60), ("soon", None), ("-1", None), (None, None)]
)
async def test_when_the_bank_wants_to_be_asked_again(
    bank: Bank, lined: Lined, status: int, after: str | None, seconds: int | None
) -> None:
    given = format_datetime(datetime.now(UTC) + timedelta(seconds=59.9), usegmt=True) if after == "date" else after
    bank.answers.append(Answer(status, headers={} if given is None else {"Retry-After": given}))
    told = await transient(lined().ask("GET", "/pix", None, 5.0))
    if after == "date":
        assert told.retry_after_seconds in range(50, 62)
    else:
        assert told.retry_after_seconds == seconds


@pytest.mark.parametrize(
    ("dialect", "answer", "cause"),
    [
        ("standard", Answer(403, DENIED), "access"),
        ("standard", Answer(403, b"<html>"), "access"),
        ("standard", Answer(400, DENIED), "access"),
        ("standard", Answer(422, b'{"error":"insufficient_scope"}'), "access"),
        (
            "sicredi",
            Answer(400, '{"title":"Requisição inválida","detail":"O escopo cob.write não foi concedido"}'.encode()),
            "access",
        ),
        ("standard", Answer(301, headers={"Location": "https://elsewhere.example"}), "address"),
        ("standard", Answer(307, headers={"Location": "/v2/pix"}), "address"),
    ],
)
async def test_a_mistake_of_set_up_is_the_operators(
    bank: Bank, lined: Lined, dialect: str, answer: Answer, cause: str
) -> None:
    bank.answers.append(answer)
    line = lined(dialect)
    with capture_logs() as logs:
        told = await transient(line.ask("PUT", "/cob/abc", b"{}", 5.0))
    assert isinstance(told, SetUpWrongly)
    assert (told.cause, told.is_on_its_way) == (cause, False)
    [found] = logs
    assert (found["log_level"], found["event"], found["rail"], found["kind"]) == (
        "critical",
        "bank.set_up_wrongly",
        "efi1",
        cause,
    )
    assert line.troubles == {cause}
    assert len(bank.requests) == 1


async def test_a_word_that_only_looks_like_a_denial_is_handed_on(bank: Bank, lined: Lined) -> None:
    body = b'{"title":"telescope is no field","detail":"x"}'
    bank.answers.append(Answer(400, body))
    assert (await lined().ask("PUT", "/cob/abc", b"{}", 5.0)).body == body


async def test_the_same_trouble_is_told_once_a_minute(bank: Bank, lined: Lined, clock: Hand) -> None:
    line = lined()
    bank.answers += [Answer(403)] * 5
    with capture_logs() as logs:
        for _ in range(3):
            await transient(line.ask("GET", "/pix", None, 5.0))
        clock.at += 60
        await transient(line.ask("GET", "/pix", None, 5.0))
    assert len(logs) == 2
    clock.at += 601
    assert line.troubles == frozenset()


async def test_a_slow_bank_is_left(bank: Bank, lined: Lined) -> None:
    held = threading.Event()
    bank.answers.append(Answer(held=held))
    line = lined()
    await line.tokens.token()
    told = await transient(line.ask("PUT", "/cob/abc", b"{}", 0.1))
    held.set()
    assert (told.reason, told.is_on_its_way) == ("no answer within 0.1 s", True)


async def test_too_large_an_answer_is_not_read(bank: Bank, lined: Lined) -> None:
    line = lined()
    bank.answers += [
        Answer(body=b"[" + b" " * (LARGEST_ANSWER_BYTES - 2) + b"]"),
        Answer(body=b"[" + b" " * LARGEST_ANSWER_BYTES),
    ]
    assert len((await line.ask("GET", "/pix", None, 10.0)).body) == LARGEST_ANSWER_BYTES
    assert (await transient(line.ask("GET", "/pix", None, 10.0))).reason == "the answer is larger than any that is expected"


async def test_an_address_at_which_nobody_listens(bank: Bank, lined: Lined) -> None:
    bank.close()
    told = await transient(lined().ask("GET", "/pix?chave=a@b.example", None, 5.0))
    assert (told.reason, told.is_on_its_way) == ("ConnectionRefusedError", False)


async def test_what_leaves_the_house(bank: Bank, lined: Lined, monkeypatch: pytest.MonkeyPatch) -> None:
    """No header that a bank does not need, and no proxy of the environment."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    trace.take_up("request-of-a-client")
    line = lined()
    await line.ask("PUT", "/cob/abc", b"{}", 5.0, query={"a": "b c&d"}, more={"Prefer": "x"})
    [sent] = bank.requests
    assert sent.path == "/cob/abc?a=b+c%26d"
    assert set(sent.headers) == {
        "Host", "Authorization", "Accept", "Accept-Encoding", "User-Agent", "Content-Type", "Content-Length", "Prefer",
    }  # fmt: skip
    assert (sent.headers["User-Agent"], sent.headers["Content-Type"]) == ("lastro", "application/json")
    await lined(is_traced=True).ask("GET", "/pix", None, 5.0)
    assert bank.requests[-1].headers["x-request-id"] == "request-of-a-client"
    assert "Content-Type" not in bank.requests[-1].headers


async def test_what_some_banks_want_beside(bank: Bank, lined: Lined) -> None:
    key = f"key-{uuid4()}"
    await lined("bb", app_key=Secret(key)).ask("GET", "/pix", None, 5.0, query={"inicio": "1"})
    await lined("inter", bank_account="123").ask("GET", "/pix", None, 5.0)
    await lined("sicoob").ask("GET", "/pix", None, 5.0)
    itau = lined("itau")
    await itau.ask("GET", "/pix", None, 5.0)
    await itau.ask("GET", "/pix", None, 5.0)
    sicredi = lined("sicredi")
    await sicredi.ask("PUT", "/cob/abc", b"{}", 5.0)
    await sicredi.ask("GET", "/cob", None, 5.0)
    bb, inter, sicoob, first, second, made, listed = bank.requests
    assert bb.path == f"/pix?gw-dev-app-key={key}&inicio=1"
    assert inter.headers["x-conta-corrente"] == "123"
    assert sicoob.headers["client_id"] == "client"
    assert [one.headers["x-correlationID"] for one in (first, second)] == ["request-1", "request-2"]
    assert [made.path, listed.path] == ["/v3/cob/abc", "/v2/cob"]


async def test_a_bank_that_was_asked_too_often_is_asked_less(bank: Bank, lined: Lined, clock: Hand) -> None:
    """Of six a minute one may begin at once; the next has to wait longer than its caller does, and never leaves."""
    line = lined(requests_per_minute=6)
    await line.ask("GET", "/pix", None, 5.0)
    told = await transient(line.ask("GET", "/pix", None, 0.05))
    assert (told.reason, told.is_on_its_way) == ("no answer within 0.05 s", False)
    clock.at += 10
    bank.answers.append(Answer(429))
    await transient(line.ask("GET", "/pix", None, 5.0))
    clock.at += 10
    await transient(line.ask("GET", "/pix", None, 0.05))
    clock.at += 10
    assert (await line.ask("GET", "/pix", None, 5.0)).status == 200
    assert len(bank.requests) == 3


async def test_a_secret_is_in_no_text(bank: Bank, lined: Lined) -> None:
    line = lined()
    bank.answers.append(Answer(500))
    with capture_logs() as logs:
        told = await transient(line.ask("GET", "/pix/12345678901", None, 5.0))
    texts = f"{logs} {told!r} {line.connection!r} {vars(line.tokens)}"
    assert "very-secret" not in texts
    assert "token-1" not in texts
    assert "12345678901" not in f"{logs} {told!r}"
