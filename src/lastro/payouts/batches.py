"""Sums up a split payout, named by its first transfer's ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import EndToEndId, Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.payouts import rules
from lastro.payouts.model import STATUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.payouts.model import Payout

Decimal = Annotated[
    str, msgspec.Meta(description="Decimal text with a dot.", examples=["10.50"], pattern=r"^[0-9]+\.[0-9]{2}$")
]


class Child(Answer, frozen=True, kw_only=True):
    """One transfer of a batch."""

    id: Id
    idempotency_key: Annotated[
        str, msgspec.Meta(description="The batch's own for the first; `-2`, `-3` … behind it for the others.")
    ]
    sequence: Annotated[int, msgspec.Meta(description="Its place in the batch, from 1.", ge=1)]
    amount: Decimal
    status: Annotated[str, words(*STATUSES)]
    end_to_end_id: Annotated[EndToEndId | None, msgspec.Meta(description="Of a Pix.")] = None
    control_number: Annotated[str | None, msgspec.Meta(description="Of a TED, as a payout's.")] = None
    paid_at: Timestamp | None = None
    error_code: Annotated[str | None, msgspec.Meta(description="As that of a payout.")] = None
    error_message: str | None = None


class Batch(Answer, frozen=True, kw_only=True):
    """The transfers that a payout above its account's limit was split into. The three counts add up to all of them."""

    id: Id
    transactions_count: Annotated[int, msgspec.Meta(ge=2)]
    paid_count: Annotated[int, msgspec.Meta(description="Paid, returned or not.", ge=0)]
    failed_count: Annotated[int, msgspec.Meta(description="ERROR, EXPIRED or CANCELED.", ge=0)]
    pending_count: Annotated[int, msgspec.Meta(ge=0)]
    paid_amount: Decimal
    pending_amount: Decimal
    transactions: list[Child]


def end_to_end_id(payout: Payout, children: Sequence[Payout]) -> str | None:
    """Its id in Pix, of a batch its first transfer's. A TED has none, also one to an account here (contract.md §4)."""
    return _first(payout, children).end_to_end_id if payout.method == "PIX" else None


def control_number(payout: Payout, children: Sequence[Payout]) -> str | None:
    """Returns a TED's number: the STR's, or ours to an account here; of a batch the first's. None: there is none yet."""
    return _first(payout, children).told_number


def batch_of(payout: Payout, children: Sequence[Payout]) -> Batch | None:
    """Returns the state of a batch and its transfers. None: not split."""
    if not children:
        return None
    counted = rules.counted(children, payout.amount.currency)
    return Batch(
        id=str(payout.id),
        transactions_count=len(children),
        paid_count=counted.paid,
        failed_count=counted.failed,
        pending_count=counted.pending,
        paid_amount=str(counted.paid_amount),
        pending_amount=str(counted.pending_amount),
        transactions=[_child(child) for child in children],
    )


def _child(child: Payout) -> Child:
    return Child(
        id=str(child.id),
        idempotency_key=child.idempotency_key,
        sequence=child.sequence or 1,
        amount=str(child.amount),
        status=child.state,
        end_to_end_id=end_to_end_id(child, ()),
        control_number=control_number(child, ()),
        paid_at=None if child.paid_at is None else stamp(child.paid_at),
        error_code=child.error_code,
        error_message=child.error_message,
    )


def _first(payout: Payout, children: Sequence[Payout]) -> Payout:
    return children[0] if children else payout
