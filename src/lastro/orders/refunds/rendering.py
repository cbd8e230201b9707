"""Renders a refund for its client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Id, Money, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.orders.refunds.rules import CODES

if TYPE_CHECKING:
    from lastro.orders.model import RefundAsked

STATUSES = ("PENDING", "PAID", "ERROR")


class Refund(Answer, frozen=True, kw_only=True):
    """Money that is given back, or was, or could not be."""

    id: Id
    order_id: Annotated[Id, msgspec.Meta(description="The order that it gives back.")]
    external_id: Annotated[str, msgspec.Meta(description="The refund's id in your system.")]
    status: Annotated[str, words(*STATUSES)]
    amount: Money
    refund_code: Annotated[str, msgspec.Meta(description="As you gave it: a code, or your word.", examples=["MD06"])]
    network_refund_code: Annotated[str, words(*CODES, "SL02", description="As the network has it.")]
    refund_reason: Annotated[str | None, msgspec.Meta(description="Why, in your words; told to nobody.")] = None
    description: Annotated[str | None, msgspec.Meta(description="What the payer is told with the money.")] = None
    return_id: Annotated[
        str,
        msgspec.Meta(
            description="The refund's id in Pix, the same at both banks.", examples=["D9999901020260131121500001aBcDeF"],
            pattern="^D[0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}$",
        ),
    ]  # fmt: skip
    error_code: Annotated[
        str | None, msgspec.Meta(description="Why the status is ERROR, as the network says it.", examples=["ED05"])
    ] = None
    error_message: Annotated[str | None, msgspec.Meta(description="The same as a sentence.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class Refunds(Paged, frozen=True, kw_only=True):
    """A page of refunds."""

    data: list[Refund]


def shown(asked: RefundAsked) -> Refund:
    """Renders a refund for every answer."""
    return Refund(
        id=str(asked.id),
        order_id=str(asked.order_id),
        external_id=asked.external_id,
        status=asked.state,
        amount=Money.of(asked.amount),
        refund_code=asked.word or asked.code,
        network_refund_code=asked.code,
        refund_reason=asked.reason,
        description=asked.description,
        return_id=asked.return_id,
        error_code=asked.error_code,
        error_message=asked.error_message,
        created_at=stamp(asked.created_at),
        updated_at=stamp(asked.updated_at),
    )
