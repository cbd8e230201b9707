"""The JSON of a request to close an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Id, Money, Timestamp, also, words
from lastro.api_kit.routes import Answer, stamp
from lastro.closing.model import LISTED_STATUSES, OBSTACLES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.closing.model import CloseRequest, Obstacle


class InTheWay(Answer, frozen=True, kw_only=True):
    """One thing that stands in the way of closing an account."""

    type: Annotated[str, words(*OBSTACLES)]
    amount: Annotated[Money | None, msgspec.Meta(description="Of money: how much, in one currency.")] = None
    count: Annotated[int | None, msgspec.Meta(description="Of what is unfinished: how many.")] = None


class Closing(Answer, frozen=True, kw_only=True):
    """A request to close an account."""

    id: Id
    close_account_request_id: Annotated[Id, also("id")]
    account_id: Id
    status: Annotated[
        str,
        words(*STATUSES, description="REQUESTED: the account is CLOSED, and what hangs on it is being ended. COMPLETED: that"
              " is done. REFUSED: something stood in the way, and the account is as it was."),
    ]  # fmt: skip
    close_request_reason: Annotated[str | None, msgspec.Meta(description="In your words.")] = None
    obstacles: Annotated[list[InTheWay] | None, msgspec.Meta(description="Of one that is REFUSED: all of it.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class ListedClosing(Answer, frozen=True, kw_only=True):
    """A request to close an account. Its words are those of clients of other platforms."""

    id: Id
    close_account_request_id: Annotated[Id, also("id")]
    account_id: Id
    status: Annotated[str, words(*LISTED_STATUSES.values(), description="REQUESTED, COMPLETED and REFUSED of the request.")]
    close_request_reason: str | None = None
    created_at: Timestamp
    updated_at: Timestamp


class Closings(Answer, frozen=True, kw_only=True):
    """Some requests to close accounts, newest first."""

    data: list[ListedClosing]
    total_count: Annotated[int | None, msgspec.Meta(description="Of all requests; left out unless it is asked for.")] = None


def listed(requests: Sequence[CloseRequest], total_count: int | None) -> Closings:
    """Renders a list."""
    data = [
        ListedClosing(
            id=str(one.id), close_account_request_id=str(one.id), account_id=str(one.account_id),
            status=LISTED_STATUSES[one.state], close_request_reason=one.reason, created_at=stamp(one.created_at),
            updated_at=stamp(one.updated_at),
        )
        for one in requests
    ]  # fmt: skip
    return Closings(data=data, total_count=total_count)


def shown(request: CloseRequest) -> Closing:
    """The request as every answer shows it."""
    return Closing(
        id=str(request.id), close_account_request_id=str(request.id), account_id=str(request.account_id),
        status=request.state, close_request_reason=request.reason,
        obstacles=[in_the_way(one) for one in request.obstacles] or None, created_at=stamp(request.created_at),
        updated_at=stamp(request.updated_at),
    )  # fmt: skip


def in_the_way(obstacle: Obstacle) -> InTheWay:
    """An obstacle, as it is shown and kept."""
    amount = None if obstacle.amount is None else Money.of(obstacle.amount)
    return InTheWay(type=obstacle.kind, amount=amount, count=obstacle.count)
