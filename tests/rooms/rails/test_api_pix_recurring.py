"""Recurrences at a bank after they were made: ended, charged, and asked about. Nothing is sent twice, nothing is guessed."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.port import ChargeInstruction, Collector, NetworkMessage, Pending, Permanent, Transient, Unknown

from .api_pix_bank import AT, instant, serving
from .api_pix_recurring import RecurringBank
from .test_api_pix_issuing import LOST, answers, refuses
from .test_api_pix_recurrences import REQUEST

TXID = "00007" + "c" * 27
DUE, LATER = date(2027, 1, 10), date(2027, 1, 13)


@dataclass
class Counter:
    bank: RecurringBank
    recurring: Recurring
    name: str

    async def told(self, kind: str, name: str) -> Any:
        """What the bank's word is, decoded; the answer itself where it is no message."""
        said = await self.recurring.status_of(kind, name)
        return said if not isinstance(said, NetworkMessage) else (said.kind, _DECODE[said.kind](said.body))


_DECODE: dict[str, Any] = {
    port.AUTHORIZATION_MADE: port.authorization_made, port.AUTHORIZATION_DECLINED: port.authorization_declined,
    port.AUTHORIZATION_CANCELED: port.authorization_canceled, port.CANCELLATION_FINAL: port.cancellation_final,
    port.CHARGE_SCHEDULED: port.charge_scheduled, port.CHARGE_REFUSED: port.charge_refused,
    port.CHARGE_CANCELED: port.charge_canceled, port.CHARGE_CANCEL_FINAL: port.charge_cancel_final,
    port.COLLECTION_SETTLED: port.collected,
}  # fmt: skip


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    bank = RecurringBank()
    async with serving(bank) as line:
        made = await ApiPixRecurrences("efi1", line, ApiPixIssuer("efi1", line, "utc")).make(REQUEST)
        account = {"agencia": "1", "conta": "107262", "tipoConta": "CORRENTE"}
        yield Counter(bank, Recurring("efi1", line, "utc", 7, account), made.recurrence_id)
    assert not [one for one in bank.wrong if " request " in one]


def instruction(counter: Counter, kind: Any = "AGND", day: date = DUE) -> ChargeInstruction:
    name = ChargeInstruction.bank_name(TXID, kind, day)
    return ChargeInstruction(
        name, counter.name, TXID, kind, Money(2990, "BRL"), DUE, day, None, "12345678909",
        Collector("Loja da Ana", "11222333000181", "0001", "000001230"), "Magazine", True,
    )  # fmt: skip


async def send(counter: Counter, told: ChargeInstruction) -> None:
    await counter.recurring.send(port.CHARGE_SEND, port.encode(told))


async def test_an_authorization_is_told_with_its_payer(counter: Counter) -> None:
    assert isinstance(await counter.told(port.AUTHORIZATION_MADE, counter.name), Pending)
    payer = {"cpf": "75633122216", "ispbParticipante": "81102623", "codMun": "2673833"}
    counter.bank.became(counter.name, "APROVADA", pagador=payer)
    kind, made = await counter.told(port.AUTHORIZATION_MADE, counter.name)
    assert kind == port.AUTHORIZATION_MADE
    assert made == port.AuthorizationMade(counter.name, AT, "CPF", "75633122216", "81102623", "2673833")
    assert isinstance(await counter.told(port.AUTHORIZATION_CANCELED, counter.name), Pending), "it is held, as we know"


async def test_an_authorization_without_a_payer_is_one(counter: Counter) -> None:
    counter.bank.became(counter.name, "APROVADA")
    assert await counter.told(port.AUTHORIZATION_MADE, counter.name) == (
        port.AUTHORIZATION_MADE, port.AuthorizationMade(counter.name, AT)
    )  # fmt: skip


