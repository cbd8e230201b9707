"""Disputes as the simulator plays them: every end from both sides, and what goes wrong on the way."""

from typing import Any

import pytest

from lastro_sim.med.outcomes import PLAYS

from .orders import ended, payout
from .stage import Institution, Sim

ACCOUNT_AT_LASTRO = {"branch": "0001", "account": "19"}
CONTACT = {"Email": "med@lastro.example", "Phone": "+551130030000"}
REJECTED = {"analysisResult": "REJECTED"}


async def received(sim: Sim) -> str:
    paid = await sim.act("/phone/transfer", {"account": ACCOUNT_AT_LASTRO, "amount": "25.00"})
    return str(paid["endToEndId"])


async def sent(lastro: Institution) -> str:
    return str((await ended(lastro, payout(lastro)))["endToEndId"])


async def begun(sim: Sim, name: str, **more: Any) -> Any:
    return await sim.act("/med", {"endToEndId": name, "situationType": "SCAM", **more})


async def test_a_notification_is_of_up_to_what_has_come_into_its_account(sim: Sim, lastro: Institution) -> None:
    """InfractionAmount may be more than its transaction: it stands for several payments into the account."""
    del lastro  # takes the payments
    names = [await received(sim) for _ in range(3)]
    refused = await sim.http.post("/med", json={"endToEndId": names[0], "situationType": "SCAM", "amount": "75.01"})
    assert (refused.status_code, "OUT_OF_RANGE" in refused.text) == (400, True)
    assert (await begun(sim, names[0], amount="75.00"))["amount"] == "75.00"
    assert (await begun(sim, names[1]))["amount"] == "25.00"
    assert (await begun(sim, names[2], amount="0.01"))["amount"] == "0.01"


async def advance(sim: Sim, case: Any, status: str, **more: Any) -> Any:
    return await sim.act(f"/med/{case['referenceId']}/advance", {"status": status, **more})


async def told(sim: Sim) -> list[tuple[str, str]]:
    """What the participant has been told: kind and status, in order."""
    events = (await sim.ask("GET", "/dict/v2/med-events?after=0")).json()["movements"]
    words = [(e["type"], next(v for k, v in e.items() if k not in ("id", "type", "sequence"))) for e in events]
    return [(kind, body["Status"]) for kind, body in words]


async def of(sim: Sim, case: Any, object_type: str) -> list[Any]:
    related = (await sim.http.get(f"/med/{case['referenceId']}")).json().get("related", [])
    return [one for one in related if one["objectType"] == object_type]


async def asked_back(sim: Sim, lastro: Institution, **traced: Any) -> tuple[Any, list[Any]]:
    """A case of ours in which all have agreed, and its refund requests."""
    case = await begun(sim, await sent(lastro))
    await advance(sim, case, "TRACED", **traced)
    await advance(sim, case, "WAITING_ANALYSIS")
    for notice in await of(sim, case, "INFRINGEMENT_NOTIFICATION"):
        await advance(sim, notice, "RECEIVED")
        await advance(sim, notice, "ANALYSED", analysisResult="AGREED")
    await advance(sim, case, "WAITING_REFUND")
    return case, await of(sim, case, "REFUND_REQUEST")


@pytest.mark.parametrize(
    ("answer", "result", "returned"),
    [
        ({"analysisResult": "TOTALLY_ACCEPTED"}, ("TOTALLY_ACCEPTED", None), "25.00"),
        ({"amount": "10.00"}, ("PARTIALLY_ACCEPTED", None), "10.00"),
        (REJECTED, ("REJECTED", "NO_BALANCE"), None),
        ({**REJECTED, "rejectionReason": "ACCOUNT_CLOSURE"}, ("REJECTED", "ACCOUNT_CLOSURE"), None),
        ({**REJECTED, "rejectionReason": "OTHER"}, ("REJECTED", "OTHER"), None),
    ],
)
async def test_each_answer_to_what_lastro_asks_back(
    sim: Sim, lastro: Institution, answer: Any, result: Any, returned: str | None
) -> None:
    case, (request,) = await asked_back(sim, lastro)
    done = await advance(sim, request, "ANALYSED", **answer)
    assert (done["analysisResult"], done.get("rejectionReason"), done.get("returnedAmount")) == (*result, returned)
    assert (await sim.http.get(f"/med/{case['referenceId']}")).json()["status"] == "COMPLETED"


