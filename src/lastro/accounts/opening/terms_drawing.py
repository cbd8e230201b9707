"""The terms of an account on A4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.pdf.document import FONT, Paper

if TYPE_CHECKING:
    from lastro.accounts.opening.terms import TermsOfUse

_LEFT, _TOP, _WIDTH, _LINE = 20.0, 25.0, 170.0, 6.0


def draw(terms: TermsOfUse) -> bytes:
    """Draws the PDF, the same bytes for the same terms. It takes one page."""
    page = Paper()
    page.set_creation_date(terms.published_at)
    page.set_title(terms.title)
    page.add_page()
    page.set_margins(_LEFT, _TOP)
    page.set_xy(_LEFT, _TOP)
    page.set_font(FONT, "B", 14)
    page.multi_cell(_WIDTH, 8, page.printable(terms.title), align="L", new_x="LMARGIN", new_y="NEXT")
    page.set_font(FONT, "", 10)
    for paragraph in (f"Versão {terms.version}", *terms.text.split("\n\n")):
        page.ln(_LINE / 2)
        page.multi_cell(_WIDTH, _LINE, page.printable(paragraph), align="L", new_x="LMARGIN", new_y="NEXT")
    assert page.page_no() == 1, "terms take one page"
    return page.drawn()
