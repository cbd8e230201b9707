"""Payments of items: settled at once, or announced and settled later. An announced one may become void instead."""

import json
from collections.abc import Mapping
from typing import Any

from lastro_sim import amounts
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.network import Network

from . import items, movements
from .partner import ANNOUNCED, SETTLED, VOID, Partner, Row

NO_MONEY_CAME = "NOT_SETTLED"


def take(
    network: Network,
    partner: Partner,
    reference: str,
    amount: int,
    fields: Mapping[str, Any],
    fault: tuple[str, int] | None = None,
) -> str:
    """Takes a payment, adds its movement, and returns its id.

    fields: further ones that the partner knows, the payer for one. fault: a behaviour, and microseconds it takes longer;
    `void`: it is announced and never settles.
    """
    name, now = partner.named(network.chance.uuid()), network.clock.business()
    behaviour, delay = fault or (None, 0)
    due, becomes_void = partner.settles_at(now, delay), behaviour == "void"
    at_once = due <= now and not becomes_void
    with network.store.writing():
        network.store.insert(
            "item_payment",
            partner=partner.name,
            payment_id=name,
            reference=reference,
            amount=amount,
            body=json.dumps(fields),
            status=SETTLED if at_once else ANNOUNCED,
            taken_at=now,
            due_at=None if at_once else due,
            settled_at=now if at_once else None,
            becomes_void=becomes_void,
        )
        _tell(network, partner, name)
    network.bells.ring("timer")
    return name


def find(network: Network, partner: Partner, payment_id: str) -> Row | None:
    """Returns a payment by its id."""
    return network.store.find("item_payment", partner=partner.name, payment_id=payment_id)


def void(network: Network, partner: Partner, payment_id: str, code: str | None) -> bool:
    """Voids an announced payment; False if it has ended or is unknown."""
    known = find(network, partner, payment_id)
    if known is None or known["status"] != ANNOUNCED:
        return False
    with network.store.writing():
        _end(network, partner, known, VOID, code or NO_MONEY_CAME, None)
    return True


def end_due(network: Network, partner: Partner, row: Row) -> None:
    """Ends a due payment."""
    if row["becomes_void"]:
        _end(network, partner, row, VOID, NO_MONEY_CAME, None)
    else:
        _end(network, partner, row, SETTLED, None, row["due_at"])


def shown(partner: Partner, known: Row) -> dict[str, Any]:
    """Returns a payment as lists show it."""
    code = {} if known["code"] is None else {"code": known["code"]}
    return {
        "paymentId": known["payment_id"], "reference": known["reference"], "amount": amounts.printed(known["amount"]),
        "currency": partner.currency, "paidAt": printed(known["taken_at"]),
        "settledAt": printed_or_none(known["settled_at"]),
        **(json.loads(known["body"]) if partner.knows_payer else {}), "status": known["status"], **code,
    }  # fmt: skip


def told(network: Network, partner: Partner, known: Row) -> dict[str, Any]:
    """Returns a payment as in its movement, with its item's registered fields."""
    fields = {name: value for name, value in shown(partner, known).items() if value is not None}
    del fields["status"]
    item = items.find(network, partner, known["reference"])
    return fields | ({} if item is None else items.registered(item["amount"], items.fields(item)))


def _end(network: Network, partner: Partner, known: Row, status: str, code: str | None, settled_at: int | None) -> None:
    network.store.change("item_payment", known, status=status, code=code, settled_at=settled_at, due_at=None)
    _tell(network, partner, known["payment_id"])


def _tell(network: Network, partner: Partner, payment_id: str) -> None:
    known = network.store.get("item_payment", payment_id=payment_id)
    movements.put(network, partner, known["status"], told(network, partner, known))
