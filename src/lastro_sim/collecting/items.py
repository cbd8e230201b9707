"""Items that can be paid at a partner.

Each is registered once under its reference, and payable until its last instant or until it is closed.
"""

import json
from collections.abc import Mapping
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import printed
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

from .partner import AT_REGISTRATION, VOID, Item, Partner, Row

REGISTERED, PAID, CLOSED, EXPIRED = "REGISTERED", "PAID", "CLOSED", "EXPIRED"
REFUSED = "REGISTRATION_REFUSED"


def about(reference: str, amount: int | None, payer: str | None = None) -> dict[str, str | None]:
    """Returns the fields that a fault may match. payer: the payer's document."""
    return {"reference": reference, "amount": None if amount is None else amounts.printed(amount), "payerDocument": payer}


def find(network: Network, partner: Partner, reference: str) -> Row | None:
    """Returns an item by its reference."""
    return network.store.find("item", partner=partner.name, reference=reference)


def register(network: Network, partner: Partner, item: Item) -> bool:
    """Registers an item; tells whether it is new. The same again changes nothing, even if the item has ended."""
    known = find(network, partner, item.reference)
    if known is not None:
        if _kept(known) != item:
            raise RefusedError(409, "REFERENCE_DIFFERS", "Something else is registered under this reference")
        return False
    fault = faults.strike(network, partner.name, about(item.reference, item.amount), AT_REGISTRATION)
    fault = fault or _magic(partner, item.amount)
    faults.refuse(fault, REFUSED, "The partner refuses it")
    now = network.clock.business()
    if item.expires_at < now:
        raise RefusedError(422, "TERM_OVER", "Its last instant to be paid is over")
    kept = {"reference": item.reference, "amount": item.amount, "expires_at": item.expires_at}
    network.store.insert("item", partner=partner.name, **kept, body=json.dumps(item.fields), registered_at=now)
    if fault is not None:
        raise away()
    return True


def close(network: Network, partner: Partner, reference: str) -> None:
    """Closes an item; a reference may be closed before its item comes. Such an item is then closed from the start."""
    known = find(network, partner, reference)
    if is_closed(network, partner, reference):
        return
    asked = about(reference, known["amount"] if known else None)
    if faults.strike(network, partner.name, asked, faults.DOWN) is not None:
        raise away()
    if known is not None and not partner.takes_again and is_paid(network, partner, known):
        raise RefusedError(409, "ALREADY_PAID", "What was paid cannot be closed")
    network.store.insert("item_close", partner=partner.name, reference=reference, closed_at=network.clock.business())


def is_closed(network: Network, partner: Partner, reference: str) -> bool:
    """Tells whether an item was closed."""
    return network.store.find("item_close", partner=partner.name, reference=reference) is not None


def is_paid(network: Network, partner: Partner, known: Row) -> bool:
    """Tells whether an item is paid; payments that became void do not count.

    One payment is enough; where the partner takes any amount, their sum must reach the item's.
    """
    paid = network.store.every("item_payment", partner=partner.name, reference=known["reference"])
    taken = sum(row["amount"] for row in paid if row["status"] != VOID)
    return bool(taken >= known["amount"] if partner.takes_any_amount else taken > 0)


def status(network: Network, partner: Partner, known: Row) -> str:
    """Returns an item's status now."""
    if is_paid(network, partner, known):
        return PAID
    if is_closed(network, partner, known["reference"]):
        return CLOSED
    return EXPIRED if known["expires_at"] < network.clock.business() else REGISTERED


def shown(network: Network, partner: Partner, known: Row) -> dict[str, Any]:
    """Returns an item as the partner answers about it."""
    return {
        "reference": known["reference"], "amount": amounts.printed(known["amount"]), "currency": partner.currency,
        "expiresAt": printed(known["expires_at"]), **fields(known), "status": status(network, partner, known),
    }  # fmt: skip


def fields(known: Row) -> dict[str, Any]:
    """Returns the further fields that the partner keeps of an item."""
    found: dict[str, Any] = json.loads(known["body"])
    return found


def registered(amount: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the registered fields that a movement repeats for comparison."""
    said = {
        "amount": amounts.printed(amount),
        "number": fields.get("number"),
        "beneficiary": fields.get("beneficiary"),
    }
    return {"registered": {name: value for name, value in said.items() if value is not None}}


def _magic(partner: Partner, amount: int) -> faults.Fault | None:
    found = partner.strikes(amount)
    return found if found is not None and found.behaviour in AT_REGISTRATION else None


def _kept(known: Row) -> Item:
    return Item(known["reference"], known["amount"], known["expires_at"], fields(known))
