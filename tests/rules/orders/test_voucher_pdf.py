"""A voucher's PDF, read back: its texts and its bars are what they must be, whatever the names are."""

import base64
import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
import zxingcpp
from PIL import Image, ImageDraw

from lastro.core.money import Money
from lastro.orders.codes import bars_picture
from lastro.orders.model import Instrument, Party
from lastro.orders.vouchers import Voucher, voucher_of
from lastro.orders.vouchers.drawing import LEFT, WIDTH, draw

from .test_slip_pdf import filled, page, text
from .values import account, order

REFERENCE = "93345678901234"
MADE, LAST = datetime(2026, 11, 23, 13, 0, tzinfo=UTC), datetime(2026, 11, 26, 13, 5, tzinfo=UTC)
MXN = Money(123456, "MXN")


def voucher(**changes: Any) -> Voucher:
    values: dict[str, Any] = {
        "method": "OXXO", "reference": REFERENCE, "amount": MXN, "receiver": "Ana Comércio Ltda", "customer": "Lucía Ñuñez",
        "number": "pedido-7", "description": "Flores", "issued_at": MADE, "expires_at": LAST,
    }  # fmt: skip
    return Voucher(**{**values, **changes})


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("OXXO", ("Ficha de pago OXXO", "tienda OXXO", "pagar un servicio", "el día hábil siguiente")),
        ("OXXOPAY", ("Ficha de pago OXXO Pay", "un pago OXXO Pay", "al instante")),
        ("PAYNET", ("Ficha de pago Paynet", "la red Paynet", "al instante")),
    ],
)
def test_it_says_everything_that_people_look_for(method: str, said: tuple[str, ...]) -> None:
    found = text(draw(voucher(method=method)))
    for expected in (
        *said, "$1,234.56 MXN", "26/11/2026, 07:05 (hora de la Ciudad de México)", "Ana Comércio Ltda", "Lucía Ñuñez",
        "pedido-7", "Flores", "9334 5678 9012 34", "el importe exacto",
    ):  # fmt: skip
        assert expected in found, expected


def test_its_bars_are_read_by_a_scanner() -> None:
    """Drawn anew from the areas of the page, at ten dots a millimetre."""
    areas = filled(page(draw(voucher())))
    picture = Image.new("L", (2100, 400), 255)
    pencil = ImageDraw.Draw(picture)
    for x, _, width, _ in areas:
        pencil.rectangle((round(x * 10), 50, round((x + width) * 10) - 1, 350), fill=0)
    assert [(one.text, one.format) for one in zxingcpp.read_barcodes(picture)] == [
        (REFERENCE, zxingcpp.BarcodeFormat.Code128)
    ]
    assert round(areas[0][0], 1) >= LEFT + 5, "the quiet zone"
    assert areas[-1][0] + areas[-1][2] <= LEFT + WIDTH


@pytest.mark.parametrize("reference", [REFERENCE, "1010101346018565", "00000000000001"])
def test_the_picture_is_read_by_a_scanner(reference: str) -> None:
    picture = Image.open(io.BytesIO(base64.b64decode(bars_picture(reference))))
    assert [one.text for one in zxingcpp.read_barcodes(picture.convert("L"))] == [reference]


def test_the_same_voucher_is_the_same_bytes() -> None:
    assert draw(voucher()) == draw(voucher())
    assert draw(voucher()) != draw(voucher(number="pedido-8"))


@pytest.mark.parametrize("letter", ["W", "ñ", "漢", " a"])
def test_names_of_any_length_stay_in_their_fields(letter: str) -> None:
    said = text(draw(voucher(receiver=letter * 140, customer=letter * 140, description=letter * 140, number=letter * 64)))
    assert REFERENCE[:4] in said


PAYABLE = replace(
    order(payment_method="OXXO", instrument=Instrument("oxxo", REFERENCE), final_amount=MXN),
    customer=Party(account().id, "Lucía", "CURP", "NUXL900101MDFXXC09"), expires_at=LAST,
)  # fmt: skip


@pytest.mark.parametrize(
    ("state", "now", "ended"),
    [
        ("INITIAL", LAST, None), ("INITIAL", LAST.replace(second=1), "VENCIDO"), ("PENDING", MADE, "PAGADO"),
        ("PAID", MADE, "PAGADO"), ("CANCELED", MADE, "CANCELADO"), ("ERROR", MADE, "CANCELADO"), ("EXPIRED", LAST, "VENCIDO"),
    ],
)  # fmt: skip
def test_how_it_ended(state: str, now: datetime, ended: str | None) -> None:
    made = voucher_of(replace(PAYABLE, state=state), account(), now)
    assert made is not None
    assert (made.ended, made.reference, made.amount) == (ended, REFERENCE, MXN)
    said = text(draw(made))
    assert [word for word in ("PAGADO", "CANCELADO", "VENCIDO") if word in said] == ([] if ended is None else [ended])


def test_an_order_of_another_method_has_none() -> None:
    for changes in ({"payment_method": "BOLETO"}, {"instrument": None}, {"customer": None}):
        assert voucher_of(replace(PAYABLE, **changes), account(), MADE) is None
