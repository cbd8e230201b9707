"""Slips as the collecting bank keeps them: registered once under nosso número, payable until their last day, or closed."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import date
from typing import Any

from lastro.standards import calendar
from lastro_sim import amounts, faults, scenarios
from lastro_sim.clock import moment
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

REGISTERED, PAID, CLOSED, EXPIRED = "REGISTERED", "PAID", "CLOSED", "EXPIRED"
AT_REGISTRATION = frozenset({"reject", "timeout", "lost-answer", "down"})
REFUSED = "REGISTRATION_REFUSED"


@dataclass(frozen=True)
class Slip:
    """What is registered. Amount in cents; fields: beneficiary, payer, number and description."""

    nosso_numero: str
    barcode: str
    amount: int
    due_on: date
    payable_until: date
    fields: dict[str, Any]

    @property
    def about(self) -> dict[str, str | None]:
        """What a fault may match on."""
        return about(self.nosso_numero, self.amount)


def about(nosso_numero: str, amount: int, payer: str | None = None) -> dict[str, str | None]:
    """What a fault may match on. payer: the document of who pays."""
    return {"nossoNumero": nosso_numero, "amount": amounts.printed(amount), "payerDocument": payer}


def find(network: Network, nosso_numero: str) -> sqlite3.Row | None:
    """A slip by its number."""
    return network.store.row("SELECT * FROM slip WHERE nosso_numero = ?", nosso_numero)


def by_barcode(network: Network, barcode: str) -> sqlite3.Row | None:
    """A slip by its 44 digits."""
    return network.store.row("SELECT * FROM slip WHERE barcode = ?", barcode)


def listed(network: Network, limit: int) -> list[sqlite3.Row]:
    """The newest slips, oldest first."""
    return network.store.rows("SELECT * FROM slip ORDER BY seq DESC LIMIT ?", limit)[::-1]


def today(network: Network) -> date:
    """The civil day in Brasilia."""
    return calendar.brasilia_day(moment(network.clock.business()))


def register(network: Network, slip: Slip) -> bool:
    """Make a slip payable; whether it is new. The same again changes nothing, whatever has become of it."""
    known = find(network, slip.nosso_numero)
    if known is not None:
        if _kept(known) != slip:
            raise RefusedError(409, "SLIP_DIFFERS", "Another slip is registered under this nosso número")
        return False
    fault = faults.strike(network, "boleto", slip.about, AT_REGISTRATION) or _magic(slip)
    if fault is not None and fault.behaviour == "down":
        raise away()
    if fault is not None and fault.behaviour == "timeout":
        raise RefusedError(504, "INTERNAL_ERROR", "The bank's registry did not answer in time")
    if slip.payable_until < today(network):
        raise RefusedError(422, "TERM_OVER", "Its last day to be paid is over")
    if fault is not None and fault.behaviour == "reject":
        raise RefusedError(422, fault.code or REFUSED, "The bank's registry refuses this slip")
    network.store.run(
        "INSERT INTO slip (nosso_numero, barcode, amount, due_on, payable_until, body, registered_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        slip.nosso_numero,
        slip.barcode,
        slip.amount,
        slip.due_on.isoformat(),
        slip.payable_until.isoformat(),
        json.dumps(slip.fields),
        network.clock.business(),
    )
    if fault is not None:
        raise away()
    return True


def close(network: Network, nosso_numero: str) -> None:
    """Nobody may pay it any more. A number may be closed before its slip comes, which is then closed from the start."""
    known = find(network, nosso_numero)
    if _is_closed(network, nosso_numero):
        return
    if faults.strike(network, "boleto", about(nosso_numero, known["amount"] if known else 0), faults.DOWN) is not None:
        raise away()
    if known is not None and is_paid(network, nosso_numero):
        raise RefusedError(409, "SLIP_PAID", "A slip that was paid cannot be closed")
    network.store.run(
        "INSERT INTO slip_close (nosso_numero, closed_at) VALUES (?, ?)", nosso_numero, network.clock.business()
    )


def is_paid(network: Network, nosso_numero: str) -> bool:
    """Whether a payment of it was taken that has not become void."""
    found = network.store.row("SELECT 1 FROM slip_payment WHERE nosso_numero = ? AND status <> 'VOID'", nosso_numero)
    return found is not None


def status(network: Network, known: sqlite3.Row) -> str:
    """How a slip stands now."""
    if is_paid(network, known["nosso_numero"]):
        return PAID
    if _is_closed(network, known["nosso_numero"]):
        return CLOSED
    return EXPIRED if date.fromisoformat(known["payable_until"]) < today(network) else REGISTERED


def shown(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """A slip as the collecting bank answers about it."""
    return {
        "nossoNumero": known["nosso_numero"],
        "barcode": known["barcode"],
        "amount": amounts.printed(known["amount"]),
        "dueDate": known["due_on"],
        "payableUntil": known["payable_until"],
        **json.loads(known["body"]),
        "status": status(network, known),
    }


def _is_closed(network: Network, nosso_numero: str) -> bool:
    return network.store.row("SELECT 1 FROM slip_close WHERE nosso_numero = ?", nosso_numero) is not None


def _magic(slip: Slip) -> faults.Fault | None:
    found = scenarios.for_slip(slip.amount)
    return found if found is not None and found.behaviour in AT_REGISTRATION else None


def _kept(known: sqlite3.Row) -> Slip:
    return Slip(
        known["nosso_numero"],
        known["barcode"],
        known["amount"],
        date.fromisoformat(known["due_on"]),
        date.fromisoformat(known["payable_until"]),
        json.loads(known["body"]),
    )
