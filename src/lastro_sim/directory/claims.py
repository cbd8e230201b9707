"""Claims of keys at the directory, with the played banks' own actions.

Source: DICT API 2.12.1, "Reivindicação" and createClaim to completeClaim, with the staff's answers beside their rules.

A donor's bank played here answers nothing before its time is over: then an ownership is confirmed, a portability canceled. A
claimer's completes a portability at once, and cancels an ownership on day 30 that nobody has it complete before.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from lastro_sim import faults
from lastro_sim.clock import DAY, printed
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.settings import SIMULATED_BANKS

from . import entries
from .entries import Account, Entry, Owner
from .refusals import DirectoryError

PORTABILITY, OWNERSHIP = "PORTABILITY", "OWNERSHIP"
OPEN = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED")
# All three are counted from the opening, to the instant and not to the day (perguntas #197). Day 30: perguntas #270, #462.
RESOLUTION, COMPLETION, POSSESSION = 7 * DAY, 14 * DAY, 30 * DAY
DEFAULT = "DEFAULT_OPERATION"
# The claimable kinds of keys by type of claim: the table of createClaim.
CLAIMED = {
    "CPF": frozenset({PORTABILITY}), "CNPJ": frozenset({PORTABILITY}), "EMAIL": frozenset({PORTABILITY}),
    "PHONE": frozenset({PORTABILITY, OWNERSHIP}), "EVP": frozenset[str](),
}  # fmt: skip
# Only the donor confirms: the table of confirmClaim.
CONFIRM_REASONS = {
    PORTABILITY: frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE"}), OWNERSHIP: frozenset({"USER_REQUESTED", DEFAULT}),
}  # fmt: skip
# The table of cancelClaim. Of an ownership 2.12.1 names no reasons but FRAUD and DEFAULT_OPERATION: the others are of 1.8.
CANCEL_REASONS = {
    (PORTABILITY, "CLAIMER"): frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD", "RECONCILIATION", "RFB_VALIDATION"}),
    (PORTABILITY, "DONOR"): frozenset({"USER_REQUESTED", "FRAUD", DEFAULT}),
    (OWNERSHIP, "CLAIMER"): frozenset({"USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD", DEFAULT}),
    (OWNERSHIP, "DONOR"): frozenset({"FRAUD"}),
}  # fmt: skip
# "Exceções" of cancelClaim: a claimer's only reasons for canceling a CONFIRMED portability.
CONFIRMED_PORTABILITY = frozenset({"FRAUD", "RECONCILIATION", "RFB_VALIDATION"})
Row = sqlite3.Row


class Events:
    """The stream of claim events, kept like partners' movements."""

    name = "claims"


EVENTS = Events()


@dataclass(frozen=True)
class ClaimWish:
    """A requested claim."""

    type: str
    key: str
    key_type: str
    owner: Owner
    account: Account


def find(network: Network, claim_id: str) -> Row | None:
    """Returns a claim by its id."""
    return network.store.find("claim", id=claim_id)


def open_of(network: Network, key: str) -> Row | None:
    """Returns the open claim of a key."""
    return network.store.row(
        "SELECT * FROM claim WHERE key = ? AND status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED')", key
    )


def open_claim(network: Network, wish: ClaimWish) -> Row:
    """Opens a claim. Refused: the key, or its holder, does not fit.

    The operation is not idempotent: asked again, an open claim of the key is in the way of the same claim, too
    (CreateClaimRequest has no RequestId; pix-dict-api #24, perguntas #462).
    """
    entry = entries.find(network, wish.key)
    if open_of(network, wish.key) is not None:
        raise DirectoryError("ClaimAlreadyExistsForKey")
    if entry is None:
        raise DirectoryError("ClaimKeyNotFound")
    if wish.type not in CLAIMED[wish.key_type]:
        raise DirectoryError("ClaimInvalid")
    is_same = entry["owner_number"] == wish.owner.document
    if is_same and entry["ispb"] == wish.account.ispb:  # with another owner it is a claim inside one participant
        raise DirectoryError("ClaimResultingEntryAlreadyExists")
    if is_same != (wish.type == PORTABILITY):
        raise DirectoryError("ClaimTypeInconsistent")
    made = _insert(network, wish, entry["ispb"])
    told(network, made)
    if entry["ispb"] in SIMULATED_BANKS and not _is_silent(network, wish.key):
        acknowledge(network, made)
    return network.store.get("claim", id=made["id"])


