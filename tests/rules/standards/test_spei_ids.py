import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.standards import spei_ids


@given(st.integers(0, 10**12))
def test_a_reference_has_seven_digits(sequence: int) -> None:
    reference = spei_ids.numeric_reference(sequence)
    assert re.fullmatch(r"[0-9]{7}", reference)
    assert reference != "0000000"


def test_references_begin_anew_after_the_last() -> None:
    assert [spei_ids.numeric_reference(n) for n in (0, 9_999_998, 9_999_999)] == ["0000001", "9999999", "0000001"]
    with pytest.raises(ValueError, match="not negative"):
        spei_ids.numeric_reference(-1)
