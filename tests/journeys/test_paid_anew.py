"""What a dispute gives back by a payment of its own: from the directory's word through people and network to its statement."""

import asyncio
import json
from typing import Any

from lastro.cli import perform
from lastro.cli.reconcile import show
from lastro.config.settings import read
from lastro.standards.calendar import brasilia_day
from lastro_sim.bank import own
from lastro_sim.settings import OUTSIDE_BANK_ISPB, PAYER_BANK_ISPB

from .play import Play
from .test_authorizing import brl
from .test_charging import accepted, charged, shown
from .test_disputes import advance, becomes, of_type

_LINE = "SELECT kind, amount_minor, verdict FROM statement_lines WHERE network_id = $1 AND is_current"


async def typed(play: Play, *words: str) -> Any:
    """What a command of the institution's answers."""
    said: list[str] = []
    await asyncio.to_thread(perform, [*words, "--json"], lambda: read(play.stage.environment), said.append)
    return json.loads("\n".join(said))


async def collected(play: Play, value: str) -> tuple[dict[str, Any], str]:
    """A charge of Pix Automático that was paid: its subscription, and its endToEndId."""
    subscription = await accepted(play)
    payment = await charged(play, subscription, 3, amount=brl(value))
    await play.advance(advance="P4D")
    found = await shown(play, payment)
    assert found["status"] == "PAID"
    return subscription, str(found["attempts"][-1]["endToEndId"])


async def paid_anew(play: Play, request: dict[str, Any], purpose: str, cents: int) -> dict[str, Any]:
    """The one payment that has left for a request: in our books, at the network, at the directory and on the statement."""
    ended = await becomes(play, request["referenceId"], "ANALYSED")
    await play.rest()
    closed = await play.act(f"/med/{request['referenceId']}", method="GET")
    sql = "SELECT return_id, reason_code, state, rail FROM refunds WHERE med_id = $1::uuid"
    ((name, *booked),) = await play.books.fetch(sql, request["referenceId"])
    assert (booked, closed["refundTransactionId"]) == ([purpose, "PAID", "pix"], name)
    assert (await play.statement(name))["status"] == "SETTLED"
    at = await play.books.fetchval("SELECT updated_at FROM refunds WHERE return_id = $1", name)
    await play.advance(advance="P2D")
    await play.wait_for(f"SELECT count(*) = 1 FROM ({_LINE}) l", name)
    (line,) = await play.books.fetch(_LINE, name)
    assert tuple(line) == ("OUT", cents, "MATCHED")
    said: list[str] = []
    day = ("--day", str(brasilia_day(at)), "--rail", "pix", "--json")
    await asyncio.to_thread(show, day, lambda: read(play.stage.environment), said.append)
    (rail,) = json.loads("\n".join(said))["rails"]
    assert name not in [item["networkId"] for item in rail["open"]]
    return ended


async def test_a_charge_at_fault_is_reimbursed_to_the_payers_bank(play: Play) -> None:
    """REFU, once, also where its end is never told and has to be asked for; nobody but people decides that it goes."""
    value = "49.90"
    subscription, name = await collected(play, value)
    before = await play.balance()
    made = await play.act("/med", {"endToEndId": name, "situationType": "SCAM", "reason": "PIX_AUTOMATICO"})
    request = await becomes(play, made["referenceId"], "OPEN")
    assert (request["blockedAmount"], request["awaitingOurAnalysis"]) == (value, True)
    assert own.words(PAYER_BANK_ISPB) in request["details"]
    await play.fault("payout", "timeout", times=1, match={"amount": value})
    bank = own.account(PAYER_BANK_ISPB)
    await typed(
        play, "med", "reimburse", made["referenceId"], "--amount", value, "--document", bank["document"]["number"],
        "--branch", bank["branch"], "--account", bank["account"], "--account-type", "checking_account", "--reason", "Owed",
    )  # fmt: skip
    ended = await paid_anew(play, request, "REFU", int(value.replace(".", "")))
    assert (ended["analysisResult"], ended["returnedAmount"], ended["blockedAmount"]) == ("TOTALLY_ACCEPTED", value, "0.00")
    assert await play.balance() == before - int(value.replace(".", ""))
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


async def test_people_refuse_a_reimbursement(play: Play) -> None:
    subscription, name = await collected(play, "48.80")
    before = await play.balance()
    made = await play.act("/med", {"endToEndId": name, "situationType": "SCAM", "reason": "PIX_AUTOMATICO"})
    await becomes(play, made["referenceId"], "OPEN")
    await typed(play, "med", "refuse", made["referenceId"], "other", "--reason", "It was owed")
    ended = await becomes(play, made["referenceId"], "ANALYSED")
    assert (ended["analysisResult"], ended["rejectionReason"]) == ("REJECTED", "OTHER")
    assert await play.balance() == before
    await play.rest()
    assert (await play.act(f"/med/{made['referenceId']}", method="GET"))["rejectionReason"] == "OTHER"
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})


async def test_a_later_receiver_here_pays_the_victim(play: Play) -> None:
    """IPRT: the victim's bank is not who paid the account here; once, also where the answer to its payment is lost."""
    before = await play.balance()
    root = await play.act("/phone/transfer", {"key": "fabio@fora.example", "amount": "310.00"})
    found = (await play.call("GET", f"/order/v1/banking/accounts/{play.account['id']}")).json
    place = found["bankAccountData"]
    mule = {"name": "Fabio Fora", "document": "11144477735", "ispb": OUTSIDE_BANK_ISPB}
    onward = await play.act("/phone/transfer", {
        "account": {"branch": place["branchNumber"], "account": place["accountNumber"]}, "amount": "290.00", "payer": mule,
    })  # fmt: skip
    await play.payment_becomes(onward["endToEndId"], "SETTLED")
    recovery = (await play.act("/med", {"endToEndId": root["endToEndId"], "situationType": "SCAM"}))["referenceId"]
    await advance(play, recovery, "TRACED", onward=onward["endToEndId"])
    await advance(play, recovery, "WAITING_ANALYSIS")
    reports = (await play.act(f"/med/{recovery}", method="GET"))["related"]
    for report in reports:
        named = (await play.act(f"/med/{report['referenceId']}", method="GET"))["endToEndId"]
        if named == onward["endToEndId"]:
            notice = await becomes(play, report["referenceId"], "RECEIVED")
            assert notice["blockedAmount"] == "290.00"
        else:
            await advance(play, report["referenceId"], "RECEIVED")
        await advance(play, report["referenceId"], "ANALYSED", analysisResult="AGREED")
    await play.fault("payout", "lost-answer", times=1, match={"amount": "290.00"})
    request = await of_type(play, notice["referenceId"], "REFUND_REQUEST")
    ended = await paid_anew(play, request, "IPRT", 290_00)
    assert (ended["analysisResult"], ended["returnedAmount"]) == ("TOTALLY_ACCEPTED", "290.00")
    assert await play.balance() == before
