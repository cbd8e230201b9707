"""The events of a payout, in the interface's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.accounts import OwnerBank, owner_bank
from lastro.api_kit.rendering import Bank, BrlMoney, Document, EndToEndId, Id, PixKey, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.payouts.batches import Batch, batch_of, control_number, end_to_end_id
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.accounts import Institution
    from lastro.core import money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.payouts.model import Payout

# contract.md §10.
TEXTS = {
    "PAID": "Payout paid", "ERROR": "Payout failed: {error}", "CANCELED": "Payout canceled", "EXPIRED": "Payout expired",
    "REFUNDED": "Payout refunded", "PARTIAL_REFUNDED": "Payout partly refunded", "PARTIALLY_PAID": "Payout partly paid",
}  # fmt: skip


# A scheduled Pix that its account could not pay on its day: it is PENDING, and retried.
RETRY = "RETRY_SCHEDULED"
RETRY_TEXT = "Payout waits for funds: {error}"


class PaidReceiver(Answer, frozen=True, kw_only=True):
    """The receiver of a payout, and where the money goes."""

    name: str
    document: Document
    bank: Bank


class PayOutNotification(Answer, frozen=True, kw_only=True):
    """A payout has ended, or some of it has come back."""

    id: Id
    code: Annotated[str, msgspec.Meta(description="The payout's `externalId`.")]
    event: Annotated[str, words(*(f"ORDER-PAYOUT.{name}" for name in (*TEXTS, RETRY)))]
    status: Annotated[str, words(*TEXTS, "PENDING")]
    paid_at: Annotated[Timestamp | None, msgspec.Meta(description="When the network settled it; null: it did not.")]
    updated_at: Annotated[Timestamp, msgspec.Meta(description="When the status changed here.")]
    end_to_end_id: Annotated[EndToEndId | None, msgspec.Meta(description="Of a Pix, of a batch its first transfer's.")] = (
        None
    )
    control_number: Annotated[
        str | None,
        msgspec.Meta(description="As the payout's answers have it: of a TED; left out while there is none."),
    ] = None
    batch: Annotated[
        Batch | None,
        msgspec.Meta(description="Where the payout was split: how much was sent, and what became of each transfer."),
    ] = None
    type: Literal["PAY-OUT"]
    message: Annotated[str, msgspec.Meta(description="In English, for you.")]
    description: str
    amount: Annotated[BrlMoney, msgspec.Meta(description="The payout's, whole.")]
    returned_amount: Annotated[BrlMoney | None, msgspec.Meta(description="What has come back so far; of returns alone.")] = (
        None
    )
    error_code: Annotated[
        str | None, msgspec.Meta(description="The network's word of what failed, or of a TED that came back; or ours.")
    ] = None
    next_try_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When it is tried again; of `ORDER-PAYOUT.RETRY_SCHEDULED` alone.")
    ] = None
    owner_bank: OwnerBank
    receiver: PaidReceiver


def pay_out(
    context: RequestContext, payout: Payout, institution: Institution, *, children: Sequence[Payout] = (),
    returned: money.Money | None = None,
) -> Event:  # fmt: skip
    """Makes the event ORDER-PAYOUT.<status> of a payout after its move.

    children: of a batch, as they are then. returned: all that has come back, of a return.
    """
    body = _body(
        context, payout, institution, children, f"ORDER-PAYOUT.{payout.state}", _message(payout.state, payout.error_message),
        payout.error_code,
    )  # fmt: skip
    body = msgspec.structs.replace(body, returned_amount=BrlMoney.maybe(returned))
    # A payout has no webhook URL of its own: its events go to the company's (contract.md §7).
    return event_of(context, body.event, payout.id, None, body)


def falls_short(
    context: RequestContext, payout: Payout, institution: Institution, error: str, *, children: Sequence[Payout] = ()
) -> Event:  # fmt: skip
    """Makes the event ORDER-PAYOUT.RETRY_SCHEDULED of a payout short of funds."""
    assert payout.start_at is not None
    text = RETRY_TEXT.format(error=error)
    body = _body(context, payout, institution, children, f"ORDER-PAYOUT.{RETRY}", text, payout.short_of)
    body = msgspec.structs.replace(body, next_try_at=stamp(payout.start_at))
    return event_of(context, body.event, payout.id, None, body)


def _body(
    context: RequestContext, payout: Payout, institution: Institution, children: Sequence[Payout], event: str, message: str,
    code: str | None,
) -> PayOutNotification:  # fmt: skip
    return PayOutNotification(
        id=str(payout.id),
        code=payout.external_id or "",
        event=event,
        status=payout.state,
        paid_at=None if payout.paid_at is None else stamp(payout.paid_at),
        updated_at=stamp(context.now),
        end_to_end_id=end_to_end_id(payout, children),
        control_number=control_number(payout, children),
        batch=batch_of(payout, children),
        type="PAY-OUT",
        message=message,
        description=payout.description,
        amount=BrlMoney.of(payout.amount),
        error_code=code,
        owner_bank=owner_bank(payout.account, institution, None),
        receiver=receiver_of(payout),
    )


def _message(status: str, error: str | None) -> str:
    """Returns the event's message; without a single error (as of a batch), the part before the colon."""
    text = TEXTS[status]
    return text.partition(":")[0] if error is None else text.format(error=error)


def receiver_of(payout: Payout) -> PaidReceiver:
    """Returns the receiver as events, reads and lists name it."""
    r = payout.receiver
    document = Document(type=r.document_type, number=r.document_number)
    if payout.method == "TED":
        bank = Bank(
            ispb=r.ispb, name=payout.bank_name, branch=r.branch, account=r.account, account_type=r.account_type,
            code=payout.bank_code,
        )  # fmt: skip
    elif payout.key is not None and payout.key_type is not None:
        bank = Bank(ispb=r.ispb, name=payout.bank_name, pix=PixKey(type=payout.key_type, key=payout.key))
    else:
        bank = Bank(ispb=r.ispb, name=payout.bank_name, branch=r.branch, account=r.account, account_type=r.account_type)
    return PaidReceiver(name=r.name, document=document, bank=bank)
