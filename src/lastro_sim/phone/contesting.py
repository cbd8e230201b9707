"""A payer's disputes (MED) in the app: contesting, status, and withdrawal."""

from typing import Any

from lastro_sim.bank.payers import PhoneOwner
from lastro_sim.forms import Form
from lastro_sim.med import acts, objects
from lastro_sim.network import Network

SITUATIONS = tuple(acts.SITUATIONS)
_OF_PAYER = """
SELECT m.* FROM med_object m JOIN payment p ON p.end_to_end_id = m.transaction_id
 WHERE m.kind = ? AND p.body ->> '$.payer.document.number' = ? ORDER BY m.seq DESC LIMIT ?
"""
_ENDED = frozenset({"COMPLETED", "CANCELLED"})


def of_payment(network: Network, end_to_end_id: str) -> dict[str, Any] | None:
    """Returns the dispute of a payment; None: none. `open`: it may be taken back."""
    row = objects.recovery_of(network, end_to_end_id)
    if row is None:
        return None
    found = acts.shown(network, row)
    return found | {"open": found["status"] not in _ENDED}


def of_payer(network: Network, payer: PhoneOwner, limit: int) -> list[dict[str, Any]]:
    """Lists this customer's disputes, newest first."""
    rows = network.store.rows(_OF_PAYER, objects.RECOVERY, payer.document, limit)
    return [acts.shown(network, row) for row in rows]


def contest(network: Network, end_to_end_id: str, form: Form) -> str:
    """Contests a payment; returns the directory's refusal code, or nothing."""
    form.data["endToEndId"] = end_to_end_id
    return str(acts.begin(network, form).get("code", ""))


async def withdraw(network: Network, end_to_end_id: str) -> str:
    """Withdraws a dispute; returns the directory's refusal code, or nothing."""
    row = objects.recovery_of(network, end_to_end_id)
    if row is None:
        return "NOT_CONTESTED"
    return str((await acts.advance(network, Form({"status": "CANCELLED"}), row["id"])).get("code", ""))