async def test_each_layer_is_asked(sim: Sim, lastro: Institution) -> None:
    _, requests = await asked_back(sim, lastro, transactions=3)
    assert len(requests) == 3


@pytest.mark.parametrize("reason", ["OPERATIONAL_FLAW", "PIX_AUTOMATICO"])
@pytest.mark.parametrize("side", ["received", "sent"])
async def test_a_request_without_a_notification(sim: Sim, lastro: Institution, reason: str, side: str) -> None:
    name = await (received(sim) if side == "received" else sent(lastro))
    request = await begun(sim, name, reason=reason)
    assert (request["objectType"], request["status"]) == ("REFUND_REQUEST", "OPEN")
    refused = await advance(sim, request, "ANALYSED", **REJECTED, rejectionReason="INVALID_REQUEST")
    # No payment of these is a charge of Pix Automático, and INVALID_REQUEST is of a flaw alone.
    answered = "OTHER" if reason == "PIX_AUTOMATICO" else "INVALID_REQUEST"
    assert refused.get("code" if side == "received" else "rejectionReason") == (
        "NotYours" if side == "received" else answered
    )
    assert (await told(sim))[0] == ("REFUND", "OPEN")


async def test_the_first_bank_disagrees(sim: Sim, lastro: Institution) -> None:
    case = await begun(sim, await sent(lastro))
    await advance(sim, case, "TRACED")
    await advance(sim, case, "WAITING_ANALYSIS")
    (notice,) = await of(sim, case, "INFRINGEMENT_NOTIFICATION")
    await advance(sim, notice, "RECEIVED")
    await advance(sim, notice, "ANALYSED", analysisResult="DISAGREED")
    after = (await sim.http.get(f"/med/{case['referenceId']}")).json()
    assert (after["status"], after["analysisResult"]) == ("COMPLETED", "DISAGREED")
    assert await of(sim, case, "REFUND_REQUEST") == []


async def test_a_verdict_of_lastro_says_of_which_kind_the_fraud_was(sim: Sim, lastro: Institution) -> None:
    notice = await begun(sim, await received(sim))
    path = f"/dict/v2/infraction-reports/{notice['referenceId']}/close"
    assert (await sim.ask("POST", path.replace("close", "acknowledge"), {})).status_code == 200
    for body, field in (
        ({"AnalysisResult": "AGREED"}, "FraudType"),
        ({"AnalysisResult": "AGREED", "FraudType": "ROBBERY"}, "FraudType"),
        ({"AnalysisResult": "AGREED", "FraudType": "OTHER"}, "AnalysisDetails"),
    ):
        no = await sim.ask("POST", path, body)
        assert (no.status_code, no.json()["type"], field in no.text) == (400, "InfractionReportInvalid", True)
    assert (await sim.ask("POST", path, {"AnalysisResult": "AGREED", "FraudType": "MULE_ACCOUNT"})).status_code == 200
    assert (await sim.http.get(f"/med/{notice['referenceId']}")).json()["fraudType"] == "MULE_ACCOUNT"


async def test_the_directory_says_no_in_its_own_form(sim: Sim, lastro: Institution) -> None:
    """By which a participant tells it from a wrong address."""
    unknown = await sim.ask("POST", "/dict/v2/refunds/nobody/close", {"RefundAnalysisResult": "TOTALLY_ACCEPTED", "RefundTransactionId": "D"})  # fmt: skip
    assert (unknown.status_code, unknown.json()["type"], unknown.json()["status"]) == (404, "NotFound", 404)
    elsewhere = await sim.ask("POST", "/dict/v3/refunds/nobody/close", {})
    assert (elsewhere.status_code, "type" in elsewhere.json()) == (404, False)


