"""Answers that are not JSON, over HTTP: the client's Accept chooses, the document says what may come, refusals stay JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.http_contract import BrokenContractError, Contract

from lastro.api_kit.routes import Answer as Told
from lastro.api_kit.routes import Doc, Incoming, Route, render
from lastro.app import errors_page, wiring
from lastro.core.db import Session
from lastro.core.errors import Kind, Refusal, Refused
from lastro.core.media import CSV, JSON, PDF, Media, saved_as
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.web import openapi
from lastro.web.application import application
from lastro.web.openapi import reference

from .strangers import Answer, Town

FILE = b"%PDF-1.7 a wheel"
LINES = b"size;maker\r\n1;Jo\xc3\xa3o\r\n"


class Wheel(Told, kw_only=True, frozen=True):
    size: int


@dataclass(frozen=True)
class Show(Act[None]):
    """What was asked for, as what was asked for. gone: it is not there."""

    media: str
    gone: bool = False

    async def read(self, session: Session, context: RequestContext) -> None:
        return None

    def decide(self, known: None, context: RequestContext) -> Done | Refused:
        if self.gone:
            return Refused(Kind.NOT_FOUND)
        if self.media == JSON:
            return Done(None, render(Wheel(size=1)))
        if self.media == CSV:
            return Done(None, LINES, media=f"{CSV}; charset=utf-8", headers=(saved_as("rodas.csv"),))
        return Done(None, FILE, media=PDF, headers=(saved_as("roda é.pdf"),))


@dataclass(frozen=True)
class Glimpse(Show):
    """The same in one round trip."""

    def query(self) -> Query[None]:
        return Query("SELECT $1::uuid", (), lambda _: None)


_BOTH = Doc(
    "Read a wheel",
    "As JSON or PDF.",
    answer=Wheel,
    response={"size": 1},
    media=(Media(PDF),),
    headers=("content-disposition",),
)
_GONE = replace(_BOTH, refusals=(Refusal(Kind.NOT_FOUND, "", "", "There is no wheel.", "Look elsewhere."),))
_LINES = Doc("Read wheels", "As CSV.", media=(Media(CSV, "size;maker\n1;João\n"),), headers=("content-disposition",))


def show(incoming: Incoming) -> Show:
    return Show(incoming.media)


def glimpse(incoming: Incoming) -> Show:
    return Glimpse(incoming.media)


def gone(incoming: Incoming) -> Show:
    return Show(incoming.media, gone=True)


ROUTES = (
    Route("GET", "/wheel", "read_wheel", "orders:read", show, _BOTH),
    Route("GET", "/glimpse", "glimpse_wheel", "orders:read", glimpse, _BOTH),
    Route("GET", "/gone", "read_gone_wheel", "orders:read", gone, _GONE),
    Route("GET", "/lines", "read_wheels", "orders:read", show, _LINES),
)
DOCUMENT = openapi.document("https://lastro.test", "1", ROUTES, {}, ())
CONTRACT = Contract(DOCUMENT)


async def ask(town: Town, path: str, accepts: Sequence[str], method: str = "GET", **who: Any) -> Answer:
    """accepts: the lines of the header."""
    asgi = application(wiring.gate(town.house), wiring.operations(town.house), ROUTES, {})
    headers = [("authorization", f"Bearer {town.token(who.get('client', town.ana))}"), *(("accept", a) for a in accepts)]
    answer = await town.send_raw(method, path, headers, asgi=asgi)
    CONTRACT.holds(method, path, answer.status, answer.headers, answer.body)
    return answer


@pytest.mark.parametrize("path", ["/wheel", "/glimpse"])
@pytest.mark.parametrize(
    ("accepts", "media", "body"),
    [
        ([], JSON, b'{"size":1}'),
        (["*/*"], JSON, b'{"size":1}'),
        (["application/pdf"], PDF, FILE),
        (["text/html;q=0.9", "application/pdf;q=0.8, application/json;q=0.7"], PDF, FILE),
        (["application/json", "application/pdf;q=0.1"], JSON, b'{"size":1}'),
    ],
)
async def test_the_client_chooses(town: Town, path: str, accepts: list[str], media: str, body: bytes) -> None:
    answer = await ask(town, path, accepts)
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, media, body)
    assert answer.headers["vary"] == "accept"
    assert answer.headers["content-length"] == str(len(body))
    name = answer.headers.get("content-disposition")
    assert name == (None if media == JSON else "attachment; filename=\"roda _.pdf\"; filename*=UTF-8''roda%20%C3%A9.pdf")
    head = await ask(town, path, accepts, method="HEAD")
    assert (head.body, head.headers["content-type"], head.headers["content-length"]) == (b"", media, str(len(body)))


async def test_an_operation_may_have_no_json(town: Town) -> None:
    for accepts in ([], ["text/csv"], ["text/*, application/json"]):
        answer = await ask(town, "/lines", accepts)
        assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/csv; charset=utf-8", LINES)


@pytest.mark.parametrize(
    ("path", "had"), [("/wheel", "application/json or application/pdf"), ("/lines", "text/csv")]
)  # fmt: skip
async def test_what_is_not_had_is_refused_as_json(town: Town, path: str, had: str) -> None:
    answer = await ask(town, path, ["text/html, image/*"])
    assert (answer.status, answer.headers["content-type"], answer.headers["vary"]) == (406, JSON, "accept")
    assert answer.json == {
        "error": "INVALID_REQUEST", "message": "Request is not valid",
        "details": [{"field": "accept", "issue": "NOT_SUPPORTED", "description": f"the answer is had as {had}"}],
    }  # fmt: skip


async def test_a_refusal_is_json_whatever_was_accepted(town: Town) -> None:
    answer = await ask(town, "/gone", ["application/pdf"])
    assert (answer.status, answer.headers["content-type"]) == (404, JSON)
    answer = await ask(town, "/wheel?size=1", ["application/pdf"])
    assert (answer.status, answer.problems) == (400, [("size", "NOT_ALLOWED")])


async def test_who_may_not_ask_is_told_only_that(town: Town) -> None:
    assert (await ask(town, "/wheel", ["text/html"], client=town.powerless["orders:read"])).status == 403


async def test_where_there_is_nothing_to_choose_accept_is_not_looked_at(town: Town) -> None:
    headers = [("authorization", f"Bearer {town.token(town.ana)}"), ("accept", "text/html")]
    answer = await town.send_raw("GET", "/order/v2/transparent", headers)
    assert (answer.status, answer.headers["content-type"]) == (200, JSON)
    assert "vary" not in answer.headers


def test_the_document_says_what_may_come() -> None:
    said = DOCUMENT["paths"]["/wheel"]["get"]["responses"]
    assert list(said["200"]["content"]) == [JSON, PDF]
    assert said["200"]["content"][PDF]["schema"] == {"type": "string", "contentMediaType": PDF}
    assert "406" in said
    lines = DOCUMENT["paths"]["/lines"]["get"]["responses"]["200"]["content"]
    assert list(lines) == [CSV]
    inlined = reference.inlined(DOCUMENT)
    pages = [reference.page(inlined, name, "en").decode() for name in reference.names(inlined)]
    for shown in ("size;maker\n1;João\n", PDF):
        assert any(shown in page for page in pages)
    assert "| 406 | `accept` | `NOT_SUPPORTED` |" in errors_page.page(ROUTES)


@pytest.mark.parametrize(
    ("path", "status", "changed", "body"),
    [
        ("/wheel", 200, {"content-type": CSV}, LINES),
        ("/lines", 200, {"content-type": PDF}, FILE),
        ("/wheel", 200, {"content-type": PDF, "vary": None}, FILE),
        ("/wheel", 200, {}, b'{"size":"1"}'),
        ("/wheel", 404, {"content-type": PDF}, FILE),
        ("/wheel", 406, {}, b'{"error":"INVALID_REQUEST","message":"","details":[{"field":"accept","issue":"INVALID","description":""}]}'),
    ],
)  # fmt: skip
def test_what_the_document_does_not_say_is_seen(path: str, status: int, changed: dict[str, Any], body: bytes) -> None:
    headers = {"x-request-id": "1", "content-type": JSON, "vary": "accept", **dict.fromkeys(
        ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"), "9")} | changed  # fmt: skip
    with pytest.raises(BrokenContractError):
        CONTRACT.holds("GET", path, status, {n: v for n, v in headers.items() if v is not None}, body)
