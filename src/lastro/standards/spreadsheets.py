"""Texts in a CSV as a spreadsheet takes them: none of somebody else's is run as a formula (OWASP, CSV injection)."""

import re

from lastro.standards.legible import legible

# A cell that begins so is run. Spreadsheets of East Asian countries take the four of double width for the same.
_RUNS = frozenset("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
# A cell begins where the text does and, in a spreadsheet of a country whose decimals have a comma, after a semicolon, also
# inside quotes; blanks and quotes before the formula are skipped.
_BEGINS = re.compile(r"""(^|[;\t\r\n])(?=[\s"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])""")


def as_text(text: str) -> str:
    """Makes text legible, and escapes spreadsheet formulas by an apostrophe."""
    text = legible(text)
    # Most texts have none of it.
    return text if _RUNS.isdisjoint(text) else _BEGINS.sub(r"\1'", text)
