"""Disputes by the official words: DICT 2.12.1, tags FundsRecovery, InfractionReport and FraudMarker, operation by operation.

Each row is a sentence of the document: given, when, then. No row was written from lastro's own code.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro_sim.settings import LASTRO_ISPB

from ..orders import ended, payout, set_clock
from ..stage import Institution, Sim

RECOVERIES, REPORTS, MARKERS = "/dict/v2/funds-recoveries", "/dict/v2/infraction-reports", "/dict/v2/fraud-markers"
CONTACT = {"Email": "med@lastro.example", "Phone": "+551130030000"}
SCAM: dict[str, Any] = {"SituationType": "SCAM", "ContactInformation": CONTACT}
ACCOUNT_AT_LASTRO = {"branch": "0001", "account": "19"}
AGREED = {"AnalysisResult": "AGREED", "FraudType": "MULE_ACCOUNT"}
DISAGREED = {"AnalysisResult": "DISAGREED"}
WINDOW = timedelta(days=80)
Answer = tuple[int, str]


class Desk:
    """What a row has at hand: the directory, and one transaction that lastro has sent and one that it has received."""

    def __init__(self, sim: Sim, lastro: Institution) -> None:
        self.sim = sim
        self.lastro = lastro
        self.asked = 0

    async def sent(self, number: int = 1, **changes: Any) -> str:
        return str((await ended(self.lastro, payout(self.lastro, number, **changes)))["endToEndId"])

    async def received(self, amount: str = "250.00") -> str:
        return str((await self.sim.act("/phone/transfer", {"account": ACCOUNT_AT_LASTRO, "amount": amount}))["endToEndId"])

    async def answer(self, method: str, path: str, body: Any = None) -> Answer:
        said = await self.sim.ask(method, path, body)
        return said.status_code, str(said.json().get("type") or said.json().get("Status"))

    async def asks(self, name: str, **changes: Any) -> Answer:
        self.asked += 1
        return await self.answer(
            "POST", RECOVERIES, {"RequestId": f"r{self.asked}", "RootTransactionId": name, **SCAM, **changes}
        )

    async def opened(self, **changes: Any) -> str:
        """A recovery of lastro's."""
        self.asked += 1
        wish = {"RequestId": f"r{self.asked}", "RootTransactionId": await self.sent(self.asked), **SCAM, **changes}
        made = await self.sim.ask("POST", RECOVERIES, wish)
        assert made.status_code == 201, made.text
        return str(made.json()["Id"])

    async def advance(self, name: str, status: str, **more: Any) -> Any:
        return await self.sim.act(f"/med/{name}/advance", {"status": status, **more})

    async def of(self, name: str, kind: str = "INFRINGEMENT_NOTIFICATION") -> list[dict[str, Any]]:
        """The reports or refunds of a recovery, as the directory has them."""
        shown = (await self.sim.http.get(f"/med/{name}")).json()
        names = [one["referenceId"] for one in shown.get("related", []) if one["objectType"] == kind]
        return [(await self.sim.http.get(f"/med/{one}")).json() for one in names]

    async def noticed(self, status: str = "OPEN") -> str:
        """A report to lastro."""
        begun = await self.sim.act("/med", {"endToEndId": await self.received(), "situationType": "SCAM"})
        name = str(begun["referenceId"])
        if status != "OPEN":
            assert (await self.answer("POST", f"{REPORTS}/{name}/acknowledge", {}))[0] == 200
        if status == "CLOSED":
            assert (await self.answer("POST", f"{REPORTS}/{name}/close", AGREED))[0] == 200
        return name

    async def analysed(self, verdict: str = "AGREED") -> str:
        """A recovery of lastro's whose one report is closed."""
        name = await self.opened()
        await self.advance(name, "WAITING_ANALYSIS")
        (report,) = await self.of(name)
        await self.advance(report["referenceId"], "RECEIVED")
        await self.advance(report["referenceId"], "ANALYSED", analysisResult=verdict)
        return name

    async def status(self, name: str) -> str:
        return str((await self.sim.http.get(f"/med/{name}")).json()["status"])


@pytest.fixture
def desk(sim: Sim, lastro: Institution) -> Desk:
    return Desk(sim, lastro)


async def _rejected(desk: Desk) -> str:
    made = await ended(desk.lastro, payout(desk.lastro, receiver={"ispb": "99999030", "branch": "0001", "account": "777777",
                                                                  "accountType": "CACC"}))  # fmt: skip
    assert made["status"] == "RJCT"
    return str(made["endToEndId"])


async def _returned(desk: Desk, reason: str = "MD06") -> str:
    """A return that lastro made of what it had received."""
    name, return_id = await desk.received(), f"D{LASTRO_ISPB}{datetime.now(UTC):%Y%m%d%H%M}{'a' * 11}"
    message = desk.lastro.message("pacs.004", returnId=return_id, endToEndId=name, amount="250.00", reason=reason)
    assert (await desk.sim.send(message)).status_code == 201
    await desk.lastro.final(name)
    return return_id


