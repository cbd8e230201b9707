"""/docs/search as it is served: over guides and reference, without a script, calm whatever is asked."""

import re
from collections.abc import AsyncIterator
from pathlib import PurePosixPath
from urllib.parse import quote, urlsplit

import httpx
import pytest
from tests.house.test_openapi_pages import Page, ask, opened

from lastro.web.guide.sections import sections
from lastro.web.guide.shelf import Leaf, Shelf
from lastro.web.search import Search, Section


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as client:
        yield client


def results(text: str) -> list[str]:
    return re.findall(r'<li(?: lang="..")?>\n<a href="([^"]*)"', text)


@pytest.mark.parametrize(
    ("question", "language", "first"),
    [
        ("partial refund", "en", "/docs/guide/guides-refunds"),
        ("reembolsos", "pt", "/docs/guide/guides-refunds"),
        ("devolucao", "pt", "/docs/guide/"),
        ("create_order", "en", "/docs/api/orders#create_order"),
        ("notificationUrl", "en", "/docs/"),
        ("chave pix", "pt", "/docs/guide/guides-pix-keys"),
    ],
)
async def test_a_question_finds_its_page(http: httpx.AsyncClient, question: str, language: str, first: str) -> None:
    answer = await ask(http, f"/docs/search?q={quote(question)}", accept_language=language)
    found = results(answer.text)
    assert found
    assert any(one.startswith(first) for one in found[:3]), found[:5]
    assert answer.headers["content-language"] == language


async def test_every_result_leads_to_its_place(http: httpx.AsyncClient) -> None:
    seen: dict[str, Page] = {}
    for question, language in (
        ("pix", "en"),
        ("conta", "pt"),
        ("status", "pt"),
        ("webhook signature", "en"),
        ("banks", "en"),
    ):
        answer = await ask(http, f"/docs/search?q={quote(question)}&lang={language}")
        found = results(answer.text)
        assert len(found) > 3
        for link in found:
            place, part = urlsplit(link)._replace(fragment="").geturl(), urlsplit(link).fragment
            assert place.endswith(f"?lang={language}")
            if place not in seen:
                seen[place] = Page((await ask(http, place)).text)
            assert not part or part in seen[place].ids, link


@pytest.mark.parametrize(
    "question", ["", "%20", "%00%01", "x" * 60_000, "%F0%9F%92%B8", "%FF%FE", "%", "<script>alert(1)</script>", "a" * 5000 + "%C3",
     "%22%3E%3Cimg%20src%3Dx%20onerror%3Dy%3E", "%E2%80%AEpix", "&q=", "c%CC%A7a%CC%83o"],
)  # fmt: skip
async def test_any_question_is_answered_calmly(http: httpx.AsyncClient, question: str) -> None:
    answer = await ask(http, f"/docs/search?q={question}")
    page = Page(answer.text)
    assert answer.status_code == 200
    assert not page.tags & {"script", "img", "style"}
    assert not [name for name in page.attributes if name.startswith("on") or name == "style"]
    assert len(answer.content) < 40_000
    assert (
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'"
        in answer.headers["content-security-policy"]
    )


async def test_the_question_stands_in_the_box_and_the_language_stays(http: httpx.AsyncClient) -> None:
    text = (await ask(http, "/docs/search?q=%22a%26b&lang=pt", accept_language="en")).text
    assert 'value="&#34;a&amp;b"' in text
    assert '<input type="hidden" name="lang" value="pt">' in text
    assert "Resultados" in text
    nothing = (await ask(http, "/docs/search?q=zzyzx")).text
    assert "Nothing was found" in nothing
    assert "/docs/search?q=zzyzx&amp;lang=pt" in nothing
    assert "have some of them" in (await ask(http, "/docs/search?q=zzyzx+refund")).text


@pytest.mark.parametrize("path", ["/docs", "/docs/api/orders", "/docs/guide", "/docs/guide/guides-refunds", "/docs/search"])
async def test_every_page_has_the_box(http: httpx.AsyncClient, path: str) -> None:
    assert '<form class="search" role="search" action="/docs/search" method="get">' in (await ask(http, path)).text


def test_a_part_is_its_words_without_marks_and_drawings() -> None:
    text = (
        "# Refunds\n\n| status | told |\n|---|:--|\n| `PAID` | yes |\n\n```mermaid\nstateDiagram-v2\n  [*] --> A\n```\n\n"
        "```python examples/x.py#y\nprint(1)\n```\n- a [link](x.md)\n"
    )
    leaf = Leaf("guides-refunds", PurePosixPath("guides/refunds.md"), "Refunds", text)
    (only,) = sections(Shelf((("guides", (leaf,)),), {}), "en")
    assert only.text == "status told PAID yes print(1) - a link"


async def test_no_excerpt_shows_marks(http: httpx.AsyncClient) -> None:
    for question in ("refund", "status", "payout"):
        text = (await ask(http, f"/docs/search?q={question}")).text
        assert "--- ---" not in text
        assert "mermaid" not in text


async def test_the_index_is_made_once_and_a_failure_is_tried_again() -> None:
    made: list[str] = []

    async def source(language: str) -> list[Section]:
        made.append(language)
        if len(made) == 1:
            raise OSError("the pages are away")
        return [Section("/x", "Refund", "Refunds", "Words.", language)]

    served = Search([source])
    scope = {"query_string": b"q=refund"}
    with pytest.raises(OSError, match="away"):
        await served.answer(scope, b"", {})  # type: ignore[arg-type]
    for _ in range(3):
        assert b"Refund</a>" in (await served.answer(scope, b"", {})).body  # type: ignore[arg-type]
    assert made == ["en", "en"]
