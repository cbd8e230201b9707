"""The events of a request for an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.accounts.opening.rendering import Missing, Slot  # noqa: TC001 msgspec reads the annotations when it runs
from lastro.accounts.rendering import BankAccount
from lastro.api_kit.rendering import Id, Timestamp  # noqa: TC001
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.accounts.model import Institution
    from lastro.accounts.opening.model import Verdict
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event


class PendingReason(Answer, frozen=True, kw_only=True):
    """The reason why a request is pending."""

    code: Literal["MISSING_DOCUMENTS"]
    description: Annotated[str, msgspec.Meta(examples=["documentHolder, selfieHolder must be uploaded"])]


class RefusalReason(Answer, frozen=True, kw_only=True):
    """The reason why a request was refused."""

    code: Annotated[str, msgspec.Meta(examples=["DOCUMENT_ILLEGIBLE"])]
    description: Annotated[str, msgspec.Meta(description="The code again, where nothing more is known.")]


class PendingDocumentsNotification(Answer, frozen=True, kw_only=True):
    """A request waits for documents."""

    event: Literal["ACCOUNT.PENDING_DOCUMENTS"]
    occurred_at: Timestamp
    request_id: Id
    status: Literal["PENDING_DOCUMENTS"]
    reason: PendingReason
    missing_required_documents: Missing


class CreatedNotification(Answer, frozen=True, kw_only=True):
    """A request was approved, and its account is open."""

    event: Literal["ACCOUNT.CREATED"]
    occurred_at: Timestamp
    request_id: Id
    account_id: Id
    status: Annotated[Literal["ACTIVE"], msgspec.Meta(description="Of the account.")]
    bank_data: BankAccount


class RejectedNotification(Answer, frozen=True, kw_only=True):
    """A request was refused."""

    event: Literal["ACCOUNT.REJECTED"]
    occurred_at: Timestamp
    request_id: Id
    status: Literal["REJECTED"]
    reason: RefusalReason
    rejected_fields: Annotated[
        list[Slot],
        msgspec.Meta(description="Values of `documentType` that may be uploaded again; none: it is definitive."),
    ]


def pending(context: RequestContext, request_id: UUID, missing: Sequence[str]) -> Event:
    """Makes the event ACCOUNT.PENDING_DOCUMENTS."""
    reason = PendingReason(code="MISSING_DOCUMENTS", description=f"{', '.join(missing)} must be uploaded")
    body = PendingDocumentsNotification(
        event="ACCOUNT.PENDING_DOCUMENTS", occurred_at=stamp(context.now), request_id=str(request_id),
        status="PENDING_DOCUMENTS", reason=reason, missing_required_documents=list(missing),
    )  # fmt: skip
    return event_of(context, body.event, request_id, None, body)


def created(context: RequestContext, request_id: UUID, account_id: UUID, number: str, institution: Institution) -> Event:
    """Makes the event ACCOUNT.CREATED. number: the account's, eight digits and the check digit."""
    bank = BankAccount(
        ispb=institution.ispb, bank_number=institution.compe, account_type="PAYMENT_ACCOUNT", created_at=stamp(context.now),
        branch_number=institution.branch, account_number=number,
    )  # fmt: skip
    body = CreatedNotification(
        event="ACCOUNT.CREATED", occurred_at=stamp(context.now), request_id=str(request_id), account_id=str(account_id),
        status="ACTIVE", bank_data=bank,
    )  # fmt: skip
    return event_of(context, body.event, request_id, None, body)


def rejected(context: RequestContext, request_id: UUID, verdict: Verdict) -> Event:
    """Makes the event ACCOUNT.REJECTED."""
    assert verdict.code is not None
    body = RejectedNotification(
        event="ACCOUNT.REJECTED", occurred_at=stamp(context.now), request_id=str(request_id), status="REJECTED",
        reason=RefusalReason(code=verdict.code, description=verdict.description or verdict.code),
        rejected_fields=list(verdict.fields),
    )  # fmt: skip
    return event_of(context, body.event, request_id, None, body)
