"""The records of a claim of a key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.keys.claims.due_work import TO_ASK
from lastro.keys.claims.states import CLAIMER, OPEN, OWNERSHIP
from lastro.rails.port import (
    CLAIM_ACKNOWLEDGE,
    CLAIM_CANCEL,
    CLAIM_COMPLETE,
    CLAIM_CONFIRM,
    CLAIM_NEWS,
    Need,
    Waiting,
)

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

DECISIONS = ("CONFIRM", "CANCEL")
MOST_NAMED = 20  # ids of each kind of object that are told with a key that left
DEFAULT_OPERATION = "DEFAULT_OPERATION"
FRAUD = "FRAUD"
RECONCILIATION = "RECONCILIATION"
# Counted from the opening, to the instant and not to the day (perguntas-e-respostas #197, #270, #462): until when the donor
# answers, from when on an ownership is completed where the directory names no time, and until when.
RESOLUTION, COMPLETION, POSSESSION = timedelta(days=7), timedelta(days=14), timedelta(days=30)
# The delay of our default after a deadline: a decision in the last moment is at the directory before it.
DEFAULT_AFTER = timedelta(minutes=1)
# The time for which the proof of a key that is held elsewhere opens a claim of it (states.md 9).
PROOF_HOLDS = timedelta(minutes=30)
# The polling interval of an open claim, answered or not: a lost message would leave the key as it was, and every later
# claim of the key waiting.
ASK_EVERY = timedelta(hours=6)
WAITING = (Waiting(CLAIM_NEWS, TO_ASK, "id::text", again=(ASK_EVERY,)),)
# The status is the directory's: an act is sent only while the claim has a status before it.
NEEDS = {
    act: Need.until("key_claims", f"x.status NOT IN {before}", asks=False)
    for act, before in {
        CLAIM_ACKNOWLEDGE: "('OPEN')", CLAIM_CONFIRM: "('OPEN', 'WAITING_RESOLUTION')",
        CLAIM_CANCEL: "('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED')", CLAIM_COMPLETE: "('CONFIRMED')",
    }.items()
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """A claim as it was read; its id is the directory's.

    key_id: the key here, before (DONOR) or after (CLAIMER) it. other_bank: ISPB. reason: of its confirmation or
    cancellation. resolution_at: until when the donor may answer. completion_at: from when on the claimer may complete an
    ownership. due_at: when we tell the directory our default. is_ordered: we have told, or are telling, the directory the
    next step, and it has not refused it; is_told: likewise, refused or not.
    """

    id: UUID
    state: str
    version: int
    account_id: UUID
    role: str
    type: str
    key_type: str
    key: str
    key_id: UUID | None
    other_bank: str
    reason: str | None
    resolution_at: datetime
    completion_at: datetime | None
    due_at: datetime | None
    created_at: datetime
    updated_at: datetime
    is_ordered: bool = False
    is_told: bool = False

    @property
    def is_open(self) -> bool:
        """True where it has not ended."""
        return self.state in OPEN

    @property
    def completable_at(self) -> datetime | None:
        """The time from which its claimer may complete it; None of a portability. He needs a second proof of possession."""
        return None if self.type != OWNERSHIP else self.completion_at or self._opened_at + COMPLETION

    @property
    def completable_until(self) -> datetime | None:
        """The time when an uncompleted claim is canceled; None of a portability."""
        return None if self.type != OWNERSHIP else self._opened_at + POSSESSION

    @property
    def _opened_at(self) -> datetime:
        return self.resolution_at - RESOLUTION

    @property
    def is_ours(self) -> bool:
        """True where the account here is the claimer's."""
        return self.role == CLAIMER


@dataclass(frozen=True, slots=True)
class ClaimRoom:
    """The number of an account's keys and claims.

    active: keys and open claims that may bring one. before: claims of this key that have ended. is_ours: the key leads to an
    account here. open: the company's open claim of it. is_at_bank: the key is one of a connection.
    """

    active: int
    before: int
    is_ours: bool
    open: KeyClaim | None
    is_at_bank: bool = False


@dataclass(frozen=True, slots=True)
class Affected:
    """Objects of ours with a leaving key. They are unpaid orders, static codes, subscriptions not yet authorized.

    The number of each, and the ids of the newest, at most MOST_NAMED of each.
    """

    orders: int
    static_qrcodes: int
    subscriptions: int
    order_ids: tuple[UUID, ...] = ()
    static_qrcode_ids: tuple[UUID, ...] = ()
    subscription_ids: tuple[UUID, ...] = ()
