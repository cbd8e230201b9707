"""How disputes go on at the directory: each step by the one whose turn it is, and what follows from it by itself."""

import json
from collections.abc import Mapping
from typing import Any

from lastro.standards import pix_ids

from .. import amounts, faults
from ..clock import moment
from ..network import Network
from ..settings import OUTSIDE_BANK_ISPB, PAYER_BANK_ISPB, SIMULATED_BANKS
from ..spi import payments, returns
from . import objects
from .objects import RECOVERY, REFUND, REPORT, Row, StepError

SITUATIONS = frozenset({"SCAM", "ACCOUNT_TAKEOVER", "COERCION", "FRAUDULENT_ACCESS", "OTHER"})
MOST_TRANSACTIONS = 5
LEAST_TRACED = 20_000  # cents: what goes on in smaller parts is not followed (MinTransactionAmount)
CANCELABLE = frozenset({"CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED"})
BANKS_COMPANY_NUMBER = 0
Payment = Row | Mapping[str, Any]  # its id, amount, sender and receiver


def contested(network: Network, end_to_end_id: str, opener: str | None) -> Row:
    """The settled payment of this id. opener: the bank that may contest it. Refused: there is none."""
    payment = payments.find(network, end_to_end_id)
    if payment is None or payment["status"] != "ACCC":
        raise StepError(422, "TransactionNotSettled", "No settled transaction has this id")
    if opener is not None and payment["sender"] != opener:
        raise StepError(403, "Forbidden", "Another participant has sent it")
    if json.loads(payment["body"]).get("purpose") == "IPRT":
        raise StepError(422, "TransactionNotEligible", "What was paid back to a victim cannot be contested")
    return payment


def within(network: Network, end_to_end_id: str, participant: str, amount: int) -> Payment:
    """What a participant says has settled in its own books, which no network has seen. Refused: it is not in its name."""
    if payments.find(network, end_to_end_id) is not None or end_to_end_id[1:9] != participant:
        raise StepError(422, "TransactionNotEligible", "It is no internal transaction of this participant")
    return {"end_to_end_id": end_to_end_id, "amount": amount, "sender": participant, "receiver": participant}


def open_recovery(network: Network, payment: Payment, situation: str, request_id: str | None) -> Row:
    """The one recovery of a transaction; the same request again answers it. It is told where nobody asked for it."""
    before = objects.recovery_of(network, payment["end_to_end_id"])
    if before is not None:
        if request_id is not None and json.loads(before["body"]).get("RequestId") == request_id:
            return before
        raise StepError(409, "FundsRecoveryAlreadyExists", "A transaction has one recovery, ever")
    body: dict[str, Any] = {"SituationType": situation, "Amount": amounts.printed(payment["amount"])}
    if request_id is not None:
        body["RequestId"] = request_id
    fields = {"transaction_id": payment["end_to_end_id"], "root_id": payment["end_to_end_id"], "body": body}
    return objects.make(
        network, RECOVERY, fields, opener=payment["sender"], counterpart=payment["receiver"], tell=request_id is None
    )


def trace(network: Network, recovery: Row, transactions: int, onward_id: str | None = None) -> Row:
    """The path of the money: the contested transaction, and what its receiver did with it.

    onward_id: the one payment by which he sent it on, as it settled; else they are made up.
    """
    receiver, left = recovery["counterpart"], objects.amount_of(recovery)
    graph = [_hop(recovery["transaction_id"], 1, left, recovery["opener"], receiver)]
    if onward_id is not None:
        sent_on = contested(network, onward_id, receiver)
        graph.append(_hop(onward_id, 2, min(left, sent_on["amount"]), receiver, sent_on["receiver"]))
        return objects.change(network, recovery, "TRACKED", TrackingGraph=graph)
    for number in range(1, transactions):
        part = left // 2 if number < transactions - 1 else left
        left -= part
        name = pix_ids.end_to_end_id(
            receiver, moment(network.clock.business()), BANKS_COMPANY_NUMBER, network.store.next_number("mule")
        )
        onward = PAYER_BANK_ISPB if receiver == OUTSIDE_BANK_ISPB else OUTSIDE_BANK_ISPB
        graph.append(_hop(name, 2, part, receiver, onward))
    return objects.change(network, recovery, "TRACKED", TrackingGraph=graph)


def report(network: Network, recovery: Row) -> Row:
    """A report for every layer of the path."""
    body = json.loads(recovery["body"])
    changed = objects.change(network, recovery, "AWAITING_ANALYSIS")
    for hop in body["TrackingGraph"]:
        fields = {
            "transaction_id": hop["TransactionId"], "root_id": recovery["root_id"], "recovery_id": recovery["id"],
            "body": {
                "Reason": "REFUND_REQUEST", "SituationType": body["SituationType"], "InfractionAmount": hop["Amount"],
                "Hop": hop["Hop"],
            },
        }  # fmt: skip
        objects.make(network, REPORT, fields, opener=recovery["opener"], counterpart=hop["ReceiverParticipant"])
    return changed


