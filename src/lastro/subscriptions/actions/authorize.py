"""A payer's yes or no to a subscription, at his bank.

A yes is asked of us (journey 2), or comes with a payment (journey 3). A connection's bank has taken it when we hear of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from lastro import orders
from lastro.api_kit.routes import present
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Row, Write
from lastro.orders import payer_of
from lastro.rails.port import ALARMED, AuthorizationAnswer, authorization_answer_message, recurrence_close_message
from lastro.subscriptions import store
from lastro.subscriptions.actions.cancel import of_recurrence, settled
from lastro.subscriptions.model import AuthorizingPayer, NamedParty
from lastro.subscriptions.notifications import subscription_event
from lastro.subscriptions.rules.authorizing import answer_code, authorization_problem, is_same_word
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from typing import Any
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.orders import Installation
    from lastro.rails.port import Authorization, AuthorizationDeclined, AuthorizationMade, Claimed
    from lastro.subscriptions.actions.ending import EndSubscriptionContext
    from lastro.subscriptions.model import Subscription, SubscriptionShown

HELD_ASK = timedelta(hours=6)  # after which a connection's bank is asked whether an authorization still stands


@dataclass(frozen=True)
class Authorize(Act["SubscriptionShown | None"]):
    """A payer has authorized without paying: his bank waits for our yes or no."""

    asked: Authorization
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> SubscriptionShown | None:
        """The subscription that the network names."""
        subscription_id = await store.id_of_recurrence(session, context.company_id, self.asked.recurrence_id)
        return None if subscription_id is None else await store.shown_by_id(session, context.company_id, subscription_id)

    def decide(self, known: SubscriptionShown | None, context: RequestContext) -> Done:
        """Answers ACCEPTED, or a no with its code. A repeated message gets the same answer."""
        if known is None:
            return Done(self._answer(self.claimed.row_id, answer_code(None), context), b"")
        asked, subscription = self.asked, known.subscription
        payer = self._payer()
        if is_same_word(subscription, payer, asked.maximum):
            return Done(self._answer(subscription.id, None, context), b"")
        problem = authorization_problem(subscription, asked.accepted_at, asked.maximum)
        if problem is not None:
            return Done(self._answer(subscription.id, answer_code(problem), context), b"")
        party, row = payer_of(asked.payer, self.place.banks.known, context)
        said = replace(subscription, payer=payer, maximum=asked.maximum, accepted_at=asked.accepted_at)
        write = Write(context.company_id, rows=(row,)) + accepted(
            replace(known, subscription=said), "authorize", party.id, context
        )
        return Done(write + self._answer(subscription.id, None, context), b"")

    def _payer(self) -> AuthorizingPayer:
        said = self.asked.payer
        person = NamedParty(said.name, said.document_type, said.document_number)
        return AuthorizingPayer(person, said.ispb, said.account, said.branch, said.ibge_code)

    def _answer(self, reference_id: UUID, code: str | None, context: RequestContext) -> Write:
        answer = AuthorizationAnswer.new(self.place.institution.ispb, self.asked, code, context.chance.bytes(24))
        message = authorization_answer_message(answer, reference_id, context.chance.uuid(context.now), context.now)
        return self.claimed.settled("answered", context) + Write(context.company_id, messages=(message,))


@dataclass(frozen=True)
class AuthorizedAtBank(Act["SubscriptionShown | None"]):
    """A payer has authorized at a connection's bank, which asks nobody. rail: the connection."""

    told: AuthorizationMade
    claimed: Claimed
    rail: str

    async def read(self, session: Session, context: RequestContext) -> SubscriptionShown | None:
        """The subscription that the bank names."""
        subscription_id = await store.id_of_recurrence(session, context.company_id, self.told.recurrence_id)
        return None if subscription_id is None else await store.shown_by_id(session, context.company_id, subscription_id)

    def decide(self, known: SubscriptionShown | None, context: RequestContext) -> Done:
        """ACCEPTED (journey 2). In journey 3 the payer is kept, and the payment of the first charge accepts it."""
        if known is None:
            return settled(self.claimed, "ignored", context)
        subscription = known.subscription
        if subscription.rail != self.rail:
            return settled(self.claimed, ALARMED, context)  # no bank speaks for what another one has
        if subscription.payer is not None:
            return settled(self.claimed, "known", context)
        if subscription.state != "PENDING_AUTHORIZATION":  # it has ended here: its payer is to keep no authorization
            message = recurrence_close_message(
                subscription.rail, subscription.provider_id, subscription.id, context.chance.uuid(context.now), context.now
            )
            return self.claimed.done("answered", context, Write(context.company_id, messages=(message,)))
        payer, row = self._payer(subscription, context)
        said = replace(subscription, payer=payer, accepted_at=self.told.accepted_at)
        shown = replace(known, subscription=said)
        write = self.claimed.settled("handled", context) + Write(context.company_id, rows=(row,))
        if not subscription.is_paid_at_once:
            return Done(write + accepted(shown, "authorize", row.values["id"], context), b"")
        move = SUBSCRIPTIONS.move(
            subscription, "agree", context.now, payer_id=row.values["id"], payer_ibge_code=payer.ibge_code,
            accepted_at=said.accepted_at,
        )  # fmt: skip
        return Done(write + Write(context.company_id, moves=(move,)), b"")

    def _payer(self, subscription: Subscription, context: RequestContext) -> tuple[AuthorizingPayer, Row]:
        """Returns the payer as far as the bank tells him: the debtor, where it names nobody else."""
        told, debtor = self.told, subscription.debtor
        number = told.document_number or debtor.document_number
        is_debtor = number == debtor.document_number
        kind = debtor.document_type if is_debtor else told.document_type or debtor.document_type
        person = NamedParty(debtor.name if is_debtor else None, kind, number)
        values = {
            "id": context.chance.uuid(context.now), "name": person.name or "", "document_type": kind,
            "document_number": number, "bank": msgspec.json.encode(present(ispb=told.ispb)).decode(),
        }  # fmt: skip
        return AuthorizingPayer(person, told.ispb, None, None, told.ibge_code), Row("parties", values)


