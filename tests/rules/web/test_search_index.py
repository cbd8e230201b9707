"""What a search finds, and how: words in any order, with or without accents, best first, calm before any question."""

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.web.search.index import LONGEST, Found, Index, Section, folded, words_of

SECTIONS = (
    Section("/a", "Refund an order", "Refunds", "A refund gives part of a paid order back, or all of it.", "en"),
    Section("/b", "Devolução", "Reembolsos", "A devolução de um pagamento é parcial ou total. Ação única.", "pt"),
    Section("/c", "List orders", "Orders", "Each order has a status; createdAt tells when it was made. " * 40, "en"),
    Section("/d", "Why", "Decisions", "A refund, a refund, a refund: many refunds.", "en", 0.1),
)
INDEX = Index(SECTIONS)


def urls(found: Found) -> list[str]:
    return [hit.section.url for hit in found.hits]


def excerpt(found: Found) -> str:
    return "".join(f"[{part}]" if is_asked else part for part, is_asked in found.hits[0].excerpt)


def test_a_word_of_the_title_counts_most() -> None:
    assert urls(INDEX.find("refund")) == ["/a", "/d"]
    assert urls(INDEX.find("REFUND order")) == ["/a"]
    assert urls(INDEX.find("order")) == ["/a", "/c"] or urls(INDEX.find("order")) == ["/c", "/a"]


@pytest.mark.parametrize(
    "question", ["devolucao", "DEVOLUÇÃO", "devolução", unicodedata.normalize("NFD", "devolução"), "Devoluçao"]
)
def test_accents_and_capitals_do_not_count(question: str) -> None:
    found = INDEX.find(question)
    assert urls(found) == ["/b"]
    assert excerpt(found) == "A [devolução] de um pagamento é parcial ou total. Ação única."


def test_a_word_is_found_within_another_where_it_begins_none() -> None:
    assert urls(INDEX.find("dAt")) == ["/c"]
    assert INDEX.find("dAt").whole


def test_a_word_of_others_stands_for_ours() -> None:
    spoken = Index(SECTIONS, {"reembolso": "devolução", "refund": "devolução"})
    assert urls(spoken.find("Reembolso parcial")) == ["/b"]
    assert urls(spoken.find("refund")) == ["/a", "/d"], "a word that stands somewhere is looked for itself"


def test_where_no_part_has_all_words_those_with_some_are_told() -> None:
    found = INDEX.find("refund zebra")
    assert (set(urls(found)), found.whole) == ({"/a", "/d"}, False)


def test_an_excerpt_is_around_what_was_found() -> None:
    far = Index([Section("/x", "T", "P", "blah " * 100 + "needle here " + "blah " * 100, "en")])
    shown = excerpt(far.find("needle"))
    assert shown.startswith("… blah")
    assert "[needle] here" in shown
    assert shown.endswith(" …")
    assert len(shown) < 300


@pytest.mark.parametrize("question", ["", "   ", "?!…", "\x00", "`'\"<>", "qqq-zzz-www"])
def test_nothing_comes_of_nothing(question: str) -> None:
    assert INDEX.find(question) == Found((), 0, whole=True)


def test_few_words_and_characters_are_read() -> None:
    assert len(words_of(" ".join(string.ascii_letters))) == 8
    assert words_of("a" * 10_000) == ["a" * LONGEST]
    assert words_of("x " * 5_000) == ["x"]


@given(st.text(max_size=300))
def test_a_text_keeps_its_length_and_any_question_is_answered(text: str) -> None:
    assert len(folded(text)) == len(text)
    found = Index([*SECTIONS, Section("/t", "T", "P", text, "en")]).find(text)
    for hit in found.hits:
        shown = "".join(part for part, _ in hit.excerpt).removeprefix("… ").removesuffix(" …")
        assert shown in hit.section.text
        for part, is_asked in hit.excerpt:
            assert not is_asked or folded(part) in {word.strip() for word in words_of(text)}
