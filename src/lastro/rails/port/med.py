"""Disputes at the directory (MED 2.0), as rooms see them.

They are in the words of the interface; the adapter has the DICT's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias
from uuid import UUID  # noqa: TC003

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode

if TYPE_CHECKING:
    from lastro.core.ids import Chance

MED = "med"  # the rail: nothing moves there, it has no clearing
MED_NEWS = "med.news"  # inbox: MedNews
MED_ACKNOWLEDGE: Final = "med.acknowledge"  # outbox: MedTask
MED_VERDICT: Final = "med.verdict"
MED_ORDER: Final = "med.order"
MED_ANSWER: Final = "med.answer"
OPEN_SECONDS = 5.0  # a client waits for its case meanwhile

ObjectType: TypeAlias = Literal["RECOVERY_VALUE", "INFRINGEMENT_NOTIFICATION", "REFUND_REQUEST"]
MedAct: TypeAlias = Literal["med.acknowledge", "med.verdict", "med.order", "med.answer"]
Role: TypeAlias = Literal["PAYER", "RECEIVER"]


class MedHop(msgspec.Struct, frozen=True):
    """One transaction of the path that contested money took. hop: 1 is the contested one itself. banks: ISPBs."""

    end_to_end_id: str
    hop: int
    amount: Money
    payer_bank: str
    receiver_bank: str


class MedAccount(msgspec.Struct, frozen=True):
    """The account of a victim, to which later layers pay returns.

    account_type: the interface's word; the directory's own, where that is none we know.
    """

    document: str
    ispb: str
    branch: str | None
    account: str
    account_type: str


class MedNews(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the directory as it stands there. at: since when.

    directory_id: the directory's own id of it, where that of reference_id is another: of the receiver's side of an object
    which has our institution on both. received_id: on the payer's side of such an object, that of the other.
    end_to_end_id: the contested transaction; root_id: that with which its case began, None: not told. role: ours, whose
    customer paid or was paid. situation, reason, result, rejection: in the interface's words. amount: contested, or to be
    returned. returned: of a refund that has ended, what was. path: of a recovery that is traced. Of a refund that is asked
    for: requester: ISPB of who asks; details: why, in his words; account: of a recovery's, where a later layer pays to;
    monitor: whether the account is to be watched where too little goes back.
    """

    object_type: ObjectType
    reference_id: UUID
    status: str
    role: Role
    end_to_end_id: str
    root_id: str | None
    at: datetime
    recovery_id: UUID | None = None
    situation: str | None = None
    reason: str | None = None
    amount: Money | None = None
    result: str | None = None
    rejection: str | None = None
    returned: Money | None = None
    path: tuple[MedHop, ...] = ()
    directory_id: UUID | None = None
    received_id: UUID | None = None
    monitor: bool = True
    requester: str | None = None
    details: str | None = None
    account: MedAccount | None = None


class MedTask(msgspec.Struct, frozen=True, kw_only=True):
    """An act on one of the directory's objects. Idempotent there.

    directory_id: by which the directory knows it, where that is not reference_id. Of MED_VERDICT result is AGREED or
    DISAGREED; with AGREED comes the kind of fraud, and details where it is OTHER. Of MED_ANSWER it is how a refund ended,
    with rejection and details, or with the return that it was made by and how much that gave back. recovery_id: of a
    refund that belongs to one.
    """

    reference_id: UUID
    result: str | None = None
    rejection: str | None = None
    return_id: str | None = None
    returned: Money | None = None
    fraud: str | None = None
    details: str | None = None
    directory_id: UUID | None = None
    recovery_id: UUID | msgspec.UnsetType | None = msgspec.UNSET  # older rows have none


class MedRefused(msgspec.Struct, frozen=True):
    """An act that the directory refused, with its code: for people to look at."""

    task: MedTask
    code: str


@dataclass(frozen=True, slots=True)
class MedContact:
    """The contact of a recovery for other institutions. It is the participant that opens it, by e-mail and telephone."""

    email: str
    phone: str


@dataclass(frozen=True, slots=True)
class MedContest:
    """A recovery that is asked for. request_id: ours, the same for the same wish, so that asking twice opens one.

    within: of a Pix that has settled in our own books alone, which no network knows: how much it was.
    """

    request_id: UUID
    end_to_end_id: str
    situation: str
    details: str | None
    contact: MedContact
    within: Money | None = None


class Disputes(Protocol):
    """Asks the directory while a client waits."""

    async def contest(self, wish: MedContest) -> MedNews:
        """Opens a recovery; the same request again returns the same one.

        Transient: the directory was silent for OPEN_SECONDS. Permanent: it opens none for this transaction.
        """

    async def cancel(self, recovery_id: UUID) -> MedNews:
        """Cancels the recovery. Permanent: it can be no longer. Transient: the directory was silent."""


med_news = decoder(MedNews)
med_task = decoder(MedTask)


def med_message(kind: MedAct, task: MedTask, chance: Chance, at: datetime) -> Message:
    """Returns the message of an act on one object: one per kind."""
    name = f"{kind}:{task.reference_id}"
    return Message(chance.uuid(at), MED, kind, name, task.reference_id, encode(task), at)