def acknowledge(network: Network, row: Row) -> Row:
    """Acknowledges a claim for the donor's bank (acknowledgeClaim).

    Said twice while it is WAITING_RESOLUTION, it counts once.
    """
    if row["status"] == "WAITING_RESOLUTION":
        return row
    if row["status"] != "OPEN":
        raise DirectoryError("ClaimOperationInvalid")
    due = row["resolution_at"] if row["donor"] in SIMULATED_BANKS else None
    return _change(network, row, "WAITING_RESOLUTION", due_at=due)


def confirm(network: Network, row: Row, reason: str) -> Row:
    """Confirms a claim for the donor and removes the entry (confirmClaim).

    Said twice while CONFIRMED, it counts once. USER_REQUESTED brings the end of an ownership's completion period forward to
    now. A portability is then completed by a claimer's bank played here.
    """
    now, is_ownership = network.clock.business(), row["type"] == OWNERSHIP
    if row["status"] == "CONFIRMED" and row["confirm_reason"] == reason:
        return row
    if row["status"] != "WAITING_RESOLUTION":
        raise DirectoryError("ClaimOperationInvalid")
    if reason not in CONFIRM_REASONS[row["type"]]:
        raise DirectoryError("InvalidReason")
    if reason == DEFAULT and now < row["resolution_at"]:
        raise DirectoryError("ClaimResolutionPeriodNotEnded")
    entries.remove(network, row["key"], is_still_owned=not is_ownership)
    is_played = row["claimer"] in SIMULATED_BANKS
    until = None if not is_ownership else now if reason == "USER_REQUESTED" else row["completion_at"]
    due = opened_at(row) + POSSESSION if is_played and is_ownership else None
    changed = _change(network, row, "CONFIRMED", confirm_reason=reason, completion_at=until, due_at=due)
    if is_played and not is_ownership and not _is_silent(network, row["key"]):
        return complete(network, changed, None)
    return changed


def cancel(network: Network, row: Row, by: str, reason: str) -> Row:
    """Cancels a claim (cancelClaim). by: CLAIMER or DONOR. The entry of a CONFIRMED one does not come back."""
    now, is_portability = network.clock.business(), row["type"] == PORTABILITY
    if row["status"] == "CANCELLED" and (row["cancelled_by"], row["cancel_reason"]) == (by, reason):
        return row
    if row["status"] not in OPEN:
        raise DirectoryError("ClaimOperationInvalid")
    if reason not in CANCEL_REASONS[row["type"], by]:
        raise DirectoryError("InvalidReason")
    if is_portability and row["status"] == "CONFIRMED" and (by == "DONOR" or reason not in CONFIRMED_PORTABILITY):
        raise DirectoryError("ClaimOperationInvalid")
    if is_portability and row["status"] == "WAITING_RESOLUTION" and reason == "RECONCILIATION":
        raise DirectoryError("ClaimOperationInvalid")
    if reason == DEFAULT and is_portability and now < row["resolution_at"]:
        raise DirectoryError("ClaimResolutionPeriodNotEnded")
    if reason == DEFAULT and not is_portability and now < opened_at(row) + POSSESSION:
        raise DirectoryError("ClaimCompletionPeriodNotEnded")  # the code is inferred: none is named for it
    if row["status"] == "CONFIRMED":
        entries.forget_owner(network, row["key"])
    return _change(network, row, "CANCELLED", cancel_reason=reason, cancelled_by=by, due_at=None)


