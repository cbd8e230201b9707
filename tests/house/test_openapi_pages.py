"""/openapi.json and /docs as they are served: whole by themselves, in the reader's language, sent once."""

import asyncio
import os
import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any
from unittest.mock import Mock

import httpx
import msgspec
import pytest
from tests.http_contract import contract

from lastro.accounts import Institution
from lastro.api_kit.language import preferred
from lastro.app import wiring
from lastro.orders import Installation
from lastro.web import openapi
from lastro.web.application import application
from lastro.web.middleware import Gate
from lastro.web.openapi import reference

HOST = "lastro.test"
_NOBODYS = Mock(place=Installation(Institution("00000000", "Lastro", "0001"), f"https://{HOST}", sandbox=True))
PATHS = (
    "/openapi.json", "/postman.json", "/docs", "/docs/style.css", "/schemas", "/schemas/ORDER-PAYIN.PAID.json",
    "/docs/guide", "/docs/guide/errors", "/docs/guide/errors.md", "/llms.txt",
)  # fmt: skip
# A document whose every text would like to be something else.
_EVIL = "<script>alert(1)</script> **a<b** `x\"y'<z` & <img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """What of a page can do harm or lead nowhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.language: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = dict(attrs)
        self.attributes |= found.keys()
        self.ids += [v for k, v in attrs if k == "id" and v is not None]
        self.links |= {v for k, v in attrs if k in ("href", "src") and v is not None}
        self.language = found.get("lang") if tag == "html" else self.language


@asynccontextmanager
async def opened() -> AsyncIterator[httpx.AsyncClient]:
    """What everybody may read, asked in this process."""
    app = application(Gate(frozenset({HOST}), os.urandom), Mock(), (), wiring.public(_NOBODYS))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{HOST}") as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as client:
        yield client


async def ask(http: httpx.AsyncClient, path: str, **headers: str) -> httpx.Response:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await http.get(path, headers=given)
    contract().holds("GET", path, answer.status_code, answer.headers, answer.content)
    return answer


async def test_the_served_document_is_the_one_that_answers_are_held_against(http: httpx.AsyncClient) -> None:
    answer = await ask(http, "/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    served = answer.json()
    assert served == msgspec.json.decode(msgspec.json.encode(wiring.documented(_NOBODYS)))
    assert served["servers"] == [{"url": f"https://{HOST}"}]


async def test_every_kind_of_event_has_its_schema(http: httpx.AsyncClient) -> None:
    listed = (await ask(http, "/schemas")).json()["data"]
    assert [one["event"] for one in listed] == [notice.name for notice in wiring.EVENT_TYPES]
    for one, notice in zip(listed, wiring.EVENT_TYPES, strict=True):
        answer = await ask(http, one["url"].removeprefix(f"https://{HOST}"))
        assert answer.headers["content-type"] == "application/schema+json"
        assert answer.json()["$id"] == one["url"] == f"https://{HOST}/schemas/{notice.name}.json"
        assert answer.json() == openapi.event_schema(f"https://{HOST}", notice)


@pytest.mark.parametrize(
    "name", ["ORDER-PAYIN.PAID", "order-payin.paid.json", "MED.DELETED.json", ".json", "x", "%2e%2e%2fdocs"]
)
async def test_what_is_no_kind_of_event_has_none(http: httpx.AsyncClient, name: str) -> None:
    assert (await ask(http, f"/schemas/{name}")).status_code == 404


@pytest.mark.parametrize("path", PATHS)
async def test_what_a_reader_has_is_not_sent_again(http: httpx.AsyncClient, path: str) -> None:
    first = await ask(http, path)
    tag = first.headers["etag"]
    for held in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = await ask(http, path, if_none_match=held)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert "content-length" not in again.headers
    assert (await ask(http, path, if_none_match='"other"')).content == first.content
    head = await http.head(path)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(first.content)))


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_the_page_is_whole_without_scripts_or_others(http: httpx.AsyncClient, language: str) -> None:
    answer = await ask(http, "/docs", accept_language=language)
    page = Page(answer.text)
    assert (page.language, answer.headers["content-language"]) == (language, language)
    assert "script" not in page.tags
    assert not [name for name in page.attributes if name == "style" or name.startswith("on")]
    assert {link for link in page.links if not link.startswith("#")} == {
        "/docs/style.css", "/docs/guide", "/openapi.json", "/postman.json"
    }  # fmt: skip
    assert "default-src 'none'; style-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["vary"] == "accept-language"
    assert re.search(r"url\(|@import", (await ask(http, "/docs/style.css")).text) is None


