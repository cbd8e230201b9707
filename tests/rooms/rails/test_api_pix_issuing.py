"""A bank makes an order's code: what it answers is exactly what was asked, or it is not used."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from lastro.core.money import Money
from lastro.rails.api_pix import BankLine, issuing
from lastro.rails.api_pix.issuing import ApiPixIssuer, charge_body
from lastro.rails.port import Person, Transient
from lastro.rails.port.issuing import AnswerInvalid, ChargeEnd, ChargeRequest, IssueRefused
from lastro.standards import brcode

from .api_pix_bank import AT, Bank, problem, serving

TXID = "00007" + "a" * 27
REQUEST = ChargeRequest(TXID, Money(1050, "BRL"), "loja@example.com", 3600, "Loja da Ana", "SAO PAULO")
PATH = f"/cob/{TXID}"
REMOVED = "REMOVIDA_PELO_USUARIO_RECEBEDOR"


@dataclass
class Counter:
    bank: Bank
    issuer: ApiPixIssuer
    line: BankLine


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    bank = Bank()
    async with serving(bank) as line:
        yield Counter(bank, ApiPixIssuer("efi1", line, "utc", tell=line.tell), line)


def answers(status: int, body: Any = "", **more: Any) -> Any:
    def given(bank: Bank, request: web.Request) -> web.Response:
        text = body if isinstance(body, str) else ""
        return (
            web.Response(status=status, text=text, **more)
            if isinstance(body, str)
            else web.json_response(body, status=status)
        )

    return given


def refuses(status: int, name: str, **more: Any) -> Any:
    return lambda *_: problem(status, name, **more)


LOST = answers(200, reason="lost")
NO_TOKEN = answers(401)


async def test_a_charge_is_made(counter: Counter) -> None:
    payer = Person("Zoe\u0301 Lima", "CPF", "12345678909", "Rua A")
    made = await counter.issuer.issue(replace(REQUEST, payer=payer, text="Cafe\u0301"))
    location = f"bank.example/qr/v2/{TXID}"
    assert (made.txid, made.location, made.location_id, made.revision) == (TXID, location, "1", 0)
    assert made.expires_at == AT + timedelta(hours=1)
    assert brcode.decode(made.code).location == location
    (sent,) = counter.bank.sent("PUT")
    assert sent == {
        "calendario": {"expiracao": 3600}, "devedor": {"cpf": "12345678909", "nome": "Zo\u00e9 Lima"},
        "valor": {"original": "10.50"}, "chave": "loja@example.com", "solicitacaoPagador": "Caf\u00e9",
    }  # fmt: skip
    assert counter.bank.asked == [f"PUT {PATH}"]
    assert not counter.bank.wrong


async def test_the_bank_says_how_long_it_may_be_paid(counter: Counter) -> None:
    counter.bank.lists_charge = lambda charge: charge | {"calendario": charge["calendario"] | {"expiracao": "1800"}}
    assert (await counter.issuer.issue(REQUEST)).expires_at == AT + timedelta(minutes=30)


@pytest.mark.parametrize(
    "behaviour",
    [
        answers(500, "<html>"), answers(503), answers(408), answers(200, "<html>"), answers(202),
        answers(204), answers(409), answers(201, ""), refuses(503, "ServicoIndisponivel"),
    ],
)  # fmt: skip
async def test_what_the_bank_did_not_show_is_looked_at_once(counter: Counter, behaviour: Any) -> None:
    await counter.issuer.issue(REQUEST)  # it arrived there
    counter.bank.exchanges.clear()
    counter.bank.next("PUT cob", behaviour)
    assert (await counter.issuer.issue(REQUEST)).txid == TXID
    assert counter.bank.asked[-1] == f"GET {PATH}"
    counter.bank.next("PUT cob", behaviour)
    counter.bank.next("GET cob", answers(500))
    with pytest.raises(Transient):
        await counter.issuer.issue(REQUEST)
    assert counter.bank.asked.count(f"GET {PATH}") == 2


async def test_an_answer_that_was_lost_is_looked_at(counter: Counter) -> None:
    counter.bank.next("PUT cob", LOST, LOST)  # the line repeats a PUT once by itself: the same bytes
    assert (await counter.issuer.issue(REQUEST)).txid == TXID
    assert counter.bank.asked == [f"PUT {PATH}", f"PUT {PATH}", f"GET {PATH}"]


@pytest.mark.parametrize(("status", "asked"), [(500, [f"GET {PATH}"]), (503, [f"GET {PATH}"]), (429, [])])
async def test_what_never_arrived_is_not_made(counter: Counter, status: int, asked: list[str]) -> None:
    """A bank that was asked too often has not taken it, and is asked no more."""
    counter.bank.next("PUT cob", answers(status, headers={"Retry-After": "7"}))
    with pytest.raises(Transient) as away:
        await counter.issuer.issue(REQUEST)
    assert away.value.retry_after_seconds == 7
    assert counter.bank.asked == [f"PUT {PATH}", *asked]


async def test_a_silent_bank_is_waited_for_so_long_and_no_longer(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuing, "ISSUE_SECONDS", 0.2)
    counter.bank.next("PUT cob", answers(200, reason="hang"))
    with pytest.raises(Transient, match=r"no answer within"):
        await counter.issuer.issue(REQUEST)


async def test_a_bank_that_is_not_there_is_asked_once() -> None:
    bank = Bank()
    async with serving(bank) as line:
        pass
    with pytest.raises(Transient):
        await ApiPixIssuer("efi1", line, "utc").issue(REQUEST)


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refusal_names_the_ports_fields(counter: Counter, status: int) -> None:
    named = [
        "cob.valor.original",
        "chave",
        "body.devedor.cpf",
        "solicitacaoPagador",
        "cob.calendario.expiracao",
        "cob.loc.id",
    ]
    told = [{"razao": f"R {name}", "propriedade": name, "valor": "x"} for name in named]
    counter.bank.next("PUT cob", refuses(status, "CobOperacaoInvalida", violacoes=told))
    with pytest.raises(IssueRefused) as refused:
        await counter.issuer.issue(REQUEST)
    fields = ["amount", "key", "payer", "text", "seconds", None]
    assert refused.value.code == "CobOperacaoInvalida"
    assert refused.value.violations == tuple((f, f"R {name}") for f, name in zip(fields, named, strict=True))
    assert counter.bank.asked == [f"PUT {PATH}"]


async def test_a_refusal_without_violations_has_its_reason(counter: Counter) -> None:
    counter.bank.next("PUT cob", answers(400, {"nome": "valor_invalido", "mensagem": "Mínimo de R$ 1,00"}))
    with pytest.raises(IssueRefused) as refused:
        await counter.issuer.issue(REQUEST)
    assert (refused.value.code, refused.value.violations) == ("valor_invalido", ((None, "Mínimo de R$ 1,00"),))


@pytest.mark.parametrize(
    ("behaviour", "event"),
    [
        (NO_TOKEN, "bank.set_up_wrongly"), (answers(403), "bank.set_up_wrongly"), (answers(302), "bank.set_up_wrongly"),
        (refuses(403, "AcessoNegado"), "bank.set_up_wrongly"), (refuses(400, "AcessoNegado"), "bank.set_up_wrongly"),
        (answers(422, {"message": "scope cob.write is missing"}), "bank.set_up_wrongly"),
        (answers(400, "<html>"), "bank.answer_alarming"), (answers(400, {"type": "error"}), "bank.answer_alarming"),
        (answers(405), "bank.answer_alarming"), (refuses(404, "NaoEncontrado"), "bank.answer_alarming"),
        (answers(413), "bank.answer_alarming"), (answers(415), "bank.answer_alarming"),
        (refuses(415, "RequisicaoInvalida"), "bank.answer_alarming"),
    ],
)  # fmt: skip
async def test_a_mistake_of_set_up_is_the_operators(counter: Counter, behaviour: Any, event: str) -> None:
    counter.bank.next("PUT cob", *[behaviour] * (2 if behaviour is NO_TOKEN else 1))  # a new token is tried once
    with capture_logs() as logs, pytest.raises(Transient):
        await counter.issuer.issue(REQUEST)
    assert [(line["event"], line["log_level"]) for line in logs] == [(event, "critical")]
    assert set(counter.bank.asked) == {f"PUT {PATH}"}


CODE_OF_ANOTHER = brcode.encode(brcode.BrCode(merchant_name="A", merchant_city="B", location="thief.example/qr/v2/1"))


@pytest.mark.parametrize(
    ("changes", "field", "is_removed"),
    [
        ({"txid": "x" * 32}, "txid", True), ({"txid": None}, "txid", True), ({"chave": "thief@example.com"}, "chave", True),
        ({"valor": {"original": "10.51"}}, "valor.original", True), ({"valor": {"original": "10.5"}}, "valor.original", True),
        ({"valor": {"original": "10,50"}}, "valor.original", True), ({"valor": None}, "valor.original", True),
        ({"valor": {"original": "10.50", "modalidadeAlteracao": 1}}, "valor.modalidadeAlteracao", True),
        ({"valor": {"original": "10.50", "retirada": {"saque": {}}}}, "valor.retirada", True),
        ({"status": "CONCLUIDA"}, "status", False), ({"status": "REMOVIDA_PELO_PSP"}, "status", False),
        ({"status": None}, "status", True), ({"calendario": None}, "calendario", True),
        ({"calendario": {"criacao": "2026-11-23T13:00:00Z"}}, "calendario.expiracao", True),
        ({"calendario": {"criacao": "2026-11-23T13:00:00Z", "expiracao": 0}}, "calendario.expiracao", True),
        ({"calendario": {"criacao": "2026-11-23T13:00:00", "expiracao": 9}}, "calendario.criacao", True),
        ({"pixCopiaECola": CODE_OF_ANOTHER}, "loc.location", True), ({"pixCopiaECola": "junk"}, "pixCopiaECola (CRC)", True),
        ({"pixCopiaECola": None, "loc": None, "location": None}, "loc.location", True),
    ],
)  # fmt: skip
async def test_an_answer_to_something_else_is_undone(
    counter: Counter, changes: dict[str, Any], field: str, is_removed: bool
) -> None:
    counter.bank.lists_charge = lambda charge: charge | changes
    with capture_logs() as logs, pytest.raises(AnswerInvalid) as invalid:
        await counter.issuer.issue(REQUEST)
    assert invalid.value.field == field
    assert [(line["event"], line["log_level"]) for line in logs] == [("bank.answer_invalid", "critical")]
    assert counter.bank.sent("PATCH") == ([{"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}] if is_removed else [])
    assert counter.bank.charges[TXID]["status"] == ("REMOVIDA_PELO_USUARIO_RECEBEDOR" if is_removed else "ATIVA")


async def test_an_amount_that_is_a_number_is_undone(counter: Counter) -> None:
    counter.bank.lists_charge = lambda charge: charge | {"valor": {"original": 10.5}}
    with pytest.raises(AnswerInvalid):
        await counter.issuer.issue(REQUEST)
    assert counter.bank.charges[TXID]["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"


STILL_OPEN = answers(200, {"txid": TXID, "status": "ATIVA", "valor": {"original": "10.50"}})


@pytest.mark.parametrize("behaviour", [LOST, answers(500), refuses(403, "AcessoNegado"), STILL_OPEN])
async def test_what_could_not_be_undone_is_told(counter: Counter, behaviour: Any) -> None:
    counter.bank.lists_charge = lambda charge: charge | {"chave": "thief@example.com"}
    counter.bank.next("PATCH cob", behaviour)
    with capture_logs() as logs, pytest.raises(AnswerInvalid):
        await counter.issuer.issue(REQUEST)
    assert [line["event"] for line in logs if line["event"] != "bank.set_up_wrongly"] == [
        "bank.answer_invalid", "bank.charge_not_removed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"txid": "x" * 25}, {"txid": "x" * 36}, {"txid": "x/" * 15}, {"seconds": 0}, {"seconds": 2**31}, {"key": ""},
        {"key": "k" * 78}, {"text": "t" * 141}, {"amount": Money(0, "BRL")}, {"amount": Money(100, "MXN")},
        {"amount": Money(10**12, "BRL")}, {"payer": Person("A", "RFC", "X")}, {"payer": Person(" ", "CPF", "12345678909")},
        {"payer": Person("A", "CPF", "123")}, {"payer": Person("A", "CNPJ", "12345678909")},
    ],
)  # fmt: skip
async def test_a_request_beyond_the_bounds_is_never_sent(counter: Counter, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        await counter.issuer.issue(replace(REQUEST, **changes))
    assert counter.bank.asked == []


def test_the_same_request_is_the_same_bytes() -> None:
    assert charge_body(REQUEST) == charge_body(replace(REQUEST))


@pytest.mark.parametrize("hours", [-3, 3, 1, -0.3])
async def test_a_bank_whose_clock_is_not_ours_makes_no_charge(counter: Counter, hours: float) -> None:
    """Local time marked as UTC, under a dialect that takes it for UTC: payments would be before their order."""
    counter.bank.now = AT + timedelta(hours=hours)
    with capture_logs() as logs, pytest.raises(AnswerInvalid) as invalid:
        await counter.issuer.issue(replace(REQUEST, now=AT))
    assert invalid.value.field == "calendario.criacao"
    assert [line["event"] for line in logs] == ["bank.answer_invalid", "bank.set_up_wrongly"]
    assert (logs[1]["kind"], "look at clock and dialect" in logs[1]["reason"]) == ("clock", True)
    assert f"{hours * 3600:.0f} s" in logs[1]["cause"]
    assert counter.line.troubles == {"clock"}
    assert counter.bank.charges[TXID]["status"] == REMOVED


@pytest.mark.parametrize("minutes", [-14, 0, 14])
async def test_a_clock_that_differs_a_little_is_let_be(counter: Counter, minutes: int) -> None:
    counter.bank.now = AT + timedelta(minutes=minutes)
    assert (await counter.issuer.issue(replace(REQUEST, now=AT))).expires_at == counter.bank.now + timedelta(hours=1)


async def test_a_clock_is_read_as_the_connection_says(counter: Counter) -> None:
    local = ApiPixIssuer("efi1", counter.line, "local-marked-z")
    counter.bank.now = AT - timedelta(hours=3)
    assert (await local.issue(replace(REQUEST, now=AT))).expires_at == AT + timedelta(hours=1)


# ── ended ──


async def removed(counter: Counter, now: datetime = AT) -> ChargeEnd:
    return await counter.issuer.remove(TXID, REQUEST.key, REQUEST.amount, now)


async def test_a_charge_that_we_end_has_ended(counter: Counter) -> None:
    await counter.issuer.issue(REQUEST)
    assert await removed(counter) is ChargeEnd.ENDED
    assert counter.bank.sent("PATCH") == [{"status": REMOVED}]


@pytest.mark.parametrize(
    ("status", "end"), [(REMOVED, ChargeEnd.REMOVED_BY_OTHERS), ("REMOVIDA_PELO_PSP", ChargeEnd.REMOVED_BY_BANK)]
)
async def test_a_charge_that_others_have_ended_is_told(counter: Counter, status: str, end: ChargeEnd) -> None:
    await counter.issuer.issue(REQUEST)
    counter.bank.charges[TXID]["status"] = status
    with capture_logs() as logs:
        assert await removed(counter) is end
    assert [(line["event"], line["code"]) for line in logs] == [("bank.charge_removed_there", status)]


async def test_an_end_of_ours_whose_answer_was_lost_is_ours(counter: Counter) -> None:
    await counter.issuer.issue(REQUEST)
    counter.bank.next("PATCH cob", LOST)
    with pytest.raises(Transient):
        await removed(counter)
    with capture_logs() as logs:
        assert await removed(counter) is ChargeEnd.ENDED
    assert logs == []


async def test_a_charge_that_the_bank_does_not_know_has_ended_and_is_told(counter: Counter) -> None:
    with capture_logs() as logs:
        assert await removed(counter) is ChargeEnd.ENDED
    assert [line["event"] for line in logs] == ["bank.charge_unknown"]


async def test_a_charge_that_stays_open_ends_with_its_time(counter: Counter) -> None:
    """By a bank that takes its end and keeps it, or refuses the end of what is over."""
    await counter.issuer.issue(REQUEST)
    for behaviour in (answers(204), refuses(400, "CobOperacaoInvalida")):
        for now, end in ((AT, None), (AT + timedelta(hours=2), ChargeEnd.ENDED)):
            counter.bank.next("PATCH cob", behaviour)
            if end is None:
                with pytest.raises(Transient, match="keeps the charge open"):
                    await removed(counter, now)
            else:
                assert await removed(counter, now) is end


@pytest.mark.parametrize(
    ("amounts", "end"),
    [((), ChargeEnd.UNSHOWN), (("10.50",), ChargeEnd.PAID), (("10.51", "10.50"), ChargeEnd.PAID), (("10.51",), ChargeEnd.ENDED)],
)  # fmt: skip
async def test_a_charge_that_was_paid_is_ended_by_its_payment_alone(
    counter: Counter, amounts: tuple[str, ...], end: ChargeEnd
) -> None:
    await counter.issuer.issue(REQUEST)
    pix = [counter.bank.payments[counter.bank.pay(n, AT, amount, txid=TXID)] for n, amount in enumerate(amounts)]
    counter.bank.charges[TXID] |= {"status": "CONCLUIDA", "pix": pix}
    assert await removed(counter) is end


async def test_a_payment_at_another_key_keeps_no_order_open(counter: Counter) -> None:
    """It is listed as foreign, and the charge can be paid no more."""
    await counter.issuer.issue(REQUEST)
    payment = counter.bank.payments[counter.bank.pay(1, AT, "10.50", txid=TXID, chave="outra@example.com")]
    counter.bank.charges[TXID] |= {"status": "CONCLUIDA", "pix": [payment]}
    assert await removed(counter) is ChargeEnd.ENDED
