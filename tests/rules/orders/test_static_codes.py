"""What is printed in a static code, and what becomes of the money that is paid to one."""

import os
from typing import Any
from uuid import UUID

import msgspec
import pytest

from lastro.accounts import Institution
from lastro.companies import Fees
from lastro.core.ids import Chance
from lastro.core.money import MOST_MINOR
from lastro.core.runner import RequestContext
from lastro.orders import Installation
from lastro.orders.actions.pay import Paid, pay
from lastro.orders.model import CompanySetup
from lastro.orders.static_codes.rendering import printed
from lastro.standards.brcode import decode

from .values import NOW, account, brl, static_code

DOOR = RequestContext(UUID(int=9), NOW, Chance(os.urandom))
PLACE = Installation(Institution("99999010", "LASTRO", "0001"), "http://127.0.0.1:8080", True)
EVP, TXID = "6f1d2c1a-3b5e-4c7d-8e9f-0a1b2c3d4e5f", "00001jPPPljQLKI4tD7o5QMJX"
LONGEST_KEY = "a" * 65 + "@example.com"


@pytest.mark.parametrize(
    ("given", "amount"), [(None, None), (brl(1), "0.01"), (brl(1050), "10.50"), (brl(MOST_MINOR), "9999999999.99")]
)
def test_a_code_says_key_amount_and_txid_itself(given: Any, amount: str | None) -> None:
    code = decode(printed(account(), EVP, TXID, given, None))
    assert (code.key, code.amount, code.txid, code.description) == (EVP, amount, TXID, None)
    assert (code.location, code.single_use) == (None, False), "nobody has to fetch anything, and it is paid again and again"
    assert (code.merchant_name, code.merchant_city) == ("Ana", "SAO PAULO")


@pytest.mark.parametrize(
    ("key", "description", "told"),
    [
        (EVP, "Mesa 5", "Mesa 5"),
        (EVP, "Café da manhã nº 1", "Cafe da manha no 1"),
        (EVP, "x" * 37, "x" * 37),
        (EVP, "x" * 140, "x" * 37),
        ("+5511999990000", "x" * 140, "x" * 59),
        (EVP, "x" * 36 + " y", "x" * 36),
        (EVP, "咖啡", None),
        (LONGEST_KEY, "Mesa 5", None),
    ],
    ids=["short", "accents", "just", "longer", "a shorter key", "a blank at the cut", "none in ASCII", "no room"],
)
def test_the_payer_reads_of_a_description_what_fits_beside_the_key(key: str, description: str, told: str | None) -> None:
    assert decode(printed(account(), key, TXID, None, description)).description == told


def order_of(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The row of the order that money of a static code makes, and what its client is told."""
    paid = Paid("E1", brl(1000), NOW, None, "key", changes.pop("remittance", None), UUID(int=2), **changes)
    write = pay(None, CompanySetup(1, 1, 0, Fees("BRL"), None, None), account(), paid, PLACE, DOOR)
    (row,) = [r.values for r in write.rows if r.table == "orders"]
    (event,) = write.events
    return dict(row), msgspec.json.decode(event.body)


@pytest.mark.parametrize(
    ("given", "described", "named"),
    [
        ({}, "Pix received", None),
        ({"remittance": "from Bento"}, "from Bento", None),
        ({"printed": static_code()}, "Mesa 5", static_code().id),
        ({"printed": static_code(), "remittance": "from Bento", "txid": TXID}, "from Bento", static_code().id),
        ({"txid": "MESA5"}, "Pix received", None),
        ({"printed": static_code(description=None)}, "Pix received", static_code().id),
    ],
)
def test_money_of_a_code_makes_an_order_that_names_it(given: dict[str, Any], described: str, named: UUID | None) -> None:
    row, told = order_of(**given)
    assert (row["origin"], row["external_id"], row["static_qrcode_id"]) == ("UNASKED", "E1", named)
    assert row["description"] == told["description"] == described
    assert told.get("staticQrcodeId") == (None if named is None else str(named))
    assert (told["code"], told.get("txid")) == ("E1", given.get("txid"))
