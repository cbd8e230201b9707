"""Bars of slips and vouchers, read and drawn beside zxing-cpp, which had no part in making them."""

from itertools import groupby

import cv2
import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards import bars, code128, interleaved_2_of_5

HEIGHT = 51  # modules: 13 mm where 44 digits take 103 mm

SLIP = "00199160500000123450000002800012345678901217"
VOUCHERS = ["93345678901234", "1010101346018565", "OPENPAY02DQ35YOY7"]
pairs = st.integers(1, 22).flatmap(lambda count: st.text("0123456789", min_size=2 * count, max_size=2 * count))
texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30)
mixed = st.text("0123456789A-", min_size=1, max_size=30)


def read(picture: bytes) -> list[tuple[str, zxingcpp.BarcodeFormat]]:
    pixels = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
    return [(found.text, found.format) for found in zxingcpp.read_barcodes(pixels)]


def by_zxing(text: str, form: zxingcpp.BarcodeFormat) -> list[int]:
    """The widths of zxing-cpp's own drawing."""
    pixels = np.array(zxingcpp.create_barcode(text, form).to_image(scale=1, add_quiet_zones=False))
    return [len(list(run)) for _, run in groupby(pixels[len(pixels) // 2].tolist())]


@in_one_test("scale", [1, 2, 3])
def test_a_slip_is_read_from_its_picture(scale: int) -> None:
    picture = bars.png(interleaved_2_of_5.widths(SLIP), HEIGHT, scale)
    assert read(picture) == [(SLIP, zxingcpp.BarcodeFormat.ITF)]


@in_one_test("text", VOUCHERS)
def test_a_voucher_is_read_from_its_picture(text: str) -> None:
    assert read(bars.png(code128.widths(text), 40)) == [(text, zxingcpp.BarcodeFormat.Code128)]


@given(texts)
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    ((found, form),) = read(bars.png(code128.widths(text), 40))
    # A blank at either end is kept as well.
    assert (found, form) == (text, zxingcpp.BarcodeFormat.Code128)


def test_every_symbol_character_is_read() -> None:
    every_pair = "".join(f"{number:02d}" for number in range(100))
    every_letter = "".join(map(chr, range(32, 127)))
    for text in (every_pair, every_letter):
        for at in range(0, len(text), 20):
            assert read(bars.png(code128.widths(text[at : at + 20]), 60))[0][0] == text[at : at + 20]


@given(pairs)
def test_slips_are_drawn_as_zxing_draws_them(digits: str) -> None:
    assert interleaved_2_of_5.widths(digits) == by_zxing(digits, zxingcpp.BarcodeFormat.ITF)


@given(mixed)
def test_vouchers_are_never_longer_than_zxings(text: str) -> None:
    assert sum(code128.widths(text)) <= sum(by_zxing(text, zxingcpp.BarcodeFormat.Code128))


@in_one_test(
    ("text", "characters"),
    # Start, check character and stop (which has two modules more) aside.
    [
        ("A", 1), ("12", 1), ("123", 3), ("1234", 2), ("A12", 3), ("A1234", 4), ("12A34", 5), ("93345678901234", 7),
        ("A1B2", 4),
    ],
)  # fmt: skip
def test_digits_stand_in_pairs_where_that_is_shorter(text: str, characters: int) -> None:
    assert sum(code128.widths(text)) == 11 * (characters + 3) + 2


def test_a_slip_is_as_long_as_its_standard_says() -> None:
    widths = interleaved_2_of_5.widths(SLIP)
    assert sum(widths) == 405  # 103 mm by 0.254 mm
    assert len(widths) % 2 == 1
    assert round(HEIGHT * 103 / sum(widths)) == 13


def test_bars_and_quiet_zones() -> None:
    assert list(bars.bars([1, 2, 3, 1, 1])) == [(10, 1), (13, 3), (17, 1)]
    pixels = cv2.imdecode(np.frombuffer(bars.png([1, 2, 3, 1, 1], 5, scale=3), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert pixels is not None
    assert pixels.shape == (15, 84)
    assert (pixels == pixels[0]).all()
    assert (pixels[0, :30] == 255).all()
    assert (pixels[0, 30:33] == 0).all()
    assert (pixels[0, 33:39] == 255).all()
    assert (pixels[0, 51:54] == 0).all()
    assert (pixels[0, 54:] == 255).all()


@in_one_test("digits", ["", "1", "123", "12a4", "12\n", "\u0661\u0662"])
def test_what_is_no_even_number_of_digits_is_refused(digits: str) -> None:
    with pytest.raises(ValueError, match="even number"):
        interleaved_2_of_5.widths(digits)


@in_one_test("text", ["", "a\n", "é", "\x7f", "\x00"])
def test_what_is_not_printable_ascii_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        code128.widths(text)