async def test_faults(sim: Sim, lastro: Institution) -> None:
    async def strikes(behaviour: str, **more: Any) -> None:
        await sim.act("/faults", {"operation": "med", "behaviour": behaviour, **more})

    name = await sent(lastro)
    wish = {"RequestId": "r", "RootTransactionId": name, "SituationType": "SCAM", "ContactInformation": CONTACT}
    for behaviour, status in (("down", 503), ("reject", 422), ("lost-answer", 503), ("slow", 201)):
        await strikes(behaviour, **({"delay": 0.05} if behaviour == "slow" else {}))
        assert (await sim.ask("POST", "/dict/v2/funds-recoveries", wish)).status_code == status
    case, _ = (await sim.http.get("/med")).json()["data"]
    await strikes("twice")
    await advance(sim, case, "TRACED")
    opened = [("INFRACTION_REPORT", "OPEN")]
    assert await told(sim) == opened + [("FUNDS_RECOVERY", "TRACKED")] * 2
    await strikes("late", delay=3600)
    await advance(sim, case, "WAITING_ANALYSIS")
    assert await told(sim) == opened + [("FUNDS_RECOVERY", "TRACKED")] * 2
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 3_601_000_000})

    (held,) = (await sim.ask("GET", "/dict/v2/med-events?after=3&wait=10")).json()["movements"]
    assert held["FundsRecovery"]["Status"] == "AWAITING_ANALYSIS"


async def test_what_scenarios_say_of_disputes(sim: Sim) -> None:
    listed = [one for one in (await sim.http.get("/scenarios")).json()["data"] if one["operation"] == "med"]
    assert [(one["field"], one["value"]) for one in listed] == [(play.field, play.value) for play in PLAYS]


async def test_the_money_went_on_to_lastro_again(sim: Sim, lastro: Institution) -> None:
    """The second receiver is of the bank that contests: one word says both."""
    phone = {"document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001", "account": "123456",
             "accountType": "CACC"}  # fmt: skip
    root = str((await ended(lastro, payout(lastro, receiver=phone)))["endToEndId"])
    onward = await received(sim)
    case = await begun(sim, root)
    assert (await advance(sim, case, "TRACED", onward="E" * 32))["code"] == "FundsRecoveryTransactionNotIndexed"
    assert (await advance(sim, case, "TRACED", onward=root))["code"] == "Forbidden"
    traced = await advance(sim, case, "TRACED", onward=onward)
    assert [(h["TransactionId"], h["Hop"], h["ReceiverParticipant"]) for h in traced["transactions"]] == [
        (root, 1, "99999020"), (onward, 2, "99999010"),
    ]  # fmt: skip
    await advance(sim, case, "WAITING_ANALYSIS")
    assert await told(sim) == [
        ("FUNDS_RECOVERY", "CREATED"), ("INFRACTION_REPORT", "OPEN"), ("FUNDS_RECOVERY", "TRACKED"),
        ("FUNDS_RECOVERY", "AWAITING_ANALYSIS"), ("INFRACTION_REPORT", "OPEN"),
    ]  # fmt: skip


async def test_what_settled_in_the_books_of_who_contests_it(sim: Sim, lastro: Institution) -> None:
    """No network has seen it: its amount is told, and it must be in that bank's name."""
    wish = {
        "RequestId": "a", "RootTransactionId": "E9999901020260131110000001aBcDeF", "SituationType": "SCAM",
        "ContactInformation": CONTACT,
    }  # fmt: skip
    internal = {**wish, "TransactionType": "INTERNAL", "InfractionAmount": "12.00"}
    assert (await sim.ask("POST", "/dict/v2/funds-recoveries", wish)).status_code == 400
    assert (await sim.ask("POST", "/dict/v2/funds-recoveries", {**internal, "InfractionAmount": "12"})).status_code == 400
    other = {**internal, "RootTransactionId": "E9999903020260131110000001aBcDeF"}
    assert (await sim.ask("POST", "/dict/v2/funds-recoveries", other)).status_code == 400
    seen = {**internal, "RootTransactionId": await sent(lastro)}
    assert (await sim.ask("POST", "/dict/v2/funds-recoveries", seen)).status_code == 400
    made, again = [(await sim.ask("POST", "/dict/v2/funds-recoveries", internal)).json() for _ in range(2)]
    assert (made["Id"], made["RootTransactionId"]) == (again["Id"], internal["RootTransactionId"])
    await advance(sim, {"referenceId": made["Id"]}, "TRACED")
    await advance(sim, {"referenceId": made["Id"]}, "WAITING_ANALYSIS")
    (report,) = await of(sim, {"referenceId": made["Id"]}, "INFRINGEMENT_NOTIFICATION")
    assert (await sim.http.get(f"/med/{report['referenceId']}")).json()["amount"] == "12.00"
