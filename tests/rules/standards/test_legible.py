"""What others wrote, as people are shown it: nothing turns, hides or covers what stands beside it."""

import jinja2
from tests.in_one import in_one_test

from lastro.console.shell import templates
from lastro.pdf.document import NO_LETTER, Paper
from lastro.standards.legible import as_shown, legible
from lastro.standards.spreadsheets import as_text

PLAIN = (
    "", "Fabio de Fora", "José", "Ỳ Ngọc", "שלום", "年", "👨\u200d👩\u200d👧", "❤\ufe0f", "two\nlines\tand a tab",
    "1.234,56",
)  # fmt: skip
HIDDEN = (
    "Ana\u202e00,01 $R", "\u2066Ana\u2069", "Ana\u200b", "A\u00adna", "Ana\u2060", "\ufeffAna", "Ana\u061c", "A\u115fna", "Ana\u3164", "Ana\u2800", "Ana\ufffc",
    "Ana\ufe0f", "Ana\u200d", "Ana\U000e0041", "Ana\x1b[2J", "Ana\u2028Bento", "a" + "\u0301" * 9,
)  # fmt: skip


@in_one_test("text", PLAIN)
def test_what_people_write_stays(text: str) -> None:
    assert legible(text) == text


@in_one_test("text", HIDDEN)
def test_what_turns_hides_or_covers_is_shown_as_a_mark(text: str) -> None:
    assert "\N{WHITE VERTICAL RECTANGLE}" in legible(text)
    assert legible(legible(text)) == legible(text)
    assert "\N{WHITE VERTICAL RECTANGLE}" in as_text(text), "a spreadsheet shows it, too"
    assert NO_LETTER in Paper().printable(text), "and a PDF"


def test_letters_and_their_accents_are_one() -> None:
    assert legible("Jose\u0301") == "José"


def test_every_page_shows_it_so_and_leaves_its_own_markup_alone() -> None:
    page = templates().from_string("<p>{{ name }}</p>{% macro m() %}<b>{{ name }}</b>{% endmacro %}{{ m() }}")
    assert page.render(name="<Ana\u202e>") == "<p>&lt;Ana▯&gt;</p><b>&lt;Ana▯&gt;</b>"
    assert as_shown(12) == 12
    assert jinja2.Environment(autoescape=True, finalize=as_shown).from_string("{{ x }}").render(x=None) == "None"
