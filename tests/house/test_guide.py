"""/docs/guide as it is served: every page, whole by itself, with links that lead somewhere, in the reader's language."""

import importlib.util
import re
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import httpx
import pytest
from tests.house.test_docs import anchors
from tests.house.test_openapi_pages import Page, ask, opened
from tests.house.tree import ROOT

from lastro.app import build_docs, generated_docs
from lastro.web.guide import Addresses, pages, shelf

GENERATED = generated_docs.pages(build_docs.routes())
SHELF = shelf.read(shelf.docs_folder(), GENERATED)
LEAVES = [leaf for _, leaves in SHELF.groups for leaf in leaves]
ICON = f"{pages.BASE}/images-icon.svg"
_MENTIONED = re.compile(rf"{pages.BASE}/([\w.-]+(?:#[\w-]+)?)")


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with opened() as client:
        yield client


@pytest.fixture(scope="module", params=["en", "pt"])
def served(request: pytest.FixtureRequest) -> dict[str, Page]:
    """Every page as whoever reads this language gets it."""
    return {leaf.name: Page(pages.page(SHELF, leaf, request.param)) for leaf in LEAVES}


def test_every_document_is_a_page_and_stands_once() -> None:
    found = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert not found & GENERATED.keys(), "made when they are read, not kept"
    documents = [path for path in found | GENERATED.keys() if not path.endswith(".pt.md")]
    assert len(documents) > 50
    assert sorted(leaf.path.as_posix() for leaf in LEAVES) == sorted(documents)
    assert len({leaf.name for leaf in LEAVES}) == len(LEAVES)


def test_a_page_is_whole_by_itself(served: dict[str, Page]) -> None:
    for name, page in served.items():
        assert not page.tags & {"script", "iframe", "style", "object"}, name
        assert not [one for one in page.attributes if one.startswith("on") or one == "style"], name
        assert len(page.ids) == len(set(page.ids)), name


def test_links_lead_to_pages_headings_and_files(served: dict[str, Page]) -> None:
    lost, places = [], {f"{pages.BASE}/{name}": set(page.ids) for name, page in served.items()}
    for name, page in served.items():
        for link in page.links - {"/docs", "/docs?lang=en", "/docs?lang=pt", "/docs/style.css"}:
            place, _, fragment = unquote(link).partition("#")
            place = re.sub(r"\?lang=(en|pt)$", "", place)
            if place.startswith("/"):
                is_file = place.removeprefix(f"{pages.BASE}/") in SHELF.files
                good = (is_file and not fragment) or (place in places and (not fragment or fragment in places[place]))
            else:
                good = bool(re.match(r"https?:", link)) or (not place and fragment in page.ids)
            lost += [] if good else [f"{name}: {link}"]
    assert not lost, "\n".join(lost)


def test_what_the_product_itself_links_leads_to_pages_and_headings(served: dict[str, Page]) -> None:
    files = [path for kind in ("html", "js", "py") for path in (ROOT / "src").rglob(f"*.{kind}")]
    found = [(path, link) for path in files for link in _MENTIONED.findall(path.read_text(encoding="utf-8"))]
    assert sum(path.parent.parent.name == "tutorial" for path, _ in found) > 5, "the first minute leads on to guides"
    lost = []
    for path, link in found:
        name, _, heading = link.partition("#")
        if name in SHELF.files and not heading:
            continue
        if name not in served or (heading and heading not in served[name].ids):
            lost.append(f"{path.relative_to(ROOT)}: {link}")
    assert not lost, "\n".join(lost)


def test_headings_are_named_as_github_names_them() -> None:
    for leaf in LEAVES:
        for text in (leaf.text, leaf.portuguese or leaf.text):
            made = set(re.findall(r'<h\d id="([^"]*)"', pages.html(text, lambda link: link)))
            assert made == anchors(text), leaf.name


def test_a_portuguese_page_is_also_entered_by_the_names_of_the_english_one() -> None:
    made = pages.html("# Um\n\n## Dois\n\n## Three\n", lambda link: link, "# One\n\n## Two\n\n## Three\n")
    assert re.findall(r'id="([^"]*)"', made) == ["um", "one", "dois", "two", "three"]


