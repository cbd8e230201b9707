from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.documents import is_cnpj, is_cpf, is_document, mask

CPFS = ["12345678909", "11122233396", "00000000191"]
CNPJS = ["12ABC34501DE35", "00000000000191", "11222333000181", "16727230000197", "ABCDEFGH000195"]


@in_one_test("number", CPFS)
def test_valid_cpfs(number: str) -> None:
    assert is_cpf(number)
    assert is_document("CPF", number)
    assert not is_document("CNPJ", number)


@in_one_test("number", CNPJS)
def test_valid_cnpjs(number: str) -> None:
    assert is_cnpj(number)
    assert is_document("CNPJ", number)
    assert not is_document("CPF", number)


@in_one_test("number", [digit * 11 for digit in "0123456789"])
def test_cpfs_of_one_digit_are_refused(number: str) -> None:
    assert not is_cpf(number)


@in_one_test(
    "text",
    ["", "1234567890", "123456789090", "12345678900", "123.456.789-09", " 12345678909", "12345678909\n", "\uff112345678909"],
)
def test_other_texts_are_no_cpf(text: str) -> None:
    assert not is_cpf(text)


@in_one_test(
    "text",
    [
        "", "12abc34501de35", "12ABC34501DE36", "12ABC34501DEAB", "12.ABC.345/01DE-35", "00000000000000",
        "11222333000181\n", "1122233300018", "112223330001811",
    ],
)  # fmt: skip
def test_other_texts_are_no_cnpj(text: str) -> None:
    assert not is_cnpj(text)


def test_other_kinds_are_no_document() -> None:
    assert not is_document("CURP", "12345678909")
    assert not is_document("cpf", "12345678909")


# A check digit 0 stands for two remainders and lets some changes pass, so numbers without one show the rule.
STRICT = [number for number in CPFS + CNPJS if "0" not in number[-2:]]


@given(st.sampled_from(STRICT), st.data())
def test_one_wrong_digit_is_noticed(number: str, data: st.DataObject) -> None:
    places = [place for place, character in enumerate(number) if character.isdigit()]
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != number[at]]))
    changed = number[:at] + other + number[at + 1 :]
    assert not is_cpf(changed)
    assert not is_cnpj(changed)


@in_one_test(
    ("number", "masked"),
    [
        ("12345678909", "***.456.789-**"), ("11222333000181", "**.222.333/0001-**"),
        ("12ABC34501DE35", "**.ABC.345/01DE-**"), ("", ""), ("AB12345", "*******"),
    ],
)  # fmt: skip
def test_mask(number: str, masked: str) -> None:
    assert mask(number) == masked
