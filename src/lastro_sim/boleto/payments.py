"""Payments of slips: announced when they are taken from the payer, settled on the next business day in the morning.

A payment may become void before it settles: the bank that took it does not bring the money.
"""

import json
import sqlite3
from typing import Any

from lastro_sim import amounts
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.collecting import items
from lastro_sim.collecting.terms import next_morning
from lastro_sim.network import Network

from . import movements, slips

ANNOUNCED, SETTLED, VOID = "ANNOUNCED", "SETTLED", "VOID"
NO_MONEY_CAME = "NOT_SETTLED_BY_PAYER_BANK"


def take(network: Network, nosso_numero: str, amount: int, payer: dict[str, Any], fault: tuple[str, int] | None) -> str:
    """Take a payment, announce it, and set when it ends; its id. fault: a behaviour, and microseconds it takes longer."""
    name, now = network.chance.uuid(), network.clock.business()
    behaviour, delay = fault or (None, 0)
    network.store.run(
        "INSERT INTO slip_payment (payment_id, nosso_numero, amount, payer, status, taken_at, due_at, becomes_void)"
        " VALUES (?, ?, ?, ?, 'ANNOUNCED', ?, ?, ?)",
        name,
        nosso_numero,
        amount,
        json.dumps(payer),
        now,
        next_morning(now, delay),
        behaviour == "void",
    )
    _tell(network, _known(network, name))
    network.bells.ring("timer")
    return name


def find(network: Network, payment_id: str) -> sqlite3.Row | None:
    """A payment by its id."""
    return network.store.row("SELECT * FROM slip_payment WHERE payment_id = ?", payment_id)


def of_slip(network: Network, nosso_numero: str) -> list[sqlite3.Row]:
    """The payments of a slip, oldest first."""
    return network.store.rows("SELECT * FROM slip_payment WHERE nosso_numero = ? ORDER BY seq", nosso_numero)


def recent(network: Network, limit: int) -> list[sqlite3.Row]:
    """The newest payments, oldest first."""
    return network.store.rows("SELECT * FROM slip_payment ORDER BY seq DESC LIMIT ?", limit)[::-1]


def end_void(network: Network, payment_id: str, code: str | None) -> bool:
    """A payment that was announced does not settle; False when it has ended already, or is unknown."""
    known = find(network, payment_id)
    if known is None or known["status"] != ANNOUNCED:
        return False
    with network.store.writing():
        _end(network, known, VOID, code or NO_MONEY_CAME, None)
    return True


def run_due(network: Network) -> None:
    """End what is due, in the order of its times."""
    now = network.clock.business()
    for row in network.store.rows("SELECT * FROM slip_payment WHERE due_at <= ? ORDER BY due_at, seq", now):
        with network.store.writing():
            if row["becomes_void"]:
                _end(network, row, VOID, NO_MONEY_CAME, None)
            else:
                _end(network, row, SETTLED, None, row["due_at"])


def wakes_at(network: Network) -> int | None:
    """The business time of the next end."""
    row = network.store.row("SELECT min(due_at) AS due FROM slip_payment WHERE due_at IS NOT NULL")
    return None if row is None else row["due"]


def shown(known: sqlite3.Row) -> dict[str, Any]:
    """A payment as lists show it."""
    return {
        "paymentId": known["payment_id"],
        "nossoNumero": known["nosso_numero"],
        "amount": amounts.printed(known["amount"]),
        "status": known["status"],
        "paidAt": printed(known["taken_at"]),
        "settledAt": printed_or_none(known["settled_at"]),
        "payer": json.loads(known["payer"]),
    } | ({} if known["code"] is None else {"code": known["code"]})


def told(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """A payment as movements tell of it, with what was registered under its number."""
    slip = slips.find(network, known["nosso_numero"])
    registered = {} if slip is None else items.registered(slip["amount"], json.loads(slip["body"]))
    return {name: value for name, value in shown(known).items() if value is not None and name != "status"} | registered


def _end(network: Network, known: sqlite3.Row, status: str, code: str | None, settled_at: int | None) -> None:
    network.store.run(
        "UPDATE slip_payment SET status = ?, code = ?, settled_at = ?, due_at = NULL WHERE seq = ?",
        status,
        code,
        settled_at,
        known["seq"],
    )
    _tell(network, _known(network, known["payment_id"]))


def _tell(network: Network, known: sqlite3.Row) -> None:
    movements.put(network, known["status"], told(network, known))


def _known(network: Network, payment_id: str) -> sqlite3.Row:
    known = find(network, payment_id)
    assert known is not None
    return known
