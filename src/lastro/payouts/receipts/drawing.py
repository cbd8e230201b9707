"""A receipt as a PDF on A4, for people: in Portuguese, the same bytes for the same receipt."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from fpdf import FPDF
from fpdf.enums import Align, MethodReturnValue, TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace, TTFFont

from lastro.payouts.receipts.model import names_of, shown_key, shown_number
from lastro.payouts.receipts.words import document, moment, reais, say
from lastro.pdf.document import FILES, FONT, FONTS, NO_LETTER
from lastro.rails.port import BOOK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.payouts.model import Payout
    from lastro.payouts.receipts.model import Receipt

# A placeholder for the number of pages, known at the end. No other text has it: it would be one letter.
_PAGES = "n\u0301b"
_MARGIN_MM = 18
_LABEL_MM = 48
_LINE_MM = 5.6
_GREY, _BLACK, _LIGHT = (95, 95, 95), (0, 0, 0), (205, 205, 205)

_Row = tuple[str, str | None]


def draw(receipt: Receipt) -> bytes:
    """Draws the PDF. It takes some 100 ms, of a batch of a hundred transfers half a second: not for the loop."""
    sheet = _Sheet(receipt)
    sheet.add_page()
    sheet.headline()
    p = receipt.payout
    institution = f"{receipt.institution.name} ({receipt.institution.ispb})"
    sheet.section(say("transaction"), _transaction(receipt))
    sheet.section(say("who-paid"), _payer(p, institution))
    sheet.section(say("who-was-paid"), _receiver(p))
    if receipt.transfers:
        heads = (say("nth"), say("value"), say("status"), say("id"), say("at"))
        sheet.listed(say("transfers"), heads, [_transfer(t) for t in receipt.transfers], (9, 30, 25, 70, 40))
    if receipt.returns:
        rows = [(reais(r.amount), r.name, moment(r.settled_at)) for r in receipt.returns]
        sheet.listed(say("returns"), (say("value"), say("id"), say("at")), rows, (30, 90, 54))
    ends = ((say("issued-by"), institution), (say("issued-at"), moment(receipt.issued_at)), (say("code"), receipt.code))
    sheet.section(say("authentication"), ends)
    return bytes(sheet.output())


def _transaction(receipt: Receipt) -> Iterable[_Row]:
    p = receipt.payout
    end_to_end_id, control_number = names_of(p)
    yield say("status"), say(f"status-{p.state}")
    if receipt.paid != p.amount:
        yield say("asked"), reais(p.amount)
    if receipt.returns:
        yield say("returned"), reais(receipt.returned)
    if p.fee.minor:
        yield say("fee"), reais(p.fee)
    yield say("description"), p.description
    yield say("transaction-id"), end_to_end_id
    yield say("control-number") if p.rail == BOOK else say("str-control-number"), control_number
    yield say("qr-id"), p.txid
    yield say("external-id"), p.external_id


def _person(name: str, kind: str, number: str) -> tuple[_Row, ...]:
    return (say("name"), name), (say("document"), document(kind, shown_number(kind, number)))


def _payer(p: Payout, institution: str) -> Iterable[_Row]:
    holder = p.account.holder
    yield from _person(holder.full_name, holder.document_type, holder.document_number)
    yield say("institution"), institution
    yield say("account"), _place(p.account.branch, p.account.number, "PAYMENT_ACCOUNT")


def _receiver(p: Payout) -> Iterable[_Row]:
    r = p.receiver
    yield from _person(r.name, r.document_type, r.document_number)
    yield say("institution"), r.ispb if p.bank_name is None else f"{p.bank_name} ({r.ispb})"
    if p.key is None:
        yield say("account"), _place(r.branch, r.account, r.account_type)
    else:
        yield say("key"), shown_key(p)


def _place(branch: str | None, account: str, kind: str) -> str:
    return " / ".join(filter(None, (branch, account))) + f" ({say.known(f'account-{kind}', kind)})"


def _transfer(transfer: Payout) -> tuple[str, ...]:
    end_to_end_id, control_number = names_of(transfer)
    at = "" if transfer.paid_at is None else moment(transfer.paid_at)
    return (
        f"{transfer.sequence}", reais(transfer.amount), say(f"status-{transfer.state}"),
        end_to_end_id or control_number or "", at,
    )  # fmt: skip


class _Sheet(FPDF):
    """The pages of a receipt. All text is filtered by `printable`."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(format="A4")
        self._receipt = receipt
        self._title = say(f"title-{receipt.payout.method}")
        for style, file in FILES:
            self.add_font(FONT, style, FONTS / file)
        font = self.fonts[FONT.lower()]
        assert isinstance(font, TTFFont)
        self._letters = font.cmap
        self.alias_nb_pages(_PAGES)
        self.set_margins(_MARGIN_MM, _MARGIN_MM)
        self.c_margin = 0  # text begins and ends where the rules do
        self.set_auto_page_break(auto=True, margin=_MARGIN_MM + 4)
        # Everything that would differ from one drawing to the next is set here.
        self.set_creation_date(receipt.paid_at)
        self.set_creator("lastro")
        self.set_lang("pt-BR")
        self.set_title(self._title)
        self.set_author(receipt.institution.name)
        # Whole, also where the font lacks a letter.
        self.set_subject(f"{receipt.payout.receiver.name}: {receipt.payout.description}")

    def header(self) -> None:
        """Prints the issuer; from the second page on, the title too."""
        self._ink(9, grey=True)
        self.cell(text=self.printable(self._receipt.institution.name))
        title = self._title if self.page_no() > 1 else ""
        self.cell(0, text=title, align=Align.R, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(5)

    def footer(self) -> None:
        """Prints the page's number, the number of pages and the payout's id."""
        self.set_y(-_MARGIN_MM)
        self._ink(7.5, grey=True)
        # On the left, since the placeholder for the number of pages is wider than the number.
        self.cell(text=say("page", number=self.page_no(), count=_PAGES))
        self.set_x(self.l_margin)
        self.cell(0, text=say("receipt", id=self._receipt.payout.id), align=Align.R)

    def headline(self) -> None:
        """Prints the title, the amount and the time."""
        self._ink(17, "B")
        self.cell(text=self._title, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(3)
        self._ink(22, "B")
        self.cell(h=11, text=reais(self._receipt.paid), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self._ink(10, grey=True)
        when = say("clock", moment=moment(self._receipt.paid_at))
        self.cell(text=when, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def section(self, title: str, rows: Iterable[_Row]) -> None:
        """Prints a heading and lines of name and value, if any. Values are wrapped, never cut."""
        self._heading(title)
        for label, value in rows:
            if value is None:
                continue
            text = self.printable(value)
            self._ink(9)
            lines = self.multi_cell(self.epw - _LABEL_MM, _LINE_MM, text, dry_run=True, output=MethodReturnValue.LINES)
            assert isinstance(lines, list)
            if self.will_page_break(_LINE_MM * len(lines)):
                self.add_page()
            self._ink(9, grey=True)
            self.cell(_LABEL_MM, _LINE_MM, label)
            self._ink(9)
            self.multi_cell(0, _LINE_MM, text, align=Align.L, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def listed(self, title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], widths: tuple[int, ...]) -> None:
        """Prints a heading and a table; each page repeats the first row. widths: in mm, of all 174."""
        self._heading(title)
        self._ink(7.5)
        heading = FontFace(emphasis="BOLD")
        layout = TableBordersLayout.HORIZONTAL_LINES
        with self.table(
            col_widths=widths, text_align=Align.L, line_height=4.6, borders_layout=layout, headings_style=heading
        ) as table:
            table.row(heads)
            for row in rows:
                table.row([self.printable(text) for text in row])
        self._ink(9)

    def printable(self, text: str) -> str:
        """Replaces letters that the font lacks by ▯; also any that would break or end a line."""
        return "".join(c if ord(c) in self._letters else NO_LETTER for c in unicodedata.normalize("NFC", text))

    def _heading(self, title: str) -> None:
        if self.will_page_break(_LINE_MM * 4):
            self.add_page()
        self.ln(5)
        self._ink(10.5, "B")
        self.cell(0, _LINE_MM + 1, title, border="B", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1.5)

    def _ink(self, size: float, style: str = "", *, grey: bool = False) -> None:
        self.set_font(FONT, style, size)
        self.set_text_color(*(_GREY if grey else _BLACK))
        self.set_draw_color(*_LIGHT)
