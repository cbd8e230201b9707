"""Claims of keys as the directory keeps them (DICT API 2.12.1), and what the banks played here do about them by themselves.

A donor's bank played here answers nothing before its time is over: then an ownership is confirmed, a portability canceled. A
claimer's completes a portability at once, and gives an ownership up that nobody has it complete in time.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from .. import faults
from ..clock import DAY, printed
from ..collecting import movements
from ..network import Network
from ..settings import SIMULATED_BANKS
from . import entries
from .entries import Account, Entry, Owner

PORTABILITY, OWNERSHIP = "PORTABILITY", "OWNERSHIP"
OPEN = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED")
RESOLUTION, COMPLETION = 7 * DAY, 7 * DAY
DEFAULT = "DEFAULT_OPERATION"
CONFIRM_REASONS = {
    PORTABILITY: frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE"}), OWNERSHIP: frozenset({"USER_REQUESTED", DEFAULT}),
}  # fmt: skip
CANCEL_REASONS = {
    (PORTABILITY, "CLAIMER"): frozenset({"USER_REQUESTED", "FRAUD", "ACCOUNT_CLOSURE", "RECONCILIATION"}),
    (PORTABILITY, "DONOR"): frozenset({"USER_REQUESTED", "FRAUD", DEFAULT}),
    (OWNERSHIP, "CLAIMER"): frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD", DEFAULT}),
    (OWNERSHIP, "DONOR"): frozenset({"FRAUD"}),
}  # fmt: skip
Row = sqlite3.Row


class ClaimError(Exception):
    """A step that the directory refuses. status: of the answer to a participant; code: the directory's word."""

    def __init__(self, status: int, code: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code
        self.reason = reason


class Events:
    """The stream of claims, told as every partner's movements are."""

    name = "claims"


EVENTS = Events()


@dataclass(frozen=True)
class Wish:
    """A claim as it is asked for. request_id: None of a bank played here."""

    request_id: str | None
    type: str
    key: str
    key_type: str
    owner: Owner
    account: Account


def find(network: Network, claim_id: str) -> Row | None:
    """A claim by its id."""
    return network.store.row("SELECT * FROM claim WHERE id = ?", claim_id)


def open_of(network: Network, key: str) -> Row | None:
    """The open claim of a key."""
    return network.store.row(
        "SELECT * FROM claim WHERE key = ? AND status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED')", key
    )


def listed(network: Network, limit: int) -> list[Row]:
    """The newest claims, oldest first."""
    return network.store.rows("SELECT * FROM claim ORDER BY seq DESC LIMIT ?", limit)[::-1]


def open_claim(network: Network, wish: Wish) -> Row:
    """A claim, OPEN; the same request again answers it. Refused: the key, or who has it, does not fit."""
    if wish.request_id is not None:
        before = network.store.row("SELECT * FROM claim WHERE request_id = ?", wish.request_id)
        if before is not None:
            if (before["key"], before["type"], before["account"]) != (wish.key, wish.type, wish.account.account):
                raise ClaimError(409, "RequestIdAlreadyUsed", "The request id was used for another request")
            return before
    entry = entries.find(network, wish.key)
    if entry is None:
        raise ClaimError(404, "ClaimKeyNotFound", "Nobody has the key")
    if open_of(network, wish.key) is not None:
        raise ClaimError(409, "ClaimAlreadyExistsForKey", "A claim of the key is open")
    if entry["ispb"] == wish.account.ispb:
        raise ClaimError(409, "ClaimResultingEntryAlreadyExists", "The participant has the key")
    is_same = entry["owner_number"] == wish.owner.document
    if is_same != (wish.type == PORTABILITY) or (wish.type == OWNERSHIP and wish.key_type != "PHONE"):
        raise ClaimError(409, "ClaimTypeInconsistent", "Whose key it is asks for the other kind of claim")
    made = _insert(network, wish, entry["ispb"])
    told(network, made)
    if entry["ispb"] in SIMULATED_BANKS and not _is_silent(network, wish.key):
        acknowledge(network, made)
    return known(network, made["id"])


def acknowledge(network: Network, row: Row) -> Row:
    """The donor's bank knows of it. Said twice, it is known once."""
    if row["status"] != "OPEN":
        return row
    due = row["resolution_at"] if row["donor"] in SIMULATED_BANKS else None
    return _change(network, row, "WAITING_RESOLUTION", due_at=due)


def confirm(network: Network, row: Row, reason: str) -> Row:
    """The donor gives the key up. A portability is then completed by a claimer's bank played here."""
    if row["status"] in ("CONFIRMED", "COMPLETED") and row["confirm_reason"] == reason:
        return row
    if row["status"] != "WAITING_RESOLUTION" or reason not in CONFIRM_REASONS[row["type"]]:
        raise _invalid(row, "confirmed")
    if reason == DEFAULT and network.clock.business() < row["resolution_at"]:
        raise ClaimError(409, "ClaimResolutionPeriodNotEnded", "The donor may still answer")
    is_played, is_ownership = row["claimer"] in SIMULATED_BANKS, row["type"] == OWNERSHIP
    until = network.clock.business() + COMPLETION if is_ownership else None
    changed = _change(
        network, row, "CONFIRMED", confirm_reason=reason, completion_at=until, due_at=until if is_played else None
    )
    if is_played and not is_ownership and not _is_silent(network, row["key"]):
        return complete(network, changed)
    return changed


def cancel(network: Network, row: Row, by: str, reason: str) -> Row:
    """Given up, or refused. by: CLAIMER or DONOR."""
    if row["status"] == "CANCELLED" and (row["cancelled_by"], row["cancel_reason"]) == (by, reason):
        return row
    if row["status"] not in OPEN or reason not in CANCEL_REASONS[row["type"], by]:
        raise _invalid(row, "canceled")
    now = network.clock.business()
    if reason == DEFAULT and by == "DONOR" and now < row["resolution_at"]:
        raise ClaimError(409, "ClaimResolutionPeriodNotEnded", "The donor may still answer")
    if reason == DEFAULT and by == "CLAIMER" and (row["completion_at"] is None or now < row["completion_at"]):
        raise ClaimError(409, "ClaimCompletionPeriodNotEnded", "The claimer may still complete it")
    return _change(network, row, "CANCELLED", cancel_reason=reason, cancelled_by=by, due_at=None)


def complete(network: Network, row: Row) -> Row:
    """The key is the claimer's. Said twice, it is so once."""
    if row["status"] == "COMPLETED":
        return row
    if row["status"] != "CONFIRMED":
        raise _invalid(row, "completed")
    entries.remove(network, row["key"])
    owner = Owner(row["owner_name"], row["owner_type"], row["owner_number"])
    place = Account(row["claimer"], row["branch"], row["account"], row["account_type"], row["opened_at"])
    entries.add(network, Entry(row["key"], row["key_type"], owner, place))
    return _change(network, row, "COMPLETED", due_at=None)


def run_due(network: Network) -> None:
    """What the banks played here do because its time has come."""
    now = network.clock.business()
    for row in network.store.rows("SELECT * FROM claim WHERE due_at <= ? ORDER BY due_at, seq", now):
        with network.store.writing():
            if row["status"] == "CONFIRMED":
                cancel(network, row, "CLAIMER", DEFAULT)
            elif row["type"] == OWNERSHIP:
                confirm(network, row, DEFAULT)
            else:
                cancel(network, row, "DONOR", DEFAULT)


def wakes_at(network: Network) -> int | None:
    """The business time of the next such thing."""
    row = network.store.row("SELECT min(due_at) AS due FROM claim WHERE due_at IS NOT NULL")
    return None if row is None else row["due"]


def known(network: Network, claim_id: str) -> Row:
    """A claim that is there."""
    row = find(network, claim_id)
    assert row is not None
    return row


def shown(row: Row) -> dict[str, Any]:
    """A claim as the directory answers about it."""
    person = "NATURAL_PERSON" if row["owner_type"] == "CPF" else "LEGAL_PERSON"
    more = {
        "ConfirmReason": row["confirm_reason"], "CancelReason": row["cancel_reason"], "CancelledBy": row["cancelled_by"],
        "CompletionPeriodEnd": None if row["completion_at"] is None else printed(row["completion_at"]),
    }  # fmt: skip
    return {
        "Id": row["id"], "Type": row["type"], "Key": row["key"], "KeyType": row["key_type"], "Status": row["status"],
        "Claimer": {"Type": person, "TaxIdNumber": row["owner_number"], "Name": row["owner_name"]},
        "ClaimerAccount": {
            "Participant": row["claimer"], "Branch": row["branch"], "AccountNumber": row["account"],
            "AccountType": row["account_type"],
        },
        "DonorParticipant": row["donor"], "ResolutionPeriodEnd": printed(row["resolution_at"]),
        "LastModified": printed(row["changed_at"]), **{name: value for name, value in more.items() if value is not None},
    }  # fmt: skip


def told(network: Network, row: Row) -> None:
    """A participant that is no bank of this world's hears of a claim by him or of a key of his.

    That it is open he is not told of his own: he has asked for it, and is answered so.
    """
    asked = row["status"] == "OPEN" and row["request_id"] is not None
    if asked or {row["claimer"], row["donor"]} <= SIMULATED_BANKS:
        return
    fault = faults.strike(network, "claim", {"key": row["key"]}, {"twice", "untold"})
    for _ in range(1 if fault is None else {"twice": 2, "untold": 0}[fault.behaviour]):
        movements.put(network, EVENTS, "CLAIM", {"Claim": shown(row)})


def _is_silent(network: Network, key: str) -> bool:
    """Whether a bank played here does not do what is its to do at once."""
    return faults.strike(network, "claim", {"key": key}, {"timeout"}) is not None


def _insert(network: Network, wish: Wish, donor: str) -> Row:
    claim_id, now, place = network.chance.uuid(), network.clock.business(), wish.account
    network.store.run(
        "INSERT INTO claim (id, request_id, type, key, key_type, owner_name, owner_type, owner_number, claimer, branch,"
        " account, account_type, opened_at, donor, status, resolution_at, changed_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'OPEN', ?, ?)",
        claim_id, wish.request_id, wish.type, wish.key, wish.key_type, wish.owner.name, wish.owner.document_type,
        wish.owner.document, place.ispb, place.branch, place.account, place.account_type, place.opened_at, donor,
        now + RESOLUTION, now,
    )  # fmt: skip
    return known(network, claim_id)


def _change(network: Network, row: Row, status: str, **sets: Any) -> Row:
    columns = {"status": status, "changed_at": network.clock.business()} | sets
    sql = f"UPDATE claim SET {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?"  # noqa: S608 names of our own
    network.store.run(sql, *columns.values(), row["id"])
    changed = known(network, row["id"])
    told(network, changed)
    network.bells.ring("timer")
    return changed


def _invalid(row: Row, done: str) -> ClaimError:
    return ClaimError(409, "ClaimOperationInvalid", f"A claim of {row['type']} that is {row['status']} is not {done} so")
