"""The JSON of a dispute's object. MED notifications (interface.md), and the case beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.med.model import REASONS, RESULTS, SITUATIONS
from lastro.med.states import OBJECT_TYPES, ROLES, STATUSES
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.med.model import Case, Document, MedObject

_STATUSES = tuple(dict.fromkeys(s for line in STATUSES.values() for s in line))
# A payment's endToEndId, or the id of a return, which can be contested, too.
Transaction = Annotated[
    str,
    msgspec.Meta(
        min_length=32, max_length=32, pattern=r"^[DE][0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$",
        examples=["E9999901020260131110000001aBcDeF"],
    ),
]  # fmt: skip
_AMOUNT = r"^[0-9]+\.[0-9]{2}$"
Decimal = Annotated[str, msgspec.Meta(description="Reais, with two decimals.", examples=["150.00"], pattern=_AMOUNT)]


class MedFields(Answer, frozen=True, kw_only=True):
    """The fields of an object that every answer has."""

    object_type: Annotated[str, words(*OBJECT_TYPES)]
    reference_id: Annotated[
        Id, msgspec.Meta(description="The object's id at the directory, or that of its receiver's side: see `directoryId`.")
    ]
    account_id: Annotated[Id, msgspec.Meta(description="The account that was debited (PAYER) or credited (RECEIVER).")]
    status: Annotated[str, words(*_STATUSES)]
    previous_status: Annotated[
        str | None, words(*_STATUSES, description="The status before; left out of the first notification.")
    ] = None
    end_to_end_id: Annotated[
        Transaction | None, msgspec.Meta(description="The contested transaction; of a recovery value the first one.")
    ] = None
    recovery_id: Annotated[
        Id | None, msgspec.Meta(description="The recovery value that it belongs to, of a recovery value itself.")
    ] = None
    reason: Annotated[str | None, words(*REASONS, description="Of a notification or a refund request.")] = None
    type: Annotated[str | None, words(*SITUATIONS, description="What happened, as who contests it says.")] = None
    amount: Annotated[Decimal | None, msgspec.Meta(description="Contested, or asked back.")] = None
    returned_amount: Annotated[Decimal | None, msgspec.Meta(description="What has been given back.")] = None
    analysis_result: Annotated[str | None, words(*RESULTS, description="How it was decided.")] = None
    role: Annotated[str | None, words(*ROLES, description="PAYER: the account was debited; RECEIVER: it was credited.")] = (
        None
    )
    awaiting_our_analysis: Annotated[
        bool | None, msgspec.Meta(description="Whether this institution has to decide; you have to do nothing.")
    ] = None
    defense_due_at: Annotated[
        Timestamp | None, msgspec.Meta(description="Until when you may give a defense to a notification about your money.")
    ] = None


class MedNotification(MedFields, frozen=True, kw_only=True):
    """An object of a dispute is there, or has taken another status."""

    event_type: Annotated[str, words("CREATED", "STATUS_CHANGED", "DEFENSE_DUE")]
    occurred_at: Annotated[Timestamp, msgspec.Meta(description="When it was so at the directory.")]


class MedChange(Answer, frozen=True, kw_only=True):
    """A status that an object took."""

    status: Annotated[str, words(*_STATUSES)]
    previous_status: Annotated[str | None, words(*_STATUSES, description="Left out of its first.")] = None
    occurred_at: Annotated[Timestamp, msgspec.Meta(description="When it was recorded here.")]


class MedTransaction(Answer, frozen=True, kw_only=True):
    """A transaction that contested money went through."""

    end_to_end_id: Transaction
    hop: Annotated[
        int, msgspec.Meta(description="1 is the contested one, 2 what its receiver did with the money.", ge=1, le=2)
    ]
    amount: Decimal
    payer_bank: Annotated[str, msgspec.Meta(description="ISPB.", examples=["99999010"])]
    receiver_bank: Annotated[str, msgspec.Meta(description="ISPB.", examples=["99999030"])]


class MedListed(MedFields, frozen=True, kw_only=True):
    """An object in a list, or in the `related` of a case."""

    event_type: Annotated[str, words("CREATED", "STATUS_CHANGED", description="What was told of it last.")]
    occurred_at: Annotated[Timestamp, msgspec.Meta(description="Since when it has its status at the directory.")]
    deadline: Annotated[Timestamp, msgspec.Meta(description="By when it has to have ended.")]
    blocked_amount: Annotated[Decimal, msgspec.Meta(description="What of the account it keeps from being used.")]
    rejection_reason: Annotated[
        str | None, msgspec.Meta(description="Why a refund request was rejected.", examples=["NO_BALANCE"])
    ] = None
    requesting_bank: Annotated[
        str | None, msgspec.Meta(description="Of a refund request: the ISPB of who asks.", examples=["99999020"])
    ] = None
    details: Annotated[str | None, msgspec.Meta(description="Of a refund request: why, as who asks says.")] = None
    directory_id: Annotated[
        Id | None,
        msgspec.Meta(
            description="The object's id at the directory, where its payer has an account here, too: RECEIVER alone."
        ),
    ] = None
    lacking_amount: Annotated[
        Decimal | None, msgspec.Meta(description="Of a refund request: what later credits of the account are blocked for.")
    ] = None
    later_returned_amount: Annotated[
        Decimal | None, msgspec.Meta(description="What was given back of them, beside `returnedAmount`.")
    ] = None
    monitored_until: Annotated[
        Timestamp | None,
        msgspec.Meta(description="Until when its account is watched for what a request lacks, or was."),
    ] = None
    defense: Annotated[str | None, msgspec.Meta(description="What the account's holder has said to a notification.")] = None
    defended_at: Annotated[Timestamp | None, msgspec.Meta(description="When that was said.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class MedDocument(Answer, frozen=True, kw_only=True):
    """A file of a defense."""

    document_id: Id
    file_name: Annotated[str, msgspec.Meta(description="Under which it is saved.", examples=["defense-1.pdf"])]
    content_type: Annotated[str, words("application/pdf", "image/png", "image/jpeg", description="By what is in it.")]
    size: Annotated[int, msgspec.Meta(description="Of what is kept of it, in bytes.", ge=1)]
    sha256: Annotated[
        str, msgspec.Meta(description="Of the file as it was sent, in hexadecimal digits.", pattern="^[0-9a-f]{64}$")
    ]
    created_at: Timestamp


class MedCase(MedListed, frozen=True, kw_only=True):
    """An object with its history, and with the others of its recovery."""

    history: list[MedChange]
    transactions: Annotated[
        list[MedTransaction] | None,
        msgspec.Meta(description="Of a recovery that was traced: up to five transactions, two hops deep."),
    ] = None
    related: list[MedListed]
    defense_documents: Annotated[
        list[MedDocument] | None, msgspec.Meta(description="The files that the account's holder gave with a defense.")
    ] = None


class MedList(Answer, frozen=True, kw_only=True):
    """A page of objects, the newest first."""

    page: Annotated[int, msgspec.Meta(description="Which page this is; the first is 1.", ge=1)]
    limit: Annotated[int, msgspec.Meta(description="How many rows a page has at most.", ge=1)]
    total: Annotated[int, msgspec.Meta(description="How many objects there are on all pages.", ge=0)]
    has_next: bool
    data: list[MedListed]


def med_event(context: RequestContext, one: MedObject, previous: str | None, at: datetime) -> Event:
    """MED.CREATED of an object's first status, MED.STATUS_CHANGED of another. at: when it was so at the directory."""
    kind = "CREATED" if previous is None else "STATUS_CHANGED"
    body = MedNotification(**_fields(one, previous), event_type=kind, occurred_at=stamp(at))
    return event_of(context, f"MED.{kind}", one.id, None, body)


