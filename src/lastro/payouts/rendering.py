"""A payout, as the API shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.payouts.batches import Batch, Decimal, batch_of, control_number, end_to_end_id
from lastro.payouts.model import CURRENCIES, METHODS, STATUSES
from lastro.payouts.notifications import PaidReceiver, receiver_of

if TYPE_CHECKING:
    from lastro.payouts.model import Payout


class CreatedPayout(Answer, frozen=True, kw_only=True):
    """A payout. It is PENDING while its network has not spoken, ANALYSIS while a person has to approve it; you are told of
    the end.
    """

    id: Id
    external_id: str
    status: Annotated[str, words(*STATUSES)]
    amount: Decimal
    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", examples=["BRL"]), words(*CURRENCIES)]
    description: str
    end_to_end_id: Annotated[
        str,
        msgspec.Meta(
            description="The payment's id in Pix, fixed before anything is sent; of a batch its first transfer's; of a TED,"
            " which has none, the empty text.",
            examples=["E9999901020260131120000000E058eP"],
        ),
    ]
    control_number: Annotated[
        str | None,
        msgspec.Meta(
            description="Of a TED, once the STR has given it; of one to an account here ours, at once; of a batch its first"
            " transfer's."
        ),
    ] = None
    batch: Annotated[Batch | None, msgspec.Meta(description="Where the payout was split.")] = None
    error_message: Annotated[
        str | None, msgspec.Meta(description="The network's raw code, or a word of ours, a colon and an English sentence.")
    ] = None


class FullPayout(CreatedPayout, frozen=True, kw_only=True):
    """A payout as it is read."""

    account_id: Annotated[Id, msgspec.Meta(description="The account that pays.")]
    payment_method: Annotated[str, words(*METHODS)]
    receiver: Annotated[
        PaidReceiver, msgspec.Meta(description="As the directory or the bank account names it, and as events name it.")
    ]
    fee: Annotated[Decimal | None, msgspec.Meta(description="What it costs its payer; left out where nothing.")] = None
    error_code: Annotated[
        str | None, msgspec.Meta(description="The network's word of what failed, or of a TED that came back; or ours.")
    ] = None
    returned_amount: Annotated[Decimal | None, msgspec.Meta(description="What the receiver has given back.")] = None
    scheduled_date: Annotated[
        str | None, msgspec.Meta(description="The day it was asked to be sent on.", extra_json_schema={"format": "date"})
    ] = None
    waits_for: Annotated[
        str | None,
        msgspec.Meta(
            description="INSUFFICIENT_FUNDS or LIMIT_EXCEEDED: what a scheduled Pix lacked at its last try; there while it"
            " waits for the next."
        ),
    ] = None
    next_try_at: Annotated[Timestamp | None, msgspec.Meta(description="When such a Pix is tried again.")] = None
    created_at: Timestamp
    updated_at: Timestamp
    paid_at: Timestamp | None = None


class Payouts(Paged, frozen=True, kw_only=True):
    """A page of payouts; batches without their transfers."""

    data: list[FullPayout]


def created(payout: Payout, children: list[Payout]) -> CreatedPayout:
    """Renders the Payout of interface.md: the answer of a create."""
    return CreatedPayout(
        id=str(payout.id),
        external_id=payout.external_id or "",
        status=payout.state,
        amount=str(payout.amount),
        currency=payout.amount.currency,
        description=payout.description,
        end_to_end_id=end_to_end_id(payout, children) or "",
        control_number=control_number(payout, children),
        batch=batch_of(payout, children),
        error_message=payout.error_message,
    )


def in_full(payout: Payout, children: list[Payout]) -> FullPayout:
    """Renders the Payout with our additions (contract.md §4): the answer of reading and canceling."""
    return FullPayout(
        id=str(payout.id),
        external_id=payout.external_id or "",
        status=payout.state,
        amount=str(payout.amount),
        currency=payout.amount.currency,
        description=payout.description,
        end_to_end_id=end_to_end_id(payout, children) or "",
        control_number=control_number(payout, children),
        batch=batch_of(payout, children),
        error_message=payout.error_message,
        account_id=str(payout.account_id),
        payment_method=payout.method,
        receiver=receiver_of(payout),
        fee=str(payout.fee) if payout.fee.minor else None,
        error_code=payout.error_code,
        returned_amount=str(payout.returned) if payout.returned.minor else None,
        scheduled_date=None if payout.scheduled_on is None else payout.scheduled_on.isoformat(),
        waits_for=None if payout.start_at is None else payout.short_of,
        next_try_at=None if payout.start_at is None or payout.short_of is None else stamp(payout.start_at),
        created_at=stamp(payout.created_at),
        updated_at=stamp(payout.updated_at),
        paid_at=None if payout.paid_at is None else stamp(payout.paid_at),
    )
