"""The texts of the hosted page: all there, in all languages; amounts and moments as their readers write them."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.in_one import in_one_test

from lastro.core.money import DECIMALS, Money
from lastro.orders.checkout import words
from lastro.orders.checkout.rules import KEY_LEFT, LATE, TONES
from lastro.orders.checkout.words import LANGUAGES, NAMES, TAGS, TEXTS, Words
from lastro.orders.model import STATUSES

TEMPLATES = Path(words.__file__).parent / "templates"
# A blank that does not break.
_ = "\N{NO-BREAK SPACE}"


def test_every_text_is_there_in_every_language() -> None:
    assert LANGUAGES == ("pt", "es", "en")
    assert TAGS.keys() == NAMES.keys() == set(LANGUAGES)
    assert all(tuple(said) == LANGUAGES for said in TEXTS.values())


@pytest.mark.parametrize("standing", [*STATUSES, LATE, KEY_LEFT])
def test_every_standing_has_its_words_and_its_colour(standing: str) -> None:
    assert {standing, f"{standing}-about"} <= TEXTS.keys()
    assert TONES[standing] in ("waiting", "good", "bad", "calm")


@pytest.mark.parametrize(
    ("minor", "currency", "pt", "es", "en"),
    [
        (1, "BRL", f"R${_}0,01", f"R${_}0,01", "R$0.01"),
        (1050, "BRL", f"R${_}10,50", f"R${_}10,50", "R$10.50"),
        (123_456, "BRL", f"R${_}1.234,56", f"R${_}1.234,56", "R$1,234.56"),
        (999_999_999_999, "BRL", f"R${_}9.999.999.999,99", f"R${_}9.999.999.999,99", "R$9,999,999,999.99"),
        (123_456, "MXN", f"MX${_}1.234,56", f"MX${_}1,234.56", "MX$1,234.56"),
        (123_456, "USD", f"US${_}1.234,56", f"US${_}1,234.56", "US$1,234.56"),
        (123_456, "EUR", f"€{_}1.234,56", f"€{_}1.234,56", "€1,234.56"),
        (123_456, "JPY", f"¥{_}123.456", f"¥{_}123.456", "¥123,456"),
        (123_456, "CLP", f"CLP{_}123.456", f"CLP{_}123.456", f"CLP{_}123,456"),
        (123_456, "USDT", f"USDT{_}1.234,56", f"USDT{_}1.234,56", f"USDT{_}1,234.56"),
    ],
)
def test_an_amount_is_written_as_its_reader_writes_it(minor: int, currency: str, pt: str, es: str, en: str) -> None:
    assert [Words(language).money(Money(minor, currency)) for language in LANGUAGES] == [pt, es, en]


@in_one_test("currency", DECIMALS)
@in_one_test("language", LANGUAGES)
def test_no_digit_of_an_amount_is_lost(language: str, currency: str) -> None:
    assert re.sub(r"\D", "", Words(language).money(Money(120_345_678, currency))) == "120345678"


@pytest.mark.parametrize(
    ("at", "pt", "es", "en"),
    [
        (datetime(2026, 1, 31, 12, 5, 59, tzinfo=UTC), "31/01/2026 às 09:05", "31/01/2026, 09:05", "31 Jan 2026, 09:05"),
        # The day of Brasilia, not that of Greenwich; whatever zone the instant is written in.
        (datetime(2027, 1, 1, 2, 59, tzinfo=UTC), "31/12/2026 às 23:59", "31/12/2026, 23:59", "31 Dec 2026, 23:59"),
        (datetime(2026, 5, 1, 9, 0, tzinfo=timezone(timedelta(hours=9))), "30/04/2026 às 21:00", "30/04/2026, 21:00",
         "30 Apr 2026, 21:00"),
    ],
)  # fmt: skip
def test_a_moment_is_that_of_brasilia_and_says_so(at: datetime, pt: str, es: str, en: str) -> None:
    assert [Words(language).moment(at, "BRL") for language in LANGUAGES] == [
        f"{pt} (horário de Brasília)",
        f"{es} (hora de Brasilia)",
        f"{en} (Brasilia time)",
    ]


def test_a_moment_of_pesos_is_that_of_mexico_city() -> None:
    at = datetime(2026, 11, 26, 5, 59, tzinfo=UTC)
    assert [Words(language).moment(at, "MXN") for language in LANGUAGES] == [
        "25/11/2026 às 23:59 (horário da Cidade do México)",
        "25/11/2026, 23:59 (hora de la Ciudad de México)",
        "25 Nov 2026, 23:59 (Mexico City time)",
    ]


def test_a_text_that_is_not_there_is_no_text() -> None:
    with pytest.raises(KeyError):
        Words("en")("nothing")
