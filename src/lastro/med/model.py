"""The records of disputes, and the time that each step may take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.med.states import ENDED, NOTICE, RECEIVER, REQUEST
from lastro.rails.port import MED_ACKNOWLEDGE, MED_ANSWER, MED_ORDER, MED_VERDICT, Need

if TYPE_CHECKING:
    import asyncio
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.secrets import KeyRing
    from lastro.orders import Disputed
    from lastro.rails.port import MedContact, MedHop

SITUATIONS = (
    "SCAM", "UNAUTHORIZED_TRANSACTION", "CRIME_OF_COERCION", "FRAUDULENT_ACCESS_AND_AUTHORIZATION", "OTHERS",
)  # fmt: skip
UNKNOWN = "UNKNOWN"  # a client's word for OTHERS, where nobody says what happened
UNTOLD = "Sem relato do cliente"  # the details that the directory then gets, since OTHERS needs some
REASONS = ("REFUND_REQUEST", "FRAUD", "OPERATIONAL_FLAW", "PIX_AUTOMATICO")
ACCOUNT_TYPES = ("CHECKING_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT")
AUTOMATIC = "PIX_AUTOMATICO"
VERDICTS = ("AGREED", "DISAGREED")
FRAUDS = ("APPLICATION_FRAUD", "MULE_ACCOUNT", "SCAMMER_ACCOUNT", "OTHER")  # UNKNOWN describes old data alone
# INVALID_REQUEST is of OPERATIONAL_FLAW alone, PARTICIPANT_EXCLUSION the directory's own (DICT 2.12.1).
REJECTIONS = ("NO_BALANCE", "ACCOUNT_CLOSURE", "OTHER")
RESULTS = (*VERDICTS, "TOTALLY_ACCEPTED", "PARTIALLY_ACCEPTED", "REJECTED")
LONGEST_DETAILS = 2000
MOST_DOCUMENTS = 10  # of a notice
_SUFFIXES = {"application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg"}
NOTHING = Money(0, "BRL")
# The directory itself canceled the object of a verdict or a no; a return of money is told in any case.
NEEDS = {
    MED_ACKNOWLEDGE: Need.until(
        "med_objects",
        "(x.status = 'CANCELLED' OR x.status = 'ANALYSED' AND NOT EXISTS (SELECT 1 FROM outbox v"  # noqa: S608 ours
        f" WHERE v.company_id = x.company_id AND v.reference_id = x.id AND v.kind = '{MED_VERDICT}'"
        " AND v.due_at IS NOT NULL))",
        asks=False,
    ),
    MED_VERDICT: Need.until("med_objects", "x.called_off_at IS NOT NULL", asks=False),
    MED_ORDER: Need.until("med_objects", "x.status <> 'ANALYSED'", asks=False),
    MED_ANSWER: Need.until("med_objects", "x.called_off_at IS NOT NULL AND x.result = 'REJECTED'", asks=False),
}


@dataclass(frozen=True, slots=True)
class DisputeTerms:
    """The terms of a dispute. Deadlines are known from institutions and the press, not from a rule (domain.md §6.6).

    contest: for how long after its settlement a Pix can be contested. analysis: of a notice. verdict: the answer to a notice
    on which nobody has decided by then; fraud, details: the kind of fraud that goes with AGREED then, and its words. Without
    a kind nothing is agreed to by itself: no text says what a silent institution has found. contact: the one for other
    institutions about a recovery that we open; None: we open none. refund: how long what an agreed notice blocks waits for
    its request. answer: of a request. settle: how long a request waits before it is answered by itself. whole: of a
    recovery. top_up: how often the account is looked at for what a notice lacks; nothing: a block takes no later credits.
    monitor: for how long after a Pix its account is watched where too little of it went back; nothing: it is not. defense:
    for how long after a notice the holder of its account may give its defence. reminder: so long before that time is over a
    holder who has given none is reminded; nothing: nobody is.
    """

    contest: timedelta = timedelta(days=80)
    analysis: timedelta = timedelta(days=7)
    verdict: str = "AGREED"
    fraud: str | None = None
    details: str | None = None
    contact: MedContact | None = None
    refund: timedelta = timedelta(hours=72)
    answer: timedelta = timedelta(hours=24)
    settle: timedelta = timedelta(0)
    whole: timedelta = timedelta(days=11)
    top_up: timedelta = timedelta(0)
    monitor: timedelta = timedelta(days=90)
    defense: timedelta = timedelta(days=3)
    reminder: timedelta = timedelta(days=1)

    @property
    def by_default(self) -> str | None:
        """The verdict on an undecided notice; None: nothing, until somebody decides."""
        return None if self.verdict == "AGREED" and self.fraud is None else self.verdict


TERMS = DisputeTerms()


@dataclass(frozen=True, slots=True)
class Stand:
    """The institution that runs this lastro, and its dispute terms."""

    institution: Institution
    terms: DisputeTerms = TERMS


@dataclass(frozen=True, slots=True)
class MedObject:
    """An object of the directory, as it was read. state is the status of the interface; its id is the directory's own.

    end_to_end_id: the contested transaction; of a recovery that with which its case began. amount: contested, or to be
    returned. blocked: of the account's money. returned: the money that came back, or was given back, for it. refund_id: the
    return that answers it. due_at: of the next step by time. occurred_at: since when it has its status at the directory.
    directory_id: the directory's id of it, if that is not ours. called_off_at: when we were told that the directory canceled
    it, of an object that had ended here. monitor: a request that gives back too little has its account watched, from
    watched_since until watched_until. lacking: still to be blocked of later credits. later: given back of them, beside
    returned. later_refund_id: their pending return. defense: the account holder's answer to a notice, given until
    defense_due_at. reminded_at: when the holder was told that this time is nearly over. documents: their number.

    Of a refund request: root_id: the transaction with which its case began; requester: the ISPB of the asking institution,
    and details: its reason in words; receiver_id: the victim, with the account to be paid.
    """

    id: UUID
    state: str
    version: int
    object_type: str
    role: str
    account_id: UUID
    end_to_end_id: str
    recovery_id: UUID | None
    situation: str | None
    reason: str | None
    amount: Money
    blocked: Money
    returned: Money
    result: str | None
    rejection: str | None
    path: tuple[MedHop, ...]
    refund_id: UUID | None
    deadline: datetime
    due_at: datetime | None
    created_at: datetime
    updated_at: datetime
    occurred_at: datetime
    directory_id: UUID | None = None
    called_off_at: datetime | None = None
    monitor: bool = True
    watched_since: datetime | None = None
    watched_until: datetime | None = None
    lacking: Money = NOTHING
    later: Money = NOTHING
    later_refund_id: UUID | None = None
    defense_due_at: datetime | None = None
    defense: str | None = None
    defended_at: datetime | None = None
    root_id: str | None = None
    requester: str | None = None
    details: str | None = None
    receiver_id: UUID | None = None
    reminded_at: datetime | None = None
    documents: int = 0

    @property
    def awaits_decision(self) -> bool:
        """True where people decide about it. It is a refund request of Pix Automático that nobody has answered."""
        is_open = self.object_type == REQUEST and self.role == RECEIVER and self.state == "OPEN" and self.refund_id is None
        return is_open and self.reason == AUTOMATIC

    @property
    def has_defense(self) -> bool:
        """True once the account's holder has given a defense."""
        return self.defended_at is not None or self.documents > 0

    @property
    def awaits_us(self) -> bool:
        """True where our side has to tell the outcome."""
        is_notice = self.object_type == NOTICE and self.role == RECEIVER and not self.has_ended
        return is_notice or self.awaits_decision

    @property
    def has_ended(self) -> bool:
        """True where no further status follows."""
        return self.state in ENDED[self.object_type]