@pytest.mark.parametrize("asked", [port.AUTHORIZATION_MADE, port.AUTHORIZATION_CANCELED])
async def test_ends_are_told_whoever_asks(counter: Counter, asked: str) -> None:
    reason = {"solicitante": "USUARIO_PAGADOR", "codigo": "SLDB", "descricao": "no more"}
    counter.bank.became(counter.name, "CANCELADA", encerramento={"cancelamento": reason})
    kind, told = await counter.told(asked, counter.name)
    assert (kind, told.code, told.requester.role) == (port.AUTHORIZATION_CANCELED, "SLDB", "USUARIO_PAGADOR")


async def test_a_refusal_and_an_expiry_are_told(counter: Counter) -> None:
    counter.bank.became(counter.name, "REJEITADA", encerramento={"rejeicao": {"codigo": "AP13", "descricao": "no"}})
    kind, declined = await counter.told(port.AUTHORIZATION_MADE, counter.name)
    assert (kind, declined.code, declined.payer) == (port.AUTHORIZATION_DECLINED, "AP13", None)
    counter.bank.became(counter.name, "EXPIRADA", encerramento=None)
    kind, over = await counter.told(port.AUTHORIZATION_MADE, counter.name)
    assert (kind, over.code) == (port.AUTHORIZATION_CANCELED, port.OVER_BY_TIME)


async def test_a_time_that_cannot_be_read_is_no_news(counter: Counter) -> None:
    counter.bank.became(counter.name, "APROVADA")
    counter.bank.recurrences[counter.name]["atualizacao"][-1]["data"] = "yesterday"
    assert isinstance(await counter.told(port.AUTHORIZATION_MADE, counter.name), Pending)


async def test_a_recurrence_is_cancelled_once(counter: Counter) -> None:
    name = port.bank_order_name(counter.name, b"e" * 24)
    order = port.CancellationOrder(name, counter.name, "SLCR", port.Requester("USUARIO_RECEBEDOR"))
    assert isinstance(await counter.told(port.CANCELLATION_SEND, name), Unknown)
    counter.bank.next("PATCH rec", LOST)
    with pytest.raises(Transient):
        await counter.recurring.send(port.CANCELLATION_SEND, port.encode(order))
    kind, final = await counter.told(port.CANCELLATION_SEND, name)
    assert (kind, final.message_id, final.outcome) == (port.CANCELLATION_FINAL, name, "CONFIRMED")
    await counter.recurring.send(port.CANCELLATION_SEND, port.encode(order))  # over there: nothing is left to do
    await counter.recurring.send(port.RECURRENCE_CLOSE, port.encode(port.RecurrenceClose(counter.name)))
    assert isinstance(await counter.told(port.RECURRENCE_CLOSE, f"close:{counter.name}"), Pending)


async def test_the_charge_of_a_cycle_is_made_once(counter: Counter) -> None:
    told = instruction(counter)
    assert isinstance(await counter.told(port.CHARGE_SEND, told.message_id), Unknown)
    counter.bank.next("PUT cobr", LOST)
    with suppress(Transient):  # on a line that was open before, the client asks once more by itself
        await send(counter, told)
    await send(counter, told)  # a second copy is refused there, and what is there is it
    assert counter.bank.sent("PUT")[0] == {
        "idRec": counter.name, "calendario": {"dataDeVencimento": "2027-01-10"}, "valor": {"original": "29.90"},
        "ajusteDiaUtil": True, "infoAdicional": "Magazine",
        "recebedor": {"agencia": "1", "conta": "107262", "tipoConta": "CORRENTE"},
    }  # fmt: skip
    assert isinstance(await counter.told(port.CHARGE_SEND, told.message_id), Pending)


async def test_a_txid_that_another_recurrence_has_is_no_copy(counter: Counter) -> None:
    await send(counter, instruction(counter))
    counter.bank.recurring[TXID]["idRec"] = "RR1234567820240115abcdefghijk"
    with pytest.raises(Permanent) as no:
        await send(counter, instruction(counter))
    assert no.value.code == "CobROperacaoInvalida"