async def test_every_operation_event_and_type_has_an_anchor(http: httpx.AsyncClient) -> None:
    page = Page((await ask(http, "/docs")).text)
    document = openapi.without_names(wiring.documented(_NOBODYS))
    wanted_ids = {said["operationId"] for item in document["paths"].values() for said in item.values()}
    wanted_ids |= {*document["webhooks"], *(f"type-{name}" for name in document["components"]["schemas"])}
    assert wanted_ids <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


async def test_they_are_made_once_and_not_before_somebody_asks() -> None:
    made: list[bool] = []

    def make() -> dict[str, Any]:
        made.append(len(made) > 0)
        if not made[-1]:
            raise OSError("the templates are away")
        return wiring.documented(_NOBODYS)

    served, scope = openapi.Reference(make), Mock()
    assert made == []
    with pytest.raises(OSError, match="away"):
        await served.openapi(scope, b"", {})
    asking = [asyncio.create_task(answer(scope, b"", {})) for answer in (served.openapi, served.openapi, served.page)]
    await asyncio.sleep(0)
    asking[0].cancel()
    assert [answer.status for answer in await asyncio.gather(*asking[1:])] == [200, 200]
    assert made == [False, True]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("pt-BR,pt;q=0.9,en;q=0.8", "pt"), ("en-US,en;q=0.9,pt;q=0.5", "en"), ("fr", "en"), ("fr, PT;q=0.1", "pt"),
        ("pt;q=0", "en"), ("pt;q=x, en;q=0.1", "en"), ("*", "en"), ("en;q=0.2, pt;q=0.3", "pt"),
    ],
)  # fmt: skip
def test_the_reader_chooses_the_language(accepted: str, language: str) -> None:
    assert preferred(accepted, reference.LANGUAGES) == language


def evil(part: Any) -> Any:
    """The same document, with every text for people replaced."""
    if isinstance(part, dict):
        told = {"description", "summary", "cause", "cure", "field", "title", "example", "default"}
        return {name: _EVIL if name in told and isinstance(value, str) else evil(value) for name, value in part.items()}
    return [evil(one) for one in part] if isinstance(part, list | tuple) else part


def test_every_text_is_escaped() -> None:
    document = evil(wiring.documented(_NOBODYS))
    for html in reference.pages(document).values():
        page = Page(html.decode())
        assert not page.tags & {"script", "img", "b"}
        assert not [name for name in page.attributes if name.startswith("on")]
        assert "&lt;script&gt;" in html.decode()


def test_a_call_can_be_pasted() -> None:
    document = wiring.documented(_NOBODYS)
    for path, item in document["paths"].items():
        for method, said in item.items():
            words = shlex.split(reference.curl(document, path, method, said))
            assert words[0] == "curl"
            assert "{" not in next(word for word in words if word.startswith("https://"))
            body = [words[n + 1] for n, word in enumerate(words[:-1]) if word == "-d" and "grant_type" not in words[n + 1]]
            assert [msgspec.json.decode(text) for text in body] == [
                content["example"]
                for media, content in said.get("requestBody", {}).get("content", {}).items()
                if media == "application/json" and "example" in content
            ]
    assert openapi.document("https://x", "1", (), {}, ())["paths"] == {}
