"""The code of a bank's charge: taken as it is, or built, and refused where it leads elsewhere."""

from typing import Any

import msgspec
import pytest

from lastro.core.money import Money
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.codes import Merchant, code_of
from lastro.rails.messages import Malformed
from lastro.standards import brcode

AMOUNT = Money(1050, "BRL")
MERCHANT = Merchant("Loja da Ana", "SAO PAULO")
LOCATION = "pix.example.com/qr/v2/2353c790eefb11eaadc10242ac120002"


def code(**changes: Any) -> str:
    fields: dict[str, Any] = {"merchant_name": "ANA", "merchant_city": "SP", "location": LOCATION} | changes
    return brcode.encode(brcode.BrCode(**fields))


CODE = code()


def found(**told: Any) -> tuple[str, str]:
    return code_of(wire.charge(msgspec.json.encode(told)), AMOUNT, MERCHANT)


@pytest.mark.parametrize(
    "told",
    [
        {"pixCopiaECola": CODE}, {"brcode": CODE}, {"pixCopiaECola": f" {CODE}\n", "location": LOCATION},
        {"pixCopiaECola": None, "brcode": CODE, "loc": {"id": 7, "location": LOCATION}},
        {"pixCopiaECola": CODE, "loc": {"location": f"https://{LOCATION}"}, "location": LOCATION},
    ],
)  # fmt: skip
def test_the_banks_own_code_is_taken(told: dict[str, Any]) -> None:
    assert found(**told) == (CODE, LOCATION)


@pytest.mark.parametrize("amount", ["10.50", "0.00"])
def test_a_code_may_repeat_the_amount(amount: str) -> None:
    assert found(pixCopiaECola=code(amount=amount))[0] == code(amount=amount)


def test_a_code_is_built_where_the_bank_gives_none() -> None:
    text, location = found(loc={"id": 7, "location": f"HTTPS://{LOCATION}"})
    read = brcode.decode(text)
    assert (location, read.location, read.merchant_name, read.amount) == (LOCATION, LOCATION, "Loja da Ana", "10.50")
    assert read.single_use


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({}, "loc.location"), ({"pixCopiaECola": ""}, "loc.location"), ({"loc": {"id": 1}}, "loc.location"),
        ({"pixCopiaECola": CODE[:-1] + ("0" if CODE[-1] != "0" else "1")}, "pixCopiaECola (CRC)"),
        ({"pixCopiaECola": "x"}, "pixCopiaECola (CRC)"),
        ({"pixCopiaECola": CODE, "loc": {"location": LOCATION + "3"}}, "loc.location"),
        ({"pixCopiaECola": CODE, "location": LOCATION.upper()}, "loc.location"),
        ({"pixCopiaECola": CODE, "location": "a.b/c", "loc": {"location": LOCATION}}, "location"),
        ({"pixCopiaECola": code(location=None, key="thief@example.com")}, "pixCopiaECola (TARGET)"),
        ({"pixCopiaECola": code(recurrence_location="a.b/rec/1")}, "pixCopiaECola (TARGET)"),
        ({"pixCopiaECola": code(amount="10.51")}, "pixCopiaECola (AMOUNT)"),
        ({"location": "no location"}, "loc.location"), ({"location": "a.b/" + "x" * 80}, "loc.location"),
    ],
)  # fmt: skip
def test_what_leads_elsewhere_is_refused(told: dict[str, Any], field: str) -> None:
    with pytest.raises(Malformed) as refused:
        found(**told)
    assert str(refused.value) == field


def test_a_code_of_another_arrangement_is_refused() -> None:
    text = CODE[:-4].replace("br.gov.bcb.pix", "br.gov.bcb.pox")
    with pytest.raises(Malformed, match=r"PIX_TEMPLATE"):
        found(pixCopiaECola=text + brcode.crc16(text))
