"""No text is run as a formula, however a spreadsheet cuts the file that it stands in."""

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.spreadsheets import as_text


@in_one_test(
    ("text", "written"),
    [
        ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@A1", "'@A1"), (" +1", "' +1"), ('"=1"', "'\"=1\""),
        ("\t=1", "'\t'=1"), ("\r-1", "'\r'-1"), ("a;=1", "a;'=1"), ("a; @b", "a;' @b"), ("a\t=1", "a\t'=1"),
        ("a\r\n=1;-2", "a\r'\n'=1;'-2"), ('a;"=1"', 'a;\'"=1"'), (";;=1", ";;'=1"), ("\uff1d1", "'\uff1d1"), ("a;\uff20b", "a;'\uff20b"),
        ("a=1", "a=1"), ("a;b-c", "a;b-c"), ("a,b\nc", "a,b\nc"), ("'=1", "'=1"), ("R$ -1", "R$ -1"), ("", ""),
    ],
)  # fmt: skip
def test_a_formula_becomes_a_text(text: str, written: str) -> None:
    assert as_text(text) == written


@given(st.text(st.sampled_from("=+-@\uff1d;\t\r\n \"'a,é"), max_size=20))
def test_nothing_runs_wherever_a_cell_may_begin(text: str) -> None:
    """Cut at every separator, no cell begins as a formula does; and nothing but apostrophes was added."""
    written = as_text(text)
    cells = re.split(r"[;\t\r\n]", written)
    assert [cell for cell in cells if re.match(r"""[ "]*[=+\-@\uff1d]""", cell)] == []
    assert written.replace("'", "") == text.replace("'", "")
    assert as_text(written) == written
