"""Acts on disputes for tests and people: either side's next step. Each step is named by the status that it leads to."""

import json
from dataclasses import dataclass
from typing import Any

from lastro_sim import amounts
from lastro_sim.bank import own, payers
from lastro_sim.bank.paying import PaymentWish, pay
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import found
from lastro_sim.settings import SIMULATED_BANKS
from lastro_sim.spi import payments, returns

from . import cases, eligible, markers, objects, outcomes, refunds
from .objects import RECOVERY, REFUND, REPORT, Row, StepError

SITUATIONS = {
    "SCAM": "SCAM", "UNAUTHORIZED_TRANSACTION": "ACCOUNT_TAKEOVER", "CRIME_OF_COERCION": "COERCION",
    "FRAUDULENT_ACCESS_AND_AUTHORIZATION": "FRAUDULENT_ACCESS", "OTHERS": "OTHER",
}  # fmt: skip
OBJECT_TYPES = {RECOVERY: "RECOVERY_VALUE", REPORT: "INFRINGEMENT_NOTIFICATION", REFUND: "REFUND_REQUEST"}
STATUSES = {
    "TRACKED": "TRACED", "AWAITING_ANALYSIS": "WAITING_ANALYSIS", "REFUNDING": "WAITING_REFUND", "ACKNOWLEDGED": "RECEIVED",
    "CLOSED": "ANALYSED",
}  # fmt: skip
WORDS = frozenset({
    "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND", "COMPLETED", "CANCELLED", "RECEIVED",
})  # fmt: skip
VERDICTS = ("AGREED", "DISAGREED")
ANSWERS = ("TOTALLY_ACCEPTED", "PARTIALLY_ACCEPTED", "REJECTED")
REASONS = ("OPERATIONAL_FLAW", "PIX_AUTOMATICO")
MOST_LISTED = 1000
# A simulated bank's contact: "informações de contato do participante criador do registro".
CONTACT = {"Email": "med@banco.example", "Phone": "+551130030000"}
# A simulated bank's usual type of fraud.
FRAUD = "SCAMMER_ACCOUNT"


def begin(network: Network, form: Form) -> dict[str, Any]:
    """Contests a payment: opens a recovery, or a refund for a `reason`.

    The payer's bank opens the recovery; of money that came to lastro the case is its report. With a `reason` the payer's
    bank asks back a payment by its own fault, or by Pix Automático. amount: of the report or of the request.
    """
    name = form.text("endToEndId", 32)
    situation = form.choice("situationType", SITUATIONS)
    reason, amount = form.maybe_choice("reason", REASONS), form.maybe_amount("amount")
    details = form.maybe_text("details", 2000)
    if situation == "OTHERS" and details is None:
        details = "Other"  # the phone's page asks for no words
    form.check()
    try:
        if reason is None and amount is not None:
            most = eligible.came_in(network, eligible.contested(network, name, None))
            if not 0 < amount <= most:
                form.refuse(
                    "amount", "OUT_OF_RANGE", f"It is from 0.01 to what its account has received, {amounts.printed(most)}"
                )
                form.check()
        with network.store.writing():
            if reason is not None:
                return shown(network, _asked_back(network, name, reason, amount))
            payment = eligible.contested(network, name, None)
            told = cases.Statement(SITUATIONS[situation], details, CONTACT)
            recovery = cases.open_recovery(network, payment, told, None, amount)
            if payment["receiver"] in SIMULATED_BANKS:
                return shown(network, recovery)
            cases.report(network, cases.trace(network, recovery, 1))
            (report,) = objects.of_recovery(network, recovery["id"], REPORT)
            return shown(network, report)
    except StepError as no:
        return {"endToEndId": name, "status": "REJECTED", "code": no.code}


