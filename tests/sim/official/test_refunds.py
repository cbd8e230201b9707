"""Refunds at the directory by the words of DICT API 2.12.1, operation by operation, against the simulator alone."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lastro_sim.bank import own
from lastro_sim.clock import DAY
from lastro_sim.settings import PAYER_BANK_ISPB

from ..orders import ended, payout
from ..stage import Institution, Sim
from ..test_disputes import advance, asked_back, begun, of, received, sent
from ..test_returns import give_back, return_id

REFUNDS = "/dict/v2/refunds"
FLAW = {"RefundReason": "OPERATIONAL_FLAW", "RefundDetails": "Paid twice by our fault"}
LOOK = {"Participant": "99999010"}


async def created(sim: Sim, name: str, **more: Any) -> Any:
    return await sim.ask("POST", REFUNDS, {"TransactionId": name, "RefundAmount": "25.00", **FLAW, **more})


async def asked_of_lastro(sim: Sim, **more: Any) -> tuple[str, str]:
    """A payment to the institution, and the id of the refund that its payer's bank asks of it."""
    name = await received(sim)
    return name, str((await begun(sim, name, reason="OPERATIONAL_FLAW", **more))["referenceId"])


async def closed(sim: Sim, refund: str, **fields: Any) -> Any:
    return await sim.ask("POST", f"{REFUNDS}/{refund}/close", {"RefundAnalysisResult": "TOTALLY_ACCEPTED", **fields})


