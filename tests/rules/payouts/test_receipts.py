"""A receipt as JSON and as a PDF that is read back: what it tells, what it masks, and that it is the same each time."""

import asyncio
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest
from msgspec import structs
from pypdf import PdfReader

from lastro.accounts import Account, Holder, Institution
from lastro.core.media import PDF
from lastro.core.money import Money
from lastro.payouts import Payout
from lastro.payouts.actions.receipt import GiveReceipt, ReceiptContext
from lastro.payouts.receipts import Receipt, ReceivedReturn, shown
from lastro.payouts.receipts.drawing import draw
from lastro.payouts.receipts.words import document, moment, reais
from lastro.rails.port import Receiver

AT = datetime(2026, 1, 31, 12, 0, 1, 412000, tzinfo=UTC)
OURS = Institution("99999010", "LASTRO SANDBOX IP", "0001", "990")
HOLDER = Holder("ORGANIZATION", "Padaria São João Ltda", "CNPJ", "11222333000181", "ana@example.com", "+5511999999999")
ACCOUNT = Account(UUID(int=1), "ACTIVE", 1, "000000019", "0001", "SAO PAULO", HOLDER, AT)
FABIO = Receiver("Fabio de Fora", "CPF", "24681357928", "99999030", "0001", "300003", "CHECKING_ACCOUNT")


def payout(**given: Any) -> Payout:
    """A Pix of Fabio's, by his key, that is paid."""
    values: dict[str, Any] = {
        "id": UUID("0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"), "state": "PAID", "version": 3, "batch_id": None, "sequence": None,
        "children": 0, "account_id": ACCOUNT.id, "external_id": "salary-7", "idempotency_key": "k", "method": "PIX",
        "rail": "pix", "initiation": "KEY", "amount": Money(123456, "BRL"), "fee": Money(0, "BRL"), "returned": Money(0, "BRL"),
        "description": "Salário de janeiro", "receiver": FABIO, "bank_name": "BANCO RECEBEDOR SIMULADO", "bank_code": "992",
        "key": "fabio@fora.example", "key_type": "EMAIL", "txid": None, "end_to_end_id": "E9999901020260131120000001aBcDeF",
        "control_number": None, "str_control_number": None, "message_id": None, "hold_id": None, "fee_hold_id": None,
        "quota_period": None, "is_at_night": False, "scheduled_on": None, "start_at": None, "send_until": None,
        "error_code": None, "error_message": None, "ask_at": None, "paid_at": AT, "created_at": AT - timedelta(seconds=2),
        "updated_at": AT + timedelta(seconds=1), "account": ACCOUNT,
    }  # fmt: skip
    return Payout(**{**values, **given})


def receipt(*returns: ReceivedReturn, transfers: tuple[Payout, ...] = (), **given: Any) -> Receipt:
    return Receipt(payout(**given), transfers, returns, OURS)


def given_back(cents: int, minutes: int = 30) -> ReceivedReturn:
    at = AT + timedelta(minutes=minutes)
    return ReceivedReturn(
        f"D99999030202601311230000{minutes:04}aBcDe", payout().id, Money(cents, "BRL"), at, at + timedelta(seconds=1)
    )


def batch(count: int, *failed: int, cents: int = 1000, **given: Any) -> Receipt:
    """A payout of so many transfers, some of which were not paid."""
    whole = payout(children=count, amount=Money(count * cents, "BRL"), end_to_end_id=None, **given)
    transfers = tuple(
        payout(
            id=UUID(int=n), batch_id=whole.id, sequence=n, external_id=None, amount=Money(cents, "BRL"),
            end_to_end_id=f"E99999010202601311200{n:011}", state="ERROR" if n in failed else "PAID",
            paid_at=None if n in failed else AT,
        )
        for n in range(1, count + 1)
    )  # fmt: skip
    return Receipt(whole, transfers, (), OURS)


TED: dict[str, Any] = {
    "method": "TED", "rail": "ted", "key": None, "key_type": None, "end_to_end_id": None, "control_number": "L1",
    "str_control_number": "STR20260131000000007",
}  # fmt: skip


