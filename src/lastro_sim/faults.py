"""Faults that a test orders, by operation, behaviour, count and matching fields."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from lastro_sim import amounts
from lastro_sim.clock import SECOND
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

BEHAVIOURS: Mapping[str, frozenset[str]] = {
    "payin": frozenset({"reject", "timeout", "late", "twice", "lost-answer", "slow", "down", "forgets-txid"}),
    "payout": frozenset({"reject", "timeout", "twice", "slow", "unseen", "lost-answer", "unprocessed", "down"}),
    "return": frozenset({"reject", "timeout", "twice", "late", "slow", "lost-answer", "unprocessed", "down"}),
    "ted": frozenset({"reject", "reject-then-settle", "timeout", "twice", "late", "slow", "lost-answer", "down"}),
    "ted_in": frozenset({"twice", "late"}),
    "authorization": frozenset({"reject", "timeout", "late", "twice", "lost-answer", "down"}),
    "recurrence": frozenset({"reject", "unprocessed", "down"}),
    "cancellation": frozenset({"reject", "timeout", "late", "twice", "lost-answer", "unprocessed", "down", "wrong-amount"}),
    "charge": frozenset({"reject", "timeout", "late", "twice", "lost-answer", "slow", "unprocessed", "down"}),
    "quote": frozenset({"reject", "timeout", "lost-answer", "down"}),
    "credit_card": frozenset({"reject", "timeout", "lost-answer", "twice", "down"}),
    "tokenizer": frozenset({"reject", "down"}),
    "directory": frozenset({"reject", "slow", "limited", "down", "lost-answer"}),
    "message": frozenset({"reject", "lost-answer", "down"}),
    "claim": frozenset({"reject", "timeout", "twice", "untold", "lost-answer", "down"}),
    "med": frozenset({"reject", "timeout", "late", "twice", "lost-answer", "slow", "down"}),
    "statement": frozenset({"missing", "twice", "wrong-amount", "late", "other-reference"}),
    "analysis": frozenset({"reject", "timeout", "twice", "lost-answer", "slow", "down"}),
    "location": frozenset(
        {
            "reject",
            "slow",
            "silent",
            "gone",
            "redirect",
            "unsigned",
            "wrong-key",
            "wrong-jku",
            "too-large",
            "down",
            "expired-certificate",
            "wrong-certificate",
            "misused-certificate",
        }
    ),
}
MATCHABLE = (
    "endToEndId", "returnId", "txId", "amount", "payerDocument", "key", "location", "numCtrlIf", "numCtrlStr", "idRec",
    "reference", "partner", "document", "route", "clientId",
)  # fmt: skip
SLOW_BY_DEFAULT = 2 * SECOND
# It settles later. "unseen": and its bank, which had no answer, is told until then that there is no such payment, and that
# another of its id is not taken.
SLOW = frozenset({"slow", "unseen"})
DOWN = frozenset({"down"})
# The operations that take a participant's order and lose the answer. Of a payment in, the receiver's answer gets lost.
LOSES_ITS_ANSWER = frozenset({
    "payout", "return", "ted", "cancellation", "charge", "quote", "credit_card", "analysis",
})  # fmt: skip
# Of a dynamic QR code alone: its payer's bank sends no txid; the fault's code says what the message has in place of it.
FORGETS_TXID = "forgets-txid"
INSTEAD_OF_TXID = ("location", "qrCode", "remittance", "nothing")
# Accepted over HTTP, and then not processed at all (admi.002): nobody knows of it afterwards.
UNPROCESSED = "unprocessed"
LONGEST_DELAY = 400 * 86_400


@dataclass(frozen=True)
class Fault:
    """A fault that strikes now."""

    behaviour: str
    code: str | None
    delay: int


def order(network: Network, form: Form, behaviours: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Stores a fault that a test orders and returns it. behaviours: the allowed ones, by operation."""
    operation = form.choice("operation", behaviours.keys())
    behaviour = form.choice("behaviour", frozenset().union(*behaviours.values()))
    if operation in behaviours and behaviour and behaviour not in behaviours[operation]:
        form.refuse("behaviour", "NOT_ALLOWED", f"{operation} knows " + ", ".join(sorted(behaviours[operation])))
    forgets = behaviour == FORGETS_TXID
    code = form.maybe_choice("code", frozenset(INSTEAD_OF_TXID)) if forgets else form.maybe_text("code", 64)
    times = form.maybe_whole("times", 1, 1_000_000)
    delay = form.maybe_seconds("delay", LONGEST_DELAY)
    match = _match(form.maybe_child("match"))
    form.check()
    kept = {"operation": operation, "behaviour": behaviour, "code": code, "delay": delay, "times_left": times or 1}
    network.store.insert("fault", **kept, match=json.dumps(match))
    network.faulty.add(operation)
    return waiting(network)[-1]


