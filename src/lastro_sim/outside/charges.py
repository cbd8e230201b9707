"""Charges of the outside bank's customers, and the checks of their payments."""

import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from lastro.standards import payload
from lastro_sim import amounts
from lastro_sim.clock import SECOND, moment, printed
from lastro_sim.directory import entries
from lastro_sim.network import Network

from .signing import Habit, habit_of

ACTIVE = "ATIVA"
PAID = "CONCLUIDA"
STATUSES = frozenset({ACTIVE, PAID, "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"})
OF_A_CHARGE = "QRDN"


@dataclass(frozen=True)
class Charge:
    """A requested charge.

    Amount in cents, zero when the payer decides; expiration in seconds. signature: the habit of its location; None: the next
    in turn.
    """

    token: str
    tx_id: str
    key: str
    amount: int
    open_amount: bool
    description: str | None
    created_at: int
    expiration: int
    signature: str | None
    qrcode_data: str


def keep(network: Network, charge: Charge) -> sqlite3.Row:
    """Writes a new charge; its txid must be free."""
    kept = asdict(charge)
    signature = kept.pop("signature")
    network.store.insert("charge", **kept, status=ACTIVE)
    made = network.store.get("charge", tx_id=charge.tx_id)
    if signature is not None:
        network.store.insert("charge_signature", charge=made["seq"], habit=signature)
    return made


def habit(network: Network, charge: sqlite3.Row) -> Habit:
    """Returns the signing habit of a charge's location."""
    asked = network.store.find("charge_signature", charge=charge["seq"])
    return habit_of(None if asked is None else asked["habit"], charge["seq"])


def by_tx_id(network: Network, tx_id: str | None) -> sqlite3.Row | None:
    """Returns the charge of a txid."""
    return network.store.find("charge", tx_id=tx_id)


def refuses(network: Network, tx_id: str | None, place: dict[str, Any], amount: int) -> str | None:
    """Returns the code for refusing a charge's payment; None if it may be paid.

    BE15 it is not his, DUPL paid or being paid, BE17 not as the charge asks. place: the account to pay to, `ispb`, `branch`
    and `account`.
    """
    charge = by_tx_id(network, tx_id)
    entry = None if charge is None else entries.find(network, charge["key"])
    if charge is None or entry is None or any(entry[name] != place[name] for name in ("ispb", "branch", "account")):
        return "BE15"
    if charge["status"] == PAID or _being_paid(network, charge["tx_id"]):
        return "DUPL"
    payable = charge["status"] == ACTIVE and network.clock.business() <= expires_at(charge)
    return None if payable and (charge["open_amount"] or amount == charge["amount"]) else "BE17"


def settled(network: Network, payment: sqlite3.Row) -> None:
    """Marks a settled payment's charge as paid."""
    if payment["tx_id"] is None:
        return
    network.store.run(
        "UPDATE charge SET status = ?, end_to_end_id = ? WHERE tx_id = ? AND status = ?"
        " AND json_extract(?, '$.localInstrument') = ?",
        PAID,
        payment["end_to_end_id"],
        payment["tx_id"],
        ACTIVE,
        payment["body"],
        OF_A_CHARGE,
    )


def expires_at(charge: sqlite3.Row) -> int:
    """Returns the last payable microsecond of business time."""
    ends: int = charge["created_at"] + charge["expiration"] * SECOND
    return ends


def encoded(network: Network, charge: sqlite3.Row) -> bytes:
    """Returns the payload that a charge's location signs now."""
    return payload.encode(
        payload.ChargePayload(
            revision=charge["revision"],
            created_at=moment(charge["created_at"]),
            presented_at=moment(network.clock.business()),
            expiration=charge["expiration"],
            txid=charge["tx_id"],
            status=charge["status"],
            amount=amounts.printed(charge["amount"]),
            open_amount=bool(charge["open_amount"]),
            key=charge["key"],
            payer_request=charge["description"],
        )
    )


def shown(charge: sqlite3.Row, location: str) -> dict[str, Any]:
    """Returns a charge as the acts answer it, without unknown fields."""
    found: dict[str, Any] = {
        "txId": charge["tx_id"],
        "qrcodeData": charge["qrcode_data"],
        "location": location,
        "key": charge["key"],
        "amount": amounts.printed(charge["amount"]) if charge["amount"] else None,
        "openAmount": bool(charge["open_amount"]),
        "description": charge["description"],
        "status": charge["status"],
        "revision": charge["revision"],
        "createdAt": printed(charge["created_at"]),
        "expiresAt": printed(expires_at(charge)),
        "endToEndId": charge["end_to_end_id"],
    }
    return {name: value for name, value in found.items() if value is not None}


def _being_paid(network: Network, tx_id: str) -> bool:
    """Tells whether a payment with this txid is pending and will settle."""
    found = network.store.row(
        "SELECT 1 FROM payment WHERE tx_id = ? AND asked = 0 AND status = 'PENDING' AND code IS NULL"
        " AND json_extract(body, '$.localInstrument') = ?",
        tx_id,
        OF_A_CHARGE,
    )
    return found is not None
