"""Makes PDF pages, and embeds the one font of all of them.

To read a font and to subset it to the letters in use takes longer than all else of a page. For pages by the hundred both is
done once per process, for all letters of Portuguese and its neighbours.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from fpdf import FPDF
from fpdf.fonts import TTFFont
from fpdf.output import OutputProducer
from fpdf.syntax import PDFObject

from lastro.standards.legible import MARK

if TYPE_CHECKING:
    from fpdf.output import PDFFont, PDFType3Font

FONTS = Path(__file__).parent / "fonts"
FILES = (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf"))
FONT = "DejaVu"
NO_LETTER = MARK  # stands for a character that the font has not
# Latin as Unicode has it up to Extended-A without the hyphen that is not seen, dashes, quotation marks, …, the euro.
_LETTERS = (
    *range(0x20, 0x7F), *range(0xA0, 0xAD), *range(0xAE, 0x180), *range(0x2010, 0x2016), *range(0x2018, 0x2020), 0x2026,
    0x20AC, 0x25AF,
)  # fmt: skip
_one_at_a_time = Lock()  # what is kept of the font takes other numbers in each document


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The font in its styles, cut once. objects: what a document embeds, in its order; by_index: where text finds it."""

    fonts: dict[str, TTFFont]
    letters: frozenset[int]
    objects: tuple[PDFObject, ...]
    by_index: dict[int, PDFFont | PDFType3Font]


class _Cutting(OutputProducer):
    """Subsets a document's fonts as fpdf2 does; keeps the result in `made`."""

    made: tuple[tuple[PDFObject, ...], dict[int, PDFFont | PDFType3Font]] = ((), {})

    def _add_fonts(self, *resources: dict) -> dict[int, PDFFont | PDFType3Font]:  # type: ignore[type-arg]
        before = len(self.pdf_objs)
        by_index = super()._add_fonts(*resources)
        type(self).made = (tuple(o for o in self.pdf_objs[before:] if isinstance(o, PDFObject)), by_index)
        return by_index


class _EmbeddedFonts(OutputProducer):
    """Puts the fonts into a document as they were cut."""

    def _add_fonts(self, *resources: dict) -> dict[int, PDFFont | PDFType3Font]:  # type: ignore[type-arg]
        del resources  # of fonts that are pictures
        prepared = _prepared()
        for made in prepared.objects:
            self._add_pdf_obj(made, "fonts")
        return prepared.by_index


@cache
def _prepared() -> _Prepared:
    bare = FPDF()
    for style, file in FILES:
        bare.add_font(FONT, style, FONTS / file)
    fonts: dict[str, TTFFont] = {}
    letters: set[int] = set(_LETTERS)
    for name, font in bare.fonts.items():
        assert isinstance(font, TTFFont)
        fonts[name] = font
        letters &= font.cmap.keys()
    for font in fonts.values():
        for letter in sorted(letters):
            font.subset.pick(letter)
    bare.add_page()
    bare.output(output_producer_class=_Cutting)
    objects, by_index = _Cutting.made
    return _Prepared(fonts, frozenset(letters), objects, by_index)


class Paper(FPDF):
    """A4, millimetres, the font in both styles. Text has to pass through `printable`; `drawn` ends it."""

    def __init__(self) -> None:
        super().__init__(format="A4")
        with _one_at_a_time:
            prepared = _prepared()
        self.fonts.update(prepared.fonts)
        self._printable = prepared.letters
        self.c_margin = 0  # text begins and ends where it is put
        self.set_auto_page_break(auto=False)
        self.set_lang("pt-BR")
        self.set_creator("lastro")

    def printable(self, text: str) -> str:
        """The text in letters that the font has, ▯ for any other; also for what would break or end a line."""
        return "".join(c if ord(c) in self._printable else NO_LETTER for c in unicodedata.normalize("NFC", text))

    def drawn(self) -> bytes:
        """The PDF's bytes."""
        with _one_at_a_time:
            return bytes(self.output(output_producer_class=_EmbeddedFonts))