def remember(network: Network) -> None:
    """Notes the operations of faults that wait since before a restart."""
    network.faulty.update(row["operation"] for row in network.store.rows("SELECT DISTINCT operation FROM fault"))


def forget(network: Network) -> None:
    """Withdraws all faults; their past effects stay."""
    network.store.run("DELETE FROM fault")


def may_strike(network: Network, operation: str) -> bool:
    """Tells whether a fault of this operation may wait. Most requests need not ask the store."""
    return operation in network.faulty


def waiting(network: Network) -> list[dict[str, Any]]:
    """Lists the faults with strikes left, oldest first."""
    return [
        {
            "id": row["id"],
            "operation": row["operation"],
            "behaviour": row["behaviour"],
            "times": row["times_left"],
            "match": json.loads(row["match"]),
        }
        | ({} if row["code"] is None else {"code": row["code"]})
        | ({} if row["delay"] is None else {"delay": row["delay"] / SECOND})
        for row in network.store.rows("SELECT * FROM fault WHERE times_left > 0 ORDER BY id")
    ]


def strike(network: Network, operation: str, about: Mapping[str, str | None], among: Collection[str]) -> Fault | None:
    """Uses up the oldest matching fault once and returns it, or None."""
    if not may_strike(network, operation):
        return None
    for row in network.store.rows("SELECT * FROM fault WHERE operation = ? AND times_left > 0 ORDER BY id", operation):
        match: dict[str, str] = json.loads(row["match"])
        if row["behaviour"] in among and all(about.get(name) == value for name, value in match.items()):
            network.store.run("UPDATE fault SET times_left = times_left - 1 WHERE id = ?", row["id"])
            delay = row["delay"]
            if delay is None:
                delay = SLOW_BY_DEFAULT if row["behaviour"] in SLOW else 0
            return Fault(row["behaviour"], row["code"], delay)
    return None


def behaviour_of(fault: Fault | None) -> str | None:
    """Returns the behaviour of a fault; None without one."""
    return None if fault is None else fault.behaviour


def refuse(fault: Fault | None, code: str, description: str) -> None:
    """Refuses a request by a fault, before it is carried out. code: where the fault names none."""
    behaviour = behaviour_of(fault)
    if behaviour == "down":
        raise away()
    if behaviour == "timeout":
        raise RefusedError(504, "INTERNAL_ERROR", "Nobody answered in time")
    if behaviour == "reject":
        raise RefusedError(422, (fault and fault.code) or code, description)


def at_the_door(operation: str) -> frozenset[str]:
    """Returns the behaviours that strike the request, not the order in it."""
    losing = frozenset({"lost-answer"}) if operation in LOSES_ITS_ANSWER else frozenset()
    return DOWN | losing | (BEHAVIOURS[operation] & {UNPROCESSED})


def in_process(operation: str) -> frozenset[str]:
    """Returns the behaviours that strike a payment, return or transfer itself."""
    return BEHAVIOURS[operation] - at_the_door(operation)


def _match(form: Form | None) -> dict[str, str]:
    if form is None:
        return {}
    found: dict[str, str] = {}
    for name in form.data:
        if name not in MATCHABLE:
            form.refuse(name[:40], "NOT_ALLOWED", "A fault matches on " + ", ".join(MATCHABLE))
        elif name == "amount":
            cents = form.maybe_amount(name)
            found |= {} if cents is None else {name: amounts.printed(cents)}
        else:
            text = form.maybe_text(name, 100)
            found |= {} if text is None else {name: text}
    return found