async def test_an_attempt_is_scheduled_and_paid(counter: Counter) -> None:
    told = instruction(counter)
    await send(counter, told)
    counter.bank.tried(TXID, "AGND", "2027-01-11", "SOLICITADA")  # a local holiday has moved the day there
    assert isinstance(await counter.told(port.CHARGE_SEND, told.message_id), Pending)
    end_to_end_id = counter.bank.tried(TXID, "AGND", "2027-01-11", "AGENDADA")
    kind, scheduled = await counter.told(port.CHARGE_SEND, told.message_id)
    assert (kind, scheduled) == (
        port.CHARGE_SCHEDULED, port.ChargeScheduled(told.message_id, counter.name, TXID, end_to_end_id, AT)
    )  # fmt: skip
    counter.bank.tried(TXID, "AGND", "2027-01-11", "PAGA")
    assert isinstance(await counter.told(port.CHARGE_SEND, told.message_id), Pending), "the payment is not shown yet"
    pix = {"endToEndId": end_to_end_id, "txid": TXID, "valor": "29.90", "horario": instant(AT)}
    counter.bank.ended(TXID, "CONCLUIDA", pix=[pix])
    kind, paid = await counter.told(port.CHARGE_SEND, told.message_id)
    assert (kind, paid.payment_id, paid.reference, paid.amount) == (
        port.COLLECTION_SETTLED, end_to_end_id, TXID, Money(2990, "BRL")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "more", "code"),
    [
        ("REJEITADA", {"rejeicao": {"codigo": "AM02", "descricao": "limit"}}, "AM02"), ("EXPIRADA", {}, "EXPR"),
        ("REJEITADA", {}, "REJEITADA"),
    ],
)  # fmt: skip
async def test_an_attempt_without_money_says_why(counter: Counter, status: str, more: dict[str, Any], code: str) -> None:
    told = instruction(counter)
    await send(counter, told)
    counter.bank.tried(TXID, "AGND", "2027-01-10", status, **more)
    kind, refused = await counter.told(port.CHARGE_SEND, told.message_id)
    assert (kind, refused.message_id, refused.code) == (port.CHARGE_REFUSED, told.message_id, code)


async def test_what_the_bank_sends_again_on_the_day_is_the_same_attempt(counter: Counter) -> None:
    told = instruction(counter)
    await send(counter, told)
    counter.bank.tried(TXID, "AGND", "2027-01-10", "REJEITADA", rejeicao={"codigo": "AB10", "descricao": "down"})
    counter.bank.tried(TXID, "RIFL", "2027-01-10", "SOLICITADA")
    assert isinstance(await counter.told(port.CHARGE_SEND, told.message_id), Pending)


async def test_a_retry_has_a_day_of_its_own(counter: Counter) -> None:
    await send(counter, instruction(counter))
    counter.bank.tried(TXID, "AGND", "2027-01-10", "EXPIRADA")
    retry = instruction(counter, "NTAG", LATER)
    assert isinstance(await counter.told(port.CHARGE_SEND, retry.message_id), Unknown)
    counter.bank.next("POST cobr", LOST)
    with pytest.raises(Transient):
        await send(counter, retry)
    await send(counter, retry)
    assert [one["tipo"] for one in counter.bank.recurring[TXID]["tentativas"]] == ["AGND", "NTAG"]
    assert isinstance(await counter.told(port.CHARGE_SEND, retry.message_id), Pending)
    kind, first = await counter.told(port.CHARGE_SEND, instruction(counter).message_id)
    assert (kind, first.code) == (port.CHARGE_REFUSED, "EXPR")


async def test_a_bank_that_allows_no_retry_says_so(counter: Counter) -> None:
    await send(counter, instruction(counter))
    counter.bank.next("POST cobr", refuses(400, "CobROperacaoInvalida"))
    with pytest.raises(Permanent):
        await send(counter, instruction(counter, "NTAG", LATER))


