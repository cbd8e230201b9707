"""A slip on A4 as FEBRABAN lays it out: the payer's receipt above, a line to cut along, the clearing form below."""

from __future__ import annotations

from datetime import UTC, datetime, time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.orders.slips import words
from lastro.pdf.text import BLACK, Lettered
from lastro.standards import boleto, interleaved_2_of_5, qrcode
from lastro.standards.bars import bars

if TYPE_CHECKING:
    from lastro.orders.slips.model import Slip, SlipParty

LEFT, WIDTH = 15.0, 180.0
SIDE = 46.0  # the column of dates and amounts, on the right
MAIN = WIDTH - SIDE
ROW = 8.5
RECEIPT_TOP, CUT_AT, FORM_TOP = 14.0, 116.0, 122.0
# FEBRABAN's measures of the bars, without the quiet zones left and right.
BARS_WIDTH, BARS_HEIGHT = 103.0, 13.0
_BARS_MODULES = 405  # of 44 digits
_MODULE = BARS_WIDTH / _BARS_MODULES
QR_SIDE = 40.0
say = Speech("pt", read_texts(Path(__file__).with_name("texts.toml")))
_COLLECTED = ("discount", "deductions", "interest", "additions", "charged")


class _Box(NamedTuple):
    """A field: what it is called, what stands in it, and how wide it is in mm. tail: its value's end, never cut."""

    label: str
    value: str
    width: float
    bold: bool = False
    right: bool = False
    tail: str = ""


def draw(slip: Slip) -> bytes:
    """Draws the PDF, the same bytes for the same slip. The first one of a process takes half a second: not for the loop."""
    sheet = _Sheet(slip)
    sheet.add_page()
    sheet.receipt(RECEIPT_TOP)
    sheet.cut(CUT_AT)
    sheet.form(FORM_TOP)
    if slip.ended is not None:
        sheet.across(slip.ended, 70)
        sheet.across(slip.ended, 178)
    return sheet.drawn()


