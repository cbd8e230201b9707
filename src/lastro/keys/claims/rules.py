"""The rules of claims and of their messages to the directory. Pure.

They also translate the directory's refusals. Sources: states.md 10; domain.md §6.3; DICT API 2.12.1 (refusals of
createClaim, reasons of confirmClaim and cancelClaim).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.api_kit.routes import stamp
from lastro.keys.claims import problems as refusals
from lastro.keys.claims.model import DEFAULT_AFTER, DEFAULT_OPERATION, FRAUD, RECONCILIATION
from lastro.keys.claims.states import DONOR, OPEN, OWNERSHIP, PORTABILITY
from lastro.keys.model import ACCOUNT_CLOSURE, CHANNELS, USER_REQUESTED, Room
from lastro.keys.rules import account_problem, form_problems, refusal
from lastro.rails.port import CLAIM_CANCEL, CLAIM_COMPLETE, CLAIM_CONFIRM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core.errors import Problem, Refused
    from lastro.keys.claims.model import ClaimRoom, KeyClaim
    from lastro.keys.model import Validation
    from lastro.rails.port import ClaimAct, Permanent

CLAIMED = refusals.KEY_CONFLICT.refused(why="a claim of the key is open")
_REFUSALS: Mapping[str, Refused] = {
    "ClaimTypeInconsistent": refusals.CLAIM_TYPE_MISMATCH.refused(),
    "ClaimKeyNotFound": refusals.KEY_NOT_FOUND.refused(),
    "ClaimAlreadyExistsForKey": CLAIMED,
    "ClaimResultingEntryAlreadyExists": refusals.KEY_DUPLICATE.refused(),
}


def wish_problems(
    claim_type: str | None, kind: str | None, key: str | None, channel: str | None, reached: frozenset[str]
) -> list[Problem]:
    """Returns the problems of a claim that the request alone shows. None: not given, or wrong already."""
    problems = form_problems(kind, key, channel, reached)
    if kind == "RANDOM":
        problems = [refusals.KEY_TYPE_NOT_ALLOWED.problem()]
    elif claim_type == OWNERSHIP and kind is not None and kind != "PHONE":
        problems.append(refusals.CLAIM_TYPE_NOT_ALLOWED.problem())
    return problems


def claim_problem(account: Account, kind: str, key: str, claim_type: str, room: ClaimRoom) -> Refused | None:
    """Returns the reason that this account cannot claim this key. None: it can, or has done so (room.open)."""
    known = room.open
    if known is not None and (known.account_id, known.role, known.type) != (account.id, "CLAIMER", claim_type):
        return CLAIMED
    active = room.active - (known is not None)
    return account_problem(account, kind, key, Room(active, room.before, room.is_ours, room.is_at_bank))


def refused_by(said: Permanent) -> Refused:
    """Returns the client's error for the directory's refusal of a claim."""
    return _REFUSALS.get(said.code) or refusal(said.code)


def act_id(claim_id: UUID, act: str) -> UUID:
    """Returns the request id of this act on this claim. It is the same every time."""
    return UUID(bytes=hashlib.sha256(f"{claim_id}:{act}".encode()).digest()[:16], version=4)


def answer(claim: KeyClaim, decision: str) -> tuple[ClaimAct, str | None]:
    """Returns the directory act and reason of the holder's decision (domain.md §6.3)."""
    if claim.role == DONOR and decision == "CONFIRM":
        return CLAIM_CONFIRM, USER_REQUESTED
    if claim.role == DONOR:
        # A donor keeps a key from another owner only by saying that the claim is a fraud.
        return CLAIM_CANCEL, FRAUD if claim.type == OWNERSHIP else USER_REQUESTED
    return (CLAIM_COMPLETE, None) if decision == "CONFIRM" else (CLAIM_CANCEL, USER_REQUESTED)


def has_followed(claim: KeyClaim, act: ClaimAct) -> bool:
    """Tells whether a claim already stands where the act leads. The directory's message may be quicker than its answer."""
    reached = {CLAIM_CONFIRM: ("CONFIRMED", "COMPLETED"), CLAIM_CANCEL: ("CANCELLED",), CLAIM_COMPLETE: ("COMPLETED",)}
    return claim.state in reached.get(act, ())


def has_followed_code(claim: KeyClaim, act: ClaimAct, proof: Validation) -> bool:
    """Tells whether this code brought a claim there. It was right, and sent before the claim stood so."""
    return proof.is_proved and proof.sent_at <= claim.updated_at and has_followed(claim, act)