async def advance(network: Network, form: Form, object_id: str) -> dict[str, Any]:
    """Takes an object's next step, for either side. A step that does not follow is refused and changes nothing."""
    row = found(objects.find(network, object_id))
    status = form.choice("status", WORDS)
    result = form.maybe_choice("analysisResult", (*VERDICTS, *ANSWERS))
    amount, rejection = form.maybe_amount("amount"), form.maybe_choice("rejectionReason", outcomes.REJECTIONS)
    fraud = form.maybe_choice("fraudType", markers.FRAUDS)
    onward = form.maybe_text("onward", 33 * cases.MOST_TRANSACTIONS)
    names = () if onward is None else tuple(onward.split())
    if len(names) >= cases.MOST_TRANSACTIONS:
        form.refuse("onward", "TOO_LONG", f"A path has at most {cases.MOST_TRANSACTIONS} transactions")
    path = _Path(form.maybe_whole("transactions", 1, cases.MOST_TRANSACTIONS), names)
    form.check()
    try:
        if row["kind"] == RECOVERY:
            with network.store.writing():
                _recovery(network, row, status, path)
        elif row["kind"] == REPORT:
            with network.store.writing():
                _report(network, row, status, result, fraud)
        else:
            await _refund(network, row, status, _Answer(result, amount, rejection))
    except StepError as no:
        return {"referenceId": object_id, "status": "REJECTED", "code": no.code}
    return shown(network, objects.known(network, object_id))


@dataclass(frozen=True)
class _Path:
    """The onward path of contested money: made-up transactions, or settled ones."""

    transactions: int | None
    onward: tuple[str, ...]


@dataclass(frozen=True)
class _Answer:
    """The answer planned for a refund."""

    result: str | None
    amount: int | None
    rejection: str | None


def shown(network: Network, row: Row) -> dict[str, Any]:
    """Returns a case for tests, with the API's names."""
    body = json.loads(row["body"])
    case: dict[str, Any] = {
        "referenceId": row["id"], "objectType": OBJECT_TYPES[row["kind"]],
        "status": STATUSES.get(row["status"], row["status"]), "endToEndId": row["transaction_id"],
        "amount": amounts.printed(objects.amount_of(row)),
    }  # fmt: skip
    more = {
        "recoveryId": row["recovery_id"], "analysisResult": body.get("AnalysisResult"),
        "refundTransactionId": body.get("RefundTransactionId"), "refundDetails": body.get("RefundDetails"),
        "rejectionReason": body.get("RefundRejectionReason"),
        "fraudType": body.get("FraudType"), "analysisDetails": body.get("AnalysisDetails"),
        "returnedAmount": body.get("EffectiveRefundedAmount"), "transactions": body.get("TrackingGraph"),
        "contact": body.get("ContactInformation"), "fraudMarkerId": body.get("FraudMarkerId"),
    }  # fmt: skip
    case |= {name: value for name, value in more.items() if value is not None}
    recovery_id = row["id"] if row["kind"] == RECOVERY else row["recovery_id"]
    if recovery_id is not None:
        sql = "SELECT * FROM med_object WHERE (recovery_id = ? OR id = ?) AND id <> ? ORDER BY seq"
        related = network.store.rows(sql, recovery_id, recovery_id, row["id"])
        case["related"] = [
            {"referenceId": o["id"], "objectType": OBJECT_TYPES[o["kind"]], "status": STATUSES.get(o["status"], o["status"])}
            for o in related
        ]
    return case


def listed(network: Network) -> list[dict[str, Any]]:
    """Returns every object, oldest first."""
    return [shown(network, row) for row in network.store.rows("SELECT * FROM med_object ORDER BY seq LIMIT ?", MOST_LISTED)]


def _recovery(network: Network, row: Row, status: str, path: _Path) -> None:
    if status == "CANCELLED":
        cases.cancel(network, row)
    elif (row["status"], status) == ("CREATED", "TRACED"):
        cases.trace(network, row, path.transactions or 1, path.onward)
    elif row["status"] in ("CREATED", "TRACKED") and status == "WAITING_ANALYSIS":
        # "poderá envolver o rastreamento … ou seguir para a fase de análise": nothing has to be traced.
        cases.report(network, row)
    elif (row["status"], status) == ("ANALYSED", "WAITING_REFUND"):
        cases.order_refunds(network, row)
    else:
        raise _out_of_turn(row, status)


def _report(network: Network, row: Row, status: str, result: str | None, fraud: str | None) -> None:
    """Acknowledges or closes an infraction report.

    A recovery's report is canceled with it alone (cancelInfractionReport), and every report here is one.
    """
    if row["status"] == "OPEN" and status == "RECEIVED":
        cases.acknowledge(network, row)
    elif row["status"] == "ACKNOWLEDGED" and status == "ANALYSED":
        verdict = result if result in VERDICTS else "AGREED"
        told = {"AnalysisResult": verdict}
        if verdict == "AGREED":
            told["FraudType"] = fraud or FRAUD
        if told.get("FraudType") == "OTHER":
            told["AnalysisDetails"] = "Other"
        cases.close_report(network, row, told)
    else:
        raise StepError(400, "InfractionReportOperationInvalid", f"It is {row['status']}, and of a recovery")


