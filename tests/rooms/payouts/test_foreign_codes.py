"""Codes as other banks print them, paid by payouts: keys in any letters, accents, blanks around, labels, withdrawals."""

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.payouts.reading import read_wish
from lastro.rails.port import Charge
from lastro.standards.brcode import BrCode, crc16, encode

from .office import KEY, Office, entry_of
from .test_create import dynamic_qr, static_qr

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


WITHDRAWAL = (
    "00020126520014br.gov.bcb.pix0118fabio@fora.example0308999990305204000053039865802BR5904Loja6002SP62070503***63047E0B"
)
ACCENTS = f"00020126620014br.gov.bcb.pix0118fabio@fora.example0218Manutenção técnica{_END}11BD"


async def test_a_withdrawal_is_never_paid_as_a_purchase(office: Office) -> None:
    problem = await office.refused(office.wish(qr=WITHDRAWAL))
    assert (problem.field, problem.issue) == ("paymentData.qrcodeData", "NOT_SUPPORTED")
    assert (office.outside.asked, await office.column("SELECT count(*) FROM payouts")) == ([], [0])


@in_one_test("code", [ACCENTS, f" {E_MAIL_IN_CAPITALS}\r\n", f"\ufeff{ACCENTS}\n"])
async def test_accents_and_what_is_around_are_no_reason_to_refuse(office: Office, code: str) -> None:
    assert (await office.make(1000, qr=code))["status"] == "PENDING"


@in_one_test("label", ["NF-2026/118", "a b", "NF_1"])
async def test_a_label_that_no_payment_can_carry_is_left_out(office: Office, label: str) -> None:
    code = sealed(f"{E_MAIL_IN_CAPITALS[:-19]}62{len(label) + 4:02d}05{len(label):02d}{label}")
    made = await office.make(1000, qr=code)
    assert await office.column("SELECT txid FROM payouts WHERE id = $1::text::uuid", made["id"]) == [None]


async def test_a_price_of_zero_is_no_open_one(office: Office) -> None:
    problem = await office.refused(office.wish(qr=static_qr(amount="0.00")))
    assert (problem.field, problem.issue) == ("paymentData.qrcodeData", "INVALID")


async def test_what_only_offers_a_subscription_besides_is_paid_by_its_key(office: Office) -> None:
    """Journey 4 on a printed code, as the phone reads it."""
    offer = "banco.example/qr/v2/rec/1"
    code = BrCode(merchant_name="Fabio", merchant_city="SP", key=KEY, recurrence_location=offer)
    made = await office.make(1000, qr=encode(code))
    assert await office.column("SELECT initiation FROM payouts WHERE id = $1::text::uuid", made["id"]) == ["STATIC_QR"]
    at_a_charge = BrCode(
        merchant_name="Fabio", merchant_city="SP", location="banco.example/qr/v2/x", recurrence_location=offer
    )
    assert (await office.refused(office.wish(qr=encode(at_a_charge)))).issue == "NOT_SUPPORTED"


def sealed(text: str) -> str:
    return f"{text}6304{crc16(text + '6304')}"
