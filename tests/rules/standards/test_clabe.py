import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import clabe
from lastro.standards.clabe import Clabe

VECTORS = [
    ("032180000118359719", Clabe("032", "180", "00011835971")),
    ("002000000000000008", Clabe("002", "000", "00000000000")),
    ("646180109400423323", Clabe("646", "180", "10940042332")),
]
threes = st.text("0123456789", min_size=3, max_size=3)
elevens = st.text("0123456789", min_size=11, max_size=11)


@in_one_test(("text", "parts"), VECTORS)
def test_published_numbers(text: str, parts: Clabe) -> None:
    assert str(parts) == text
    assert clabe.read(text) == parts


@given(st.builds(Clabe, threes, threes, elevens))
def test_what_is_written_is_read(parts: Clabe) -> None:
    text = str(parts)
    assert len(text) == 18
    assert clabe.read(text) == parts
    assert [last for last in "0123456789" if clabe.read(text[:17] + last)] == [text[17]]


@given(st.sampled_from([text for text, _ in VECTORS]), st.integers(0, 17), st.integers(1, 9))
def test_one_wrong_digit_is_noticed(text: str, at: int, more: int) -> None:
    assert clabe.read(text[:at] + str((int(text[at]) + more) % 10) + text[at + 1 :]) is None


@in_one_test(
    "text",
    [
        "", "03218000011835971", "0321800001183597190", "03218000011835971x", "032180000118359719\n",
        "\uff1032180000118359719",
    ],
)  # fmt: skip
def test_other_texts_are_no_clabe(text: str) -> None:
    assert clabe.read(text) is None


@in_one_test("parts", [Clabe("32", "180", "0" * 11), Clabe("032", "18a", "0" * 11), Clabe("032", "180", "0" * 10)])
def test_parts_of_another_length_are_refused(parts: Clabe) -> None:
    with pytest.raises(ValueError, match="digits"):
        str(parts)


def test_each_account_of_ours_is_another() -> None:
    made = {str(Clabe("646", "180", clabe.own_account(number))) for number in range(20_000)}
    assert len(made) == 20_000
    assert all(clabe.read(one) for one in made)
    with pytest.raises(ValueError, match="not negative"):
        clabe.own_account(-1)
