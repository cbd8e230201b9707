"""The acquirer says who pays: the card is charged, its payer is sent to a challenge, or the order is over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Relied, Write
from lastro.orders.actions.end import EndOrderContext as Ending
from lastro.orders.actions.end import demand_told, ended, known_of
from lastro.orders.actions.read import account_of
from lastro.orders.cards import rules, store
from lastro.orders.cards.declines import decline_of
from lastro.orders.cards.states import CARD_PAYMENTS
from lastro.orders.rules import is_of_another
from lastro.orders.states import ORDERS
from lastro.orders.store import order_by_reference
from lastro.rails.port import ALARMED, CARD, FIRST_ASK, authorize_message

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.orders.cards.model import CardPayment
    from lastro.orders.cards.rules import Consequence
    from lastro.orders.model import Installation, Order
    from lastro.rails.port import CardAuthenticated, Claimed, CollectionRefused, StreamsRead

_WAITS = ("CREATED", "CHALLENGE_REQUIRED")
_NO_RESULT = f"3DS: no result within {rules.CHALLENGE_WITHIN.seconds // 60} minutes"


@dataclass(frozen=True, slots=True)
class AuthenticateContext:
    """The order of an acquirer's message, with its company's setting.

    takes_unauthenticated: the company takes cards whose issuer did not authenticate the payer.
    """

    order: Order
    card: CardPayment
    account: Account
    takes_unauthenticated: bool


async def _known(session: Session, company_id: UUID, reference: str) -> AuthenticateContext | None:
    order = await order_by_reference(session, company_id, CARD, reference)
    if order is None or order.card is None:
        return None
    takes = await store.takes_unauthenticated(session, company_id)
    return AuthenticateContext(order, order.card, await account_of(session, company_id, order), takes)


@dataclass(frozen=True)
class Authenticated(Act["AuthenticateContext | None"]):
    """Handles an authentication result, before the challenge and after it."""

    news: CardAuthenticated
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> AuthenticateContext | None:
        """Reads the order of the reference."""
        return await _known(session, context.company_id, self.news.reference)

    def decide(self, known: AuthenticateContext | None, context: RequestContext) -> Done:
        """Applies the result's consequence; a message about an earlier state changes nothing."""
        finished = self.claimed.settled(self._outcome(known, context), context)
        if known is None or self._outcome(known, context) != "handled":
            return Done(finished, b"")
        return Done(finished + self._write(known, context), b"")

    def _outcome(self, known: AuthenticateContext | None, context: RequestContext) -> str:
        if known is None:
            return ALARMED  # a reference of ours that no order has
        if is_of_another(known.order, known.account, self.news.of, context):
            return ALARMED
        is_repeated = known.card.state == "CHALLENGE_REQUIRED" and known.card.trans_status == self.news.status
        return "handled" if known.card.state in _WAITS and not is_repeated else "known"

    def _write(self, known: AuthenticateContext, context: RequestContext) -> Write:
        found = rules.consequence(
            self.news.status, challenged=known.card.state == "CHALLENGE_REQUIRED", skips=known.card.skips_3ds,
            takes_unauthenticated=known.takes_unauthenticated,
        )  # fmt: skip
        sets: dict[str, Any] = {
            "trans_status": self.news.status, "eci": self.news.eci, "ds_transaction_id": self.news.ds_transaction_id,
            "three_ds_version": self.news.version, "flow": found.flow or known.card.flow, "challenge_url": None,
        }  # fmt: skip
        if found.action == "challenge":
            url = self.news.challenge_url if found.flow == "CHALLENGE" else None
            is_page = url is not None and _is_page(url, sandbox=self.place.sandbox)
            if found.flow == "CHALLENGE" and not is_page:
                return self._failed(known, f"3DS {self.news.status}: no page of the challenge", sets, context)
            return self._challenged(known, {**sets, "challenge_url": url}, context)
        if found.action == "fail":
            return self._failed(known, rules.refusal_of(self.news.status, found), sets, context)
        if not known.account.is_active:
            return self._failed(known, "the account that it would credit is not active", sets, context)
        return self._charged(known, sets, found, context)

    def _challenged(self, known: AuthenticateContext, sets: dict[str, Any], context: RequestContext) -> Write:
        card = CARD_PAYMENTS.move(known.card, "challenge", context.now, reason=self.news.status, **sets)
        return Write(context.company_id, moves=(card, ORDERS.move(known.order, "challenge", context.now)))

    def _charged(
        self, known: AuthenticateContext, sets: dict[str, Any], found: Consequence, context: RequestContext
    ) -> Write:
        """Orders the charge once, under the same reference. Nothing else ends the order then.

        The write relies on the account: no charge for one that is blocked or closed meanwhile.
        """
        order, made = known.order, known.order.instrument
        assert made is not None
        assert order.final_amount is not None
        reason = f"{self.news.status}: {found.text}"
        card = CARD_PAYMENTS.move(
            known.card, "authorize", context.now, reason=reason, ask_at=context.now + FIRST_ASK, **sets
        )
        reserved = ORDERS.move(order, "reserve", context.now, ends_at=context.now + rules.SILENT_AFTER)
        message = authorize_message(
            made.reference, order.final_amount, self.news.three_ds, order.id, context.chance.uuid(context.now), context.now
        )
        relied = Relied("accounts", known.account.id, known.account.version)
        return Write(context.company_id, relies=(relied,), moves=(card, reserved), messages=(message,))

    def _failed(self, known: AuthenticateContext, error: str, sets: dict[str, Any], context: RequestContext) -> Write:
        card = CARD_PAYMENTS.move(known.card, "fail", context.now, reason=error, **sets)
        ending = Ending(replace(known.order, card=None), known.account, reserved=False, in_inbox=False)
        return Write(context.company_id, moves=(card,)) + ended(ending, "fail", context, self.place, error=error)


