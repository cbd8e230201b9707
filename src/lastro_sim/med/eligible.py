"""The transactions that a recovery may begin with.

Source, unless a line says otherwise: DICT 2.12.1. Each refusal is 400 with the directory's own code:
FundsRecoveryTransactionNotIndexed for an unknown transaction, FundsRecoveryTransactionNotEligible for one that may not be
contested (operation createFundsRecovery, table of errors).
"""

import json
from collections.abc import Mapping
from typing import Any

from lastro_sim.clock import DAY
from lastro_sim.network import Network
from lastro_sim.spi import payments, returns

from .objects import REFUND, Row, StepError

# "Transação raiz fora da janela de tempo". No public text gives the number of days: institutions say 80.
WINDOW = 80 * DAY
Payment = Row | Mapping[str, Any]  # its id, amount, sender and receiver
_CLOSED_BY = """
SELECT 1 FROM med_object
 WHERE kind = ? AND body ->> '$.RefundTransactionId' = ? AND body ->> '$.RefundReason' = 'OPERATIONAL_FLAW' LIMIT 1
"""

_CAME_IN = """
SELECT coalesce(sum(amount), 0) AS came FROM payment
 WHERE status = 'ACCC' AND receiver = ? AND body ->> '$.receiver.branch' IS ? AND body ->> '$.receiver.account' IS ?
"""


def contested(network: Network, end_to_end_id: str, opener: str | None) -> Payment:
    """Finds the transaction with which a recovery begins. opener: the bank that may contest it. Refused: it may not."""
    found = settled(network, end_to_end_id, opener)
    if network.clock.business() > found["settled_at"] + WINDOW:
        raise _not_eligible("It has settled too long ago")
    return found


def came_in(network: Network, payment: Payment) -> int:
    """Sums the settled money of a receiver's account, a report's upper limit."""
    if payment["end_to_end_id"].startswith("D"):
        return int(payment["amount"])
    receiver = json.loads(payment["body"])["receiver"]
    found = network.store.row(_CAME_IN, payment["receiver"], receiver.get("branch"), receiver.get("account"))
    assert found is not None
    return int(found["came"])


def settled(network: Network, end_to_end_id: str, sender: str | None) -> Payment:
    """Finds a settled transaction, or return, that may stand in a recovery. sender: the bank that has sent it."""
    found = _given_back(network, end_to_end_id) if end_to_end_id.startswith("D") else payments.find(network, end_to_end_id)
    if found is None:
        raise StepError(400, "FundsRecoveryTransactionNotIndexed", "No transaction has this id")
    if sender is not None and found["sender"] != sender:
        raise StepError(403, "Forbidden", "Another participant has sent it")
    if found["status"] != "ACCC":
        raise _not_eligible("It has not settled")
    if json.loads(found["body"]).get("purpose") == "IPRT":
        raise _not_eligible("What a later layer has paid back cannot be contested")
    return found


def within(network: Network, end_to_end_id: str, participant: str, amount: int) -> Payment:
    """Accepts a participant's own book transfer, which no network has seen.

    Ours: the directory's own text knows book transfers only as indexed, and says nothing of how it hears of them.
    """
    if payments.find(network, end_to_end_id) is not None or end_to_end_id[1:9] != participant:
        raise StepError(400, "FundsRecoveryTransactionNotIndexed", "It is no internal transaction of this participant")
    return {"end_to_end_id": end_to_end_id, "amount": amount, "sender": participant, "receiver": participant}


def _given_back(network: Network, return_id: str) -> Payment | None:
    """Finds a return; those that closed an OPERATIONAL_FLAW refund are refused."""
    row = returns.find(network, return_id)
    if row is None:
        return None
    if network.store.row(_CLOSED_BY, REFUND, return_id) is not None:
        raise _not_eligible("It closed a refund whose reason was OPERATIONAL_FLAW")
    of = payments.find(network, row["end_to_end_id"])
    assert of is not None
    return {
        "end_to_end_id": return_id, "amount": row["amount"], "sender": row["sender"], "receiver": of["sender"],
        "status": row["status"], "settled_at": row["settled_at"], "body": "{}",
    }  # fmt: skip


def _not_eligible(reason: str) -> StepError:
    return StepError(400, "FundsRecoveryTransactionNotEligible", reason)
