from tests.in_one import in_one_test

from lastro.standards.pix_keys import canonical, is_key, key_type, names_key


@in_one_test(
    ("key", "kind"),
    [
        ("12345678909", "CPF"),
        ("11222333000181", "CNPJ"),
        ("12ABC34501DE35", "CNPJ"),
        ("+5561912345678", "PHONE"),
        ("+14155552671", "PHONE"),
        ("pix@bcb.gov.br", "EMAIL"),
        ("a.b+c_d'e@sub.example.com.br", "EMAIL"),
        ("x" * 65 + "@example.com", "EMAIL"),
        ("123e4567-e12b-12d1-a456-426655440000", "EVP"),
    ],
)
def test_canonical_keys(key: str, kind: str) -> None:
    assert key_type(key) == kind


@in_one_test(
    "key",
    [
        "",
        "12345678900",  # wrong check digits
        "61912345678",  # a mobile number without its country
        "5561912345678",
        "123.456.789-09",
        "12abc34501de35",
        "11222333000182",
        "+0561912345678",
        "+5561912345678901",
        "+55 61 91234-5678",
        "Pix@bcb.gov.br",
        "a%b@example.com",
        "a&b@example.com",
        "pix@",
        "@bcb.gov.br",
        "pix@-bcb.gov.br",
        "pix@bcb..br",
        "pix@bcb.gov.br\n",
        "x" * 66 + "@example.com",
        "123E4567-E12B-12D1-A456-426655440000",
        "123e4567e12b12d1a456426655440000",
        "{123e4567-e12b-12d1-a456-426655440000}",
    ],
)
def test_other_texts_are_no_key(key: str) -> None:
    assert key_type(key) is None


@in_one_test(
    ("typed", "key"),
    [
        ("FABIO@FORA.EXAMPLE", "fabio@fora.example"), ("0F4B6C1E-7A52-4D0E-9A3B-5C8D7E6F1A20", "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"),
        ("12abc34501de35", "12ABC34501DE35"), ("+5561912345678", "+5561912345678"), ("12345678909", "12345678909"),
        ("fabio@fora.example", "fabio@fora.example"),
    ],
)  # fmt: skip
def test_however_a_key_is_typed_it_has_one_form(typed: str, key: str) -> None:
    assert (canonical(typed), canonical(key), is_key(typed)) == (key, key, True)


@in_one_test(
    ("text", "key", "is_named"),
    [
        ("FABIO@fora.example ", "fabio@fora.example", True), ("fabio@fora.exampl", "fabio@fora.example", False),
        ("fab-io@fora.example", "fabio@fora.example", False), ("+5561912345678", "+5561912345678", True),
        ("(61) 91234-5678", "+5561912345678", True), ("5561912345678", "+5561912345678", True),
        ("912345678", "+5561912345678", False), ("61912345678", "+1561912345678", False),
        ("123.456.789-09", "12345678909", True), ("123.456.789-08", "12345678909", False),
        ("12.abc.345/01de-35", "12ABC34501DE35", True), ("", "12345678909", False), ("-", "12345678909", False),
        ("0F4B6C1E7A524D0E9A3B5C8D7E6F1A20", "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", True),
    ],
)  # fmt: skip
def test_a_bank_may_spell_a_key_in_its_own_way(text: str, key: str, is_named: bool) -> None:
    assert names_key(text, key) is is_named


@in_one_test(
    "text",
    ["12.ABC.345/01DE-35", " fabio@fora.example", "+55 61 91234-5678", "12abc34501de36", "FABIO\u212a@fora.example", ""],
)
def test_what_is_no_key_stays_none(text: str) -> None:
    assert not is_key(text)
    assert canonical("FABIO\u212a@fora.example") == "FABIO\u212a@fora.example"