def complete(network: Network, row: Row, request_id: str | None) -> Row:
    """Completes a claim: the key becomes the claimer's (completeClaim).

    request_id: None of a bank played here; said twice, it counts once. An ownership waits until its completion period has
    ended.
    """
    if row["status"] == "COMPLETED" and request_id is not None and row["request_id"] == request_id:
        return row
    if row["status"] != "CONFIRMED":
        raise DirectoryError("ClaimOperationInvalid")
    if row["type"] == OWNERSHIP and network.clock.business() < row["completion_at"]:
        raise DirectoryError("ClaimCompletionPeriodNotEnded")
    owner = Owner(row["owner_name"], row["owner_type"], row["owner_number"])
    place = Account(row["claimer"], row["branch"], row["account"], row["account_type"], row["opened_at"])
    entries.add(network, Entry(row["key"], row["key_type"], owner, place))
    return _change(network, row, "COMPLETED", due_at=None, request_id=request_id)


def end_due(network: Network, row: Row) -> None:
    """Takes a played bank's step that is due."""
    if row["status"] == "CONFIRMED":
        cancel(network, row, "CLAIMER", DEFAULT)
    elif row["type"] == OWNERSHIP:
        confirm(network, row, DEFAULT)
    else:
        cancel(network, row, "DONOR", DEFAULT)


def shown(row: Row) -> dict[str, Any]:
    """Returns a claim as the directory answers about it."""
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


def dates(network: Network, row: Row) -> dict[str, Any]:
    """Returns a completed claim's creation and ownership dates (CompleteClaimResponse)."""
    entry = entries.find(network, row["key"])
    if entry is None:
        return {}
    since = entries.owned_since(network, entry)
    return {"EntryCreationDate": printed(entry["created_at"]), "KeyOwnershipDate": printed(since)}


def told(network: Network, row: Row) -> None:
    """Sends a claim's event to participants that are not simulated banks.

    A claimer's own claim that is open makes no event: the answer to its request said so.
    """
    asked = row["status"] == "OPEN" and row["claimer"] not in SIMULATED_BANKS
    if asked or {row["claimer"], row["donor"]} <= SIMULATED_BANKS:
        return
    fault = faults.strike(network, "claim", {"key": row["key"]}, {"twice", "untold"})
    for _ in range(1 if fault is None else {"twice": 2, "untold": 0}[fault.behaviour]):
        movements.put(network, EVENTS, "CLAIM", {"Claim": shown(row)})


def _is_silent(network: Network, key: str) -> bool:
    """Tells whether a fault silences a played bank's immediate step."""
    return faults.strike(network, "claim", {"key": key}, {"timeout"}) is not None


def _insert(network: Network, wish: ClaimWish, donor: str) -> Row:
    claim_id, now, place = network.chance.uuid(), network.clock.business(), wish.account
    network.store.insert(
        "claim", id=claim_id, type=wish.type, key=wish.key, key_type=wish.key_type, owner_name=wish.owner.name,
        owner_type=wish.owner.document_type, owner_number=wish.owner.document, claimer=place.ispb, branch=place.branch,
        account=place.account, account_type=place.account_type, opened_at=place.opened_at, donor=donor, status="OPEN",
        resolution_at=now + RESOLUTION, completion_at=now + COMPLETION if wish.type == OWNERSHIP else None, changed_at=now,
    )  # fmt: skip
    return network.store.get("claim", id=claim_id)


def _change(network: Network, row: Row, status: str, **sets: Any) -> Row:
    network.store.change("claim", row, status=status, changed_at=network.clock.business(), **sets)
    changed = network.store.get("claim", id=row["id"])
    told(network, changed)
    network.bells.ring("timer")
    return changed


def opened_at(row: Row) -> int:
    """Returns the instant at which a claim was opened."""
    at: int = row["resolution_at"] - RESOLUTION
    return at
