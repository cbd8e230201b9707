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
from urllib.parse import parse_qsl, urlsplit

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
from lastro.web.openapi import calls, reference

HOST = "lastro.test"
_NOBODYS = Mock(
    place=Installation(Institution("00000000", "Lastro", "0001"), f"https://{HOST}", sandbox=True), simulator_url=""
)
PATHS = (
    "/openapi.json", "/postman.json", "/docs", "/docs/api/orders", "/docs/search?q=pix", "/docs/style.css", "/schemas", "/schemas/ORDER-PAYIN.PAID.json",
    "/docs/guide", "/docs/guide/errors", "/docs/guide/errors.md", "/llms.txt",
)  # fmt: skip
PLACES = tuple(reference.address(name) for name in reference.names(reference.inlined(wiring.documented(_NOBODYS))))
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
@pytest.mark.parametrize("taken", ["gzip", "identity"])
async def test_what_a_reader_has_is_not_sent_again(http: httpx.AsyncClient, path: str, taken: str) -> None:
    first = await ask(http, path, accept_encoding=taken)
    tag = first.headers["etag"]
    for held in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = await ask(http, path, if_none_match=held, accept_encoding=taken)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert "content-length" not in again.headers
        assert again.headers.get("vary") == first.headers.get("vary")
    assert (await ask(http, path, if_none_match='"other"', accept_encoding=taken)).content == first.content
    head = await http.head(path, headers={"accept-encoding": taken})
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", first.headers["content-length"])


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("/schemas")])
async def test_it_is_sent_compressed_to_who_takes_that(http: httpx.AsyncClient, path: str) -> None:
    plain, packed = await ask(http, path, accept_encoding="identity"), await ask(http, path, accept_encoding="br, gzip")
    assert (packed.headers["content-encoding"], "content-encoding" in plain.headers) == ("gzip", False)
    assert plain.content == packed.content, "httpx has unpacked it"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) == len(plain.content)
    assert packed.headers["etag"] != plain.headers["etag"], "a tag is of the bytes that are sent"
    assert "accept-encoding" in packed.headers["vary"] == plain.headers["vary"]
    for refused in ("gzip;q=0", "br", "gzipped", "", "gzip;q=0.000, br"):
        assert "content-encoding" not in (await ask(http, path, accept_encoding=refused)).headers


# Bytes as they are sent. The whole reference was one page of 182,000.
@pytest.mark.parametrize(("path", "most"), [("/docs", 20_000), ("/docs/style.css", 3_000), ("/docs/guide", 20_000)])
async def test_the_first_page_is_small(http: httpx.AsyncClient, path: str, most: int) -> None:
    for language in reference.LANGUAGES:
        answer = await ask(http, path, accept_language=language, accept_encoding="gzip")
        assert int(answer.headers["content-length"]) < most


async def test_no_page_is_as_large_as_the_whole_was(http: httpx.AsyncClient) -> None:
    sizes = {}
    for place in PLACES:
        answer = await ask(http, place, accept_encoding="gzip")
        sizes[place] = int(answer.headers["content-length"])
    assert max(sizes.values()) < 60_000, sizes


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("language", ["en", "pt"])
async def test_a_page_is_whole_without_scripts_or_others(http: httpx.AsyncClient, place: str, language: str) -> None:
    answer = await ask(http, place, accept_language=language)
    page = Page(answer.text)
    other = "pt" if language == "en" else "en"
    assert (page.language, answer.headers["content-language"]) == (language, language)
    assert "script" not in page.tags
    assert not [name for name in page.attributes if name == "style" or name.startswith("on")]
    others = {link.partition("#")[0] for link in page.links if not link.startswith("#")}
    assert others == {
        "/docs/guide/images-icon.svg",
        "/docs/style.css",
        "/docs/guide",
        "/openapi.json",
        "/postman.json",
        f"{place}?lang={other}",
        *PLACES,
    }
    assert "default-src 'none'; style-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["vary"] == "accept-language, accept-encoding"
    asked = await ask(http, f"{place}?lang={language}", accept_language=other)
    assert asked.headers["content-language"] == language
    links = {link.partition("#")[0] for link in Page(asked.text).links - {"/docs/guide/images-icon.svg"}}
    docs = {link for link in links if link.startswith(("/docs/api", "/docs/guide", "/docs?"))}
    assert all(link.endswith(("?lang=pt", "?lang=en")) for link in docs), "the language that was chosen stays"