def reminded_of(context: RequestContext, one: MedObject) -> Event:
    """Returns the event MED.DEFENSE_DUE. Nothing was said to a notice, and the time for it is nearly over."""
    body = MedNotification(**_fields(one, None), event_type="DEFENSE_DUE", occurred_at=stamp(one.occurred_at))
    return event_of(context, "MED.DEFENSE_DUE", one.id, None, body)


def listed(one: MedObject) -> MedListed:
    """An object in a list."""
    return MedListed(**_fields(one, None), **_more(one))


def in_full(case: Case) -> MedCase:
    """A whole case."""
    one = case.subject
    previous = case.history[-1].previous if case.history else None
    path = [
        MedTransaction(
            end_to_end_id=hop.end_to_end_id, hop=hop.hop, amount=str(hop.amount), payer_bank=hop.payer_bank,
            receiver_bank=hop.receiver_bank,
        )
        for hop in one.path
    ]  # fmt: skip
    return MedCase(
        **_fields(one, previous), **_more(one), transactions=path or None,
        history=[
            MedChange(status=h.status, previous_status=h.previous, occurred_at=stamp(h.at)) for h in case.history
        ],
        related=[listed(other) for other in case.related],
        defense_documents=[document_shown(one) for one in case.documents] or None,
    )  # fmt: skip


def document_shown(one: Document) -> MedDocument:
    """A file of a defense."""
    return MedDocument(
        document_id=str(one.id), file_name=one.file_name, content_type=one.content_type, size=one.size,
        sha256=one.digest.hex(), created_at=stamp(one.created_at),
    )  # fmt: skip


def _fields(one: MedObject, previous: str | None) -> dict[str, Any]:
    return {
        "object_type": one.object_type, "reference_id": str(one.id), "account_id": str(one.account_id), "status": one.state,
        "previous_status": previous, "end_to_end_id": one.end_to_end_id,
        "recovery_id": None if one.recovery_id is None else str(one.recovery_id), "reason": one.reason,
        "type": one.situation, "amount": str(one.amount), "returned_amount": _some(one.returned),
        "analysis_result": one.result, "role": one.role, "awaiting_our_analysis": one.awaits_us,
        "defense_due_at": None if one.defense_due_at is None else stamp(one.defense_due_at),
    }  # fmt: skip


def _more(one: MedObject) -> dict[str, Any]:
    is_new = one.state == STATUSES[one.object_type][0]  # nothing ever goes back to its first status
    return {
        "event_type": "CREATED" if is_new else "STATUS_CHANGED", "occurred_at": stamp(one.occurred_at),
        "deadline": stamp(one.deadline), "blocked_amount": str(one.blocked), "rejection_reason": one.rejection,
        "requesting_bank": one.requester, "details": one.details,
        "directory_id": None if one.directory_id is None else str(one.directory_id),
        "lacking_amount": None if one.watched_since is None else str(one.lacking),
        "later_returned_amount": None if one.watched_since is None else str(one.later),
        "defense": one.defense,
        "defended_at": None if one.defended_at is None else stamp(one.defended_at),
        "monitored_until": None if one.watched_until is None else stamp(one.watched_until),
        "created_at": stamp(one.created_at), "updated_at": stamp(one.updated_at),
    }  # fmt: skip


def _some(amount: Money) -> str | None:
    return str(amount) if amount.minor else None
