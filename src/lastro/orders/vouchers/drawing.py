"""A voucher on the upper half of A4, in Spanish: amount, reference and bars for the till, what to do for its customer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.codes import grouped
from lastro.orders.vouchers import words
from lastro.orders.vouchers.words import say
from lastro.pdf.text import BLACK, Lettered
from lastro.standards import code128
from lastro.standards.bars import bars

if TYPE_CHECKING:
    from lastro.orders.vouchers.model import Voucher

LEFT, WIDTH = 15.0, 180.0
HALF = WIDTH / 2
ROW = 11.0
# A narrow bar of half a millimetre, which every till reads, with the quiet zones that ISO/IEC 15417 asks for.
MODULE, BARS_HEIGHT = 0.5, 20.0


def draw(voucher: Voucher) -> bytes:
    """Draws the PDF, the same bytes for the same voucher. The first of a process takes half a second: not for the loop."""
    sheet = _Sheet(voucher)
    sheet.add_page()
    sheet.voucher(14.0)
    if voucher.ended is not None:
        sheet.across(voucher.ended, 80)
    return sheet.drawn()


class _Sheet(Lettered):
    def __init__(self, voucher: Voucher) -> None:
        super().__init__()
        self._voucher = voucher
        self._network = words.NETWORKS[voucher.method]
        self.set_lang("es-MX")
        # All metadata that would differ from one drawing to the next is set here.
        self.set_creation_date(voucher.issued_at)
        self.set_title(say("title", network=self._network.name))
        self.set_author(voucher.receiver)
        self.set_subject(voucher.description)
        self.set_line_width(0.2)

    def voucher(self, top: float) -> None:
        """Draws all of it, from its top down."""
        says = self._voucher
        self._ink(16, bold=True)
        self.text(LEFT, top + 6, say("title", network=self._network.name))
        self.line(LEFT, top + 9, LEFT + WIDTH, top + 9)
        y = top + 11
        y = self._row(y, (say("amount"), words.pesos(says.amount)), (say("pay-until"), words.moment(says.expires_at)))
        y = self._row(y, (say("receiver"), says.receiver), (say("customer"), says.customer))
        y = self._row(y, (say("number"), says.number), (say("description"), says.description))
        self._small(LEFT, y + 5, say("reference"))
        self._ink(16, bold=True)
        self.text(LEFT, y + 12, grouped(says.reference))
        self._bars(LEFT, y + 16)
        y += 16 + BARS_HEIGHT + 6
        self._small(LEFT, y, say("how"))
        for number, step in enumerate(self._network.steps, start=1):
            self._wrapped(LEFT, y + 1, WIDTH, f"{number}. {say(step)}", most=2)
            y += 5.5

    def _row(self, y: float, *fields: tuple[str, str]) -> float:
        """Draws two fields side by side, each under its name."""
        for number, (label, value) in enumerate(fields):
            x = LEFT + number * HALF
            self._small(x, y + 3, label)
            text = self._fitted(value, HALF - 3, 10, bold=True)
            self.text(x, y + 8, text)
        return y + ROW

    def _bars(self, x: float, y: float) -> None:
        """Draws the bars as areas of the page, sharp at any size."""
        self.set_fill_color(*BLACK)
        for at, width in bars(code128.widths(self._voucher.reference)):
            self.rect(x + at * MODULE, y, width * MODULE, BARS_HEIGHT, style="F")
