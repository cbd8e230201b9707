"""Steps of disputes at the directory, and their automatic consequences.

Source, unless a line says otherwise: DICT 2.12.1, tags FundsRecovery, InfractionReport, FraudMarker; the operation named.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from lastro.standards import pix_ids
from lastro_sim import amounts, faults
from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.settings import OUTSIDE_BANK_ISPB, PAYER_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi import payments, returns

from . import markers, objects, refunds
from .eligible import Payment, settled
from .objects import ENDED, RECOVERY, REFUND, REPORT, Row, StepError

SITUATIONS = frozenset({"SCAM", "ACCOUNT_TAKEOVER", "COERCION", "FRAUDULENT_ACCESS", "OTHER"})
MOST_TRANSACTIONS = 5  # TrackingGraphParameters: MaxTransactions
# REFUNDING is inferred: cancelFundsRecovery ends the refunds "que ainda não estejam fechadas", and before there are none.
CANCELABLE = frozenset({"CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING"})
CHANGEABLE = frozenset({"CREATED", "TRACKED", "AWAITING_ANALYSIS"})  # updateFundsRecovery
BANKS_COMPANY_NUMBER = 0


class Statement(NamedTuple):
    """The opener's statement in a recovery. contact: the participant's own, which every recovery has."""

    situation: str
    details: str | None
    contact: dict[str, str]

    def body(self) -> dict[str, Any]:
        """Returns its fields of a recovery and of its reports."""
        said = {"SituationType": self.situation, "ReportDetails": self.details, "ContactInformation": self.contact}
        return {name: value for name, value in said.items() if value is not None}


def open_recovery(
    network: Network, payment: Payment, told: Statement, request_id: str | None, reported: int | None = None
) -> Row:
    """Opens the one recovery of a transaction, with its report.

    "uma notificação … é imediatamente gerada". The same request again answers it, which is ours: the directory's own text
    has no RequestId here. It makes an event where nobody asked for it. reported: the report's InfractionAmount, which may be
    more than the transaction's; None: that of the transaction.
    """
    before = objects.recovery_of(network, payment["end_to_end_id"])
    if before is not None:
        if request_id is not None and json.loads(before["body"]).get("RequestId") == request_id:
            return before
        raise StepError(400, "FundsRecoveryForTransactionAlreadyExists", "A transaction has one recovery, ever")
    body: dict[str, Any] = {**told.body(), "Amount": amounts.printed(payment["amount"])}
    if request_id is not None:
        body["RequestId"] = request_id
    fields = {"transaction_id": payment["end_to_end_id"], "root_id": payment["end_to_end_id"], "body": body}
    opener, receiver = payment["sender"], payment["receiver"]
    made = objects.make(network, RECOVERY, fields, opener=opener, counterpart=receiver, tell=request_id is None)
    hop = _hop(payment["end_to_end_id"], 1, payment["amount"], opener, receiver)
    _report(network, made, hop, payment["amount"] if reported is None else reported)
    return made


def update(network: Network, recovery: Row, changed: dict[str, Any]) -> Row:
    """Changes a recovery and its open reports before analysis (updateFundsRecovery)."""
    if recovery["status"] not in CHANGEABLE:
        raise _not_now(RECOVERY, "It is analysed")
    for one in objects.of_recovery(network, recovery["id"], REPORT):
        if one["status"] not in ENDED[REPORT]:
            objects.change(network, one, one["status"], **changed)
    return objects.change(network, recovery, recovery["status"], **changed)


def trace(network: Network, recovery: Row, transactions: int, onward: Sequence[str] = ()) -> Row:
    """Traces the money: the contested transaction and its receiver's onward payments.

    onward: the payments by which he sent it on, as they settled; else they are made up.
    """
    receiver, left = recovery["counterpart"], objects.amount_of(recovery)
    graph = [_hop(recovery["transaction_id"], 1, left, recovery["opener"], receiver)]
    for name in onward:
        sent_on = settled(network, name, receiver)
        graph.append(_hop(name, 2, sent_on["amount"], receiver, sent_on["receiver"]))
    for number in range(1, 0 if onward else transactions):
        part = left // 2 if number < transactions - 1 else left
        left -= part
        name = pix_ids.end_to_end_id(
            receiver, moment(network.clock.business()), BANKS_COMPANY_NUMBER, network.store.next_number("mule")
        )
        bank = PAYER_BANK_ISPB if receiver == OUTSIDE_BANK_ISPB else OUTSIDE_BANK_ISPB
        graph.append(_hop(name, 2, part, receiver, bank))
    return objects.change(network, recovery, "TRACKED", TrackingGraph=graph)


def report(network: Network, recovery: Row) -> Row:
    """Creates a report for each account traced beyond the contested transaction.

    Without such a trace the first report stays the only one.
    InfractionAmount is "valor a ser bloqueado na conta, sempre menor ou igual à soma dos valores das transações de entrada
    no período": of several payments into one account there is one report (inferred), of all of them together.
    """
    changed = objects.change(network, recovery, "AWAITING_ANALYSIS")
    contested = objects.amount_of(recovery)
    by_account: dict[str, list[dict[str, Any]]] = {}
    for hop in json.loads(recovery["body"]).get("TrackingGraph", [])[1:]:
        by_account.setdefault(_account_of(network, hop), []).append(hop)
    for hops in by_account.values():
        came = sum(amounts.from_message(hop["Amount"]) or 0 for hop in hops)
        _report(network, changed, hops[0], min(came, contested))
    return _analysed(network, changed)


def acknowledge(network: Network, row: Row) -> Row:
    """Acknowledges a report; repeats change nothing (acknowledgeInfractionReport)."""
    if row["status"] not in ("OPEN", "ACKNOWLEDGED"):
        raise _not_now(REPORT, f"It is {row['status']}")
    return row if row["status"] == "ACKNOWLEDGED" else objects.change(network, row, "ACKNOWLEDGED")


def close_report(network: Network, row: Row, told: dict[str, Any]) -> Row:
    """Closes a bank's analysis of a report (closeInfractionReport).

    "para fechamento, o status deve ser ACKNOWLEDGED". With the last one its recovery is analysed, or over where the first
    was disagreed. AGREED marks the receiver. The same again answers the same; anything else of a closed one is refused.
    """
    if row["status"] == "CLOSED" and _as_closed(row) == told:
        return row
    if row["status"] != "ACKNOWLEDGED":
        raise _not_now(REPORT, f"It is {row['status']}")
    marks: dict[str, Any] = (
        {"FraudMarkerId": markers.of_report(network, row, told["FraudType"])} if "FraudType" in told else {}
    )
    changed = objects.change(network, row, "CLOSED", **told, **marks)
    recovery = None if row["recovery_id"] is None else objects.known(network, row["recovery_id"])
    if recovery is not None:
        _analysed(network, recovery)
    return changed


def order_refunds(network: Network, recovery: Row) -> Row:
    """Orders the refunds of the agreed reports (refundFundsRecovery).

    "status … deve estar em ANALYSED". Asked twice, it is ordered once, which is ours: no text says that it is idempotent.
    """
    if recovery["status"] in ("REFUNDING", "COMPLETED"):
        return recovery
    if recovery["status"] != "ANALYSED":
        raise _not_now(RECOVERY, "Refunds are ordered of what is ANALYSED")
    changed = objects.change(network, recovery, "REFUNDING")
    for one in objects.of_recovery(network, recovery["id"], REPORT):
        body = json.loads(one["body"])
        if body.get("AnalysisResult") == "AGREED":
            fields = {
                "transaction_id": one["transaction_id"], "root_id": one["root_id"], "recovery_id": recovery["id"],
                "body": {
                    "RefundReason": "FRAUD", "SituationType": body["SituationType"],
                    "RefundAmount": body["InfractionAmount"], "Hop": body["Hop"], "MonitorAccount": True,
                    **refunds.account_of(network, recovery),
                },
            }  # fmt: skip
            objects.make(network, REFUND, fields, opener=one["opener"], counterpart=one["counterpart"])
    return changed


def close_refund(network: Network, row: Row, ended: dict[str, Any]) -> Row:
    """Closes a refund, and with the last one its recovery. ended: the fields of the answer."""
    changed = objects.change(network, row, "CLOSED", **ended)
    recovery = None if row["recovery_id"] is None else objects.known(network, row["recovery_id"])
    if recovery is not None and recovery["status"] == "REFUNDING":
        refunds = objects.of_recovery(network, recovery["id"], REFUND)
        if all(one["status"] in ENDED[REFUND] for one in refunds):
            objects.change(network, recovery, "COMPLETED")
    return changed


def pay_back(network: Network, row: Row, amount: int, bank: str) -> str | None:
    """Returns part of the contested payment from a bank played here. None: the network refuses it."""
    at = moment(network.clock.business())
    name = pix_ids.return_id(bank, at, BANKS_COMPANY_NUMBER, network.store.next_number("return"))
    reason = "FR01" if json.loads(row["body"])["RefundReason"] == "FRAUD" else "BE08"
    asked = returns.Return(name, row["transaction_id"], bank, amount, reason, None)
    returns.give_back(network, asked, None)
    given = returns.find(network, name)
    return name if given is not None and given["status"] == "ACCC" else None


def cancel(network: Network, recovery: Row) -> Row:
    """Cancels a recovery with its reports and open refunds.

    "todas as notificações de infração vinculadas, independente do estado": the fraud markers go with the reports
    (cancelFundsRecovery, tag InfractionReport). Asked twice, it is canceled once, which is ours.
    """
    if recovery["status"] == "CANCELLED":
        return recovery
    if recovery["status"] not in CANCELABLE:
        raise _not_now(RECOVERY, "It cannot be canceled any more")
    for one in objects.of_recovery(network, recovery["id"], REPORT):
        markers.cancel_of(network, one)
        if one["status"] != "CANCELLED":
            objects.change(network, one, "CANCELLED")
    for one in objects.of_recovery(network, recovery["id"], REFUND):
        if one["status"] not in ENDED[REFUND]:
            objects.change(network, one, "CANCELLED")
    return objects.change(network, recovery, "CANCELLED")


def _analysed(network: Network, recovery: Row) -> Row:
    """Sets a recovery to ANALYSED, or COMPLETED, once all reports are closed.

    COMPLETED where that of the root was disagreed (tag FundsRecovery).
    """
    reports = objects.of_recovery(network, recovery["id"], REPORT)
    if recovery["status"] != "AWAITING_ANALYSIS" or any(one["status"] not in ENDED[REPORT] for one in reports):
        return recovery
    verdict = json.loads(reports[0]["body"]).get("AnalysisResult", "DISAGREED")
    after = objects.change(network, recovery, "ANALYSED" if verdict == "AGREED" else "COMPLETED", AnalysisResult=verdict)
    silent = faults.strike(network, "med", {"endToEndId": recovery["root_id"]}, {"timeout"})
    if after["status"] == "ANALYSED" and after["opener"] in SIMULATED_BANKS and silent is None:
        return order_refunds(network, after)
    return after


def _report(network: Network, recovery: Row, hop: dict[str, Any], amount: int) -> None:
    body = json.loads(recovery["body"])
    said = {name: body[name] for name in ("SituationType", "ReportDetails", "ContactInformation") if name in body}
    fields = {
        "transaction_id": hop["TransactionId"], "root_id": recovery["root_id"], "recovery_id": recovery["id"],
        "body": {"Reason": "REFUND_REQUEST", **said, "InfractionAmount": amounts.printed(amount), "Hop": hop["Hop"]},
    }  # fmt: skip
    objects.make(network, REPORT, fields, opener=recovery["opener"], counterpart=hop["ReceiverParticipant"])


def _account_of(network: Network, hop: dict[str, Any]) -> str:
    """Returns the account that a payment went into, or a made-up one."""
    payment = payments.find(network, hop["TransactionId"])
    if payment is None:
        return str(hop["TransactionId"])
    receiver = json.loads(payment["body"])["receiver"]
    return f"{hop['ReceiverParticipant']}/{receiver.get('branch')}/{receiver.get('account')}"


def _as_closed(row: Row) -> dict[str, Any]:
    body = json.loads(row["body"])
    return {name: body[name] for name in ("AnalysisResult", "FraudType", "AnalysisDetails") if name in body}


def _not_now(kind: str, reason: str) -> StepError:
    name = "FundsRecoveryOperationInvalid" if kind == RECOVERY else "InfractionReportOperationInvalid"
    return StepError(400, name, reason)


def _hop(name: str, hop: int, amount: int, payer: str, receiver: str) -> dict[str, Any]:
    return {
        "TransactionId": name, "Hop": hop, "Amount": amounts.printed(amount), "PayerParticipant": payer,
        "ReceiverParticipant": receiver,
    }  # fmt: skip