def test_a_drawing_of_states_is_a_table() -> None:
    drawn = "```mermaid\nstateDiagram-v2\n  [*] --> A: make\n  A --> B\n```\n"
    made = pages.html(drawn, lambda link: link)
    assert re.findall(r"<td>(.*?)</td>", made) == [
        "<code>&#9679;</code>", "make", "<code>A</code>", "<code>A</code>", "", "<code>B</code>",
    ]  # fmt: skip
    assert "<th>act" not in pages.html(drawn + "\n| from | to |\n|---|---|\n| A | B |\n", lambda link: link)


def test_a_call_by_a_client_is_folded() -> None:
    made = pages.html("```python examples/x.py#y\nprint(1)\n```\n\n```python\nprint(2)\n```\n", str)
    page = Page(made)
    assert {"details", "summary"} <= page.tags
    assert made.count("<details") == 1
    assert "<summary>Python</summary>" in made
    assert made.count('<a href="/docs/guide/examples-python-x.py">The whole program</a>') == 1


def test_the_empty_corner_of_a_table_is_no_heading() -> None:
    made = pages.html("| | b |\n|---|---|\n| c | d |\n", str)
    assert re.findall(r"<t[hd]>.*?</t[hd]>", made) == ["<td></td>", "<th>b</th>", "<td>c</td>", "<td>d</td>"]


def test_what_a_document_says_is_never_markup() -> None:
    evil = "# <script>x</script>\n\n<img src=x onerror=y> [a](javascript:alert) ![b](data:text/html,x) `<b>`\n"
    page = Page(pages.html(evil, lambda link: link))
    assert page.tags <= {"h1", "p", "code", "a", "img"}
    assert not {link for link in page.links if link.startswith(("javascript:", "data:text"))}


def test_the_first_pages_are_whole_for_all_who_ask_at_once() -> None:
    """Of a process that has made none: what Markdown's rules are is put together with the first."""
    text, made = "# One\n\n| a | b |\n| - | - |\n| *c* | d |\n", set()
    held = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(300):
            fresh = newly_imported(pages.__name__)
            start = threading.Barrier(4)
            with ThreadPoolExecutor(4) as threads:
                made |= set(threads.map(partial(made_together, fresh, start), [text] * 4))
    finally:
        sys.setswitchinterval(held)
    assert made == {pages.html(text, str)}


def made_together(fresh: ModuleType, start: threading.Barrier, text: str) -> str:
    start.wait()
    html: str = fresh.html(text, str)
    return html


