"""Refunds at the directory, operation by operation (DICT API 2.12.1, tag Refund).

Each refusal is 400 with its own code. Gaps of the text are marked: "inferred" follows from other texts or from answers of
the Central Bank's staff, "ours" was chosen here. docs/guides/simulated-network.md lists both.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lastro_sim import amounts
from lastro_sim.clock import DAY
from lastro_sim.network import Network
from lastro_sim.spi import payments, returns

from . import objects
from .objects import REFUND, REPORT, Row, StepError

FRAUD, FLAW, AUTOMATIC = "FRAUD", "OPERATIONAL_FLAW", "PIX_AUTOMATICO"
REASONS = (FRAUD, FLAW, AUTOMATIC)  # REFUND_CANCELLED is deprecated
RESULTS = ("TOTALLY_ACCEPTED", "PARTIALLY_ACCEPTED", "REJECTED")
# RefundRejectionReason; PARTICIPANT_EXCLUSION is "exclusiva de uso interno do DICT".
REJECTIONS = ("NO_BALANCE", "ACCOUNT_CLOSURE", "INVALID_REQUEST", "OTHER")
# RefundPeriodExpired. The period stands in the directory's manual, which is not public here; a return is taken for 90 days
# (API Pix 2.9.0), and an impossible return need not be asked for: inferred.
PERIOD = 90 * DAY
# Purposes of new payments for refunds, instead of returns: of a later layer IPRT (RefundTransactionInvalid), of Pix
# Automático REFU (API Pix 2.9.0, DevolucaoNatureza MED_PIX_AUTOMATICO).
LATER, REIMBURSED = "IPRT", "REFU"


@dataclass(frozen=True)
class RefundWish:
    """A requested refund (schema Refund)."""

    transaction_id: str
    reason: str
    amount: int
    details: str | None = None


def create(network: Network, wish: RefundWish, opener: str, monitor: Mapping[str, Any]) -> Row:
    """Creates a refund outside of a recovery.

    "apenas o participante debitado pode criar". monitor: fields that the directory adds.
    """
    payment = _refundable(network, wish.transaction_id, opener)
    if network.clock.business() > payment["settled_at"] + PERIOD:
        raise _no("RefundPeriodExpired", "The time to ask it back is over")
    _alone(network, wish.transaction_id)
    if wish.reason == FRAUD and not _is_agreed(network, wish.transaction_id):
        # "O fechamento da notificação com concordância … é pré-condição" (tag InfractionReport).
        raise _no("RefundInfractionReportNotFound", "No report about it was closed as AGREED")
    if wish.reason == FLAW and wish.details is None:
        raise _no("RefundInvalid", "RefundDetails is required of OPERATIONAL_FLAW")
    if not 0 < wish.amount <= payment["amount"]:
        raise _no("RefundInvalid", "RefundAmount is nothing, or more than the transaction (inferred)")
    body = {"RefundReason": wish.reason, "RefundAmount": amounts.printed(wish.amount), "Hop": 1, **monitor}
    body |= {} if wish.details is None else {"RefundDetails": wish.details}
    fields = {"transaction_id": wish.transaction_id, "root_id": wish.transaction_id, "body": body}
    return objects.make(network, REFUND, fields, opener=opener, counterpart=payment["receiver"])


def _refundable(network: Network, name: str, opener: str) -> Row:
    """Returns the settled payment that its debited participant may ask back."""
    given = returns.find(network, name)
    payment = payments.find(network, name) if given is None else given
    if payment is None:
        raise _no("RefundTransactionNotFound", "No transaction has this id")
    if payment["sender"] != opener:
        raise StepError(403, "Forbidden", "Only the participant that was debited creates a refund")
    if payment["status"] != "ACCC":
        raise _no("RefundTransactionNotSettled", "The transaction has not settled")
    if given is not None:
        # REFUND_CANCELLED, which asked a return back, is deprecated: a return is contested by a recovery (inferred).
        raise _no("TransactionNotRefundable", "A return is asked back by a recovery of it alone")
    if json.loads(payment["body"]).get("purpose") in (LATER, REIMBURSED):
        raise _no("TransactionNotRefundable", "It has itself given back (inferred)")
    return payment


def account_of(network: Network, recovery: Row) -> dict[str, Any]:
    """Returns the RefundAccount of a recovery's refunds: the victim's.

    It is "utilizado apenas no contexto de Recuperação de Valores".
    """
    given = returns.find(network, recovery["root_id"])
    root = payments.find(network, recovery["root_id"] if given is None else given["end_to_end_id"])
    if root is None:
        return {}
    # The victim of a contested return is the party that gave it back.
    side, sender = ("payer", "sender") if given is None else ("receiver", "receiver")
    payer = json.loads(root["body"])[side]
    return {
        "RefundAccount": {
            "TaxIdNumber": payer["document"]["number"], "Participant": root[sender], "Branch": payer["branch"],
            "AccountNumber": payer["account"], "AccountType": payer["accountType"],
        }
    }  # fmt: skip


def cancel(network: Network, row: Row, participant: str) -> Row:
    """Cancels an open refund for its creator. Asked twice, it is canceled once."""
    if row["opener"] != participant:
        raise StepError(403, "Forbidden", "Only its creator cancels a refund")
    if row["status"] == "CANCELLED":
        return row
    if row["status"] == "CLOSED" or row["recovery_id"] is not None:
        raise _no("RefundOperationInvalid", "It is closed, or of a recovery and not canceled here")
    return objects.change(network, row, "CANCELLED")


def checked(network: Network, row: Row, participant: str, told: dict[str, Any]) -> dict[str, Any] | None:
    """Checks the fields that close a refund.

    None: it was closed with the same before. Raises a refusal where it may not be closed.
    """
    if row["counterpart"] != participant:
        raise StepError(403, "Forbidden", "Only the contested participant closes a refund")
    if row["status"] == "CLOSED" and _as_closed(row) == told:
        return None
    if row["status"] != "OPEN":
        raise _no("RefundOperationInvalid", f"It is {row['status']}")
    body = json.loads(row["body"])
    name, rejection = told.get("RefundTransactionId"), told.get("RefundRejectionReason")
    if told["AnalysisResult"] == "REJECTED":
        if rejection is None or name is not None:
            # bacen/pix-dict-api issue 44: "caso não haja devolução, o campo deve ser omitido".
            raise _no("RefundInvalid", "A no has its reason and no transaction")
        if rejection == "INVALID_REQUEST" and (body["RefundReason"] != FLAW or "AnalysisDetails" not in told):
            raise _no("RefundInvalid", "INVALID_REQUEST is of OPERATIONAL_FLAW alone, with RefundAnalysisDetails")
        return told
    if rejection is not None or name is None:
        # issue 44: a return has to be there before the refund is closed.
        raise _no("RefundInvalid", "A yes names the transaction that gives back, and no rejection")
    if row["recovery_id"] is not None and "EffectiveRefundedAmount" not in told:
        raise _no("RefundInvalid", "EffectiveRefundedAmount is required of a recovery")
    _given_back(network, row, body, name)
    return told


def page(rows: list[Row], limit: int, *, details: bool) -> dict[str, Any]:
    """Returns a page of listRefund. rows: one more where others follow."""
    shown = [objects.shown(row) for row in rows[:limit]]
    if not details:
        shown = [{k: v for k, v in one.items() if k not in ("RefundDetails", "AnalysisDetails")} for one in shown]
    more = len(rows) > limit
    found: dict[str, Any] = {"HasMoreElements": more, "Refunds": shown}
    return found | ({"NextCursor": f"{rows[limit - 1]['changed_at']}x{rows[limit - 1]['seq']}"} if more else {})


def _given_back(network: Network, row: Row, body: dict[str, Any], name: str) -> None:
    """Checks the RefundTransactionId: a return, or a payment of the right purpose."""
    if name == row["transaction_id"]:
        raise _no("RefundTransactionInvalid", "It is the transaction itself")
    is_later = body["Hop"] > 1 or row["transaction_id"].startswith("D")  # no return is given back by a return
    purpose = LATER if is_later else REIMBURSED if body["RefundReason"] == AUTOMATIC else None
    if name.startswith("D") == (purpose is not None):
        word = "TransactionTypeInvalid" if purpose else "RefundTransactionInvalid"
        raise _no(word, f"Consider a pacs.008 of purpose {purpose}" if purpose else "A return, D…, is expected")
    found = returns.find(network, name) if purpose is None else payments.find(network, name)
    if found is None and _is_within(network, row, body):
        return
    if found is None:
        raise _no("RefundTransactionNotFound", "No transaction has this id")
    if found["status"] != "ACCC":
        raise _no("RefundTransactionNotSettled", "The transaction has not settled")
    if purpose is None and found["end_to_end_id"] != row["transaction_id"]:
        raise _no("RefundTransactionInvalid", "It gives another transaction back")
    if purpose is not None and json.loads(found["body"]).get("purpose") != purpose:
        raise _no("RefundTransactionInvalid", f"Its purpose is not {purpose}")


def _is_within(network: Network, row: Row, body: dict[str, Any]) -> bool:
    """Tells whether a refund is a book transfer of the participant.

    Ours: no network has seen one, so the participant is taken at its word.
    """
    if body["Hop"] > 1:
        return bool(body.get("RefundAccount", {}).get("Participant") == row["counterpart"])
    return payments.find(network, row["transaction_id"]) is None


def _alone(network: Network, transaction_id: str) -> None:
    sql = "SELECT status FROM med_object WHERE kind = ? AND transaction_id = ? AND status <> 'CANCELLED' ORDER BY seq"
    for other in network.store.rows(sql, REFUND, transaction_id):
        word = "Already" + ("BeingProcessed" if other["status"] == "OPEN" else "Processed")
        raise _no(f"Refund{word}ForTransaction", f"There is one that is {other['status']}")


def _is_agreed(network: Network, transaction_id: str) -> bool:
    sql = (
        "SELECT 1 FROM med_object WHERE kind = ? AND transaction_id = ? AND status = 'CLOSED'"
        " AND body ->> '$.AnalysisResult' = 'AGREED'"
    )
    return network.store.row(sql, REPORT, transaction_id) is not None


def _as_closed(row: Row) -> dict[str, Any]:
    names = (
        "AnalysisResult", "AnalysisDetails", "RefundRejectionReason", "RefundTransactionId", "EffectiveRefundedAmount",
    )  # fmt: skip
    body = json.loads(row["body"])
    return {name: body[name] for name in names if name in body}


def _no(code: str, reason: str) -> StepError:
    return StepError(400, code, reason)