def said(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("type")


Given = Callable[[Sim, Institution, str], Awaitable[object]]


async def _nothing(sim: Sim, lastro: Institution, name: str) -> None:
    pass


async def _asked_before(sim: Sim, lastro: Institution, name: str) -> None:
    assert (await created(sim, name)).status_code == 201


async def _refused_before(sim: Sim, lastro: Institution, name: str) -> None:
    made = (await created(sim, name)).json()
    await advance(sim, {"referenceId": made["Id"]}, "ANALYSED", analysisResult="REJECTED")


async def _given_up_before(sim: Sim, lastro: Institution, name: str) -> None:
    made = (await created(sim, name)).json()
    assert (await sim.ask("POST", f"{REFUNDS}/{made['Id']}/cancel", {})).status_code == 200


def after(days: int, microseconds: int) -> Given:
    async def moved(sim: Sim, lastro: Institution, name: str) -> None:
        await sim.ask("PUT", "/clock", {"offsetMicroseconds": days * DAY + microseconds})

    return moved


MINUTE = 60_000_000
CREATED: dict[str, tuple[Given, dict[str, Any], tuple[int, str | None]]] = {
    "createRefund, OPERATIONAL_FLAW": (_nothing, {}, (201, None)),
    "createRefund, PIX_AUTOMATICO: no details are required": (
        _nothing, {"RefundReason": "PIX_AUTOMATICO", "RefundDetails": None}, (201, None),
    ),
    "schema Refund: RefundDetails required of OPERATIONAL_FLAW": (_nothing, {"RefundDetails": None}, (400, "RefundInvalid")),
    "schema RefundReason: no other reason": (_nothing, {"RefundReason": "REFUND_CANCELLED"}, (400, "RefundInvalid")),
    "RefundTransactionNotFound": (_nothing, {"TransactionId": "E" + "0" * 31}, (400, "RefundTransactionNotFound")),
    "tag InfractionReport: FRAUD needs an agreed report": (
        _nothing, {"RefundReason": "FRAUD"}, (400, "RefundInfractionReportNotFound"),
    ),
    "RefundAlreadyBeingProcessedForTransaction": (
        _asked_before, {}, (400, "RefundAlreadyBeingProcessedForTransaction"),
    ),
    "RefundAlreadyProcessedForTransaction": (_refused_before, {}, (400, "RefundAlreadyProcessedForTransaction")),
    "a canceled one is in nobody's way": (_given_up_before, {}, (201, None)),
    "RefundInvalid: more than the transaction (inferred)": (_nothing, {"RefundAmount": "25.01"}, (400, "RefundInvalid")),
    "RefundPeriodExpired: a minute before 90 days (inferred)": (after(90, -MINUTE), {}, (201, None)),
    "RefundPeriodExpired: a minute after 90 days (inferred)": (after(90, MINUTE), {}, (400, "RefundPeriodExpired")),
}  # fmt: skip


@pytest.mark.parametrize(("given", "when", "then"), CREATED.values(), ids=CREATED)
async def test_create(
    sim: Sim, lastro: Institution, given: Given, when: dict[str, Any], then: tuple[int, str | None]
) -> None:
    name = await sent(lastro)
    await given(sim, lastro, name)
    assert said(await created(sim, name, **when)) == then


async def test_only_the_debited_participant_creates_and_an_unsettled_payment_has_none(sim: Sim, lastro: Institution) -> None:
    """createRefund: "apenas o participante debitado"; table of errors: RefundTransactionNotSettled."""
    assert said(await created(sim, await received(sim))) == (403, "Forbidden")
    refused = payout(lastro, 2, receiver={**payout(lastro)["receiver"], "account": "999999"})
    await ended(lastro, refused)
    assert said(await created(sim, refused["endToEndId"])) == (400, "RefundTransactionNotSettled")


CLOSED: dict[str, tuple[dict[str, Any], tuple[int, str | None]]] = {
    "closeRefund, TOTALLY_ACCEPTED": ({"RefundTransactionId": return_id(1)}, (200, None)),
    "issue 44: a yes names what gave back": ({}, (400, "RefundInvalid")),
    "RefundTransactionInvalid: the transaction itself": (
        {"RefundTransactionId": "itself"}, (400, "RefundTransactionInvalid"),
    ),
    "RefundTransactionNotFound": ({"RefundTransactionId": return_id(7)}, (400, "RefundTransactionNotFound")),
    "RefundTransactionNotSettled": ({"RefundTransactionId": return_id(2)}, (400, "RefundTransactionNotSettled")),
    "RefundTransactionInvalid: of another transaction (inferred)": (
        {"RefundTransactionId": return_id(3)}, (400, "RefundTransactionInvalid"),
    ),
    "closeRefund, REJECTED": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "NO_BALANCE"}, (200, None),
    ),
    "issue 44: a no names no transaction": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "OTHER", "RefundTransactionId": return_id(1)},
        (400, "RefundInvalid"),
    ),
    "CloseRefundRequest: INVALID_REQUEST with its details": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "INVALID_REQUEST", "RefundAnalysisDetails": "None"},
        (200, None),
    ),
    "CloseRefundRequest: INVALID_REQUEST without details": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "INVALID_REQUEST"}, (400, "RefundInvalid"),
    ),
    "RefundRejectionReason: PARTICIPANT_EXCLUSION is the directory's own": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "PARTICIPANT_EXCLUSION"}, (400, "RefundInvalid"),
    ),
    "RefundRejectionReason: CANNOT_REFUND of DICT 1.8 is gone": (
        {"RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "CANNOT_REFUND"}, (400, "RefundInvalid"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("when", "then"), CLOSED.values(), ids=CLOSED)
async def test_close(sim: Sim, lastro: Institution, when: dict[str, Any], then: tuple[int, str | None]) -> None:
    name, refund = await asked_of_lastro(sim)
    await give_back(lastro, name, 1, "25.00")
    await give_back(lastro, name, 2, "25.00")  # more than is left: AM09
    await give_back(lastro, await received(sim), 3, "25.00")
    when = {key: name if value == "itself" else value for key, value in when.items()}
    done = await closed(sim, refund, **when)
    assert said(done) == then
    if done.status_code == 200:
        # ExtendedRefund: "AnalysisResult"; RefundAnalysisResult is the request's word.
        assert done.json()["AnalysisResult"] == when.get("RefundAnalysisResult", "TOTALLY_ACCEPTED")
        assert "RefundAnalysisResult" not in done.json()


async def test_the_same_close_again_is_answered_alike_and_another_is_not(sim: Sim, lastro: Institution) -> None:
    """closeRefund, "Idempotência": "fechada com os mesmos parâmetros"; RefundOperationInvalid of anything else."""
    name, refund = await asked_of_lastro(sim)
    await give_back(lastro, name, 1, "20.00")
    first = await closed(sim, refund, RefundTransactionId=return_id(1))
    again = await closed(sim, refund, RefundTransactionId=return_id(1))
    assert first.json() == again.json()
    other = await closed(sim, refund, RefundTransactionId=return_id(1), RefundAnalysisResult="PARTIALLY_ACCEPTED")
    assert said(other) == (400, "RefundOperationInvalid")
    # cancelRefund: only its creator, and "não pode ser cancelada após ter sido fechada".
    assert said(await sim.ask("POST", f"{REFUNDS}/{refund}/cancel", {})) == (403, "Forbidden")


async def test_only_the_contested_participant_closes_and_only_the_creator_cancels(sim: Sim, lastro: Institution) -> None:
    refund = (await created(sim, await sent(lastro))).json()["Id"]
    assert said(await closed(sim, refund, RefundTransactionId=return_id(1))) == (403, "Forbidden")
    for _ in range(2):
        assert (await sim.ask("POST", f"{REFUNDS}/{refund}/cancel", {})).json()["Status"] == "CANCELLED"
    assert said(await sim.ask("GET", f"{REFUNDS}/{refund[::-1]}")) == (404, "NotFound")
    shown = (await sim.ask("GET", f"{REFUNDS}/{refund}")).json()
    assert {"Id", "Status", "RequestingParticipant", "ContestedParticipant", "CreationTime", "LastModified"} <= set(shown)


async def test_a_refund_of_a_recovery_names_the_victims_account_and_is_not_canceled_alone(
    sim: Sim, lastro: Institution
) -> None:
    """RefundAccount: "utilizado apenas no contexto de Recuperação de Valores"; RefundOperationInvalid: "vinculada"."""
    _, requests = await asked_back(sim, lastro, transactions=2)
    account = {
        "TaxIdNumber": "11222333000181", "Participant": "99999010", "Branch": "0001", "AccountNumber": "00000019",
        "AccountType": "TRAN",
    }  # fmt: skip
    for request in requests:
        shown = (await sim.ask("GET", f"{REFUNDS}/{request['referenceId']}")).json()
        assert shown["RefundAccount"] == account
        no = await sim.ask("POST", f"{REFUNDS}/{request['referenceId']}/cancel", {})
        assert said(no) == (400, "RefundOperationInvalid")
    _, alone = await asked_of_lastro(sim)
    assert "RefundAccount" not in (await sim.ask("GET", f"{REFUNDS}/{alone}")).json()


async def later_layer(sim: Sim, lastro: Institution) -> tuple[str, str]:
    """Money that the institution had after the first receiver: the transaction, and the refund that is asked of it."""
    middle = {"ispb": PAYER_BANK_ISPB, "branch": "0001", "account": "123456", "accountType": "CACC"}
    root = (await ended(lastro, payout(lastro, receiver=middle)))["endToEndId"]
    onward = await received(sim)
    case = await begun(sim, root)
    await advance(sim, case, "TRACED", onward=onward)
    await advance(sim, case, "WAITING_ANALYSIS")
    for notice in await of(sim, case, "INFRINGEMENT_NOTIFICATION"):
        if (await sim.http.get(f"/med/{notice['referenceId']}")).json()["endToEndId"] == onward:
            path = f"/dict/v2/infraction-reports/{notice['referenceId']}"
            assert (await sim.ask("POST", f"{path}/acknowledge", {})).status_code == 200
            verdict = {"AnalysisResult": "AGREED", "FraudType": "MULE_ACCOUNT"}
            assert (await sim.ask("POST", f"{path}/close", verdict)).status_code == 200
        else:
            await advance(sim, notice, "RECEIVED")
            await advance(sim, notice, "ANALYSED", analysisResult="AGREED")
    await advance(sim, case, "WAITING_REFUND")
    for request in await of(sim, case, "REFUND_REQUEST"):
        if (await sim.http.get(f"/med/{request['referenceId']}")).json()["endToEndId"] == onward:
            return onward, request["referenceId"]
    raise AssertionError("the later layer is not asked")


async def test_a_later_layer_pays_the_victim_anew_by_iprt(sim: Sim, lastro: Institution) -> None:
    """TransactionTypeInvalid: "considere realizar uma PACS.008"; RefundTransactionInvalid: "finalidade 'IPRT'"."""
    onward, refund = await later_layer(sim, lastro)
    await give_back(lastro, onward, 1, "25.00")
    paid = {"RefundTransactionId": return_id(1), "EffectiveRefundedAmount": "25.00"}
    assert said(await closed(sim, refund, **paid)) == (400, "TransactionTypeInvalid")
    assert (await ended(lastro, payout(lastro, 5)))["status"] == "ACSC"
    common = payout(lastro, 5)["endToEndId"]
    assert said(await closed(sim, refund, **paid | {"RefundTransactionId": common})) == (400, "RefundTransactionInvalid")
    assert (await ended(lastro, payout(lastro, 6, purpose="IPRT")))["status"] == "ACSC"
    anew = payout(lastro, 6)["endToEndId"]
    # EffectiveRefundedAmount: "neste caso, o campo é de preenchimento obrigatório".
    assert said(await closed(sim, refund, RefundTransactionId=anew)) == (400, "RefundInvalid")
    assert (await closed(sim, refund, **paid | {"RefundTransactionId": anew})).status_code == 200
    # What was paid by IPRT is not contested again.
    assert said(await created(sim, anew)) == (400, "TransactionNotRefundable")


async def test_a_returned_transaction_is_given_back_by_iprt(sim: Sim, lastro: Institution) -> None:
    """FundsRecoveryTransactionNotEligible leaves a return eligible; TransactionTypeInvalid: "considere realizar uma PACS.008".

    RefundAccount is of whom the return was taken from: who gave it back. No return is itself returned (AG13).
    """
    name = (await ended(lastro, payout(lastro)))["endToEndId"]
    given = (await sim.act("/phone/return", {"endToEndId": name}))["returnId"]
    report = f"/dict/v2/infraction-reports/{(await begun(sim, given))['referenceId']}"
    assert (await sim.ask("POST", f"{report}/acknowledge", {})).status_code == 200
    verdict = {"AnalysisResult": "AGREED", "FraudType": "SCAMMER_ACCOUNT"}
    assert (await sim.ask("POST", f"{report}/close", verdict)).status_code == 200
    (shown,) = (await sim.ask("GET", f"{REFUNDS}?Participant=99999010&ParticipantRole=CONTESTED")).json()["Refunds"]
    refund, victim = shown["Id"], shown["RefundAccount"]
    assert (shown["TransactionId"], victim["AccountNumber"]) == (given, payout(lastro)["receiver"]["account"])
    assert (await give_back(lastro, given, 1, "25.00"))["code"] == "AG13"
    told = {"RefundTransactionId": return_id(1), "EffectiveRefundedAmount": "25.00"}
    assert said(await closed(sim, refund, **told)) == (400, "TransactionTypeInvalid")
    assert (await ended(lastro, payout(lastro, 5)))["status"] == "ACSC"
    common = told | {"RefundTransactionId": payout(lastro, 5)["endToEndId"]}
    assert said(await closed(sim, refund, **common)) == (400, "RefundTransactionInvalid")
    assert (await ended(lastro, payout(lastro, 6, purpose="IPRT")))["status"] == "ACSC"
    assert (await closed(sim, refund, **told | {"RefundTransactionId": payout(lastro, 6)["endToEndId"]})).status_code == 200


@pytest.mark.parametrize("reason", ["OPERATIONAL_FLAW", "PIX_AUTOMATICO", "FRAUD"])
async def test_a_return_is_asked_back_in_a_recovery_alone(sim: Sim, lastro: Institution, reason: str) -> None:
    """RefundReason: REFUND_CANCELLED, by which a return was asked back, is deprecated; of TransactionNotRefundable (inferred)."""
    name = await received(sim)
    await give_back(lastro, name, 1, "25.00")
    asked = await created(sim, return_id(1), RefundReason=reason)
    assert said(asked) == (400, "TransactionNotRefundable")


async def test_pix_automatico_is_reimbursed_to_the_payers_participant_by_refu(sim: Sim, lastro: Institution) -> None:
    """API Pix 2.9.0, MED_PIX_AUTOMATICO: "ao participante do usuário pagador … (REFU)"; never a return to the payer."""
    name = await received(sim)
    refund = (await begun(sim, name, reason="PIX_AUTOMATICO"))["referenceId"]
    await give_back(lastro, name, 1, "25.00")
    assert said(await closed(sim, refund, RefundTransactionId=return_id(1))) == (400, "TransactionTypeInvalid")
    bank = own.account(PAYER_BANK_ISPB)
    customer = {**bank, "account": "123456", "document": {"type": "CPF", "number": "12345678909"}}
    assert (await ended(lastro, payout(lastro, 3, purpose="REFU", receiver=customer)))["code"] == "FF07"  # ours
    assert (await ended(lastro, payout(lastro, 4, purpose="REFU", receiver=bank)))["status"] == "ACSC"
    assert (await closed(sim, refund, RefundTransactionId=payout(lastro, 4)["endToEndId"])).status_code == 200


async def test_lists_are_of_one_role_in_the_order_of_their_changes(sim: Sim, lastro: Institution) -> None:
    """listRefund: ParticipantRole required, "ordenada de forma crescente pelo campo LastModified", Limit and Cursor."""
    names = [(await created(sim, await sent(lastro))).json()["Id"]]
    await ended(lastro, payout(lastro, 2))
    names.append((await created(sim, payout(lastro, 2)["endToEndId"])).json()["Id"])
    await asked_of_lastro(sim)
    first = (await sim.ask("GET", f"{REFUNDS}?Participant=99999010&ParticipantRole=REQUESTING&Limit=1")).json()
    assert ([one["Id"] for one in first["Refunds"]], first["HasMoreElements"]) == (names[:1], True)
    assert "RefundDetails" not in first["Refunds"][0]
    more = f"{REFUNDS}?Participant=99999010&ParticipantRole=REQUESTING&IncludeDetails=true&Cursor={first['NextCursor']}"
    rest = (await sim.ask("GET", more)).json()
    assert ([one["Id"] for one in rest["Refunds"]], rest["HasMoreElements"]) == (names[1:], False)
    assert rest["Refunds"][0]["RefundDetails"] == FLAW["RefundDetails"]
    assert (await sim.ask("GET", f"{REFUNDS}?Participant=99999010")).status_code == 400
    none = f"{REFUNDS}?Participant=99999010&ParticipantRole=CONTESTED&Status=CLOSED,CANCELLED"
    assert (await sim.ask("GET", none)).json()["Refunds"] == []
