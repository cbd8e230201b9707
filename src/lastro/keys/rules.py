"""The rules of an account's keys and codes, and of refusals. Pure.

Sources: states.md 9; contract.md §5 and §10; DICT API 2.12.1 (refusals of createEntry, the directory's).
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.core.errors import Kind, Problem, Refused
from lastro.core.write import Quota
from lastro.keys import problems as refusals
from lastro.keys.model import CHANNELS
from lastro.standards import pix_keys
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core.errors import OverQuota
    from lastro.keys.model import Room, Validation

MOST_KEYS: Mapping[str, int] = {"INDIVIDUAL": 5, "ORGANIZATION": 20}
VALID_FOR = timedelta(minutes=10)  # a code
ENDED_AFTER = timedelta(seconds=60)  # its time: one that came back in its last moment is still at work, and ends by itself
BETWEEN_SENDS = timedelta(seconds=60)
MOST_SENDS = 5
MOST_TRIES = 5
# Codes of a day in Brasilia, within one company. An account: no honest holder proves so many addresses in a day, and whoever
# steals a client's secret sends no more. A destination: as many as one validation sends, so that asking anew floods nobody.
MOST_CODES_OF_ACCOUNT = 20
MOST_CODES_TO_ONE = 5
_CODES, _CODES_TO = "codes", "codes to"  # kinds of quotas

_ENCODED = "=?"  # begins an encoded word (RFC 2047), which mail programs undo in a letter's head: it would go elsewhere
# The directory's errors for a key that it does not register (DICT API 2.12.1).
_REFUSALS: Mapping[str, Problem] = {
    "EntryAlreadyExists": refusals.KEY_DUPLICATE.problem(),
    "EntryKeyInCustodyOfDifferentParticipant": refusals.KEY_HELD_ELSEWHERE.problem(
        why="the holder has the key at another bank: open a claim of PORTABILITY"
    ),
    "EntryKeyOwnedByDifferentPerson": refusals.KEY_HELD_ELSEWHERE.problem(
        why="somebody else has the key: of a PHONE open a claim of CLAIM_OWNERSHIP"
    ),
    "EntryLockedByClaim": refusals.KEY_CONFLICT.problem(why="a claim of the key is open in the directory"),
    "EntryLimitExceeded": refusals.NO_ROOM.problem(why="the account has as many keys as the directory allows"),
    "EntryTaxIdNumberByDifferentOwner": refusals.KEY_MISMATCH.problem(),
    "TaxIdNumberBlocked": refusals.ACCOUNT_ID_NOT_ALLOWED.problem(why="a court has blocked the holder's CPF or CNPJ"),
    "UserOrAccountWithFraudRelatedRestriction": refusals.ACCOUNT_ID_NOT_ALLOWED.problem(
        why="the holder or the account is restricted for suspicion of fraud"
    ),
}
HELD_ELSEWHERE = frozenset({"EntryKeyInCustodyOfDifferentParticipant", "EntryKeyOwnedByDifferentPerson"})
# Errors of the request itself, and not of the state of something (contract.md §1).
_AT_FAULT = HELD_ELSEWHERE | {
    "EntryLimitExceeded", "EntryTaxIdNumberByDifferentOwner", "TaxIdNumberBlocked",
    "UserOrAccountWithFraudRelatedRestriction",
}  # fmt: skip


def form_problems(kind: str | None, key: str | None, channel: str | None, reached: frozenset[str]) -> list[Problem]:
    """Returns the problems of a key that the request alone shows. None: not given, or wrong already.

    reached: the types of keys to whose holders a code can be sent from here.
    """
    problems = []
    if kind in CHANNELS and kind not in reached:
        problems.append(refusals.KEY_TYPE_NOT_SUPPORTED.problem())
    if kind == "RANDOM" and key is not None:
        problems.append(refusals.KEY_NOT_ALLOWED.problem())
    elif kind is not None and kind != "RANDOM" and key is None:
        problems.append(refusals.KEY_REQUIRED.problem())
    elif kind is not None and key is not None and pix_keys.key_type(key) != kind:
        problems.append(refusals.KEY_INVALID.problem(why=f"is no {kind} key in its canonical form"))
    elif kind == "EMAIL" and key is not None and _ENCODED in key:
        problems.append(refusals.KEY_INVALID.problem(why="no letter can be written to an address with =? in it"))
    if kind is not None and channel is not None and channel.upper() not in CHANNELS.get(kind, ()):
        problems.append(refusals.CHANNEL_NOT_ALLOWED.problem())
    return problems


def account_problem(account: Account, kind: str, key: str | None, room: Room) -> Refused | None:
    """Returns the reason that this account cannot have this key; None: it can."""
    if not account.is_active:
        return refusals.ACCOUNT_ID_NOT_ALLOWED.refused(why="the account is not active")
    if kind in ("CPF", "CNPJ") and key != account.holder.document_number:
        return refusals.KEY_MISMATCH.refused()
    if room.is_at_bank:
        return refusals.KEY_NOT_SUPPORTED.refused()
    if room.is_ours:
        return Refused(Kind.CONFLICT, (_REFUSALS["EntryAlreadyExists"],))
    most = MOST_KEYS[account.holder.type]
    if has_no_room(account, room.active):
        return refusals.NO_ROOM.refused(why=f"the account has {most} keys, and no room for more")
    return None


def has_no_room(account: Account, active: int) -> bool:
    """Tells whether the account has as many keys as it may."""
    return active >= MOST_KEYS[account.holder.type]


def refusal(code: str) -> Refused:
    """Returns the client's error for the directory's refusal of a key."""
    problem = _REFUSALS.get(code, refusals.KEY_CONFLICT.problem(why=f"the directory refuses the key: {code}"))
    return Refused(Kind.INVALID if code in _AT_FAULT else Kind.CONFLICT, (problem,))


def request_id(company_id: UUID, account_id: UUID, key: str, nth: int) -> UUID:
    """Returns the request id of the account's nth request of a key.

    It follows from the key and the account, so that a retry after a time-out, by any request, has the same id.
    """
    digest = hashlib.sha256(f"{company_id}:{account_id}:{key}:{nth}".encode()).digest()
    return UUID(bytes=digest[:16], version=4)


def resend_problem(validation: Validation, now: datetime) -> Refused | None:
    """Returns the refusal to send another code now; None: one is sent."""
    if validation.state != "PENDING" or now >= validation.expires_at:
        return refusals.VALIDATION_ENDED.refused()
    if validation.number >= MOST_SENDS:
        return refusals.VALIDATION_ID_LIMIT_EXCEEDED.refused(most_sends=MOST_SENDS)
    wait = validation.sent_at + BETWEEN_SENDS - now
    if wait > timedelta(0):
        seconds = -(-wait // timedelta(seconds=1))
        problem = refusals.CODE_TOO_SOON.problem(seconds=seconds)
        return Refused(Kind.CONFLICT, (problem,), retry_after_seconds=seconds)
    return None


def code_quotas(account_id: UUID, key: str, now: datetime) -> tuple[Quota, Quota]:
    """Returns the quotas that a code uses: of the account, and of the destination for all accounts. They are daily.

    The destination is counted under a digest, as request_id is one, since an owner of a quota has an id.
    """
    day, destination = str(brasilia_day(now)), UUID(bytes=hashlib.sha256(key.encode()).digest()[:16], version=4)
    return (
        Quota(account_id, _CODES, day, 1, MOST_CODES_OF_ACCOUNT),
        Quota(destination, _CODES_TO, day, 1, MOST_CODES_TO_ONE),
    )


def too_many_codes(over: OverQuota) -> Refused:
    """Returns the client's error for a used-up limit of codes."""
    text = f"{MOST_CODES_OF_ACCOUNT} codes were sent for the account today"
    if over.kind == _CODES_TO:
        text = f"{MOST_CODES_TO_ONE} codes were sent there today"
    return refusals.TOO_MANY_CODES.refused(text=text)