@dataclass(frozen=True, slots=True)
class Changed:
    """A status that an object took. previous: None of its first."""

    status: str
    previous: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Document:
    """A file of a defense, as kept. number: its place among its notice's. digest: SHA-256 of the file as sent."""

    id: UUID
    number: int
    content_type: str
    size: int
    digest: bytes
    created_at: datetime

    @property
    def file_name(self) -> str:
        """The file name of the document."""
        return f"defense-{self.number}.{_SUFFIXES[self.content_type]}"


@dataclass(frozen=True, slots=True)
class Files:
    """The means of keeping files. key_ring: seals them. turns: limits the files that are decoded at a time in a process."""

    key_ring: KeyRing
    turns: asyncio.Semaphore


@dataclass(frozen=True, slots=True)
class Case:
    """An object, its history, its recovery's other objects, its defense documents."""

    subject: MedObject
    history: tuple[Changed, ...]
    related: tuple[MedObject, ...]
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class Contested:
    """Our side of a dispute: the account, and the money.

    disputed: of a Pix that one of our accounts received; None: one of ours has sent it. available: what the account has.
    blocked: what other objects keep of this Pix.
    """

    account_id: UUID
    amount: Money
    disputed: Disputed | None = None
    available: Money | None = None
    blocked: Money | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """Money that an account has sent and may contest.

    It is a payout, or a return of money received. at: when it settled; None: it has not. closed_flaw: a return that closed a
    refund of OPERATIONAL_FLAW, which is final.
    """

    account_id: UUID
    state: str
    rail: str
    amount: Money
    returned: Money
    at: datetime | None
    closed_flaw: bool = False


@dataclass(frozen=True, slots=True)
class Reimbursement:
    """The payment that accepts a refund request of Pix Automático.

    It has the amount, and an account of the payer's institution itself. document: its CNPJ. account_type: as in the
    interface.
    """

    amount: Money
    document: str
    branch: str
    account: str
    account_type: str


@dataclass(frozen=True, slots=True)
class ContestWish:
    """A contest as a client asks for it. key: the idempotency key that it is asked under."""

    account_id: UUID
    end_to_end_id: str
    situation: str
    details: str | None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class DisputeFilter:
    """The filters of a list of objects; None: all."""

    account_id: UUID | None = None
    only_pending: bool = False
    role: str | None = None