def close_report(network: Network, row: Row, result: str, told: dict[str, Any] | None = None) -> Row:
    """A bank has analysed it; with the last one its recovery is analysed, or dismissed where the first was disagreed.

    told: what it has said besides.
    """
    changed = objects.change(network, row, "CLOSED", AnalysisResult=result, **(told or {}))
    recovery = None if row["recovery_id"] is None else objects.known(network, row["recovery_id"])
    if recovery is None or recovery["status"] != "AWAITING_ANALYSIS":
        return changed
    reports = objects.of_recovery(network, recovery["id"], REPORT)
    if any(one["status"] not in objects.ENDED[REPORT] for one in reports):
        return changed
    verdict = json.loads(reports[0]["body"]).get("AnalysisResult", "DISAGREED")
    after = objects.change(network, recovery, "ANALYSED" if verdict == "AGREED" else "COMPLETED", AnalysisResult=verdict)
    silent = faults.strike(network, "med", {"endToEndId": recovery["root_id"]}, {"timeout"})
    if after["status"] == "ANALYSED" and after["opener"] in SIMULATED_BANKS and silent is None:
        order_refunds(network, after)
    return changed


def order_refunds(network: Network, recovery: Row) -> Row:
    """Whoever has opened it wants back what was agreed to. Asked twice, it is ordered once."""
    if recovery["status"] in ("REFUNDING", "COMPLETED"):
        return recovery
    if recovery["status"] != "ANALYSED":
        raise StepError(409, "InvalidStatus", "Refunds are ordered of what is ANALYSED")
    changed = objects.change(network, recovery, "REFUNDING")
    for one in objects.of_recovery(network, recovery["id"], REPORT):
        body = json.loads(one["body"])
        if body.get("AnalysisResult") == "AGREED":
            fields = {
                "transaction_id": one["transaction_id"], "root_id": one["root_id"], "recovery_id": recovery["id"],
                "body": {
                    "RefundReason": "FRAUD", "SituationType": body["SituationType"],
                    "RefundAmount": body["InfractionAmount"], "Hop": body["Hop"],
                },
            }  # fmt: skip
            objects.make(network, REFUND, fields, opener=one["opener"], counterpart=one["counterpart"])
    return changed


def open_refund(network: Network, payment: Row, reason: str, amount: int) -> Row:
    """A refund without a report: the payer's bank has erred, or what Pix Automático took was not owed."""
    fields = {
        "transaction_id": payment["end_to_end_id"], "root_id": payment["end_to_end_id"],
        "body": {"RefundReason": reason, "RefundAmount": amounts.printed(amount), "Hop": 1},
    }  # fmt: skip
    return objects.make(network, REFUND, fields, opener=payment["sender"], counterpart=payment["receiver"])


def close_refund(network: Network, row: Row, ended: dict[str, Any]) -> Row:
    """The receiver's bank has answered it; with the last one its recovery is over. ended: the fields of the answer."""
    changed = objects.change(network, row, "CLOSED", **ended)
    recovery = None if row["recovery_id"] is None else objects.known(network, row["recovery_id"])
    if recovery is not None and recovery["status"] == "REFUNDING":
        refunds = objects.of_recovery(network, recovery["id"], REFUND)
        if all(one["status"] in objects.ENDED[REFUND] for one in refunds):
            objects.change(network, recovery, "COMPLETED")
    return changed


def pay_back(network: Network, row: Row, amount: int, bank: str) -> str | None:
    """A bank played here returns so much of the contested payment. None: the network refuses it."""
    at = moment(network.clock.business())
    name = pix_ids.return_id(bank, at, BANKS_COMPANY_NUMBER, network.store.next_number("return"))
    reason = "FR01" if json.loads(row["body"])["RefundReason"] == "FRAUD" else "BE08"
    asked = returns.Return(name, row["transaction_id"], bank, amount, reason, None)
    returns.give_back(network, asked, None)
    given = returns.find(network, name)
    return name if given is not None and given["status"] == "ACCC" else None


def cancel(network: Network, recovery: Row) -> Row:
    """Given up, with every report and refund of it that is open. Asked twice, it is canceled once."""
    if recovery["status"] == "CANCELLED":
        return recovery
    if recovery["status"] not in CANCELABLE:
        raise StepError(409, "InvalidStatus", "It cannot be canceled any more")
    for kind in (REPORT, REFUND):
        for one in objects.of_recovery(network, recovery["id"], kind):
            if one["status"] not in objects.ENDED[kind]:
                objects.change(network, one, "CANCELLED")
    return objects.change(network, recovery, "CANCELLED")


def _hop(name: str, hop: int, amount: int, payer: str, receiver: str) -> dict[str, Any]:
    return {
        "TransactionId": name, "Hop": hop, "Amount": amounts.printed(amount), "PayerParticipant": payer,
        "ReceiverParticipant": receiver,
    }  # fmt: skip