async def test_a_charge_is_cancelled_and_the_bank_says_whether_it_was(counter: Counter) -> None:
    told = instruction(counter)
    await send(counter, told)
    name = port.bank_order_name(TXID, b"x" * 24)
    order = port.ChargeCancelOrder(name, told.message_id, counter.name, TXID, "SLCR")
    assert isinstance(await counter.told(port.CHARGE_CANCEL_SEND, name), Unknown)
    await counter.recurring.send(port.CHARGE_CANCEL_SEND, port.encode(order))
    await counter.recurring.send(port.CHARGE_CANCEL_SEND, port.encode(order))
    kind, final = await counter.told(port.CHARGE_CANCEL_SEND, name)
    assert (kind, final.outcome, final.original_message_id) == (port.CHARGE_CANCEL_FINAL, "CONFIRMED", told.message_id)
    kind, canceled = await counter.told(port.CHARGE_SEND, told.message_id)
    assert (kind, canceled.code) == (port.CHARGE_CANCELED, "SLCR")


async def test_a_paid_charge_is_not_cancelled(counter: Counter) -> None:
    await send(counter, instruction(counter))
    counter.bank.ended(TXID, "CONCLUIDA")
    name = port.bank_order_name(TXID, b"x" * 24)
    order = port.ChargeCancelOrder(name, f"{TXID}.AGND", counter.name, TXID, "SLCR")
    with pytest.raises(Permanent):
        await counter.recurring.send(port.CHARGE_CANCEL_SEND, port.encode(order))
    kind, final = await counter.told(port.CHARGE_CANCEL_SEND, name)
    assert (kind, final.outcome, final.code) == (port.CHARGE_CANCEL_FINAL, "REFUSED", "CONCLUIDA")


async def test_a_charge_that_ended_without_a_try_says_why(counter: Counter) -> None:
    told = instruction(counter)
    await send(counter, told)
    counter.bank.ended(TXID, "REJEITADA", encerramento={"rejeicao": {"codigo": "MSUC", "descricao": "gone"}})
    kind, refused = await counter.told(port.CHARGE_SEND, told.message_id)
    assert (kind, refused.code) == (port.CHARGE_REFUSED, "MSUC")


async def test_a_webhooks_name_is_asked_for(counter: Counter) -> None:
    counter.bank.became(counter.name, "APROVADA")
    (made,) = await counter.recurring.told(counter.name)
    assert (made.kind, made.company_number, made.subject) == (port.AUTHORIZATION_MADE, 7, counter.name)
    told = instruction(counter)
    await send(counter, told)
    counter.bank.tried(TXID, "AGND", "2027-01-10", "EXPIRADA")
    counter.bank.tried(TXID, "NTAG", LATER.isoformat(), "AGENDADA")
    news = await counter.recurring.told(TXID)
    assert [one.kind for one in news] == [port.CHARGE_REFUSED, port.CHARGE_SCHEDULED]
    assert len({one.network_id for one in news}) == 2
    assert await counter.recurring.told("b" * 32) == ()


@pytest.mark.parametrize(
    "answer", [answers(503), answers(200, "[]"), answers(200, {"idRec": "RR1234567820240115abcdefghijk"})]
)
async def test_silence_about_a_recurrence_is_no_answer(counter: Counter, answer: Any) -> None:
    counter.bank.next("GET rec", answer)
    with pytest.raises(Transient):
        await counter.recurring.status_of(port.AUTHORIZATION_MADE, counter.name)


async def test_another_charge_is_no_answer(counter: Counter) -> None:
    await send(counter, instruction(counter))
    counter.bank.next("GET cobr", answers(200, counter.bank.recurring[TXID] | {"txid": "d" * 32}))
    with pytest.raises(Transient):
        await counter.recurring.status_of(port.CHARGE_SEND, f"{TXID}.AGND")