def newly_imported(name: str) -> ModuleType:
    """Another copy of a module, beside the one that everybody has."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


async def test_it_is_served_in_the_readers_language(http: httpx.AsyncClient) -> None:
    for language, spoken, says in (("en", "en", "Contents"), ("pt", "pt", "Conteúdo"), ("fr", "en", "Contents")):
        answer = await ask(http, "/docs/guide/runbooks", accept_language=language)
        assert (answer.headers["content-language"], answer.status_code) == (spoken, 200)
        assert says in answer.text
        assert (spoken == "pt") == ("Faça" in answer.text)
        assert (
            ("<title>Roteiros de operação" in answer.text) == (">Contestações (MED)</a>" in answer.text) == (spoken == "pt")
        )
    only = await ask(http, "/docs/guide/money", accept_language="pt")
    assert "só em inglês" in only.text
    assert "default-src 'none'" in only.headers["content-security-policy"]
    assert (await ask(http, "/docs/guide")).content == (await ask(http, f"/docs/guide/{shelf.START}")).content


async def test_the_other_language_is_a_link_away_and_stays(http: httpx.AsyncClient) -> None:
    page = Page((await ask(http, "/docs/guide/guides-orders", accept_language="en")).text)
    assert {link for link in page.links if "lang=" in link} == {"/docs/guide/guides-orders?lang=pt"}
    chosen = await ask(http, "/docs/guide/guides-orders?lang=pt", accept_language="en")
    assert chosen.headers["content-language"] == "pt"
    links = {link for link in Page(chosen.text).links - {ICON} if link.startswith(f"{pages.BASE}/")}
    assert {"/docs/guide/guides-orders?lang=en", "/docs/guide/guides-checkout?lang=pt"} <= links
    assert all("?lang=" in link for link in links if f"{pages.BASE}/examples-" not in link)  # a program has one
    asked_for_none = await ask(http, "/docs/guide/guides-orders?lang=fr", accept_language="pt")
    assert (asked_for_none.headers["content-language"], "?lang=pt" in asked_for_none.text) == ("pt", False)
    start = await ask(http, "/docs/guide?lang=pt", accept_language="en")
    assert start.headers["content-language"] == "pt"


async def test_its_sources_and_files_are_had_too(http: httpx.AsyncClient) -> None:
    source = await ask(http, "/docs/guide/guides-orders.md")
    assert source.text == (ROOT / "docs" / "guides" / "orders.md").read_text(encoding="utf-8")
    assert source.headers["content-type"] == "text/markdown; charset=utf-8"
    copied = await ask(http, "/docs/guide/proxy-nginx.conf")
    assert copied.text == (ROOT / "docs" / "proxy" / "nginx.conf").read_text(encoding="utf-8")
    picture = await ask(http, "/docs/guide/images-journey.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in picture.headers["content-security-policy"]
    listed = (await ask(http, "/llms.txt")).text
    for leaf in LEAVES:
        assert f"/docs/guide/{leaf.name}.md)" in listed
    for path, name in (("errors.md", "errors"), ("states/orders.md", "states-orders")):
        assert (await ask(http, f"/docs/guide/{name}.md")).text == GENERATED[path]


def test_the_first_guides_are_in_the_order_of_a_journey() -> None:
    names = [
        leaf.name.removeprefix("guides-") for word, leaves in SHELF.groups for leaf in leaves if word in ("start", "guides")
    ]
    journey = [
        "first-minute", "orders", "checkout", "subscriptions", "refunds", "payouts", "plans", "webhooks", "pix-keys",
        "static-codes", "cards", "own-bank", "going-live",
    ]  # fmt: skip
    places = [names.index(one) for one in journey]
    assert places == sorted(places)


def test_every_guide_is_in_both_languages() -> None:
    assert not [leaf.name for leaf in LEAVES if leaf.path.parts[0] == "guides" and leaf.portuguese is None]


def test_the_addresses_are_those_of_the_running_sandbox() -> None:
    places = Addresses("http://127.0.0.1:18080", "http://127.0.0.1:18090")
    text = "<http://127.0.0.1:8080/start> 127.0.0.1:8080/qr/v2/x http://127.0.0.1:8090/phone"
    said = "<http://127.0.0.1:18080/start> 127.0.0.1:18080/qr/v2/x http://127.0.0.1:18090/phone"
    assert places.within(text) == said
    assert Addresses("https://pay.test", "https://sim.test").within(text) == (
        "<https://pay.test/start> pay.test/qr/v2/x https://sim.test/phone"
    )
    moved = places.on(SHELF)
    usual = re.compile(r"(127\.0\.0\.1|localhost):80[89]0")
    for leaf in (leaf for _, leaves in moved.groups for leaf in leaves if leaf.path.parts[0] == "guides"):
        assert not usual.search(leaf.text + (leaf.portuguese or "")), leaf.name
    assert "127.0.0.1:18080/start" in pages.page(moved, moved.leaf("guides-first-minute") or LEAVES[0], "pt")
    assert (moved.leaf("install"), moved.files) == (SHELF.leaf("install"), SHELF.files), "ports of the machine itself"
    assert Addresses("https://pay.test").on(SHELF) == SHELF, "production tells of a sandbox of the reader's own"


def test_the_generated_pages_are_written_below_a_folder(tmp_path: Path) -> None:
    build_docs.write(tmp_path)
    written = {p.relative_to(tmp_path).as_posix(): p.read_text(encoding="utf-8") for p in tmp_path.rglob("*.md")}
    assert written == GENERATED


@pytest.mark.parametrize(
    "name", ["nobody", "...", ".md", "map.md.md", "operations.html", "%2e%2e%2fREADME", "guides", "x" * 300]
)
async def test_what_is_no_page_is_not_there(http: httpx.AsyncClient, name: str) -> None:
    assert (await http.get(f"/docs/guide/{name}")).status_code == 404


def test_a_page_that_no_group_names_stands_with_the_reference(tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("# `New`\n\nWords\nof it.\n", encoding="utf-8")
    (leaf,) = [leaf for word, leaves in shelf.read(tmp_path, {}).groups for leaf in leaves if word == "reference"]
    assert (leaf.name, leaf.title, leaf.first_words, leaf.in_("pt")[0]) == ("new", "New", "Words of it.", "en")
