"""A slip's PDF, read back: its texts, its bars and its QR are where and what they must be, whatever the names are."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
import zxingcpp
from pypdf import PageObject, PdfReader

from lastro.accounts import Institution
from lastro.orders.model import Face, Installation, Instrument, Party
from lastro.orders.slips import Slip, SlipParty, slip_of
from lastro.orders.slips.drawing import LEFT, WIDTH, draw
from lastro.orders.slips.model import line_of
from lastro.orders.slips.words import bank, day, document, reais
from lastro.pdf.document import FONT, Paper
from lastro.standards import boleto, boleto_numbers
from lastro.standards.brcode import decode
from lastro.standards.own_numbers import own_digits

from .values import account, brl, order

DUE, LAST_DAY, ISSUED = date(2026, 11, 26), date(2026, 11, 27), date(2026, 11, 23)
NUMBER = own_digits(7, 1)
CODE = boleto.barcode(
    boleto.Boleto(bank="990", free_field=boleto_numbers.free_field("0001", NUMBER), amount_minor=123456, due_date=DUE)
)
LINE = boleto.printed_line(boleto.digitable_line(CODE))
BRCODE = (
    "00020126360014br.gov.bcb.pix0114pix@bcb.gov.br5204000053039865406123.455802BR5913FULANO DE TAL6008BRASILIA"
    "62140510PEDIDO00016304083D"
)
MM = 72 / 25.4
PLACE = Installation(Institution("99999010", "LASTRO SANDBOX IP", "0001", "990"), "https://pay.example.com", sandbox=False)


def slip(**changes: Any) -> Slip:
    values: dict[str, Any] = {
        "bank": "990", "bank_name": "LASTRO SANDBOX IP", "receiver": SlipParty("Ana Comércio Ltda", "CNPJ", "11222333000181"),
        "branch": "0001", "account": "000000019",
        "payer": SlipParty("João da Silva", "CPF", "12345678909", "Rua das Flores, 12, Centro, São Paulo, SP, 01000000"),
        "description": "Mensalidade de novembro", "our_number": NUMBER, "number": "pedido-7", "issued": ISSUED, "due": DUE,
        "payable_until": LAST_DAY, "amount": brl(123456), "code": CODE, "brcode": BRCODE,
    }  # fmt: skip
    return Slip(**{**values, **changes})


def page(drawn: bytes) -> PageObject:
    (one,) = PdfReader(io.BytesIO(drawn)).pages
    return one


def text(drawn: bytes) -> str:
    return page(drawn).extract_text()


def filled(one: PageObject) -> list[tuple[float, float, float, float]]:
    """Every filled area of a page, in mm from its left and from its foot: x, y of its lower edge, width, height."""
    contents = one.get_contents()
    assert contents is not None
    number = r"(-?\d+(?:\.\d+)?) "
    areas = re.findall(number * 4 + r"re f\n", contents.get_data().decode("latin-1") + "\n")
    measured = (tuple(float(one) / MM for one in area) for area in areas)
    return [(x, y + min(h, 0), w, abs(h)) for x, y, w, h in measured]


def itf(areas: list[tuple[float, float, float, float]]) -> str:
    """What the bars say, by their measures alone: five bars and five spaces for two digits, two of each five wide."""
    module = sum(width for _, _, width, _ in areas[:2]) / 2
    edges = [(x, x + width) for x, _, width, _ in areas]
    widths: list[float] = []
    for (left, right), (after, _) in pairwise([*edges, (0.0, 0.0)]):
        widths += [right - left, after - right]
    modules = [round(width / module) for width in widths[:-1]]
    assert modules[:4] == [1, 1, 1, 1]
    assert modules[-3:] == [3, 1, 1]
    return "".join(_digits(modules[4:-3]))


def _digits(modules: list[int]) -> Iterator[str]:
    weights = (1, 2, 4, 7, 0)
    for at in range(0, len(modules), 10):
        for start in (0, 1):
            five = modules[at + start : at + 10 : 2]
            assert sorted(five) == [1, 1, 1, 3, 3]
            total = sum(weight for weight, width in zip(weights, five, strict=True) if width == 3)
            yield str(total % 11)  # 4 and 7, which make 11, are the zero


def test_it_says_everything_that_people_look_for() -> None:
    said = text(draw(slip()))
    for expected in (
        "Recibo do Pagador", "Ficha de Compensação", "990-3", "LASTRO SANDBOX IP", "Ana Comércio Ltda - CNPJ 11.222.333/0001-81",
        "João da Silva - CPF 123.456.789-09", "Rua das Flores, 12, Centro, São Paulo, SP, 01000000", "0001 / 000000019",
        NUMBER, "pedido-7", "R$ 1.234,56", "Vencimento", "26/11/2026", "Não receber após 27/11/2026.", "23/11/2026",
        "Mensalidade de novembro", "Pague com Pix", "Nosso número", "Local de pagamento", "Sacador/Avalista",
        "Instruções (texto de responsabilidade do beneficiário)", "(=) Valor cobrado",
    ):  # fmt: skip
        assert expected in said, expected
    assert said.count(LINE) == 2
    assert said.count("26/11/2026") == 2


def test_its_bars_are_of_legal_size_and_say_the_code() -> None:
    areas = filled(page(draw(slip())))
    assert len(areas) == 2 + 5 * 22 + 2
    assert {round(height, 1) for *_, height in areas} == {13.0}
    left, foot, _, _ = areas[0]
    right = areas[-1][0] + areas[-1][2]
    assert right - left == pytest.approx(103, abs=0.1)
    assert left >= 5
    assert foot >= 12, "FEBRABAN: the bars stand 12 mm above the paper's edge at least"
    assert itf(areas) == CODE


def test_its_qr_is_the_pix() -> None:
    (picture,) = page(draw(slip())).images
    assert picture.image is not None
    assert [found.text for found in zxingcpp.read_barcodes(picture.image)] == [BRCODE]
    without = draw(slip(brcode=None))
    assert list(page(without).images) == []
    assert "Pix" not in text(without)


def test_the_same_slip_is_the_same_bytes() -> None:
    assert draw(slip()) == draw(slip())
    assert draw(slip()) != draw(slip(number="pedido-8"))


@pytest.mark.parametrize("ended", ["PAGO", "CANCELADO", "VENCIDO"])
def test_what_has_ended_says_so_on_both_parts(ended: Any) -> None:
    assert text(draw(slip(ended=ended))).count(ended) == 2
    assert ended not in text(draw(slip()))


@pytest.mark.parametrize("letter", ["W", "i", "Ж", "W ", "中", "\u0301", "\n"])
def test_no_name_leaves_its_field(letter: str) -> None:
    party = SlipParty(letter * 140, "CPF", "12345678909", letter * 400)
    drawn = draw(slip(receiver=party, payer=party, description=letter * 140, number=letter * 64, bank_name=letter * 140))
    one = page(drawn)
    ends: list[float] = []
    paper = Paper()

    def visit(said: str, _cm: list[float], tm: list[float], _font: Any, size: float) -> None:
        if said.strip():
            paper.set_font(FONT, "", size)
            ends.append(tm[4] / MM + paper.get_string_width(said.strip()))

    one.extract_text(visitor_text=visit)
    assert len(ends) > 40
    assert max(ends) < LEFT + WIDTH + 0.5
    said = one.extract_text()
    assert said.count("CPF 123.456.789-09") == 4, "a document stays readable, whatever the name"
    assert itf(filled(one)) == CODE
    assert said.count(LINE) == 2


def test_a_line_of_text_is_no_wider_than_its_place() -> None:
    """By the widths of the font itself: what was cut or made smaller fits, and is as long as it may be."""
    wide = draw(slip(number="W" * 64))
    said = text(wide)
    cut = max(re.findall("W+…", said), key=len)
    assert 20 < len(cut) < 64


@pytest.mark.parametrize(
    ("compe", "expected"),
    [
        ("001", "001-9"), ("033", "033-7"), ("104", "104-0"), ("237", "237-2"), ("341", "341-7"), ("756", "756-0"),
        ("990", "990-3"),
    ],
)  # fmt: skip
def test_a_banks_digit(compe: str, expected: str) -> None:
    assert bank(compe) == expected


def test_words() -> None:
    assert reais(brl(5)) == "R$ 0,05"
    assert reais(brl(9_999_999_999)) == "R$ 99.999.999,99"
    assert day(DUE) == "26/11/2026"
    assert document("CPF", "12345678909") == "CPF 123.456.789-09"
    assert document("CNPJ", "11222333000181") == "CNPJ 11.222.333/0001-81"
    assert document("RFC", "XAXX010101000") == "RFC XAXX010101000"
    assert document(None, None) == document("CPF", None) == ""
    address = {"state": "SP", "city": "São Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "10",
               "complement": "ap. 3", "postalCode": "01001000"}  # fmt: skip
    assert line_of(address) == "Rua A, 10, ap. 3, Centro, São Paulo, SP, 01001000"
    assert line_of(None) is line_of({}) is None


CUSTOMER = Party(account().id, "Bento", "CPF", "12345678909")
MADE = Instrument("boleto", NUMBER, Face(CODE, DUE, LAST_DAY))
PAYABLE = order(payment_method="BOLETO", instrument=MADE, customer=CUSTOMER, final_amount=brl(123456))


def of(today: date = DUE, **changes: Any) -> Slip | None:
    return slip_of(replace(PAYABLE, **changes), account(), {"city": "Santos"}, PLACE, today)


def test_an_orders_slip() -> None:
    made = of()
    assert made is not None
    assert (made.bank, made.our_number, made.number, made.code, made.ended) == ("990", NUMBER, "1", CODE, None)
    assert (made.payer, made.receiver.name) == (SlipParty("Bento", "CPF", "12345678909", "Santos"), "Ana")
    assert (made.amount, made.due, made.payable_until, made.issued) == (brl(123456), DUE, LAST_DAY, date(2026, 1, 2))
    assert made.brcode is not None
    assert decode(made.brcode).location == "pay.example.com/qr/v2/token"
    without = of(pix_key=None)
    assert without is not None
    assert without.brcode is None
    assert of(instrument=None) is None
    assert of(customer=None) is None
    assert of(payment_method="PIX") is None


@pytest.mark.parametrize(
    ("state", "today", "ended"),
    [
        ("INITIAL", LAST_DAY, None), ("INITIAL", date(2026, 11, 28), "VENCIDO"), ("PENDING", date(2026, 11, 28), None),
        ("PAID", DUE, "PAGO"), ("REFUNDED", DUE, "PAGO"), ("PARTIAL_REFUNDED", DUE, "PAGO"), ("CANCELED", DUE, "CANCELADO"),
        ("ERROR", DUE, "CANCELADO"), ("EXPIRED", DUE, "VENCIDO"),
    ],
)  # fmt: skip
def test_how_it_has_ended(state: str, today: date, ended: str | None) -> None:
    made = of(today, state=state)
    assert made is not None
    assert made.ended == ended