@dataclass(frozen=True)
class Decline(Act["EndSubscriptionContext | None"]):
    """A payer's refusal to authorize."""

    told: AuthorizationDeclined
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> EndSubscriptionContext | None:
        """The subscription and its first charge. NotYet: that is being paid, and the payment's end decides."""
        return await of_recurrence(session, context.company_id, self.told.recurrence_id)

    def decide(self, known: EndSubscriptionContext | None, context: RequestContext) -> Done:
        """Moves it to REJECTED, and cancels its first charge. An authorized or ended subscription cannot be rejected."""
        if known is None:
            return settled(self.claimed, "ignored", context)
        subscription = known.shown.subscription
        if not SUBSCRIPTIONS.allows(subscription.state, "decline"):
            return settled(self.claimed, "known" if subscription.state == "REJECTED" else "ignored", context)
        move = SUBSCRIPTIONS.move(subscription, "decline", context.now, reason=self.told.code)
        write = Write(
            context.company_id, moves=(move,), events=(subscription_event(context, known.shown, move.to_state),),
            finished=(self.claimed.finished("handled", context.now),),
        )  # fmt: skip
        if known.charge is not None:
            at_bank = subscription.is_at_bank
            ending = orders.with_subscription(known.charge, "cancel", context, self.place, is_unpaid=at_bank)
            assert ending is not None, "a first charge that is being paid was waited for"
            write = ending + write
        return Done(write, b"")


def accepted(
    shown: SubscriptionShown, trigger: str, payer_id: UUID | None, context: RequestContext, *,
    end_to_end_id: str | None = None,
) -> Write:  # fmt: skip
    """Moves the subscription to ACCEPTED and notifies its client.

    shown: with payer, maximum and time of acceptance as they will be. payer_id: of the payer's row; None: it has one.
    end_to_end_id: of the payment of its first charge.
    """
    subscription = shown.subscription
    assert subscription.payer is not None
    maximum = subscription.maximum
    sets: dict[str, Any] = {} if payer_id is None else {
        "payer_id": payer_id, "payer_ibge_code": subscription.payer.ibge_code,
        "maximum_minor": None if maximum is None else maximum.minor, "accepted_at": subscription.accepted_at,
    }  # fmt: skip
    if subscription.is_at_bank:
        sets |= {"asked": 0, "ask_at": context.now + HELD_ASK}
    move = SUBSCRIPTIONS.move(subscription, trigger, context.now, reason=end_to_end_id, **sets)
    return Write(
        context.company_id,
        moves=(move,),
        events=(subscription_event(context, shown, move.to_state, end_to_end_id=end_to_end_id),),
    )
