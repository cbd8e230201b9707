"""The event of a change of an account's status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.accounts.model import STATUSES
from lastro.api_kit.rendering import Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from lastro.accounts.model import Account
    from lastro.accounts.standing.reasons import Why
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event


class StatusReason(Answer, frozen=True, kw_only=True):
    """The reason why the status has changed."""

    code: Annotated[str, msgspec.Meta(description="One word of a list that may grow.", examples=["COURT_ORDER"])]
    description: Annotated[str, msgspec.Meta(description="For people; the code, where there is no more to say.")]


class StatusNotification(Answer, frozen=True, kw_only=True):
    """An account was blocked, unblocked or closed."""

    account_id: Id
    event: Literal["ACCOUNT.STATUS_CHANGED"]
    occurred_at: Timestamp
    status: Annotated[str, words(*STATUSES, description="After the change.")]
    previous_status: Annotated[str, words(*STATUSES, description="Before it.")]
    reason: StatusReason


def status_changed(context: RequestContext, account: Account, status: str, why: Why) -> Event:
    """Makes the event ACCOUNT.STATUS_CHANGED. account: as it was before. status: after."""
    body = StatusNotification(
        account_id=str(account.id), event="ACCOUNT.STATUS_CHANGED", occurred_at=stamp(context.now), status=status,
        previous_status=account.status, reason=StatusReason(code=why.code, description=why.for_clients),
    )  # fmt: skip
    return event_of(context, body.event, account.id, None, body)