async def _closed_flaw(desk: Desk) -> str:
    """A return by which lastro has answered a refund whose reason was OPERATIONAL_FLAW."""
    name, return_id = await desk.received(), f"D{LASTRO_ISPB}{datetime.now(UTC):%Y%m%d%H%M}{'b' * 11}"
    asked = await desk.sim.act("/med", {"endToEndId": name, "situationType": "SCAM", "reason": "OPERATIONAL_FLAW"})
    message = desk.lastro.message("pacs.004", returnId=return_id, endToEndId=name, amount="250.00", reason="BE08")
    assert (await desk.sim.send(message)).status_code == 201
    await desk.lastro.final(name)
    told = {
        "RefundAnalysisResult": "TOTALLY_ACCEPTED",
        "RefundTransactionId": return_id,
        "EffectiveRefundedAmount": "250.00",
    }
    assert (await desk.answer("POST", f"/dict/v2/refunds/{asked['referenceId']}/close", told))[0] == 200
    return return_id


async def _twice(desk: Desk) -> Answer:
    name = await desk.opened()
    assert (await desk.advance(name, "CANCELLED"))["status"] == "CANCELLED"
    return await desk.asks((await desk.sim.http.get(f"/med/{name}")).json()["endToEndId"])


# createFundsRecovery: required fields, errors and their meaning.
CREATES: list[tuple[str, Callable[[Desk], Awaitable[Answer]], Answer]] = [
    ("FundsRecovery: required ContactInformation",
     lambda d: _without(d, {"ContactInformation": None}), (400, "FundsRecoveryInvalid")),
    ("ContactInformation: required Email",
     lambda d: _without(d, {"ContactInformation": {"Phone": CONTACT["Phone"]}}), (400, "FundsRecoveryInvalid")),
    ("ContactInformation: required Phone",
     lambda d: _without(d, {"ContactInformation": {"Email": CONTACT["Email"]}}), (400, "FundsRecoveryInvalid")),
    ("schema Phone: + and digits",
     lambda d: _without(d, {"ContactInformation": {**CONTACT, "Phone": "11 3003-0000"}}), (400, "FundsRecoveryInvalid")),
    ("ReportDetails: obrigatório caso SituationType=OTHER",
     lambda d: _without(d, {"SituationType": "OTHER"}), (400, "FundsRecoveryInvalid")),
    ("SituationType UNKNOWN is of what was made in v1",
     lambda d: _without(d, {"SituationType": "UNKNOWN"}), (400, "FundsRecoveryInvalid")),
    ("NotIndexed: a transação raiz não existe",
     lambda d: d.asks(f"E{LASTRO_ISPB}20260131110000001aBcDeF"), (400, "FundsRecoveryTransactionNotIndexed")),
    ("NotEligible: transação raiz não foi liquidada",
     lambda d: _then(d, _rejected), (400, "FundsRecoveryTransactionNotEligible")),
    ("NotEligible: utilizada para encerrar um reembolso com o motivo FALHA OPERACIONAL",
     lambda d: _then(d, _closed_flaw), (400, "FundsRecoveryTransactionNotEligible")),
    ("a return of any other kind is eligible", lambda d: _then(d, _returned), (201, "CREATED")),
    ("participante pagador … é quem cria", lambda d: _then(d, Desk.received), (403, "Forbidden")),
    ("ForTransactionAlreadyExists: ainda que a anterior tenha sido cancelada",
     _twice, (400, "FundsRecoveryForTransactionAlreadyExists")),
]  # fmt: skip


async def _without(desk: Desk, changed: dict[str, Any]) -> Answer:
    return await desk.asks(await desk.sent(), **changed)


async def _then(desk: Desk, made: Callable[[Desk], Awaitable[str]]) -> Answer:
    return await desk.asks(await made(desk))


@pytest.mark.parametrize(("sentence", "when", "then"), CREATES, ids=[row[0] for row in CREATES])
async def test_create_funds_recovery(
    desk: Desk, sentence: str, when: Callable[[Desk], Awaitable[Answer]], then: Answer
) -> None:
    assert await when(desk) == then, sentence


@in_one_test(("off", "then"), [(-1, (201, "CREATED")), (1, (400, "FundsRecoveryTransactionNotEligible"))])
async def test_root_out_of_the_window(desk: Desk, off: int, then: Answer) -> None:
    """NotEligible: transação raiz fora da janela de tempo. A minute before its end, and one after."""
    name = await desk.sent()
    await set_clock(desk.sim, datetime.now(UTC) + WINDOW + timedelta(minutes=off))
    assert await desk.asks(name) == then


