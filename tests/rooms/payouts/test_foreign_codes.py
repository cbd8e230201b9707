"""Codes as other banks print them, paid by payouts: keys in any letters, accents, blanks around, labels, withdrawals."""

import msgspec
import pytest

from lastro.payouts.reading import read_wish
from lastro.rails.port import Charge

from .office import KEY, Office, entry_of
from .test_create import dynamic_qr

RANDOM, CNPJ = "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "12ABC34501DE35"
_END = "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304"
E_MAIL_IN_CAPITALS = f"00020126400014br.gov.bcb.pix0118FABIO@FORA.EXAMPLE{_END}0EBB"
RANDOM_IN_CAPITALS = f"00020126580014br.gov.bcb.pix01360F4B6C1E-7A52-4D0E-9A3B-5C8D7E6F1A20{_END}62B0"
CNPJ_IN_SMALL = f"00020126360014br.gov.bcb.pix011412abc34501de35{_END}E463"
PUNCTUATED = f"00020126400014br.gov.bcb.pix011812.ABC.345/01DE-35{_END}CECA"


@pytest.fixture
def keys(office: Office) -> Office:
    office.outside.entries |= {RANDOM: entry_of(RANDOM, "RANDOM"), CNPJ: entry_of(CNPJ, "CNPJ")}
    return office


@pytest.mark.parametrize(
    ("code", "key"),
    [(E_MAIL_IN_CAPITALS, KEY), (RANDOM_IN_CAPITALS, RANDOM), (CNPJ_IN_SMALL, CNPJ)],
    ids=["e-mail in capitals", "random key in capitals", "CNPJ in small letters"],
)
async def test_a_key_is_one_key_in_capitals_and_small_letters(keys: Office, code: str, key: str) -> None:
    made = await keys.make(1000, qr=code)
    assert await keys.column("SELECT pix_key FROM payouts WHERE id = $1::text::uuid", made["id"]) == [key]
    assert keys.outside.asked == [key]


async def test_what_is_no_key_is_refused_and_nobody_is_asked(keys: Office) -> None:
    problem = await keys.refused(keys.wish(qr=PUNCTUATED))
    assert (problem.field, problem.issue) == ("paymentData.qrcodeData", "INVALID")
    assert keys.outside.asked == []


@pytest.mark.parametrize(("given", "key"), [(RANDOM.upper(), RANDOM), (CNPJ.lower(), CNPJ), (KEY.upper(), KEY)])
async def test_a_signed_charge_may_write_its_key_in_any_letters(keys: Office, given: str, key: str) -> None:
    keys.outside.charges["banco.example/qr/v2/x"] = Charge(given, None, "A" * 26)
    await keys.make(1000, qr=dynamic_qr())
    assert keys.outside.asked == [key]


async def test_a_signed_charge_of_what_is_no_key_is_refused(keys: Office) -> None:
    keys.outside.charges["banco.example/qr/v2/x"] = Charge("12.ABC.345/01DE-35", None, "A" * 26)
    problem = await keys.refused(keys.wish(qr=dynamic_qr()))
    assert (problem.field, problem.issue, keys.outside.asked) == ("paymentData.qrcodeData", "INVALID", [])


@pytest.mark.parametrize(
    ("typed", "key"), [(RANDOM.upper(), RANDOM), (CNPJ.lower(), CNPJ), (KEY.upper(), KEY), ("12.ABC.345/01DE-35", None)]
)
def test_a_typed_key(typed: str, key: str | None) -> None:
    body = {
        "externalId": "a", "accountId": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "paymentMethod": "PIX", "description": "x",
        "amount": {"currency": "BRL", "value": 1}, "paymentData": {"pixKey": typed},
    }  # fmt: skip
    wish, problems = read_wish(msgspec.json.encode(body))
    assert (None if wish is None else wish.key, [p.field for p in problems]) == (key, [] if key else ["paymentData.pixKey"])
