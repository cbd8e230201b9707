"""The banks that dialects are of, by their ISPB."""

from pathlib import Path

import pytest

from lastro.rails.api_pix import DIALECTS, read
from lastro.standards.banks import packaged


@pytest.mark.parametrize(("name", "ispb"), [("efi", "09089356"), ("standard", None), ("sicredi", None), ("sicoob", None)])
def test_the_bank_of_a_dialect_where_it_is_one(name: str, ispb: str | None) -> None:
    assert DIALECTS[name].ispb == ispb


def test_a_bank_that_a_dialect_names_is_in_the_list_of_banks() -> None:
    named = {one.name: packaged().by_ispb(one.ispb) for one in DIALECTS.values() if one.ispb is not None}
    assert {name: None if bank is None else bank.compe for name, bank in named.items()} == {
        "efi": "364", "bb": "001", "inter": "077", "itau": "341", "santander": "033", "bradesco": "237",
    }  # fmt: skip


@pytest.mark.parametrize("ispb", ["0", '"0"', '"123456789"', '"1234567a"', "true", '""'])
def test_what_is_no_ispb_is_told(ispb: str) -> None:
    _, problems = read(f"[efi1]\nispb = {ispb}\n", Path(), is_sandbox=True)
    assert '[efi1] ispb must be the 8 characters of the bank\'s ISPB, as text: "00000000".' in problems
