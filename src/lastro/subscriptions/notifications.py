"""The notifications about a subscription, as the interface words them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import BrlMoney, Document, EndToEndId, Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.subscriptions.model import CancelReason, SubscriptionShown

TOLD = ("ACCEPTED", "REJECTED", "CANCELED", "ERROR")


class NotifiedCharge(Answer, frozen=True, kw_only=True):
    """The order of the subscription's first charge, where one was made."""

    id: Annotated[Id, msgspec.Meta(description="The order's.")]
    amount: BrlMoney
    end_to_end_id: EndToEndId | None = None


class AuthorizingBank(Answer, frozen=True, kw_only=True):
    """The account that pays."""

    branch_number: str
    account_number: str
    ispb: str


class AuthorizingPayer(Answer, frozen=True, kw_only=True):
    """The payer who authorized, as the payer's bank says."""

    document: Document
    bank: AuthorizingBank
    ibge_code: Annotated[str, msgspec.Meta(description="IBGE's number of the payer's city.", examples=["3550308"])]


class NotifiedSubscription(Answer, frozen=True, kw_only=True):
    """The subscription, as it is now."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The subscription's id in your system.")]
    status: Annotated[str, words(*TOLD)]
    reason: Annotated[
        str | None,
        words("REQUESTED_BY_RECEIVER", "FRAUD_SUSPECTED", "OTHER", "REQUESTED_BY_PAYER", "ACCOUNT_CLOSED",
              "AUTHORIZATION_EXPIRED", "RECURRENCE_ENDED", description="Why it was canceled."),
    ] = None  # fmt: skip
    payer: Annotated[AuthorizingPayer | None, msgspec.Meta(description="There where the payer's bank says who it is.")] = (
        None
    )
    initial_charge: NotifiedCharge | None = None


class SubscriptionNotification(Answer, frozen=True, kw_only=True):
    """A subscription has taken another status."""

    event: Annotated[str, words(*(f"SUBSCRIPTION.{status}" for status in TOLD))]
    occurred_at: Timestamp
    data: NotifiedSubscription


def subscription_event(
    context: RequestContext,
    shown: SubscriptionShown,
    status: str,
    *,
    reason: CancelReason | None = None,
    end_to_end_id: str | None = None,
) -> Event:
    """Returns the event SUBSCRIPTION.<status>, sent to the subscription's own URL.

    shown: with its payer, if there is one by now. reason: of a cancellation. end_to_end_id: of the payment of its first
    charge.
    """
    subscription, first, charge = shown.subscription, shown.first_charge, None
    if first is not None and first.order_id is not None:
        charge = NotifiedCharge(id=str(first.order_id), amount=BrlMoney.of(first.amount), end_to_end_id=end_to_end_id)
    body = SubscriptionNotification(
        event=f"SUBSCRIPTION.{status}",
        occurred_at=stamp(context.now),
        data=NotifiedSubscription(
            id=str(subscription.id), external_id=subscription.external_id, status=status, reason=reason,
            payer=_payer(shown),
            initial_charge=charge,
        ),
    )  # fmt: skip
    return event_of(context, body.event, subscription.id, subscription.webhook_url, body)


def _payer(shown: SubscriptionShown) -> AuthorizingPayer | None:
    """All of it, or nothing (interface.md)."""
    payer = shown.subscription.payer
    if payer is None or payer.ispb is None or payer.account is None or payer.branch is None or payer.ibge_code is None:
        return None
    return AuthorizingPayer(
        document=Document(type=payer.person.document_type, number=payer.person.document_number),
        bank=AuthorizingBank(branch_number=payer.branch, account_number=payer.account, ispb=payer.ispb),
        ibge_code=payer.ibge_code,
    )
