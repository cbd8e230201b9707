"""The event of a settlement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.accounts.telling import OwnerBank, owner_bank
from lastro.api_kit.rendering import Id, Money, Timestamp
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.model import Account, Institution
    from lastro.core import money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event


class SettledNotification(Answer, frozen=True, kw_only=True):
    """Money of an account was paid out outside of lastro. It is no longer in the balance."""

    event: Literal["ACCOUNT.SETTLED"]
    occurred_at: Timestamp
    account_id: Id
    settlement_id: Id
    amount: Money
    reference: Annotated[str, msgspec.Meta(description="Of the payment, as whoever operates this service has entered it.")]
    owner_bank: OwnerBank


def settled(
    context: RequestContext,
    settlement_id: UUID,
    amount: money.Money,
    reference: str,
    account: Account,
    institution: Institution,
) -> Event:
    """Makes the event ACCOUNT.SETTLED."""
    body = SettledNotification(
        event="ACCOUNT.SETTLED", occurred_at=stamp(context.now), account_id=str(account.id),
        settlement_id=str(settlement_id),
        amount=Money.of(amount), reference=reference, owner_bank=owner_bank(account, institution, None),
    )  # fmt: skip
    return event_of(context, body.event, settlement_id, None, body)
