"""A bank makes a subscription's recurrence: what it answers is what was asked, and a lost answer makes no second one."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.port import AnswerInvalid, ChargeRequest, IssueRefused, Person, RecurrenceRequest, Transient
from lastro.standards import brcode

from .api_pix_bank import serving
from .api_pix_recurring import RecurringBank
from .test_api_pix_issuing import LOST, NO_TOKEN, answers, refuses

TXID = "00007" + "a" * 27
FIRST = ChargeRequest(TXID, Money(1050, "BRL"), "loja@example.com", 86_400, "Loja da Ana", "SAO PAULO")
REQUEST = RecurrenceRequest(
    "contract-12", Person("Bento Braga", "CPF", "12345678909"), "Magazine", "MONTHLY", date(2027, 1, 10), None,
    Money(2990, "BRL"), None, True, datetime(2026, 11, 23, 13, 0, tzinfo=UTC),
)  # fmt: skip


@dataclass
class Counter:
    bank: RecurringBank
    makes: ApiPixRecurrences


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    bank = RecurringBank()
    async with serving(bank) as line:
        yield Counter(bank, ApiPixRecurrences("efi1", line, ApiPixIssuer("efi1", line, "utc")))


async def test_a_recurrence_is_made(counter: Counter) -> None:
    made = await counter.makes.make(REQUEST)
    (known,) = counter.bank.recurrences.values()
    assert made.recurrence_id == known["idRec"]
    code = brcode.decode(made.code)
    assert (code.location, code.recurrence_location) == (None, counter.bank.locations[0])
    (sent,) = counter.bank.sent("POST")
    assert sent == {
        "vinculo": {"contrato": "contract-12", "devedor": {"cpf": "12345678909", "nome": "Bento Braga"}, "objeto": "Magazine"},
        "calendario": {"dataInicial": "2027-01-10", "periodicidade": "MENSAL"}, "valor": {"valorRec": "29.90"},
        "politicaRetentativa": "PERMITE_3R_7D", "loc": 1,
    }  # fmt: skip
    assert counter.bank.asked == ["GET /rec", "POST /locrec", "POST /rec", f"GET /rec/{made.recurrence_id}"]
    assert not counter.bank.wrong


async def test_a_recurrence_with_its_first_charge_is_made(counter: Counter) -> None:
    made = await counter.makes.make(replace(REQUEST, first=FIRST, fixed=None, floor=Money(500, "BRL"), retries=False))
    assert made.first is not None
    code = brcode.decode(made.code)
    assert (code.location, code.recurrence_location) == (made.first.location, counter.bank.locations[0])
    *_, sent = counter.bank.sent("POST")
    assert sent["ativacao"] == {"dadosJornada": {"txid": TXID}}
    assert sent["valor"] == {"valorMinimoRecebedor": "5.00"}
    assert sent["politicaRetentativa"] == "NAO_PERMITE"
    assert counter.bank.asked[0] == f"PUT /cob/{TXID}"
    assert not counter.bank.wrong


async def test_a_lost_answer_makes_no_second_one(counter: Counter) -> None:
    counter.bank.next("POST recs", LOST)
    made = await counter.makes.make(REQUEST)
    assert list(counter.bank.recurrences) == [made.recurrence_id]


async def test_one_that_an_earlier_try_has_left_is_taken_up(counter: Counter) -> None:
    counter.bank.next("GET rec", answers(500))
    with pytest.raises(Transient):
        await counter.makes.make(REQUEST)
    left = list(counter.bank.recurrences)
    made = await counter.makes.make(REQUEST)
    assert left == [made.recurrence_id] == list(counter.bank.recurrences)


@pytest.mark.parametrize(
    "other",
    [
        {"contract": "contract-13"}, {"fixed": Money(2991, "BRL")}, {"frequency": "WEEKLY"}, {"retries": False},
        {"starts_on": date(2027, 1, 11)}, {"ends_on": date(2028, 1, 10)}, {"fixed": None, "floor": Money(2990, "BRL")},
    ],
)  # fmt: skip
async def test_another_contract_is_not_taken_up(counter: Counter, other: dict[str, Any]) -> None:
    first = await counter.makes.make(replace(REQUEST, **other))
    assert (await counter.makes.make(REQUEST)).recurrence_id != first.recurrence_id


async def test_one_that_its_payer_has_answered_is_not_taken_up(counter: Counter) -> None:
    first = await counter.makes.make(REQUEST)
    counter.bank.became(first.recurrence_id, "APROVADA")
    assert (await counter.makes.make(REQUEST)).recurrence_id != first.recurrence_id


async def test_a_no_names_the_field(counter: Counter) -> None:
    told = [
        {"razao": "no", "propriedade": "rec.calendario.dataInicial"},
        {"razao": "no", "propriedade": "rec.valor.valorRec"},
    ]
    counter.bank.next("POST recs", refuses(400, "RecOperacaoInvalida", violacoes=told))
    with pytest.raises(IssueRefused) as refused:
        await counter.makes.make(REQUEST)
    assert refused.value.code == "RecOperacaoInvalida"
    assert [field for field, _ in refused.value.violations] == ["starts_on", "amount"]


@pytest.mark.parametrize("what", ["GET recs", "POST locrecs", "POST recs", "GET rec"])
@pytest.mark.parametrize("answer", [answers(503), answers(200, "<html>"), NO_TOKEN, answers(403)])
async def test_silence_and_set_up_are_no_answer(counter: Counter, what: str, answer: Any) -> None:
    counter.bank.next(what, answer, answer)
    with pytest.raises(Transient):
        await counter.makes.make(REQUEST)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("valor.valorRec", {"valor": {"valorRec": "29.91"}}), ("status", {"status": "APROVADA"}),
        ("vinculo.contrato", {"vinculo": {"contrato": "other", "devedor": {"cpf": "12345678909", "nome": "B"}}}),
        ("ativacao.dadosJornada.txid", {"ativacao": {"tipoJornada": "JORNADA_3", "dadosJornada": {"txid": "b" * 32}}}),
        ("dadosQR.pixCopiaECola", {"dadosQR": None}), ("loc.location", {"loc": {"id": 1, "location": "bank.example/rec/9"}}),
    ],
)  # fmt: skip
async def test_what_differs_is_not_used_and_is_cancelled_there(counter: Counter, field: str, change: dict[str, Any]) -> None:
    def changed(bank: Any, request: Any) -> Any:
        known = bank.recurrences[request.match_info["name"]]
        code = brcode.encode(
            brcode.BrCode(merchant_name="ANA", merchant_city="SP", recurrence_location=known["loc"]["location"])
        )
        return answers(200, known | {"dadosQR": {"jornada": "JORNADA_2", "pixCopiaECola": code}} | change)(bank, request)

    counter.bank.next("GET rec", changed)
    with pytest.raises(AnswerInvalid) as wrong:
        await counter.makes.make(REQUEST)
    assert wrong.value.field == field
    (known,) = counter.bank.recurrences.values()
    assert known["status"] == "CANCELADA"
