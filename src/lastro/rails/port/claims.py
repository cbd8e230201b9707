"""Claims of Pix keys at the directory, as rooms see them.

They are in the words of the interface; the adapter has the DICT's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias
from uuid import UUID  # noqa: TC003

import msgspec

from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode

if TYPE_CHECKING:
    from lastro.core.ids import Chance
    from lastro.rails.port.directory import KeyAccount, KeyOwner

CLAIMS = "claims"  # the rail: nothing moves there, it has no clearing
CLAIM_NEWS = "claim.news"  # inbox: ClaimNews
CLAIM_ACKNOWLEDGE: Final = "claim.acknowledge"  # outbox: ClaimTask
CLAIM_CONFIRM: Final = "claim.confirm"
CLAIM_CANCEL: Final = "claim.cancel"
CLAIM_COMPLETE: Final = "claim.complete"
CLAIM_SECONDS = 5.0  # a client waits for it meanwhile

ClaimAct: TypeAlias = Literal["claim.acknowledge", "claim.confirm", "claim.cancel", "claim.complete"]
ClaimRole: TypeAlias = Literal["CLAIMER", "DONOR"]
ClaimType: TypeAlias = Literal["PORTABILITY", "CLAIM_OWNERSHIP"]
ClaimStatus: TypeAlias = Literal["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "CANCELLED", "COMPLETED"]


class ClaimNews(msgspec.Struct, frozen=True, kw_only=True):
    """A claim as it stands at the directory. at: since when.

    role: ours; the claimer's bank wants the key, the donor's has it. account: number of the claimer's account where it is
    ours. other_bank: ISPB of the other side. reason: why it was confirmed or canceled, raw. resolution_at: until when the
    donor may answer; completion_at: from when on the claimer may complete an ownership.
    """

    claim_id: UUID
    claim_type: ClaimType
    key_type: str
    key: str
    status: ClaimStatus
    role: ClaimRole
    other_bank: str
    at: datetime
    resolution_at: datetime
    completion_at: datetime | None = None
    account: str | None = None
    reason: str | None = None


class ClaimTask(msgspec.Struct, frozen=True, kw_only=True):
    """An act on a claim at the directory. Idempotent there.

    request_id: ours, of this act. reason: of a confirmation or cancellation. role: in which we say it.
    """

    claim_id: UUID
    request_id: UUID
    role: ClaimRole
    reason: str | None = None


class ClaimRefused(msgspec.Struct, frozen=True):
    """An act that the directory refused, with its code: for people to look at."""

    task: ClaimTask
    code: str


@dataclass(frozen=True, slots=True)
class ClaimWish:
    """A claim that is asked for. request_id: ours, made of what is wanted: asking twice opens one, whether the directory
    takes such an id or has to be asked which claim is open.
    """

    request_id: UUID
    claim_type: ClaimType
    key_type: str
    key: str
    owner: KeyOwner
    account: KeyAccount


class Claims(Protocol):
    """Asks the directory while a client waits."""

    async def open_claim(self, wish: ClaimWish) -> ClaimNews:
        """Opens a claim; the same request again returns the same one.

        Transient: the directory was silent for CLAIM_SECONDS. Permanent: it opens none, for the reason of its code.
        """

    async def tell_claim(self, act: ClaimAct, task: ClaimTask) -> ClaimNews:
        """Tells the act, and returns the claim after it. Idempotent.

        Permanent: the act does not follow. Transient: silence.
        """


claim_news = decoder(ClaimNews)
claim_task = decoder(ClaimTask)


def claim_message(act: ClaimAct, task: ClaimTask, chance: Chance, at: datetime) -> Message:
    """Returns the message of an act on a claim: one per kind."""
    return Message(chance.uuid(at), CLAIMS, act, f"{act}:{task.claim_id}", task.claim_id, encode(task), at)