def default_of(claim: KeyClaim) -> tuple[ClaimAct, str]:
    """Returns the default when nobody has decided in time (DICT API 2.12.1).

    A donor's silence gives up an ownership and keeps a portability; a claimer who has not proved possession again by day 30
    has given up.
    """
    if claim.role == DONOR and claim.type == OWNERSHIP:
        return CLAIM_CONFIRM, DEFAULT_OPERATION
    return CLAIM_CANCEL, DEFAULT_OPERATION


def at_closing(claim: KeyClaim) -> tuple[ClaimAct, str] | None:
    """Returns the act on an open claim of a closed account; None: no act, the claim goes on to its end.

    A portability that is CONFIRMED is nobody's to cancel for this: it is completed, and its key goes as all keys do.
    """
    if claim.is_told or not claim.is_open:
        return None
    is_portability = claim.type == PORTABILITY
    if claim.is_ours:
        return None if is_portability and claim.state == "CONFIRMED" else (CLAIM_CANCEL, ACCOUNT_CLOSURE)
    if is_portability and claim.state == "WAITING_RESOLUTION":
        return CLAIM_CONFIRM, ACCOUNT_CLOSURE
    return None


def for_want_of_room(claim: KeyClaim) -> tuple[ClaimAct, str]:
    """Returns the act on our claim without room for its key. The account has no room by now (cancelClaim, "Exceções")."""
    is_confirmed_portability = claim.type == PORTABILITY and claim.state == "CONFIRMED"
    return CLAIM_CANCEL, RECONCILIATION if is_confirmed_portability else USER_REQUESTED


def due_of(claim: KeyClaim) -> datetime | None:
    """Returns when our default of a claim is due. None: it is not for us to tell, or it was told."""
    if claim.is_told:
        return None
    if claim.role == DONOR:
        return claim.resolution_at + DEFAULT_AFTER if claim.state == "WAITING_RESOLUTION" else None
    until = claim.completable_until
    return until + DEFAULT_AFTER if claim.state == "CONFIRMED" and until is not None else None


def cancel_problem(claim: KeyClaim) -> Problem | None:
    """Returns the reason that its claimer cannot cancel a claim; None: he can."""
    if not claim.is_ours:
        return refusals.CLAIM_ID_NOT_ALLOWED.problem()
    if claim.state not in OPEN:
        return refusals.NOT_CANCELLED.problem(why=f"is {claim.state}")
    if claim.type == PORTABILITY and claim.state == "CONFIRMED":
        return refusals.NOT_CANCELLED.problem(why="is CONFIRMED: a portability is completed then, and cannot be given up")
    return None


def awaits_us(claim: KeyClaim, now: datetime) -> bool:
    """Tells whether the holder of the account may decide now: as donor, or as claimer whose second proof is due."""
    return answer_problem(claim, now) is None


def may_say_fraud(claim: KeyClaim) -> bool:
    """Tells whether its donor may call a lost ownership a fraud. See cancelClaim, "Exceção"."""
    return (claim.role, claim.type, claim.state) == (DONOR, OWNERSHIP, "CONFIRMED") and not claim.is_ordered


def answer_problem(claim: KeyClaim, now: datetime, decision: str | None = None) -> Problem | None:
    """Returns the reason that nobody here can decide so now. None: somebody can, also if our default was refused.

    decision: None where it is not known yet, as when a code is asked for.
    """
    if may_say_fraud(claim):
        return None if decision != "CONFIRM" else refusals.NOTHING_TO_CONFIRM.problem()
    from_ = claim.completable_at if claim.is_ours and claim.state == "CONFIRMED" else None
    if from_ is not None and now < from_:
        return refusals.NOTHING_TO_DECIDE.problem(why=f"is CONFIRMED: it can be completed from {stamp(from_)} on")
    is_asked = claim.state == "WAITING_RESOLUTION" if claim.role == DONOR else from_ is not None
    is_over = claim.is_ordered or (claim.due_at is not None and now >= claim.due_at - DEFAULT_AFTER)
    if is_asked and not is_over:
        return None
    over = ", and its time is over" if is_over and claim.is_open else ""
    return refusals.NOTHING_TO_DECIDE.problem(why=f"is {claim.state}{over}: there is nothing to decide here")


def destination(claim: KeyClaim, account: Account) -> tuple[str, str]:
    """Returns where the holder's code goes: to the key itself, or to his e-mail address if it is none.

    A key that has left reaches its new owner: then, too, the code goes to the holder's own address.
    """
    is_key = claim.key_type in CHANNELS and not may_say_fraud(claim)
    return (claim.key_type, claim.key) if is_key else ("EMAIL", account.holder.email)
