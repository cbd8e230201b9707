"""Codes as others print and people paste them: accents, emoji, blanks around, withdrawals, labels of any form."""

from dataclasses import replace

from tests.in_one import in_one_test

from lastro.standards.brcode import crc16, decode, encode

from .test_brcode import FULANO, LABEL, REST

ACCENTS = (
    "00020126620014br.gov.bcb.pix0118fabio@fora.example0218Manutenção técnica5204000053039865802BR5913Fulano de Tal"
    "6008BRASILIA62070503***630411BD"
)


def described(text: str, length: int, encoding: str = "utf-8") -> str:
    """A code whose description is said to have so many of whatever is counted."""
    inside = f"0014br.gov.bcb.pix0118fabio@fora.example02{length:02d}{text}"
    before = f"00020126{44 + length}{inside}{REST}{LABEL}6304"
    return before + crc16(before, encoding)


def test_accents_are_read() -> None:
    assert decode(ACCENTS).description == "Manutenção técnica"


@in_one_test("text", ["Pão de ló", "Café \u2615", "Festa \U0001f389", "日本"])
@in_one_test("counted", ["characters", "UTF-8", "UTF-16"])
def test_a_length_may_count_what_its_writer_counts(text: str, counted: str) -> None:
    length = {"characters": len(text), "UTF-8": len(text.encode()), "UTF-16": len(text.encode("utf-16-le")) // 2}[counted]
    assert decode(described(text, length)).description == text


def test_check_digits_may_be_those_of_western_letters() -> None:
    assert decode(described("Pão", 3, "latin-1")).description == "Pão"


@in_one_test("around", [" ", "\n", "\r\n", "\t", "\u00a0", "\ufeff", "\u200b"])
def test_what_a_code_is_pasted_with_is_dropped(around: str) -> None:
    assert decode(f"{around}{encode(FULANO)}{around}") == decode(encode(FULANO))


def test_a_withdrawal_says_who_hands_out_the_cash() -> None:
    text = "00020126520014br.gov.bcb.pix0118fabio@fora.example0308999990305204000053039865802BR5904Loja6002SP62070503***63047E0B"
    code = decode(text)
    assert (code.facilitator, code.key) == ("99999030", "fabio@fora.example")
    assert encode(code) == text


@in_one_test(("txid", "label"), [("NF2026118", "NF2026118"), (None, None)])
def test_a_label_that_payments_can_carry(txid: str | None, label: str | None) -> None:
    assert replace(FULANO, txid=txid).label == label


def test_a_label_that_no_payment_can_carry_is_none() -> None:
    assert replace(FULANO, txid="NF-2026/118").label is None
