"""The docs as people see them: every page of the guide and the reference, and the search, hold to WCAG in light and dark."""

import os

import pytest
from tests.browser.conftest import Street

from lastro.app import build_docs, generated_docs
from lastro.web.guide import shelf

SHELF = shelf.read(shelf.docs_folder(), generated_docs.pages(build_docs.routes()))
# Axe takes seconds for a page, and one template makes them: all are seen when somebody asks for it, a few a test so that
# several workers share them; else one of each group, two guides, and each eighth of the reference, in one language.
EVERY = bool(os.environ.get("LASTRO_EVERY_PAGE"))
_MOST = 6 if EVERY else 1000
FEW = [(word, leaves[n : n + _MOST]) for word, leaves in SHELF.groups for n in range(0, len(leaves), _MOST)]
_PARTS = 5 if EVERY else 1  # of the reference
_EACH = _PARTS if EVERY else 8
_LARGEST = ("errors", "refusals")  # made of the code; the largest of all take a minute


def languages(number: int) -> tuple[str, ...]:
    """Those in which a page is seen."""
    return ("en", "pt") if EVERY else (("en", "pt")[number % 2],)


def seen(group: str, leaves: tuple[shelf.Leaf, ...]) -> list[shelf.Leaf]:
    """Those pages of a few that are looked at."""
    return [*leaves] if EVERY else [leaf for leaf in leaves if leaf.name not in _LARGEST][: 2 if group == "guides" else 1]


@pytest.mark.parametrize(("group", "leaves"), FEW, ids=[f"{word}-{leaves[0].name}" for word, leaves in FEW])
async def test_every_page_of_the_guide_is_clean(street: Street, group: str, leaves: tuple[shelf.Leaf, ...]) -> None:
    """One template makes them: the last is seen on a phone in the dark, too."""
    async with street.window() as window:
        for n, leaf in enumerate(seen(group, leaves)):
            for language in languages(n) if leaf.portuguese else ("en",):
                await window.go(f"/docs/guide/{leaf.name}?lang={language}")
                await window.is_clean()
        if EVERY or group == "guides":
            await window.is_clean_everywhere()


@pytest.mark.parametrize("part", range(_PARTS))
async def test_every_page_of_the_reference_is_clean(street: Street, part: int) -> None:
    """With what is folded open, too."""
    async with street.window() as window:
        await window.go("/docs")
        places = await window.page.eval_on_selector_all(
            "nav .pages > li > a", "found => found.map(a => a.getAttribute('href'))"
        )
        assert len(places) > 15
        for n, place in [*enumerate(places)][part::_EACH]:
            for language in languages(n):
                await window.go(f"{place}?lang={language}")
                await window.is_clean()
        if part == 0:
            await window.go("/docs/api/tokens")
            await window.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            await window.is_clean_everywhere()


async def test_somebody_searches_without_a_script(street: Street) -> None:
    for language, words, says in (("en-US", "refund", "were found"), ("pt-BR", "devolução", "partes encontradas")):
        async with street.window(locale=language, java_script_enabled=False) as window:
            await window.go("/docs")
            await window.page.get_by_role("searchbox").fill(words)
            await window.page.keyboard.press("Enter")
            await window.page.wait_for_url("**/docs/search?q=*")
            assert says in await window.page.inner_text("main")
            await window.page.click("main ol a >> nth=0")
            await window.page.wait_for_url("**/docs/*/*")
    async with street.window() as window:
        for question in ("", "q=pix", "q=zzyzx", "q=refund&lang=pt"):
            await window.go(f"/docs/search?{question}")
            await window.is_clean_everywhere()
            await window.back_to_the_desk()