class _Sheet(Lettered):
    def __init__(self, slip: Slip) -> None:
        super().__init__()
        self._slip = slip
        self._line = boleto.printed_line(boleto.digitable_line(slip.code))
        # All metadata that would differ from one drawing to the next is set here.
        self.set_creation_date(datetime.combine(slip.issued, time.min, UTC))
        self.set_title(say("title"))
        self.set_author(slip.receiver.name)
        self.set_subject(slip.description)
        self.set_line_width(0.2)

    def receipt(self, top: float) -> None:
        """Draws the payer's receipt."""
        slip = self._slip
        y = self._head(top, say("receipt"))
        y = self._row(y, (
            _who(say("receiver"), slip.receiver, MAIN), _Box(say("due"), words.day(slip.due), SIDE, bold=True, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _who(say("payer"), slip.payer, MAIN),
            _Box(say("receiver-code"), _place(slip), SIDE, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _Box(say("number"), slip.number, MAIN / 2), _Box(say("issued"), words.day(slip.issued), MAIN / 4),
            _Box(say("payable-until"), words.day(slip.payable_until), MAIN / 4),
            _Box(say("our-number"), slip.our_number, SIDE, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _Box(say("payer-address"), slip.payer.address or "", MAIN),
            _Box(say("amount"), words.reais(slip.amount), SIDE, bold=True, right=True),
        ))  # fmt: skip
        self._small(LEFT, y + 4, say("details"))
        self._ink(9)
        self._wrapped(LEFT, y + 5.5, 118 if slip.brcode else WIDTH, slip.description, most=4)
        self._small(LEFT, y + 29, say("line"))
        self._ink(10, bold=True)
        self.text(LEFT, y + 34, self._line)
        if slip.brcode is not None:
            self._pix(slip.brcode, LEFT + WIDTH - QR_SIDE, y + 3)

    def cut(self, y: float) -> None:
        """Draws the cut line below the payer's part."""
        self._small(LEFT, y - 1, say("cut"))
        self.set_dash_pattern(dash=1, gap=1)
        self.line(LEFT, y, LEFT + WIDTH, y)
        self.set_dash_pattern()

    def form(self, top: float) -> None:
        """Draws the clearing form, as every bank has it, and the bars."""
        slip = self._slip
        y = self._head(top, self._line)
        y = self._row(y, (
            _Box(say("where"), say("anywhere"), MAIN),
            _Box(say("due"), words.day(slip.due), SIDE, bold=True, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _who(say("receiver"), slip.receiver, MAIN),
            _Box(say("receiver-code"), _place(slip), SIDE, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _Box(say("issued"), words.day(slip.issued), 27), _Box(say("number"), slip.number, 46),
            _Box(say("kind"), "DM", 17), _Box(say("accepted"), "N", 14),
            _Box(say("processed"), words.day(slip.issued), MAIN - 104),
            _Box(say("our-number"), slip.our_number, SIDE, right=True),
        ))  # fmt: skip
        y = self._row(y, (
            _Box(say("banks-use"), "", 27), _Box(say("portfolio"), "", 22), _Box(say("currency"), "R$", 24),
            _Box(say("quantity"), "", 31), _Box(say("value"), "", MAIN - 104),
            _Box(say("amount"), words.reais(slip.amount), SIDE, bold=True, right=True),
        ))  # fmt: skip
        self._instructions(y, 5 * ROW)
        for label in _COLLECTED:
            self._box(LEFT + MAIN, y, _Box(say(label), "", SIDE, right=True))
            y += ROW
        self._payer(y)
        y += 2 * ROW
        self._bars(LEFT + 2.54, y + 4)
        self._small(LEFT + WIDTH, y + 2.5, say("authentication"), right=True)

    def _head(self, y: float, right: str) -> float:
        """Draws a part's head: issuer, its number as a bank, a text on the right. Returns the top of the part's rows."""
        self._ink(10, bold=True)
        self.text(LEFT, y + 6, self._fitted(self._slip.bank_name, 44, 10, bold=True))
        self._ink(14, bold=True)
        self.text(LEFT + 48, y + 6.2, words.bank(self._slip.bank))
        text = self._fitted(right, WIDTH - 68, 10, bold=True)
        self.text(LEFT + WIDTH - self.get_string_width(text), y + 6, text)
        self.set_line_width(0.5)
        for x in (46.5, 65.5):
            self.line(LEFT + x, y + 1.5, LEFT + x, y + 8)
        self.line(LEFT, y + 8, LEFT + WIDTH, y + 8)
        self.set_line_width(0.2)
        return y + 8

    def _row(self, y: float, boxes: tuple[_Box, ...]) -> float:
        x = LEFT
        for box in boxes:
            self._box(x, y, box)
            x += box.width
        return y + ROW

    def _box(self, x: float, y: float, box: _Box, height: float = ROW) -> None:
        self.rect(x, y, box.width, height)
        self._small(x + 1, y + 2.6, box.label)
        text = self._fitted(box.value, box.width - 2, 8.5, bold=box.bold, tail=box.tail)
        self.text(x + box.width - 1 - self.get_string_width(text) if box.right else x + 1, y + 7, text)

    def _instructions(self, y: float, height: float) -> None:
        slip = self._slip
        self._box(LEFT, y, _Box(say("instructions"), "", MAIN), height)
        self._ink(8.5)
        for number, text in enumerate((
            say("not-after", day=words.day(slip.payable_until)), say("not-other"),
        )):  # fmt: skip
            self.text(LEFT + 1, y + 8 + 4.5 * number, text)
        self._wrapped(LEFT + 1, y + 17, MAIN - 2, slip.description, most=4)

    def _payer(self, y: float) -> None:
        slip = self._slip
        self._box(LEFT, y, _who(say("payer"), slip.payer, WIDTH), 2 * ROW)
        self._wrapped(LEFT + 1, y + 8, WIDTH - 2, slip.payer.address or "", most=1)
        self._small(LEFT + 1, y + 2 * ROW - 1, say("guarantor"))

    def _bars(self, x: float, y: float) -> None:
        """Draws the bars as areas of the page, sharp at any size. The quiet zone left of them is the page's margin."""
        self.set_fill_color(*BLACK)
        starts = list(bars(interleaved_2_of_5.widths(self._slip.code)))
        first = starts[0][0]
        for at, width in starts:
            self.rect(x + (at - first) * _MODULE, y, width * _MODULE, BARS_HEIGHT, style="F")

    def _pix(self, brcode: str, x: float, y: float) -> None:
        self._ink(9, bold=True)
        self.text(x + (QR_SIDE - self.get_string_width(say("pix"))) / 2, y + 2, say("pix"))
        self.image(BytesIO(qrcode.png(brcode)), x, y + 3, QR_SIDE, QR_SIDE)


def _who(label: str, party: SlipParty, width: float) -> _Box:
    """Makes a party's box. The document stays readable for every name."""
    number = words.document(party.document_type, party.document)
    return _Box(label, party.name, width, tail=f" - {number}" if number else "")


def _place(slip: Slip) -> str:
    return f"{slip.branch} / {slip.account}"