async def test_a_report_of_the_root_at_once(desk: Desk) -> None:
    """Ao criar … (CREATED), uma notificação de infração para a transação raiz é imediatamente gerada."""
    name = await desk.opened()
    assert await desk.status(name) == "CREATED"
    (report,) = await desk.of(name)
    assert (report["status"], report["amount"], report["contact"]) == ("OPEN", "25.00", CONTACT)


async def test_tracking_may_be_skipped(desk: Desk) -> None:
    """Poderá envolver o rastreamento de transações (MED 2.0) ou seguir para a fase de análise."""
    name = await desk.opened()
    assert (await desk.advance(name, "WAITING_ANALYSIS"))["status"] == "WAITING_ANALYSIS"
    assert len(await desk.of(name)) == 1


async def test_what_is_blocked_of_several_payments(desk: Desk) -> None:
    """InfractionAmount: sempre menor ou igual à soma dos valores das transações de entrada no período."""
    phone = {"document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001", "account": "123456",
             "accountType": "CACC"}  # fmt: skip
    root = await desk.sent(receiver=phone, amount="400.00")
    onward = [await desk.received("150.00"), await desk.received("200.00")]
    assert await desk.asks(root) == (201, "CREATED")
    (case,) = [one for one in (await desk.sim.http.get("/med")).json()["data"] if one["objectType"] == "RECOVERY_VALUE"]
    await desk.advance(case["referenceId"], "TRACED", onward=" ".join(onward))
    await desk.advance(case["referenceId"], "WAITING_ANALYSIS")
    first, second = await desk.of(case["referenceId"])
    assert (first["endToEndId"], first["amount"]) == (root, "400.00")
    assert (second["endToEndId"], second["amount"]) == (onward[0], "350.00")


@in_one_test(
    ("state", "then"),
    [("CREATED", (200, "CREATED")), ("AWAITING_ANALYSIS", (200, "AWAITING_ANALYSIS")),
     ("ANALYSED", (400, "FundsRecoveryOperationInvalid"))],
)  # fmt: skip
async def test_update_funds_recovery(desk: Desk, state: str, then: Answer) -> None:
    """A atualização é possível somente quando o registro estiver nos estados CREATED, TRACKED ou AWAITING_ANALYSIS."""
    name = await desk.analysed() if state == "ANALYSED" else await desk.opened()
    if state == "AWAITING_ANALYSIS":
        await desk.advance(name, "WAITING_ANALYSIS")
    assert await desk.answer("PUT", f"{RECOVERIES}/{name}", {"ReportDetails": "Another word"}) == then


@in_one_test(
    ("state", "then"),
    [("CREATED", (400, "FundsRecoveryOperationInvalid")), ("ANALYSED", (200, "REFUNDING")),
     ("DISAGREED", (200, "COMPLETED"))],
)  # fmt: skip
async def test_refund_funds_recovery(desk: Desk, state: str, then: Answer) -> None:
    """Status da recuperação de valores deve estar em ANALYSED; a da raiz fechada com DISAGREED: COMPLETED."""
    name = await desk.opened() if state == "CREATED" else await desk.analysed("AGREED" if state == "ANALYSED" else state)
    assert await desk.answer("POST", f"{RECOVERIES}/{name}/refund", {}) == then


@in_one_test("state", ["CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING"])
async def test_cancel_funds_recovery(desk: Desk, state: str) -> None:
    """Cancelará todas as notificações vinculadas, independente do estado, e as solicitações que não estejam fechadas."""
    name = await desk.analysed() if state in ("ANALYSED", "REFUNDING") else await desk.opened()
    if state in ("TRACKED", "AWAITING_ANALYSIS"):
        await desk.advance(name, "TRACED" if state == "TRACKED" else "WAITING_ANALYSIS")
    if state == "REFUNDING":
        await desk.answer("POST", f"{RECOVERIES}/{name}/refund", {})
    assert await desk.answer("POST", f"{RECOVERIES}/{name}/cancel", {}) == (200, "CANCELLED")
    assert {one["status"] for one in await desk.of(name)} == {"CANCELLED"}
    assert {one["status"] for one in await desk.of(name, "REFUND_REQUEST")} <= {"CANCELLED"}
    assert (await desk.advance(name, "ANALYSED"))["code"] == "FundsRecoveryOperationInvalid"


async def test_cancel_of_what_is_completed(desk: Desk) -> None:
    """FundsRecoveryOperationInvalid: status atual … não permite que operação seja feita."""
    name = await desk.analysed("DISAGREED")
    assert await desk.answer("POST", f"{RECOVERIES}/{name}/cancel", {}) == (400, "FundsRecoveryOperationInvalid")