def pages(drawn: bytes) -> list[str]:
    """The text of each page, each run of blanks and line ends as one blank."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(drawn)).pages]


def page(given: Receipt) -> str:
    (only,) = pages(draw(given))
    return only


# ── the words ──


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (1, "R$ 0,01"), (100, "R$ 1,00"), (1050, "R$ 10,50"), (99999, "R$ 999,99"), (100000, "R$ 1.000,00"),
        (123456789, "R$ 1.234.567,89"), (999999999999, "R$ 9.999.999.999,99"),
    ],
)  # fmt: skip
def test_amounts_are_written_as_in_brazil(minor: int, text: str) -> None:
    assert reais(Money(minor, "BRL")) == text


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (AT, "31/01/2026 às 09:00:01"),
        (datetime(2026, 2, 1, 2, 59, 59, tzinfo=UTC), "31/01/2026 às 23:59:59"),
        (datetime(2026, 2, 1, 3, tzinfo=UTC), "01/02/2026 às 00:00:00"),
    ],
)
def test_times_are_by_the_clock_of_brasilia(at: datetime, text: str) -> None:
    assert moment(at) == text


def test_documents_have_their_punctuation() -> None:
    assert document("CNPJ", "11222333000181") == "CNPJ 11.222.333/0001-81"
    assert document("CNPJ", "12ABC34501DE35") == "CNPJ 12.ABC.345/01DE-35"
    assert document("CPF", "***.813.579-**") == "CPF ***.813.579-**"


# ── JSON ──


def test_both_parties_and_the_networks_id() -> None:
    told = shown(receipt(fee=Money(40, "BRL"), txid="MESA7"))
    assert (told.end_to_end_id, told.control_number, told.txid) == ("E9999901020260131120000001aBcDeF", None, "MESA7")
    assert (told.amount, told.paid_amount, told.fee, told.returned_amount) == ("1234.56", "1234.56", "0.40", None)
    assert (told.payer.name, told.payer.document.number) == ("Padaria São João Ltda", "11222333000181")
    assert (told.payer.bank.ispb, told.payer.bank.branch, told.payer.bank.account) == ("99999010", "0001", "000000019")
    assert (told.receiver.name, told.receiver.document.number) == ("Fabio de Fora", "***.813.579-**")
    assert told.receiver.bank.pix is not None
    assert (told.receiver.bank.pix.key, told.receiver.bank.account) == ("fabio@fora.example", None)
    assert (told.transfers, told.returns) == (None, None)


def test_a_ted_has_its_control_number_and_the_receivers_account() -> None:
    told = shown(receipt(**TED))
    assert (told.end_to_end_id, told.control_number) == (None, "STR20260131000000007")
    assert (told.receiver.bank.branch, told.receiver.bank.account, told.receiver.bank.pix) == ("0001", "300003", None)


def test_a_ted_to_an_account_here_has_the_id_it_went_by() -> None:
    """It has gone through no STR, which would have given it a number."""
    here = receipt(**{**TED, "rail": "book", "end_to_end_id": payout().end_to_end_id, "control_number": None,
                      "str_control_number": None})  # fmt: skip
    told = shown(here)
    assert (told.end_to_end_id, told.control_number) == (payout().end_to_end_id, None)
    assert f"ID da transação {payout().end_to_end_id}" in page(here)


def test_a_payer_who_is_a_person_is_masked_too() -> None:
    ana = replace(HOLDER, type="INDIVIDUAL", document_type="CPF", document_number="52998224725")
    given = receipt(account=replace(ACCOUNT, holder=ana))
    assert shown(given).payer.document.number == "***.982.247-**"
    assert "CPF ***.982.247-**" in page(given)


@pytest.mark.parametrize(
    ("kind", "key", "said"),
    [
        ("CPF", "24681357928", "***.813.579-**"), ("CNPJ", "99999030000110", "99999030000110"),
        ("PHONE", "+5511987654321", "+5511987654321"), ("EMAIL", "24681357928@fora.example", "24681357928@fora.example"),
        ("RANDOM", "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"),
    ],
)  # fmt: skip
def test_a_key_that_is_a_cpf_is_masked_as_one(kind: str, key: str, said: str) -> None:
    given = receipt(key=key, key_type=kind)
    pix = shown(given).receiver.bank.pix
    assert pix is not None
    assert pix.key == said
    assert f"Chave Pix {said}" in page(given)
    assert kind != "CPF" or key not in page(given)


def test_what_came_back_is_listed() -> None:
    told = shown(receipt(given_back(400), given_back(100, 40), state="PARTIAL_REFUNDED", returned=Money(500, "BRL")))
    assert told.returned_amount == "5.00"
    assert [(r.amount, r.returned_at) for r in told.returns or []] == [
        ("4.00", "2026-01-31T12:30:01.412000Z"), ("1.00", "2026-01-31T12:40:01.412000Z"),
    ]  # fmt: skip
    assert told.issued_at == "2026-01-31T12:40:02.412000Z"


def test_a_batch_has_each_of_its_transfers() -> None:
    told = shown(batch(3, 2, state="PARTIALLY_PAID"))
    assert (told.amount, told.paid_amount, told.end_to_end_id) == ("30.00", "20.00", None)
    assert [(t.sequence, t.status, t.end_to_end_id, t.paid_at is None) for t in told.transfers or []] == [
        (1, "PAID", "E9999901020260131120000000000001", False),
        (2, "ERROR", "E9999901020260131120000000000002", True),
        (3, "PAID", "E9999901020260131120000000000003", False),
    ]


# ── the code ──


def test_the_same_facts_have_the_same_code() -> None:
    # Written out: a receipt that was printed long ago is compared with one of today.
    assert receipt().code == "A8C72A6B2731F06A457FE8306261DC50"
    # What is no part of what is told.
    assert receipt(version=9, hold_id=UUID(int=3), updated_at=AT, ask_at=AT).code == receipt().code


@pytest.mark.parametrize(
    "other",
    [
        {"id": UUID(int=7)}, {"external_id": "salary-8"}, {"state": "REFUNDED"}, {"amount": Money(123457, "BRL")},
        {"fee": Money(1, "BRL")}, {"description": "Salário"}, {"paid_at": AT + timedelta(microseconds=1)},
        {"end_to_end_id": "E9999901020260131120000001aBcDeG"}, {"txid": "x"}, {"key": "other@fora.example"}, {"key": None},
        {"receiver": structs.replace(FABIO, name="Fabia de Fora")}, {"receiver": structs.replace(FABIO, document_number="99981357900")},
        {"receiver": structs.replace(FABIO, document_number="24681457928")}, {"receiver": structs.replace(FABIO, ispb="99999020")},
        {"account": replace(ACCOUNT, number="000000027")}, {"account": replace(ACCOUNT, holder=replace(HOLDER, full_name="P"))},
    ],
    ids=str,
)  # fmt: skip
def test_other_facts_have_another_code(other: dict[str, Any]) -> None:
    # Of a masked document only what is shown counts: the code must not be a way to try out the rest.
    is_masked_alike = other == {"receiver": structs.replace(FABIO, document_number="99981357900")}
    assert (receipt(**other).code == receipt().code) == is_masked_alike


def test_what_came_back_makes_another_code() -> None:
    codes = {receipt(*returns).code for returns in ((), (given_back(400),), (given_back(401),), (given_back(400, 31),))}
    assert len(codes) == 4
    assert len({batch(3).code, batch(3, 2).code, batch(3, 3).code, batch(4, cents=750).code}) == 4


# ── the PDF ──


def test_it_says_it_in_portuguese() -> None:
    text = page(receipt(given_back(400), state="PARTIAL_REFUNDED", fee=Money(40, "BRL"), txid="MESA7"))
    for said in (
        "Comprovante de Pix", "R$ 1.234,56 31/01/2026 às 09:00:01 (horário de Brasília)", "Situação Devolvido em parte",
        "Valor devolvido R$ 4,00", "Tarifa R$ 0,40", "Descrição Salário de janeiro",
        "ID da transação E9999901020260131120000001aBcDeF", "Identificador do QR Code MESA7", "Nome Padaria São João Ltda",
        "Documento CNPJ 11.222.333/0001-81", "Agência e conta 0001 / 000000019 (conta de pagamento)", "Nome Fabio de Fora",
        "Documento CPF ***.813.579-**", "Instituição BANCO RECEBEDOR SIMULADO (99999030)", "Chave Pix fabio@fora.example",
        "R$ 4,00 D999990302026013112300000030aBcDe 31/01/2026 às 09:30:01", "Emitido por LASTRO SANDBOX IP (99999010)",
        "Emitido em 31/01/2026 às 09:30:02", f"Comprovante {payout().id}", "Página 1 de 1",
    ):  # fmt: skip
        assert said in text, said
    assert "24681357928" not in text
    assert "Valor pedido" not in text


def test_a_ted_is_called_one() -> None:
    text = page(receipt(**TED))
    assert "Comprovante de TED" in text
    assert "Nº de controle do STR STR20260131000000007" in text
    assert "Agência e conta 0001 / 300003 (conta corrente)" in text
    assert "Chave Pix" not in text
    assert "Devoluções" not in text


def test_its_code_is_that_of_the_json() -> None:
    given = receipt()
    assert page(given).count(shown(given).authentication_code) == 1, "and it is printed once"


@pytest.mark.parametrize("given", [receipt(given_back(400)), batch(40, 3)], ids=["one page", "two pages"])
def test_rules_and_text_stand_within_the_same_margins(given: Receipt) -> None:
    margin, width = (mm / 25.4 * 72 for mm in (18, 210))
    for sheet in PdfReader(io.BytesIO(draw(given))).pages:
        content = sheet.get_contents()
        assert content is not None
        drawn = [float(operands[0]) for operands, operator in content.operations if operator in (b"m", b"l")]
        assert (min(drawn), max(drawn)) == pytest.approx((margin, width - margin), abs=0.1)
        begins: list[float] = []
        sheet.extract_text(visitor_text=lambda text, _, at, *__, seen=begins: seen.append(at[4]) if text.strip() else None)
        assert min(begins) == pytest.approx(margin, abs=0.1)


def test_the_same_receipt_is_the_same_bytes() -> None:
    given = receipt(given_back(400))
    drawn = draw(given)
    assert draw(given) == drawn
    about = PdfReader(io.BytesIO(drawn)).metadata
    assert about is not None
    assert (about.creation_date, about.title, about.author) == (
        AT.replace(microsecond=0), "Comprovante de Pix", "LASTRO SANDBOX IP",
    )  # fmt: skip
    assert draw(receipt(given_back(401))) != drawn


def test_a_batch_goes_on_to_as_many_pages_as_it_needs() -> None:
    found = pages(draw(batch(100, 7, 100, cents=123_456, state="PARTIALLY_PAID")))
    assert len(found) == 3
    whole = " ".join(found)
    for n in range(1, 101):
        state = "Não realizado" if n in (7, 100) else "Concluído"
        assert f" {n} R$ 1.234,56 {state} E99999010202601311200{n:011} " in whole, n
    assert "R$ 120.986,88" in found[0]
    assert "Valor pedido R$ 123.456,00" in found[0]
    for number, text in enumerate(found, start=1):
        assert f"Página {number} de 3" in text
        assert "Nº Valor Situação Identificação Data e hora" in text


def test_the_loop_goes_on_while_it_is_drawn() -> None:
    given = batch(100)

    async def turns() -> int:
        verb = GiveReceipt(given.payout.id, PDF, OURS)
        drawing = asyncio.ensure_future(verb.call_out(ReceiptContext((given.payout, *given.transfers)), Mock()))
        count = 0
        while not drawing.done():
            await asyncio.sleep(0)
            count += 1
        assert (await drawing).drawn == draw(given)
        return count

    assert asyncio.run(turns()) > 20


NAMES = {
    "beyond Latin-1": "Łukasz Ğül Ωμέγα Щукин Nguyễn",
    "decomposed": "Joa\u0303o Conceic\u0327a\u0303o",
    "long": "Maria " * 40 + "da Silva",
    "one long word": "W" * 140,
    "markup": "<b>Ana</b> & **Filhos** (#1) {nb} \\( n\u0301b",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_of_any_kind_are_printed_whole(name: str) -> None:
    text = page(receipt(receiver=structs.replace(FABIO, name=name), description=name))
    printed = name.replace("Joa\u0303o Conceic\u0327a\u0303o", "João Conceição").replace("n\u0301b", "ńb").replace(" ", "")
    assert text.replace(" ", "").count(printed) == 2


@pytest.mark.parametrize("name", ["田中", "🎉", "عمر", "a\nb\tc\x00"])
def test_what_the_font_has_not_is_shown_as_missing_and_kept_beside(name: str) -> None:
    drawn = draw(receipt(receiver=structs.replace(FABIO, name=f"Ana {name}"), description="x"))
    (text,) = pages(drawn)
    letters = "".join(c if c.isascii() and c.isprintable() else "▯" for c in name)
    assert f"Nome Ana {letters}" in text
    about = PdfReader(io.BytesIO(drawn)).metadata
    assert about is not None
    assert about.subject == f"Ana {name}: x"
