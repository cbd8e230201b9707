"""Text on a page: set small, wrapped, made to fit its field, and written across what is over."""

from __future__ import annotations

from lastro.pdf.document import FONT, Paper

SMALLEST = 5.0  # points: below it nothing can be read
CUT = "…"
GREY, BLACK = (90, 90, 90), (0, 0, 0)


class Lettered(Paper):
    """A page whose text fits. Sizes are points, places and widths mm."""

    def across(self, word: str, y: float) -> None:
        """Across a part of the page: that it is not to be paid any more."""
        with self.local_context(fill_opacity=0.25), self.rotation(20, 105, y):
            self.set_font(FONT, "B", 72)
            self.set_text_color(190, 0, 0)
            self.text(105 - self.get_string_width(word) / 2, y + 9, word)

    def _small(self, x: float, y: float, text: str, *, right: bool = False) -> None:
        self._ink(5.5, grey=True)
        self.text(x - self.get_string_width(text) if right else x, y, text)

    def _wrapped(self, x: float, y: float, width: float, text: str, *, most: int) -> None:
        """Text on up to so many lines; what is left of it is cut from the last."""
        self._ink(8.5)
        rest = self.printable(text)
        for number in range(most):
            if not rest:
                return
            line = rest if number == most - 1 else self._first_of(rest, width)
            rest = rest[len(line) :].lstrip()
            self.text(x, y + 3 + 4.2 * number, self._cut_to(line.rstrip(), width))

    def _first_of(self, text: str, width: float) -> str:
        """As many words of a text as fit; of a word that is too long as many letters."""
        if self.get_string_width(text) <= width:
            return text
        end = self._letters_in(text, width)
        space = text.rfind(" ", 0, end + 1)
        return text[:space] if space > 0 else text[: max(end, 1)]

    def _fitted(self, text: str, width: float, size: float, *, bold: bool = False, tail: str = "") -> str:
        """Returns text that fits: in smaller letters where needed, cut before its tail where they would be too small."""
        printed, end = self.printable(text), self.printable(tail)
        self._ink(size, bold=bold)
        needed = self.get_string_width(printed + end)
        if needed > width:
            self._ink(max(size * width / needed * 0.99, SMALLEST), bold=bold)
        return self._cut_to(printed, width - self.get_string_width(end)) + end

    def _cut_to(self, text: str, width: float) -> str:
        """Returns text that fits in the present letters, cut where needed."""
        if self.get_string_width(text) <= width:
            return text
        return text[: self._letters_in(text, width - self.get_string_width(CUT))].rstrip() + CUT

    def _letters_in(self, text: str, width: float) -> int:
        """Returns how many of the text's first letters fit."""
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.get_string_width(text[:middle]) <= width:
                low = middle
            else:
                high = middle - 1
        return low

    def _ink(self, size: float, *, bold: bool = False, grey: bool = False) -> None:
        self.set_font(FONT, "B" if bold else "", size)
        self.set_text_color(*(GREY if grey else BLACK))
