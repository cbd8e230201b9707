"""A subscription ends without anybody's asking: its window or its last day is over, or its account is closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.orders import EXPIRY_GRACE, silent
from lastro.rails.port import BY_RECEIVERS_BANK, Transient
from lastro.subscriptions.actions.asking import asked_to_cancel
from lastro.subscriptions.actions.ending import Cause, EndSubscriptionContext, ended, known_of, removed_at_bank
from lastro.subscriptions.rules.moments import subscription_due
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.orders import Installation
    from lastro.rails.port import Issuer

_NOTHING = Done(None, b"")


@dataclass(frozen=True)
class _Ends(Act["EndSubscriptionContext | None"]):
    """An end of a subscription that no message asks for."""

    subscription_id: UUID
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> EndSubscriptionContext | None:
        """Reads the subscription with its account, first charge and unfinished payments."""
        return await known_of(session, context.company_id, self.subscription_id)


@dataclass(frozen=True)
class Lapse(_Ends):
    """The sweep found a subscription that can no longer be authorized.

    issuers: the banks of connections, which end a first charge before it ends here.
    """

    issuers: Mapping[str, Issuer] | None = None

    async def call_out(self, known: EndSubscriptionContext | None, context: RequestContext) -> EndSubscriptionContext | None:
        """Has a connection's bank end the first charge; if the bank is silent, it is asked again later."""
        if known is None or not self._is_due(known, context):
            return known
        try:
            return await removed_at_bank(known, self.issuers, context)
        except Transient as away:
            silent(known.shown.subscription.rail, "remove", away)
            return known

    @staticmethod
    def _is_due(known: EndSubscriptionContext, context: RequestContext) -> bool:
        due = subscription_due(known.shown.subscription)
        return due is not None and due.trigger == "lapse" and due.fires(context.now - EXPIRY_GRACE)

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """CANCELED with AUTHORIZATION_EXPIRED, unless something came in between. A late message is given its minute."""
        if known is None or not self._is_due(known, context) or known.is_kept_at_bank:
            return _NOTHING
        over = ended(known, "lapse", Cause("AUTHORIZATION_EXPIRED"), context, self.place, charge="expire")
        return _NOTHING if over is None else Done(over[1], b"")


@dataclass(frozen=True)
class End(_Ends):
    """The sweep found a subscription whose endDate is over."""

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """CANCELED with RECURRENCE_ENDED, once its last payment has its end. The payer's bank knows the day by itself."""
        if known is None:
            return _NOTHING
        due = subscription_due(known.shown.subscription, has_unfinished=known.has_unfinished)
        if due is None or due.trigger != "end" or not due.fires(context.now):
            return _NOTHING
        over = ended(known, "end", Cause("RECURRENCE_ENDED"), context, self.place)
        return _NOTHING if over is None else Done(over[1], b"")


@dataclass(frozen=True)
class CloseAccount(_Ends):
    """The account that a subscription's charges credit has been closed."""

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """Cancels the subscription with ACCOUNT_CLOSED. Tells the payer's bank where it holds an authorization.

        Does nothing while the account is open, or a payment for the first charge is under way: that payment is not credited
        any more, and when it has ended this runs again.
        """
        if known is None or known.shown.account.status != "CLOSED":
            return _NOTHING
        subscription = known.shown.subscription
        if not SUBSCRIPTIONS.allows(subscription.state, "close account"):
            return _NOTHING
        order, cause = None, Cause("ACCOUNT_CLOSED")
        if subscription.state == "ACCEPTED":
            order = asked_to_cancel(known.shown, "ACCOUNT_CLOSED", BY_RECEIVERS_BANK, self.place, context)
            cause = Cause("ACCOUNT_CLOSED", message_id=order.message_id)
        over = ended(known, "close account", cause, context, self.place)
        if over is None:
            return _NOTHING
        record, write = over
        if order is not None:
            write += Write(context.company_id, messages=(order.message(record.id, context),))
        return Done(write, b"")
