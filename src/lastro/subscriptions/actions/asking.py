"""Messages that ask the payer's bank to end an authorization. The receiver's side wants it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.rails.port import CancellationOrder, Requester, cancellation_message
from lastro.subscriptions.reasons import code_of_cancel

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.runner import RequestContext
    from lastro.core.write import Message
    from lastro.orders import Installation
    from lastro.subscriptions.model import CancelReason, SubscriptionShown


@dataclass(frozen=True, slots=True)
class BankMessage:
    """A message to the payer's bank, before its record has an id. rail: by which it goes."""

    order: CancellationOrder
    rail: str

    @property
    def message_id(self) -> str:
        """The id of the message in the network."""
        return self.order.message_id

    def message(self, cancellation_id: UUID, context: RequestContext) -> Message:
        """The outbox message of a cancellation."""
        row_id = context.chance.uuid(context.now)
        return cancellation_message(self.order, cancellation_id, row_id, context.now, self.rail)


def asked_to_cancel(
    shown: SubscriptionShown, reason: CancelReason, role: str, place: Installation, context: RequestContext
) -> BankMessage:
    """Returns the order to cancel an authorization. role: the network's code for its asker on the receiver's side."""
    holder, code = shown.account.holder, code_of_cancel(reason)
    assert code is not None, "for what ends by itself nobody is asked"
    requester = Requester(role, holder.document_type, holder.document_number, holder.full_name)
    provider_id, rail = shown.subscription.provider_id, shown.subscription.rail
    order = CancellationOrder.new(
        place.institution.ispb, provider_id, code, requester, context.chance.bytes(24), rail
    )  # fmt: skip
    return BankMessage(order, rail)