async def test_the_style_asks_for_nothing(http: httpx.AsyncClient) -> None:
    assert re.search(r"url\(|@import", (await ask(http, "/docs/style.css")).text) is None


async def test_every_operation_event_and_type_has_an_anchor(http: httpx.AsyncClient) -> None:
    """On its page; and on the contents, where addresses of the time when they were one page lead."""
    pages = {place: Page((await ask(http, place)).text) for place in PLACES}
    document = reference.inlined(wiring.documented(_NOBODYS))
    wanted_ids = {said["operationId"] for item in document["paths"].values() for said in item.values()}
    wanted_ids |= {*document["webhooks"], *(f"type-{name}" for name in document["components"]["schemas"])}
    wanted_ids |= {f"answer-{name}" for name in document["components"]["responses"]}
    below = {one for place, page in pages.items() if place != "/docs" for one in page.ids}
    assert wanted_ids <= below
    assert wanted_ids | {f"tag-{tag['name']}" for tag in document["tags"]} | {
        "about", "events", "errors", "types"
    } <= set(pages["/docs"].ids)  # fmt: skip
    for place, page in pages.items():
        assert len(set(page.ids)) == len(page.ids)
        for link in page.links:
            to, _, part = link.partition("#")
            assert not part or part in pages[to or place].ids, f"{place}: {link}"


@pytest.mark.parametrize("name", ["nobody", "Orders", "contents", "layout", ".", "orders.html", "x" * 300, "%2e%2e%2fstyle"])
async def test_what_is_no_page_of_the_reference_is_not_there(http: httpx.AsyncClient, name: str) -> None:
    assert (await http.get(f"/docs/api/{name}")).status_code == 404


async def test_they_are_made_once_and_not_before_somebody_asks() -> None:
    made: list[bool] = []

    def make() -> dict[str, Any]:
        made.append(len(made) > 0)
        if not made[-1]:
            raise OSError("the templates are away")
        return wiring.documented(_NOBODYS)

    served = openapi.Reference(make)
    scope: Any = {"query_string": b"", "path_params": {"page": "orders"}}
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
    document = reference.inlined(evil(wiring.documented(_NOBODYS)))
    for name in reference.names(document):
        for language in reference.LANGUAGES:
            html = reference.page(document, name, language).decode()
            page = Page(html)
            assert not page.tags & {"script", "img", "b"}
            assert not [one for one in page.attributes if one.startswith("on")]
            assert "&lt;script&gt;" in html


def test_a_call_can_be_pasted() -> None:
    document = reference.inlined(wiring.documented(_NOBODYS))
    for path, item in document["paths"].items():
        for method, said in item.items():
            words = shlex.split(calls.curl(document, path, method, said))
            assert words[0] == "curl"
            assert "{" not in next(word for word in words if word.startswith("https://"))
            url = urlsplit(next(word for word in words if word.startswith("https://")))
            needed = {p["name"] for p in said["parameters"] if p["in"] == "query" and p.get("required")}
            assert {name for name, _ in parse_qsl(url.query)} == needed, path
            forms = said.get("requestBody", {}).get("content", {}).get("multipart/form-data", {"schema": {}})["schema"]
            fields = {words[n + 1].partition("=")[0] for n, word in enumerate(words[:-1]) if word == "-F"}
            assert fields == set(forms.get("required", ())), path
            body = [words[n + 1] for n, word in enumerate(words[:-1]) if word == "-d" and "grant_type" not in words[n + 1]]
            assert [msgspec.json.decode(text) for text in body] == [
                content["example"]
                for media, content in said.get("requestBody", {}).get("content", {}).items()
                if media == "application/json" and "example" in content
            ]
    assert openapi.document("https://x", "1", (), {}, ())["paths"] == {}