@dataclass(frozen=True)
class CardDeclined(Act["AuthenticateContext | None"]):
    """The issuer refuses the charge, or the acquirer the payment itself."""

    news: CollectionRefused
    claimed: Claimed
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> AuthenticateContext | None:
        """Reads the order of the reference."""
        return await _known(session, context.company_id, self.news.reference)

    def decide(self, known: AuthenticateContext | None, context: RequestContext) -> Done:
        """Makes the order ERROR with the code's text. A repetition changes nothing. A charged card is not declined."""
        allowed = known is not None and CARD_PAYMENTS.allows(known.card.state, "fail")
        outcome = "handled" if allowed else ALARMED if known is None or known.card.state == "CAPTURED" else "known"
        if known is not None and is_of_another(known.order, known.account, self.news.of, context):
            outcome = ALARMED
        write = self.claimed.settled(outcome, context)
        if known is not None and outcome == "handled":
            ending = Ending(known.order, known.account, reserved=False, in_inbox=False)
            write += ended(ending, "fail", context, self.place, error=decline_of(self.news.code).message)
        return Done(write, b"")


@dataclass(frozen=True)
class CardOver(Act["Ending | None"]):
    """An order by card has waited long enough: for its payer, or for the acquirer's word on a charge.

    streams: of the partners, read before an order ends unpaid; None: nobody is asked.
    """

    order_id: UUID
    place: Installation
    streams: StreamsRead | None = None

    async def read(self, session: Session, context: RequestContext) -> Ending | None:
        """Reads the order and its money under way."""
        return await known_of(session, context.company_id, self.order_id, self.streams)

    async def call_out(self, known: Ending | None, context: RequestContext) -> Ending | None:
        """Reads what the acquirer had to say of the order's time."""
        if known is not None:
            await demand_told(known, self.streams, context)
        return known

    def decide(self, known: Ending | None, context: RequestContext) -> Done:
        """Makes PENDING an order whose charge was ordered, and asks about it; else ERROR, since nothing was charged."""
        order = None if known is None else known.order
        if known is None or order is None or order.card is None or order.ends_at is None or context.now < order.ends_at:
            return Done(None, b"")
        if known.in_inbox or not known.is_told:
            return Done(None, b"")
        if order.card.state == "AUTHENTICATED":
            move = ORDERS.move(order, "fall silent", context.now, ends_at=None)
            return Done(Write(context.company_id, moves=(move,)), b"")
        late = CARD_PAYMENTS.move(order.card, "time out", context.now, challenge_url=None)
        ending = replace(known, order=replace(order, card=None))
        write = ended(ending, "fail", context, self.place, error=_NO_RESULT)
        return Done(Write(context.company_id, moves=(late,)) + write, b"")


def _is_page(url: str, *, sandbox: bool) -> bool:
    """Tells whether a browser may be sent there: https, in a sandbox http too, with a host, no user, printable ASCII."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    schemes = ("http", "https") if sandbox else ("https",)
    return plain and parts.scheme in schemes and bool(parts.hostname) and "@" not in parts.netloc