async def _refund(network: Network, row: Row, status: str, answer: _Answer) -> None:
    if row["status"] != "OPEN" or status not in ("ANALYSED", "CANCELLED"):
        raise _out_of_turn(row, status)
    if status == "CANCELLED":
        with network.store.writing():
            objects.change(network, row, "CANCELLED")
        return
    if row["counterpart"] not in SIMULATED_BANKS:
        raise StepError(409, "NotYours", "lastro answers it itself")
    asked = objects.amount_of(row)
    if json.loads(row["body"])["RefundReason"] == refunds.AUTOMATIC and not _is_charge(network, row):
        # No other reason than OTHER fits: INVALID_REQUEST is of OPERATIONAL_FLAW alone (CloseRefundRequest).
        answer = _Answer("REJECTED", None, "OTHER")
    elif answer.rejection == "INVALID_REQUEST" and json.loads(row["body"])["RefundReason"] != refunds.FLAW:
        raise StepError(400, "RefundInvalid", "INVALID_REQUEST is of OPERATIONAL_FLAW alone")
    amount = 0 if answer.result == "REJECTED" else min(answer.amount or asked, asked)
    name = await _paid(network, row, amount) if amount else None
    ended = {"AnalysisResult": "REJECTED", "RefundRejectionReason": answer.rejection or "NO_BALANCE"}
    if answer.rejection == "INVALID_REQUEST":
        ended["AnalysisDetails"] = "Não houve falha."
    if name is not None:
        full = "TOTALLY_ACCEPTED" if amount == asked else "PARTIALLY_ACCEPTED"
        ended = {
            "AnalysisResult": full, "RefundTransactionId": name, "EffectiveRefundedAmount": amounts.printed(amount),
        }  # fmt: skip
    with network.store.writing():
        cases.close_refund(network, row, ended)


async def _paid(network: Network, row: Row, amount: int) -> str | None:
    """Pays a refund: the first layer returns the payment itself. A later holder of the money pays the victim anew (IPRT)."""
    if json.loads(row["body"])["Hop"] == 1 and not row["transaction_id"].startswith("D"):
        payment = payments.find(network, row["transaction_id"])
        if payment is None or returns.left(network, payment) < amount:
            return None
        with network.store.writing():
            return cases.pay_back(network, row, amount, row["counterpart"])
    given = returns.find(network, row["root_id"])
    root = payments.find(network, row["root_id"] if given is None else given["end_to_end_id"])
    assert root is not None
    # The victim of a contested return is the party that gave it back, whom its payer had paid.
    side = json.loads(root["body"])["payer" if given is None else "receiver"]
    ispb = root["sender" if given is None else "receiver"]
    victim = {"ispb": ispb, **{name: side[name] for name in ("branch", "account", "accountType")}}
    made = await pay(network, PaymentWish(payers.COMPANY, amount, "MANU", victim, purpose=refunds.LATER))
    return str(made["endToEndId"]) if made["status"] == "SETTLED" else None


def _is_charge(network: Network, row: Row) -> bool:
    """Tells whether Pix Automático collected the contested payment. Source: pacs.008, local instrument AUTO."""
    payment = payments.find(network, row["transaction_id"])
    return payment is not None and json.loads(payment["body"]).get("localInstrument") == "AUTO"


def _asked_back(network: Network, name: str, reason: str, amount: int | None) -> Row:
    """Creates a refund for the debited bank, of its own payments only."""
    payment = payments.find(network, name)
    sender = "" if payment is None else payment["sender"]
    asked = amount or (0 if payment is None else payment["amount"])
    wish = refunds.RefundWish(name, reason, asked, _said(sender, reason) if sender else None)
    return refunds.create(network, wish, sender, {"MonitorAccount": True})


def _said(sender: str, reason: str) -> str:
    """Returns the RefundDetails of the payer's bank.

    Of Pix Automático they have its own account, for which there is no field.
    """
    if reason == refunds.AUTOMATIC:
        return f"Pix Automático indevido. {own.words(sender)}"
    return "Falha operacional no banco do pagador."


def _out_of_turn(row: Row, status: str) -> StepError:
    word = "FundsRecoveryOperationInvalid" if row["kind"] == RECOVERY else "RefundOperationInvalid"
    return StepError(400, word, f"{STATUSES.get(row['status'], row['status'])} is not followed by {status}")
