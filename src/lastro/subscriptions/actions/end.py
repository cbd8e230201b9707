"""A subscription ends without anybody's asking: its window or its last day is over, or its account is closed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.orders import EXPIRY_GRACE, removed_at_bank, silent
from lastro.rails.port import AUTHORIZATION_MADE, BY_RECEIVERS_BANK, NetworkMessage, Transient
from lastro.subscriptions.actions.asking import asked_to_cancel
from lastro.subscriptions.actions.ending import Cause, EndSubscriptionContext, ended, known_of
from lastro.subscriptions.rules.moments import subscription_due
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.orders import Installation
    from lastro.rails.port import Issuer, Rail

_NOTHING = Done(None, b"")
# How long a bank may take to show an authorization whose money it shows. After that the money goes back.
_SHOWN_LATE = timedelta(hours=2)


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

    issuers, rails: the connections' banks, which are asked before theirs end: a payer may have agreed, or paid, in time.
    """

    issuers: Mapping[str, Issuer] | None = None
    rails: Mapping[str, Rail] = field(default_factory=dict)

    async def call_out(self, known: EndSubscriptionContext | None, context: RequestContext) -> EndSubscriptionContext | None:
        """Asks a connection's bank, which ends the first charge. None: it has more to tell."""
        if known is None or not known.shown.subscription.is_at_bank or _lapsed_at(known, context) is None:
            return known
        subscription = known.shown.subscription
        try:
            if subscription.payer is None and await self._is_untold(subscription.rail, subscription.provider_id):
                return None
            return await self._unpaid(known, context)
        except Transient as away:
            silent(subscription.rail, "recurrence", away)
            return None

    async def _is_untold(self, rail: str, recurrence_id: str) -> bool:
        """Tells whether the bank has news of the recurrence. Transient: not known."""
        bank = self.rails.get(rail)
        if bank is None:
            raise Transient("the connection is not configured here", is_on_its_way=False)
        return isinstance(await bank.status_of(AUTHORIZATION_MADE, recurrence_id), NetworkMessage)

    async def _unpaid(self, known: EndSubscriptionContext, context: RequestContext) -> EndSubscriptionContext | None:
        """Has the bank end the first charge. None: it was paid, and the payment decides. Transient: not known."""
        if known.charge is None or known.charge.order.state != "INITIAL":
            return known
        charge, lapsed_at = await removed_at_bank(known.charge, self.issuers, context), _lapsed_at(known, context)
        assert lapsed_at is not None
        is_late = known.shown.subscription.payer is None and context.now >= lapsed_at + _SHOWN_LATE
        return replace(known, charge=charge) if charge.is_removed or charge.is_given_back or is_late else None

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done | Refused:
        """CANCELED with AUTHORIZATION_EXPIRED, unless something came in between. A late message is given its minute."""
        if known is None or _lapsed_at(known, context) is None:
            return _NOTHING
        at_bank = known.shown.subscription.is_at_bank
        over = ended(
            known, "lapse", Cause("AUTHORIZATION_EXPIRED"), context, self.place, charge="expire", is_unpaid=at_bank
        )  # fmt: skip
        return _NOTHING if over is None else Done(over[1], b"")


def _lapsed_at(known: EndSubscriptionContext, context: RequestContext) -> datetime | None:
    """Returns when its window has ended; None: it has not, or it waits for nobody any more."""
    due = subscription_due(known.shown.subscription)
    return due.at if due is not None and due.trigger == "lapse" and due.fires(context.now - EXPIRY_GRACE) else None


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
