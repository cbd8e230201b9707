"""Transfers in the STR: taken once by NumCtrlIF, effective or refused.

The sender is told. Effective means that the money has left, not that anybody was credited: the receiver's bank gives back
an uncreditable transfer as a new one.
"""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from lastro_sim import amounts, faults, scenarios
from lastro_sim.clock import printed, printed_or_none
from lastro_sim.network import Network
from lastro_sim.settings import SIMULATED_BANKS
from lastro_sim.spi import mailbox, original

from . import returns, session

EFFECTIVE = "1"
NO_FUNDS = "9"
PENDING = "17"
PARTICIPANT_EXCLUDED = "22"
CHANGES_ITS_MIND = "reject-then-settle"
RESULT = "STR0008R1"


@dataclass(frozen=True)
class Transfer:
    """The fields of a STR0008. Amount in cents."""

    num_ctrl_if: str
    sender: str
    amount: int
    fields: dict[str, Any]

    @property
    def about(self) -> dict[str, str | None]:
        """The fields that a fault may match."""
        return {
            "numCtrlIf": self.num_ctrl_if,
            "amount": amounts.printed(self.amount),
            "payerDocument": self.fields["debtor"]["document"]["number"],
        }


def find(network: Network, num_ctrl_if: str) -> sqlite3.Row | None:
    """Returns a transfer by its sender's number."""
    return network.store.find("ted", num_ctrl_if=num_ctrl_if)


def same(known: sqlite3.Row, transfer: Transfer) -> bool:
    """Tells whether a repeated STR0008 equals the first one."""
    kept = (known["ispb"], known["amount"], json.loads(known["body"]))
    return kept == (transfer.sender, transfer.amount, transfer.fields)


def take(network: Network, transfer: Transfer) -> str:
    """Takes a new transfer and ends it; answers its resource id. A slow one ends later."""
    fault = faults.strike(network, "ted", transfer.about, faults.in_process("ted"))
    fault = fault or scenarios.for_ted(transfer.amount)
    behaviour = faults.behaviour_of(fault)
    due_at = network.clock.machine() + fault.delay if fault is not None and behaviour == "slow" else None
    resource_id = network.chance.uuid()
    with network.store.writing():
        network.store.insert(
            "ted",
            num_ctrl_if=transfer.num_ctrl_if,
            num_ctrl_str=new_num_ctrl_str(network),
            ispb=transfer.sender,
            amount=transfer.amount,
            body=json.dumps(transfer.fields),
            resource_id=resource_id,
            status=PENDING,
            taken_at=network.clock.business(),
            due_at=due_at,
            behaviour=behaviour,
            fault_code=fault.code if fault else None,
            fault_delay=fault.delay if fault else 0,
            withheld=behaviour == "timeout",
        )
        if due_at is None:
            end_due(network, network.store.get("ted", num_ctrl_if=transfer.num_ctrl_if))
    network.bells.ring("timer")
    return resource_id


def repeat(network: Network, known: sqlite3.Row) -> None:
    """Takes a transfer sent again: sends a known outcome once more. Nothing moves twice."""
    if known["status"] != PENDING:
        with network.store.writing():
            _tell(network, known)


def release(network: Network, known: sqlite3.Row) -> None:
    """Sends a withheld outcome, since its sender asks about it."""
    if known["withheld"]:
        with network.store.writing():
            network.store.change("ted", known, withheld=0)
            _tell(network, network.store.get("ted", seq=known["seq"]))


def new_num_ctrl_str(network: Network) -> str:
    """Returns a new STR number: `STR`, the day in Brasilia, nine digits."""
    return f"STR{session.day(network)}{network.store.next_number('num-ctrl-str') % 1_000_000_000:09d}"


def status(network: Network, known: sqlite3.Row) -> tuple[str, int | None]:
    """Returns the STR's status number and the instant of settlement."""
    undecided = known["behaviour"] == CHANGES_ITS_MIND and known["status"] == EFFECTIVE
    if undecided and network.clock.business() < known["settled_at"]:
        return known["fault_code"] or NO_FUNDS, None
    return known["status"], known["settled_at"]


def shown(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """Returns a transfer as the STR answers about it."""
    number, settled_at = status(network, known)
    return {
        "numCtrlIf": known["num_ctrl_if"],
        "numCtrlStr": known["num_ctrl_str"],
        "status": number,
        "amount": amounts.printed(known["amount"]),
        "settledAt": printed_or_none(settled_at),
        "returned": returns.shown(network, known),
    }


def repeated(known: sqlite3.Row) -> dict[str, Any]:
    """Returns the transfer's fields that messages about it repeat. Its sender can compare them with his own."""
    body = json.loads(known["body"])
    return original.of(known["amount"], {"ispb": known["ispb"], **body["debtor"]}, body["creditor"])


def end_due(network: Network, known: sqlite3.Row) -> None:
    """Ends a pending transfer; an uncreditable one comes back after a while."""
    creditor = json.loads(known["body"])["creditor"]
    number = EFFECTIVE if creditor["ispb"] in SIMULATED_BANKS else PARTICIPANT_EXCLUDED
    if known["behaviour"] == "reject":
        number = known["fault_code"] or NO_FUNDS
    now = network.clock.business()
    changes_at = now + known["fault_delay"] if known["behaviour"] == CHANGES_ITS_MIND else now
    settled_at = changes_at if number == EFFECTIVE else None
    network.store.change("ted", known, status=number, settled_at=settled_at, due_at=None)
    known = network.store.get("ted", seq=known["seq"])
    _tell(network, known)
    code = returns.for_creditor(network, creditor, known["amount"]) if number == EFFECTIVE else None
    if code is not None:
        returns.give_back(network, known, new_num_ctrl_str(network), code, changes_at + returns.AFTER)


def _tell(network: Network, known: sqlite3.Row) -> None:
    """Sends the STR0008R1 to the sender, dated by its availability."""
    if known["withheld"]:
        return
    effective = known["status"] == EFFECTIVE
    number = {"numCtrlIf": known["num_ctrl_if"], "numCtrlStr": known["num_ctrl_str"]}
    tail = {"settledAt": printed(known["settled_at"])} if effective else {}
    told = number | repeated(known) | {"status": known["status"]} | tail
    now = network.clock.business()
    available_at = now
    if effective and known["behaviour"] == CHANGES_ITS_MIND and now <= known["settled_at"]:
        mailbox.put(network, known["ispb"], RESULT, number | repeated(known) | {"status": known["fault_code"] or NO_FUNDS})
        available_at = known["settled_at"]
    elif known["behaviour"] == "late":
        available_at = known["taken_at"] + known["fault_delay"]
    is_twice = known["behaviour"] == "twice"
    mailbox.put(network, known["ispb"], RESULT, told, is_twice=is_twice, available_at=available_at)