INVALID, NOT_NOW = (400, "InfractionReportInvalid"), (400, "InfractionReportOperationInvalid")
# closeInfractionReport and acknowledgeInfractionReport: the status it has, what is asked, what comes of it.
REPORT_ROWS: list[tuple[str, str, str, Any, Answer]] = [
    ("para fechamento, o status deve ser ACKNOWLEDGED", "OPEN", "close", AGREED, NOT_NOW),
    ("ACKNOWLEDGED is closed", "ACKNOWLEDGED", "close", AGREED, (200, "CLOSED")),
    ("DISAGREED needs no FraudType", "ACKNOWLEDGED", "close", DISAGREED, (200, "CLOSED")),
    ("AGREED: obrigatoriamente informar FraudType", "ACKNOWLEDGED", "close", {"AnalysisResult": "AGREED"}, INVALID),
    ("o tipo UNKNOWN não é válido", "ACKNOWLEDGED", "close", {**AGREED, "FraudType": "UNKNOWN"}, INVALID),
    ("AnalysisDetails: obrigatório caso FraudType=OTHER", "ACKNOWLEDGED", "close", {**AGREED, "FraudType": "OTHER"}, INVALID),
    ("já fechado com os mesmos parâmetros: resposta equivalente", "CLOSED", "close", AGREED, (200, "CLOSED")),
    ("closed with other parameters", "CLOSED", "close", {**AGREED, "FraudType": "SCAMMER_ACCOUNT"}, NOT_NOW),
    ("closed with another result", "CLOSED", "close", DISAGREED, NOT_NOW),
    ("ainda com status ACKNOWLEDGED: resposta equivalente", "ACKNOWLEDGED", "acknowledge", {}, (200, "ACKNOWLEDGED")),
    ("acknowledged no more once closed", "CLOSED", "acknowledge", {}, NOT_NOW),
]  # fmt: skip


@in_one_test(("sentence", "status", "act", "body", "then"), REPORT_ROWS, ids=[row[0] for row in REPORT_ROWS])
async def test_infraction_report(desk: Desk, sentence: str, status: str, act: str, body: Any, then: Answer) -> None:
    name = await desk.noticed(status)
    assert await desk.answer("POST", f"{REPORTS}/{name}/{act}", body) == then, sentence


async def test_cancel_infraction_report_of_a_recovery(desk: Desk) -> None:
    """Não pode ser usado para cancelar notificações de infração oriundas de uma Recuperação de Valores."""
    (report,) = await desk.of(await desk.opened())
    assert await desk.answer("POST", f"{REPORTS}/{report['referenceId']}/cancel", {}) == NOT_NOW


async def test_create_infraction_report_is_deprecated(desk: Desk) -> None:
    """createInfractionReport: DeprecatedResource."""
    assert await desk.answer("POST", REPORTS, {}) == (410, "DeprecatedResource")


async def test_a_mark_comes_with_agreement_and_goes_with_the_report(desk: Desk) -> None:
    """Caso … AGREED, será gerada automaticamente uma marcação; o cancelamento … cancelará a marcação associada."""
    name = await desk.noticed("CLOSED")
    shown = (await desk.sim.http.get(f"/med/{name}")).json()
    marker = f"{MARKERS}/{shown['fraudMarkerId']}"
    found = (await desk.sim.ask("GET", marker)).json()
    assert (found["Status"], found["FraudType"], found["InfractionReport"]["Id"]) == ("REGISTERED", "MULE_ACCOUNT", name)
    assert (await desk.advance(shown["recoveryId"], "CANCELLED"))["status"] == "CANCELLED"
    assert await desk.answer("GET", marker) == (200, "CANCELLED")


async def test_a_mark_is_canceled_by_who_agreed(desk: Desk) -> None:
    """Pode ser cancelada pelo participante contraparte, que fez o fechamento; a operação é idempotente."""
    shown = (await desk.sim.http.get(f"/med/{await desk.noticed('CLOSED')}")).json()
    for _ in range(2):
        assert await desk.answer("POST", f"{MARKERS}/{shown['fraudMarkerId']}/cancel", {}) == (200, "CANCELLED")


@in_one_test(
    ("changed", "then"),
    [({}, (201, "REGISTERED")), ({"FraudType": "OTHER"}, (400, "RequestIdAlreadyUsed")),
     ({"FraudType": "UNKNOWN"}, (400, "FraudMarkerInvalid")), ({"TaxIdNumber": "1"}, (400, "FraudMarkerInvalid"))],
)  # fmt: skip
async def test_create_fraud_marker(desk: Desk, changed: dict[str, str], then: Answer) -> None:
    """Para garantir a idempotência …, a requisição tem um campo RequestId."""
    asked = {"RequestId": "m", "TaxIdNumber": "01234567890", "FraudType": "MULE_ACCOUNT", "Key": "abc@pix.br"}
    assert await desk.answer("POST", MARKERS, asked) == (201, "REGISTERED")
    assert await desk.answer("POST", MARKERS, {**asked, **changed}) == then
